# cpack, with what will be packed in CPACK_TEMPORARY_INSTALL_DIRECTORY: the files that Debian wants,
# and one time for all where SOURCE_DATE_EPOCH says which, so that the same files make the same
# package.
file(GLOB_RECURSE documents "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/copyright")
find_program(GZIP gzip REQUIRED)
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(NOT epoch)
  string(TIMESTAMP epoch "%s" UTC)
endif()
set(ENV{SOURCE_DATE_EPOCH} ${epoch})
set(ENV{TZ} UTC)
set(ENV{LC_ALL} C)
find_program(DATE date REQUIRED)
if(CPACK_GENERATOR STREQUAL "DEB")
  foreach(copyright IN LISTS documents)
    get_filename_component(folder "${copyright}" DIRECTORY)
    execute_process(COMMAND ${DATE} -u -d @${epoch} "+%a, %d %b %Y %H:%M:%S +0000"
      OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE "${folder}/changelog.Debian"
      "loupe (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
      "  * What changed is in changelog.gz.\n\n"
      " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    file(COPY_FILE "${CMAKE_CURRENT_LIST_DIR}/../CHANGELOG.md" "${folder}/changelog")
    get_filename_component(share "${folder}/../.." ABSOLUTE)
    file(COPY "${CMAKE_CURRENT_LIST_DIR}/lintian/loupe" DESTINATION "${share}/lintian/overrides")
    file(CHMOD "${folder}/changelog" "${folder}/changelog.Debian" "${share}/lintian/overrides/loupe"
      PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    # The zsh of Debian looks for what packages bring elsewhere.
    file(MAKE_DIRECTORY "${share}/zsh/vendor-completions")
    file(RENAME "${share}/zsh/site-functions/_loupe" "${share}/zsh/vendor-completions/_loupe")
    file(REMOVE_RECURSE "${share}/zsh/site-functions")
    file(GLOB pages "${share}/man/man*/*")
    execute_process(COMMAND ${GZIP} -9nf "${folder}/changelog" "${folder}/changelog.Debian" ${pages}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
find_program(FIND find REQUIRED)
execute_process(COMMAND ${FIND} "${CPACK_TEMPORARY_INSTALL_DIRECTORY}" -exec touch -h -d @${epoch} {} +
  COMMAND_ERROR_IS_FATAL ANY)

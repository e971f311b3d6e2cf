# LOUPE_HOMEPAGE: where the project lives on the web; reports for CI and packages name it.
if(NOT DEFINED LOUPE_HOMEPAGE)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/packaging/homepage.sh OUTPUT_VARIABLE url
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(LOUPE_HOMEPAGE "${url}" CACHE STRING "Where the project lives on the web")
endif()
# LOUPE_DOCS_URL: pages of the documentation, there, else where they are installed.
if(LOUPE_HOMEPAGE)
  set(LOUPE_DOCS_URL "${LOUPE_HOMEPAGE}/blob/HEAD/docs/")
else()
  set(LOUPE_DOCS_URL "file://${CMAKE_INSTALL_PREFIX}/share/doc/loupe/")
endif()

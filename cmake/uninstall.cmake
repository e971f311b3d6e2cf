# cmake -P: removes what `cmake --install` wrote down, and the folders of its own that this empties.
# usage: cmake -DTREE=BUILD_TREE -P uninstall.cmake
set(manifest "${TREE}/install_manifest.txt")
if(NOT EXISTS "${manifest}")
  message(FATAL_ERROR "nothing to uninstall: ${manifest} is missing, so this tree has installed nothing")
endif()

file(STRINGS "${manifest}" files)
set(folders)
foreach(file IN LISTS files)
  file(REMOVE "$ENV{DESTDIR}${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  # Ours are named after us; their parents are the system's.
  while(folder MATCHES "/[Ll]oupe(/|$)")
    list(APPEND folders "$ENV{DESTDIR}${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()

# What Python cached there, then every folder that is empty now, the innermost first.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  file(REMOVE_RECURSE "${folder}/__pycache__")
  file(GLOB left "${folder}/*" "${folder}/.*")
  list(FILTER left EXCLUDE REGEX "/\\.\\.?$")
  if(NOT left)
    file(REMOVE_RECURSE "${folder}")
  else()
    message(STATUS "left, because there is more in it: ${folder}")
  endif()
endforeach()
file(REMOVE "${manifest}")

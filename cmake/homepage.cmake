# Where the project lives on the web, as the clone's own remote says it: https://host/owner/name. Reports
# for CI and packages name it. Empty where the remote is a folder or there is none.
function(loupe_find_homepage result)
  set(url "")
  find_program(LOUPE_GIT NAMES git)
  if(LOUPE_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND ${LOUPE_GIT} -C ${PROJECT_SOURCE_DIR} remote get-url origin
      OUTPUT_VARIABLE url OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  # git@host:owner/name and ssh://git@host/owner/name are reached by browsers as https. Names and
  # passwords of whoever cloned are nobody's business.
  string(REGEX REPLACE "^git@([^:/]+):" "https://\\1/" url "${url}")
  string(REGEX REPLACE "^(ssh|https)://([^@/]*@)?" "https://" url "${url}")
  string(REGEX REPLACE "(\\.git|/)$" "" url "${url}")
  if(NOT url MATCHES "^https://[A-Za-z0-9.-]+\\.[A-Za-z0-9.-]+(:[0-9]+)?/[A-Za-z0-9._~/-]+$")
    set(url "")
  endif()
  set(${result} "${url}" PARENT_SCOPE)
endfunction()

if(NOT DEFINED LOUPE_HOMEPAGE)
  loupe_find_homepage(url)
  set(LOUPE_HOMEPAGE "${url}" CACHE STRING "Where the project lives on the web")
endif()
# Pages of the documentation: there, else where they are installed.
if(LOUPE_HOMEPAGE)
  set(LOUPE_DOCS_URL "${LOUPE_HOMEPAGE}/blob/HEAD/docs/")
else()
  set(LOUPE_DOCS_URL "file://${CMAKE_INSTALL_PREFIX}/share/doc/loupe/")
endif()

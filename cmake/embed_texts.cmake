# Files of text as an array in C, for programs that must have them wherever they are installed.
#
#   loupe_embed_texts(OUTPUT.c HEADER TYPE ARRAY NAME FILE [NAME FILE]...)
#
# writes `const struct TYPE ARRAY[]` of names and texts, ended by one without a name.
function(loupe_embed_texts output header type array)
  set(entries "")
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left name file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND entries "    {\"${name}\",\n     \"${text}\"},\n")
  endwhile()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"${header}\"

#include <stddef.h>

const struct ${type} ${array}[] = {
@entries@    {NULL, NULL}};
")
endfunction()

/*
 * library.h - answers/ and what is made of it in pictures/, as a library of its own: for hosts that
 * load it into their process and have no C, such as the Python of a debugger.
 *
 * It calls nothing but a few functions of <string.h>, keeps no state, and uses no memory but what
 * it is given.
 */
#ifndef LOUPE_PICTURES_LIBRARY_H
#define LOUPE_PICTURES_LIBRARY_H

#include <stddef.h>

enum { LOUPE_ANSWERS_NO_ROOM = -1, LOUPE_ANSWERS_NO_ANSWER = -2 };

struct loupe_answers_memory {
    void *scratch; /* any bytes; 64 times an answer's length and a megabyte is enough for most */
    size_t scratch_size;
    char *text; /* where what is said goes */
    size_t text_size;
};

/*
 * Of an answer (docs/protocol.md, a line of JSON in UTF-8) what pictures/words.h says, as JSON
 * without a NUL. Returns its length, or LOUPE_ANSWERS_NO_ROOM: more memory is needed;
 * LOUPE_ANSWERS_NO_ANSWER: nothing can be said of it.
 */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
long loupe_answers_words(const char *answer, size_t length, const struct loupe_answers_memory *memory);

#endif

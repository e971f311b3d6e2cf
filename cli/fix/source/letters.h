/*
 * letters.h - what a character of a source can be, in C and in Swift.
 */
#ifndef LOUPE_CLI_FIX_LETTERS_H
#define LOUPE_CLI_FIX_LETTERS_H

#include <stdbool.h>

/* Of a name; those beyond ASCII are letters. */
static inline bool fix_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static inline bool fix_is_digit(char c) {
    return c >= '0' && c <= '9';
}

#endif

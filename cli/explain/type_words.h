/*
 * type_words.h - what a person calls an encoded type.
 */
#ifndef LOUPE_CLI_EXPLAIN_TYPE_WORDS_H
#define LOUPE_CLI_EXPLAIN_TYPE_WORDS_H

#include "types/encoding.h"

/* "int", "NSString *", "const char *", "struct CGRect". Cut to cap. */
void type_words(enum loupe_type_kind kind, struct loupe_span type, char *dst, size_t cap);

#endif

/*
 * type_text.h - types from their encodings, as a person writes them: [3@"Node"] is Node *[3].
 */
#ifndef LOUPE_TYPE_TEXT_H
#define LOUPE_TYPE_TEXT_H

#include "base/text.h"

/* A type, cut to cap bytes with its NUL (cap > 0); its length. The encoding itself
 * where it is not understood: never a guess. */
size_t loupe_type_text(struct loupe_span encoding, char *dst, size_t cap);

/* The prototype of a block by its signature, v24@?0@"NSString"8i16 is void (^)(NSString *, int);
 * its length. 0: it is no signature of a block, or there is no room. */
size_t loupe_prototype_text(struct loupe_span signature, char *dst, size_t cap);

#endif

/*
 * type_text.h - types from their encodings, as a person writes them: [3@"Node"] is Node *[3].
 */
#ifndef LOUPE_TYPE_TEXT_H
#define LOUPE_TYPE_TEXT_H

#include "base/text.h"

/* A type, cut to cap bytes with its NUL (cap > 0); its length. The encoding itself
 * where it is not understood: never a guess. */
size_t loupe_type_text(struct loupe_span encoding, char *dst, size_t cap);

#endif

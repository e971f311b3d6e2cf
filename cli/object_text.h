/*
 * object_text.h - answers about one object of a target, in words: what it holds, who holds it,
 * where its ivars or captures are.
 */
#ifndef LOUPE_CLI_OBJECT_TEXT_H
#define LOUPE_CLI_OBJECT_TEXT_H

#include "heap_verb.h"

/* Prints an answer to strong-refs, incoming-refs, ivar-layout or block-layout (docs/protocol.md).
 * The exit status; an error is said on stderr. */
int object_text_print(const struct heap_query *query, struct loupe_span answer);

#endif

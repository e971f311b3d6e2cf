/*
 * show_suspects.h - what should be gone and is not, and who keeps most of a heap, as text.
 */
#ifndef LOUPE_CLI_SHOW_SUSPECTS_H
#define LOUPE_CLI_SHOW_SUSPECTS_H

#include "heap_questions/causes.h"
#include "heaps/heap_verb.h"
#include "mistakes/patterns.h"

/* Of each kind of groups those that fit; most: 0 is all. The exit status. */
int show_causes(const struct heap_query *query, const struct loupe_causes *causes, uint32_t most,
                const struct loupe_patterns *mistakes);

#endif

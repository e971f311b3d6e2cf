/*
 * heap_freed.h - what a verb about one object says of an address where one was freed.
 */
#ifndef LOUPE_CLI_HEAP_FREED_H
#define LOUPE_CLI_HEAP_FREED_H

#include "heaps/heap_verb.h"

/* Says that it was freed and who still points there, where that is known: by what the snapshot has
 * of references to it, or by the memory that it was made of. False: nothing was said. */
bool heap_refuse_freed(const struct heap_query *query, uint64_t address, int *status_ret);

#endif

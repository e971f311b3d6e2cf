/*
 * show_reuse.h - what `diff` says of objects that took the places of others of their class.
 */
#ifndef LOUPE_CLI_SHOW_REUSE_H
#define LOUPE_CLI_SHOW_REUSE_H

#include "heaps/heap_verb.h"
#include "snapshot/difference.h"

/* Of two Objective-C heaps, whose first `changed` classes are those that changed. */
void show_reuse(const struct heap_query *query, const struct loupe_difference *difference,
                uint32_t changed);

#endif

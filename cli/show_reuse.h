/*
 * show_reuse.h - what `diff` says of objects that took the places of others of their class.
 */
#ifndef LOUPE_CLI_SHOW_REUSE_H
#define LOUPE_CLI_SHOW_REUSE_H

#include "base/json.h"
#include "heap_verb.h"
#include "snapshot/difference.h"

/* "reused" and "maybe_reused", of a class or of all. */
void report_reuse(struct loupe_json *json, const struct loupe_class_difference *row);

/* Of two Objective-C heaps, whose first `changed` classes are those that changed. */
void show_reuse(const struct heap_query *query, const struct loupe_difference *difference,
                uint32_t changed);

#endif

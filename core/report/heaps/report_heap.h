/*
 * report_heap.h - what a snapshot of an Objective-C heap says of itself: how much there is, who
 * gave it out, what was not looked at.
 */
#ifndef LOUPE_REPORT_HEAP_H
#define LOUPE_REPORT_HEAP_H

#include "base/json.h"
#include "snapshot/native.h"

/* "snapshot":{...} and "allocators":[...], of a native heap. */
void loupe_report_heap(struct loupe_json *json, const struct loupe_snapshot *snapshot);

/* "not_followed":[...], of its notes. */
void loupe_report_heap_notes(struct loupe_json *json, const struct loupe_snapshot *snapshot);
/* The items of that array alone. */
void loupe_report_heap_note_items(struct loupe_json *json, const struct loupe_snapshot *snapshot);

#endif

/*
 * report_root.h - members of ROOT (docs/protocol.md) that say which variable a root is.
 */
#ifndef LOUPE_REPORT_ROOT_H
#define LOUPE_REPORT_ROOT_H

#include "base/json.h"
#include "base/target/memory.h"
#include "snapshot/snapshot.h"

/* "name": of a word of a module's data, by its symbol. Nothing without one, and where symbols is
 * NULL. */
void loupe_report_variable(struct loupe_json *json, const struct loupe_memory *symbols,
                           loupe_addr slot);

/* "name" and "where" of a root of a native heap: as the snapshot has them, else by symbols, which
 * may be NULL; null without a name. */
void loupe_report_heap_variable(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                const struct loupe_memory *symbols, uint32_t root);

/* "class", "method", "source", "line" of a frame, into an object that is open. */
void loupe_report_frame_members(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                const struct loupe_snapshot_frame *frame);
/* "frame": the function that a root is a variable of, or null. */
void loupe_report_root_frame(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t root);

#endif

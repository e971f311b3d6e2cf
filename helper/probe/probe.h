/*
 * probe.h - the dispose probe: what a block or an object releases when it dies, found out by
 * letting a copy made of detectors die (detectors.h).
 *
 * The answer to "dispose-probe" (docs/protocol.md). Of a block: the words that its dispose helper
 * releases, and how. Of an object or a class: for each class of its hierarchy, the words that
 * .cxx_destruct releases, which tells the owned ivars also where ivar layouts are missing. It says
 * nothing of words that are left alone: what -dealloc releases is not seen. Where the probe would
 * not be safe it is not made, and "skipped" says why. What code does is kept by its address, so
 * that it runs once.
 */
#ifndef LOUPE_HELPER_PROBE_H
#define LOUPE_HELPER_PROBE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/target/memory.h"
#include "report/report.h"
#include "runtime/object.h"
#include "self_reader.h"

/* Writes the answer to sink, an error too. */
void loupe_probe(struct loupe_self *self, struct loupe_memory *memory,
                 const struct loupe_chunk_ops *chunks, loupe_addr address, struct loupe_sink sink);

/* ---- Its two kinds: what stands behind the envelope. Only a failure writes nothing. ---- */

enum loupe_status loupe_probe_block(struct loupe_self *self, struct loupe_target *target,
                                    loupe_addr address, struct loupe_json *json,
                                    const struct loupe_envelope *envelope, struct loupe_error *err);
enum loupe_status loupe_probe_ivars(struct loupe_self *self, struct loupe_target *target,
                                    const struct loupe_object *object, struct loupe_json *json,
                                    const struct loupe_envelope *envelope, struct loupe_error *err);

#endif

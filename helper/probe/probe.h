/*
 * probe.h - the dispose probe: what a block releases when it dies, found out by letting a copy made
 * of detectors die (detectors.h).
 *
 * The answer to "dispose-probe" (docs/protocol.md): the words that the block's dispose helper
 * releases, and how. It says nothing of words that it leaves alone. Where the probe would not be
 * safe it is not made, and "skipped" says why. What a helper does is kept by its address, so that
 * each runs once.
 */
#ifndef LOUPE_HELPER_PROBE_H
#define LOUPE_HELPER_PROBE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/memory.h"
#include "self_reader.h"

/* Writes the answer to sink, an error too. */
void loupe_probe(struct loupe_self *self, struct loupe_memory *memory,
                 const struct loupe_chunk_ops *chunks, loupe_addr address, struct loupe_sink sink);

#endif

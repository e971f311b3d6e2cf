/*
 * loupe_file.h - snapshots in files: mapped, and columns of numbers unpacked where they are.
 *
 * A file is a header, a table of sections, and the sections: arrays of little-endian numbers, each
 * at a multiple of 64 bytes, as they stand in memory or packed (packing.h). docs/snapshot.md
 * describes it for others. What a dump tells on demand (which field a link is, what an object
 * contains) is stored, so that the dump can go; of arrays of primitives only the beginning. What
 * objects contain is unpacked 64 of them at a time, when one is asked for.
 *
 * A file is checked once, when it is opened: whatever its bytes, it is refused or safe to ask.
 */
#ifndef LOUPE_FILE_H
#define LOUPE_FILE_H

#include "analysis/dominators/dominators.h"
#include "analysis/shortest.h"
#include "base/json.h"
#include "snapshot/snapshot.h"

enum { LOUPE_FILE_VERSION = 2, LOUPE_PLAIN_FILE_VERSION = 1 /* without packing: it is read */ };

/* Bytes kept of the contents of an array of primitives. */
enum { LOUPE_FILE_ARRAY_BYTES = 256 };

/* Whether the bytes begin as a snapshot does, of whatever version. */
bool loupe_file_is(const uint8_t *bytes, uint64_t size);

/*
 * A snapshot of a mapped file, which has to stay as long. bytes are aligned to 8. LOUPE_EUSAGE
 * when it is damaged or of another version.
 */
enum loupe_status loupe_file_open(const uint8_t *bytes, uint64_t size,
                                  const struct loupe_chunk_ops *chunks, struct loupe_snapshot *ret,
                                  struct loupe_error *err);

/* Results that are stored with a snapshot, of the policy "loupe". Each may be NULL. */
struct loupe_file_results {
    const struct loupe_dominators *dominators;
    const struct loupe_shortest *paths;
    uint64_t rules; /* of the paths, as in struct loupe_stored_paths */
};

/*
 * Writes a snapshot. What it needs while it runs: 8 bytes a node, and 4 a link of the node that has
 * most. All of it is packed twice: first to know how long it gets.
 */
enum loupe_status loupe_file_write(const struct loupe_snapshot *snapshot,
                                   const struct loupe_file_results *results,
                                   const struct loupe_chunk_ops *chunks, struct loupe_sink sink);

/* How many bytes that writes. Memory as for it. */
enum loupe_status loupe_file_measure(const struct loupe_snapshot *snapshot,
                                     const struct loupe_file_results *results,
                                     const struct loupe_chunk_ops *chunks, uint64_t *ret);

/*
 * Whether the stored path of a node, if it has one, is one: a file may say anything. Walks it.
 */
bool loupe_stored_path_is_sound(const struct loupe_snapshot *snapshot,
                                const struct loupe_shortest *paths, uint32_t node);

#endif

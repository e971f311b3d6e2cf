/*
 * hprof_own.h - the part of a dump of ours that only Loupe reads: the whole snapshot, as a .loupe
 * file has it (loupe_file.h).
 *
 * Fields of Java say neither who owns what, nor why that is only assumed, nor where a root stands.
 * So a dump that hprof_write.h writes begins with a record of settings that is longer than such
 * are: other readers pass over records of settings by their length, whatever is in them.
 *
 *     offset  bytes
 *     0       31     header of the dump: version 1.0.2, ids of 8 bytes
 *     31      9      header of the record: HPROF_CONTROL_SETTINGS
 *     40      6      its flags and the depth of stacks: all 0
 *     46      18     0
 *     64             the snapshot, to the end of the record
 */
#ifndef LOUPE_HPROF_OWN_H
#define LOUPE_HPROF_OWN_H

#include "hprof/hprof_output.h"
#include "snapshot/snapshot.h"

/* Right behind the header. One that is too long for a record (4 GiB) is left out. */
void hprof_put_own_part(struct hprof_output *output, const struct loupe_snapshot *snapshot,
                        const struct loupe_chunk_ops *chunks);

/* Where it lies in a dump; false: there is none. is_whole: the file does not end before it does. */
bool hprof_find_own_part(const uint8_t *bytes, uint64_t size, uint64_t *start_ret,
                         uint64_t *length_ret, bool *is_whole_ret);

#endif

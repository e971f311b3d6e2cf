/*
 * without_stacks.h - which roots of a snapshot are words of running code, and what the others
 * reach: words on stacks and in registers of native programs may be left over, and go by
 * themselves.
 */
#ifndef LOUPE_WITHOUT_STACKS_H
#define LOUPE_WITHOUT_STACKS_H

#include "analysis/dominators/dominators.h"
#include "snapshot/snapshot.h"

/* Whether a root is a word of running code. */
bool loupe_root_may_be_stale(const struct loupe_snapshot_root *root);

/* Marks what the other roots lead to along links of the kinds, in the snapshot's columns or a copy
 * of them with other kinds. The marks are initialized where LOUPE_OK is returned. LOUPE_ENOMEM,
 * LOUPE_ETIMEOUT. */
enum loupe_status loupe_mark_reached_without_stacks(const struct loupe_snapshot *snapshot,
                                                    const struct loupe_columns *links,
                                                    loupe_link_kinds kinds,
                                                    const struct loupe_chunk_ops *chunks,
                                                    struct loupe_marks *ret);

/*
 * Dominators as a policy has them. What the other roots lead to is dominated as if no code ran: a
 * word of a stack takes none of it away from those who own it. Other tools know of no such
 * difference. 1/8 byte a node and 4 a root more than loupe_dominators_by_policy().
 */
enum loupe_status loupe_snapshot_dominators(const struct loupe_snapshot *snapshot,
                                            const struct loupe_link_policy *policy,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_dominators *ret);

#endif

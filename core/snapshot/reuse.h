/*
 * reuse.h - two objects of one class that stand at one address, in two snapshots of one process:
 * are they the same, or was the first one freed and the other put in its place?
 *
 * Nothing in an object says when it was made. So there are three answers: what tells surely that it
 * is another one, what makes that likely, and nothing, which an equal object leaves behind that was
 * put where the old one was. Only objects and blocks of Objective-C heaps are looked at: memory
 * that is no object may be resized where it is.
 */
#ifndef LOUPE_REUSE_H
#define LOUPE_REUSE_H

#include "snapshot/snapshot.h"

/* The same process, at two moments: else addresses say nothing. Java heaps are not. */
bool loupe_reuse_can_be_told(const struct loupe_snapshot *older,
                             const struct loupe_snapshot *newer);

/*
 * Surely another one: its memory has another size, its class or its block's function stands
 * elsewhere, the old one was being deallocated, or libloupe_record has another stack for it.
 */
bool loupe_reuse_is_sure(const struct loupe_snapshot *older, uint32_t was,
                         const struct loupe_snapshot *newer, uint32_t is);

/*
 * Sets the bits (bit i % 8 of byte i / 8) of nodes of the newer one that may be other objects,
 * although nothing is sure: of all objects that they referred to none is left among those that they
 * refer to; or they refer to none, and none of the objects that referred to them does any more.
 * old_of has by node of the newer one the node of the older one that it goes on to be, or
 * LOUPE_NO_NODE. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_reuse_find_likely(const struct loupe_snapshot *older,
                                          const struct loupe_snapshot *newer,
                                          const uint32_t *old_of,
                                          const struct loupe_chunk_ops *chunks, uint8_t *bits);

#endif

/*
 * block_table.h - the table of live blocks: from an address to the number of its stack.
 *
 * Without a lock: any function may be interrupted anywhere, by a signal whose handler calls the
 * same ones, by a fork() whose child goes on alone, by the end of its thread. What a caller keeps
 * itself: two threads never call for one address at the same time, as none can with what malloc
 * gave out.
 *
 * A table that has no room in some group is left for one twice as large. The thread that finds that
 * out moves what is in it, while the others go on: new blocks are put into the new one, blocks that
 * are not moved yet are taken out of the old one. A block stands in the new table before it leaves
 * the old one. A move that was broken off, since its thread is not in the child of a fork(), is
 * done again when the next one is due.
 */
#ifndef LOUPE_RECORD_BLOCK_TABLE_H
#define LOUPE_RECORD_BLOCK_TABLE_H

#include "recorded/layout.h"

#include <stdbool.h>

/* The smallest table. False: there is no memory, and nothing can be put. */
bool loupe_block_table_init(struct loupe_record_header *header);

/* A call for that address follows soon: memory may bring what it needs by then. */
void loupe_block_table_expect(const struct loupe_record_header *header, uint64_t address);

/* False: it is left out, for which the header's count goes up. stack is not 0. */
bool loupe_block_table_put(struct loupe_record_header *header, uint64_t address, uint32_t stack);

/* Takes it out. 0: it is not there. */
uint32_t loupe_block_table_take(struct loupe_record_header *header, uint64_t address);

#endif

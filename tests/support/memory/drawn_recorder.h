/*
 * drawn_recorder.h - what libloupe_record leaves in a process (recorded/layout.h), drawn: two
 * tables, and the stack 5 <- 4 <- 3 of the frames 0x105, 0x104 and 0x103.
 */
#ifndef LOUPE_TESTS_DRAWN_RECORDER_H
#define LOUPE_TESTS_DRAWN_RECORDER_H

#include "drawn_heap.h"
#include "recorded/layout.h"

enum { DRAWN_RECORDER_NODES = 0x2000000, DRAWN_RECORDER_HEADER = 0x4000000 };

/* In regions of its own, with its symbol. The header, which is not there before it is put. */
struct loupe_record_header drawn_recorder_add(struct drawn_heap *heap);
void drawn_recorder_put(struct drawn_heap *heap, const struct loupe_record_header *header);

void drawn_recorder_node(struct drawn_heap *heap, uint32_t number, uint64_t frame, uint32_t caller);
/* In the table of level 16 or 17: into the slot that is `further` behind the one where the search
 * begins. */
void drawn_recorder_slot(struct drawn_heap *heap, loupe_addr block, uint32_t level,
                         uint32_t further, uint64_t slot);
void drawn_recorder_block(struct drawn_heap *heap, loupe_addr block, uint32_t level,
                          uint32_t further, uint32_t stack);

#endif

/*
 * drawn_captures.h - the captures of drawn blocks: what the tests of captures have in common.
 *
 * One heap at a time. Results live until close_heap().
 */
#ifndef LOUPE_TESTS_DRAWN_CAPTURES_H
#define LOUPE_TESTS_DRAWN_CAPTURES_H

#include "blocks/block.h"
#include "blocks/captures.h"
#include "drawn_block.h"

/* Two blocks runtimes: with layouts and counts in the flags, and without any of both. */
extern const struct loupe_block_traits apple, libobjc2;

extern struct drawn_heap heap;
extern struct loupe_memory memory;
extern struct loupe_arena arena;

void open_heap(uint8_t pointer_size);
void close_heap(void);

/* The captures of a block of this shape, drawn anew. Checks that they cover it. */
struct loupe_captures read_captures(const struct drawn_block *shape,
                                    const struct loupe_block_traits *traits);

/* Checks that every byte from start to end is in one capture. */
void check_cover(const struct loupe_captures *captures, uint32_t start, uint32_t end);

#endif

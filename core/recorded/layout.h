/*
 * layout.h - where libloupe_record keeps what it recorded: for each live block the stack that
 * allocated it. The recorder writes this into its own process (record/); recorded.h reads it there,
 * from outside or in a core. Version 2; what is here changes only together with the version.
 *
 * Found by its header: the recorder's variable LOUPE_RECORD_SYMBOL holds the header's address; and
 * where no symbol is known, the header stands at the start of a region that can be written, since
 * pages without access surround it, and begins with the magic and its own address.
 *
 *     header -> tables[level - FIRST_LEVEL] -> slots: a block, by a hash of its address, and the
 *                                              number of its stack
 *            -> segments[number >> SEGMENT_SHIFT] -> nodes: a return address and the number of the
 *                                              node that called
 *            -> event_segments[number / EVENT_SEGMENT] -> events, in the order in which they
 * happened
 *
 * Stacks are a tree whose root is the outermost frame; the number of a stack is that of its
 * innermost node. Number 0 is no stack; WHOLE and CUT are what the outermost node has in place of a
 * caller: nothing is missing, or frames further out were left out.
 *
 * Neither a slot nor a node nor an event holds the address of a block, so that who looks for
 * references in all memory does not find any here.
 *
 * A slot: the low REST_BITS of the hash above the STACK_BITS of the number; without a number it is
 * no block. A table of level n has 2^n slots in groups of GROUP; the upper n - GROUP_SHIFT bits of
 * the hash choose the group, its low bits the slot in it where the search begins; it goes on
 * round the group to the first slot that is 0. A block stands in the table of the newest level or,
 * until it is moved, in one from oldest_level on.
 */
#ifndef LOUPE_RECORDED_LAYOUT_H
#define LOUPE_RECORDED_LAYOUT_H

#include <stdint.h>

#define LOUPE_RECORD_SYMBOL  "loupe_record_table"
#define LOUPE_RECORD_LIBRARY "libloupe_record"
#define LOUPE_RECORD_MAGIC   "loupe recorded\n" /* with its NUL, 16 bytes */

enum {
    LOUPE_RECORD_VERSION = 2,
    LOUPE_RECORD_MAGIC_SIZE = 16,

    LOUPE_RECORD_ALIGN_SHIFT = 3, /* blocks are aligned to 8 bytes */
    LOUPE_RECORD_KEY_BITS = 45,   /* of an address without these bits: 48 bits have addresses */
    LOUPE_RECORD_STACK_BITS = 27,
    LOUPE_RECORD_REST_BITS = 64 - LOUPE_RECORD_STACK_BITS,
    LOUPE_RECORD_GROUP_SHIFT = 8,
    LOUPE_RECORD_GROUP = 1 << LOUPE_RECORD_GROUP_SHIFT,
    /* The smallest one whose groups say the bits of the hash that are not in the slots. */
    LOUPE_RECORD_FIRST_LEVEL = 16,
    LOUPE_RECORD_LEVEL_COUNT = 15,

    LOUPE_RECORD_WHOLE = 1,
    LOUPE_RECORD_CUT = 2,
    LOUPE_RECORD_FIRST_NODE = 3,
    LOUPE_RECORD_SEGMENT_SHIFT = 14,
    LOUPE_RECORD_SEGMENT_NODES = 1 << LOUPE_RECORD_SEGMENT_SHIFT,
    LOUPE_RECORD_SEGMENT_COUNT = 1 << (LOUPE_RECORD_STACK_BITS - LOUPE_RECORD_SEGMENT_SHIFT),

    /* Of one stack; what is further out is left out. */
    LOUPE_RECORD_MOST_FRAMES = 128,

    LOUPE_RECORD_EVENT_SEGMENT = 1 << 14, /* events in one */
    LOUPE_RECORD_EVENT_SEGMENT_COUNT = 1 << 12,
    LOUPE_RECORD_MOST_EVENTS = LOUPE_RECORD_EVENT_SEGMENT * LOUPE_RECORD_EVENT_SEGMENT_COUNT
};

#define LOUPE_RECORD_STACK_MASK ((UINT64_C(1) << LOUPE_RECORD_STACK_BITS) - 1)

/* Why nothing is recorded although the recorder is here. */
enum loupe_record_state {
    LOUPE_RECORD_IS_ON = 0,
    LOUPE_RECORD_IS_BYPASSED = 1 /* the program's own malloc stands before the recorder's */
};

/* What happened to the retain count of an object whose class was chosen (LOUPE_RECORD). */
enum loupe_record_event_kind {
    LOUPE_RECORD_RETAINED,
    LOUPE_RECORD_RELEASED,
    LOUPE_RECORD_AUTORELEASED,
    LOUPE_RECORD_DEALLOCATED, /* another object may come to stand there */
    LOUPE_RECORD_EVENT_KIND_COUNT
};

struct loupe_record_event {
    uint64_t object; /* the complement of its address; 0: it is being written, or was left out */
    uint32_t stack;  /* who did that */
    uint32_t kind;   /* enum loupe_record_event_kind */
};

struct loupe_record_node {
    uint64_t frame; /* a return address */
    uint32_t caller;
    uint32_t next; /* the recorder's own */
};

struct loupe_record_header {
    char magic[LOUPE_RECORD_MAGIC_SIZE];
    uint64_t self; /* the address of this header */
    uint32_t version;
    uint32_t size; /* bytes of this header */
    uint32_t state;
    uint32_t level;
    uint32_t oldest_level;
    uint32_t node_count; /* every number below it has a node or is one of the first three */
    uint64_t segments;   /* an array of SEGMENT_COUNT addresses, 0 where there is none yet */
    uint64_t tables[LOUPE_RECORD_LEVEL_COUNT];
    uint64_t
        blocks_left_out; /* allocations that are not here: no memory, or the limit is reached */
    uint64_t stacks_left_out; /* blocks whose stack is cut for the same reason */
    uint64_t bytes;           /* of memory that the recorder holds */
    uint64_t event_segments;  /* an array of EVENT_SEGMENT_COUNT addresses; 0: no class is chosen */
    uint64_t event_count;     /* those that were left out among them */
    uint64_t events_left_out; /* for want of memory */
};

/* Different for any two addresses. */
static inline uint64_t loupe_record_hash(uint64_t address) {
    const uint64_t mask = (UINT64_C(1) << LOUPE_RECORD_KEY_BITS) - 1;
    uint64_t hash = (address >> LOUPE_RECORD_ALIGN_SHIFT) & mask;
    hash = (hash * UINT64_C(0x9e3779b97f4a7c15)) & mask;
    hash ^= hash >> 23;
    return (hash * UINT64_C(0xd6e8feb86659fd93)) & mask;
}

static inline uint64_t loupe_record_group(uint64_t hash, uint32_t level) {
    return hash >> (LOUPE_RECORD_KEY_BITS + LOUPE_RECORD_GROUP_SHIFT - level);
}

/* The slot of a block. */
static inline uint64_t loupe_record_slot(uint64_t hash, uint32_t stack) {
    return hash << LOUPE_RECORD_STACK_BITS | stack;
}

/* The hash of the block in a slot of a group of a table. */
static inline uint64_t loupe_record_slot_hash(uint64_t slot, uint64_t group, uint32_t level) {
    const uint32_t implied = LOUPE_RECORD_KEY_BITS - LOUPE_RECORD_REST_BITS;
    uint64_t upper = group >> (level - LOUPE_RECORD_GROUP_SHIFT - implied);
    return upper << LOUPE_RECORD_REST_BITS | slot >> LOUPE_RECORD_STACK_BITS;
}

#endif

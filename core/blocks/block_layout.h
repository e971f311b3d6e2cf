/*
 * block_layout.h - the compiler's descriptions of a block's captures (and of a __block variable's
 * bytes) that are data: the extended layout and the generic-helper information.
 *
 * Both come as one word or as a string of bytes. An extended layout word below 0x1000 is the inline
 * form 0xXYZ: X strong words, then Y byrefs, then Z weak slots. Else it is the address of bytes
 * 0xPN, each N + 1 units of opcode P, up to a byte 0x00 (libclosure Block_private.h, clang
 * CGObjCMac.cpp). The generic-helper information looks alike and numbers its opcodes differently.
 *
 * A layout says what was captured, not what is owned, and it is wrong for some blocks: captures.h
 * weighs it against the other sources. Everything here is bounded by the caller's `limit`, the
 * bytes that the layout can describe at most.
 */
#ifndef LOUPE_BLOCK_LAYOUT_H
#define LOUPE_BLOCK_LAYOUT_H

#include "base/target/memory.h"

enum loupe_layout_op {
    LOUPE_LAYOUT_BYTES,      /* no objects; counted in bytes */
    LOUPE_LAYOUT_WORDS,      /* no objects; this and all others are counted in words */
    LOUPE_LAYOUT_STRONG,     /* objects */
    LOUPE_LAYOUT_BLOCK,      /* blocks; generic-helper information only */
    LOUPE_LAYOUT_BYREF,      /* storage of __block variables */
    LOUPE_LAYOUT_WEAK,       /* weak slots */
    LOUPE_LAYOUT_UNRETAINED, /* objects that are not owned; extended layout only */
    LOUPE_LAYOUT_RESERVED,   /* opcodes 7 to 10: words of a meaning not given out yet */
    LOUPE_LAYOUT_OP_COUNT
};

/* "non-object-bytes", "strong", ... as in the protocol. Static storage. */
const char *loupe_layout_op_name(enum loupe_layout_op op);

struct loupe_layout_run {
    enum loupe_layout_op op;
    uint32_t count;  /* units */
    uint32_t offset; /* bytes from where the layout starts */
    uint32_t size;   /* bytes */
};

enum loupe_layout_end {
    LOUPE_LAYOUT_ENDED,    /* by its terminator: the bytes behind the runs hold no objects */
    LOUPE_LAYOUT_BAD_BYTE, /* at a byte without a meaning: nothing is known behind the runs */
    LOUPE_LAYOUT_OVERRUN   /* at the limit: it describes more bytes than there are */
};

/* A decoded layout. runs and bytes live in the arena. */
struct loupe_layout {
    struct loupe_layout_run *runs;
    uint32_t run_count;
    uint32_t size; /* bytes that the runs cover */
    enum loupe_layout_end end;
    bool is_inline;          /* the word itself was the layout */
    uint64_t word;           /* the inline form, or the address of the bytes (0: bytes at hand) */
    struct loupe_span bytes; /* the string without its terminator; empty for the inline form */
};

enum {
    LOUPE_LAYOUT_INLINE_END = 0x1000, /* words below are inline */
    LOUPE_LAYOUT_NO_LIMIT = 1 << 30   /* for layouts without a block */
};

/* A word in the inline form. Runs of no words are left out. */
enum loupe_status loupe_layout_decode_inline(struct loupe_arena *arena, uint32_t word,
                                             uint8_t pointer_size, uint32_t limit,
                                             struct loupe_layout *ret);

/* A string at hand, with or without its terminator. */
enum loupe_status loupe_layout_decode_bytes(struct loupe_arena *arena, struct loupe_span bytes,
                                            uint8_t pointer_size, uint32_t limit,
                                            struct loupe_layout *ret);

/* The layout word of a descriptor or byref, which must not be 0. LOUPE_EFAULT: unreadable bytes. */
enum loupe_status loupe_layout_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                    uint64_t word, uint32_t limit, struct loupe_layout *ret);

/* ---- Generic-helper information (libclosure-84 and later) ---- */

/* The inline form: counts in the nibbles 8-11 strong, 12-15 block, 16-19 byref, 20-23 weak. */
enum loupe_status loupe_generic_decode_inline(struct loupe_arena *arena, uint32_t word,
                                              uint8_t pointer_size, uint32_t limit,
                                              struct loupe_layout *ret);

/* The string form. Its first byte is skipped, as the runtime does. LOUPE_EFAULT as above. */
enum loupe_status loupe_generic_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                     loupe_addr address, uint32_t limit, struct loupe_layout *ret);

#endif

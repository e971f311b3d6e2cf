#include "blocks/block_layout.h"

#include <string.h>

enum { BAD = LOUPE_LAYOUT_OP_COUNT }; /* an opcode without a meaning */

/* What the high nibble of a byte means. Opcode 0 ends a layout, with a low nibble of 0 only. */
static const uint8_t extended_ops[16] = {
    [0x0] = BAD,
    [0x1] = LOUPE_LAYOUT_BYTES,
    [0x2] = LOUPE_LAYOUT_WORDS,
    [0x3] = LOUPE_LAYOUT_STRONG,
    [0x4] = LOUPE_LAYOUT_BYREF,
    [0x5] = LOUPE_LAYOUT_WEAK,
    [0x6] = LOUPE_LAYOUT_UNRETAINED,
    [0x7] = LOUPE_LAYOUT_RESERVED,
    [0x8] = LOUPE_LAYOUT_RESERVED,
    [0x9] = LOUPE_LAYOUT_RESERVED,
    [0xa] = LOUPE_LAYOUT_RESERVED,
    [0xb] = BAD,
    [0xc] = BAD,
    [0xd] = BAD,
    [0xe] = BAD,
    [0xf] = BAD,
};
static const uint8_t generic_ops[16] = {
    [0x0] = BAD,
    [0x1] = LOUPE_LAYOUT_BYTES,
    [0x2] = LOUPE_LAYOUT_WORDS,
    [0x3] = LOUPE_LAYOUT_STRONG,
    [0x4] = LOUPE_LAYOUT_BLOCK,
    [0x5] = LOUPE_LAYOUT_BYREF,
    [0x6] = LOUPE_LAYOUT_WEAK,
    [0x7] = BAD,
    [0x8] = BAD,
    [0x9] = BAD,
    [0xa] = BAD,
    [0xb] = BAD,
    [0xc] = BAD,
    [0xd] = BAD,
    [0xe] = BAD,
    [0xf] = BAD,
};

const char *loupe_layout_op_name(enum loupe_layout_op op) {
    static const char *const names[LOUPE_LAYOUT_OP_COUNT] = {
        [LOUPE_LAYOUT_BYTES] = "non-object-bytes",
        [LOUPE_LAYOUT_WORDS] = "non-object-words",
        [LOUPE_LAYOUT_STRONG] = "strong",
        [LOUPE_LAYOUT_BLOCK] = "block",
        [LOUPE_LAYOUT_BYREF] = "byref",
        [LOUPE_LAYOUT_WEAK] = "weak",
        [LOUPE_LAYOUT_UNRETAINED] = "unretained",
        [LOUPE_LAYOUT_RESERVED] = "reserved",
    };
    return (unsigned)op < LOUPE_LAYOUT_OP_COUNT ? names[op] : "reserved";
}

/* ---- Runs ---- */

/* Adds what fits of count units, and false when that is not all of them. There is room. */
static bool add_run(struct loupe_layout *layout, enum loupe_layout_op op, uint32_t count,
                    uint32_t unit, uint32_t limit) {
    uint32_t room = (limit - layout->size) / unit;
    uint32_t fitting = count < room ? count : room;
    if (fitting) {
        layout->runs[layout->run_count++] = (struct loupe_layout_run){
            .op = op, .count = fitting, .offset = layout->size, .size = fitting * unit};
        layout->size += fitting * unit;
    }
    return fitting == count;
}

static enum loupe_layout_end decode_bytes(struct loupe_layout *layout, const uint8_t ops[16],
                                          uint8_t pointer_size, uint32_t limit) {
    for (size_t i = 0; i < layout->bytes.length; i++) {
        uint8_t byte = (uint8_t)layout->bytes.bytes[i];
        uint8_t op = ops[byte >> 4];
        if (op == BAD)
            return LOUPE_LAYOUT_BAD_BYTE;
        uint32_t unit = op == LOUPE_LAYOUT_BYTES ? 1 : pointer_size;
        if (!add_run(layout, (enum loupe_layout_op)op, (byte & 15u) + 1, unit, limit))
            return LOUPE_LAYOUT_OVERRUN;
    }
    return LOUPE_LAYOUT_ENDED;
}

static enum loupe_status decode_string(struct loupe_arena *arena, struct loupe_span bytes,
                                       const uint8_t ops[16], uint8_t pointer_size, uint32_t limit,
                                       struct loupe_layout *ret) {
    struct loupe_layout layout = {.bytes = bytes};
    const char *end = bytes.length ? memchr(bytes.bytes, 0, bytes.length) : NULL;
    if (end)
        layout.bytes.length = (size_t)(end - bytes.bytes);
    layout.runs = loupe_arena_alloc_array(arena, layout.bytes.length, sizeof(*layout.runs));
    if (!layout.runs)
        return LOUPE_ENOMEM;
    layout.end = decode_bytes(&layout, ops, pointer_size, limit);
    *ret = layout;
    return LOUPE_OK;
}

/* Of the inline forms: in which nibble of the word the count of an op stands, in memory order. */
struct nibble {
    enum loupe_layout_op op;
    uint8_t shift;
};

struct nibbles {
    const struct nibble *items;
    unsigned count;
};

static enum loupe_status decode_nibbles(struct loupe_arena *arena, uint32_t word,
                                        struct nibbles nibbles, uint8_t pointer_size,
                                        uint32_t limit, struct loupe_layout *ret) {
    struct loupe_layout layout = {.is_inline = true, .word = word};
    layout.runs = loupe_arena_alloc_array(arena, nibbles.count, sizeof(*layout.runs));
    if (!layout.runs)
        return LOUPE_ENOMEM;
    for (unsigned i = 0; i < nibbles.count; i++) {
        const struct nibble *nibble = &nibbles.items[i];
        if (!add_run(&layout, nibble->op, word >> nibble->shift & 15, pointer_size, limit))
            layout.end = LOUPE_LAYOUT_OVERRUN;
    }
    *ret = layout;
    return LOUPE_OK;
}

/* ---- Strings in the target ---- */

/* Each byte describes at least one, so a string longer than the limit is too long and gets cut. */
static enum loupe_status copy_string(struct loupe_memory *memory, struct loupe_arena *arena,
                                     loupe_addr address, uint32_t limit, struct loupe_span *ret) {
    char *text = NULL;
    uint32_t capacity = 0, length = 0;
    for (; length <= limit; length++) {
        text = loupe_arena_grow(arena, text, length, &capacity, 1);
        if (!text)
            return LOUPE_ENOMEM;
        enum loupe_status status = loupe_memory_read(memory, address + length, text + length, 1);
        if (status)
            return status;
        if (!text[length])
            break;
    }
    *ret = (struct loupe_span){.bytes = text, .length = length};
    return LOUPE_OK;
}

static enum loupe_status read_string(struct loupe_memory *memory, struct loupe_arena *arena,
                                     loupe_addr address, const uint8_t ops[16], uint32_t limit,
                                     struct loupe_layout *ret) {
    struct loupe_span bytes;
    enum loupe_status status = copy_string(memory, arena, address, limit, &bytes);
    if (!status)
        status = decode_string(arena, bytes, ops, memory->machine.pointer_size, limit, ret);
    if (!status)
        ret->word = address;
    return status;
}

/* ---- The extended layout ---- */

enum loupe_status loupe_layout_decode_inline(struct loupe_arena *arena, uint32_t word,
                                             uint8_t pointer_size, uint32_t limit,
                                             struct loupe_layout *ret) {
    static const struct nibble items[] = {
        {LOUPE_LAYOUT_STRONG, 8}, {LOUPE_LAYOUT_BYREF, 4}, {LOUPE_LAYOUT_WEAK, 0}};
    return decode_nibbles(arena, word, (struct nibbles){items, 3}, pointer_size, limit, ret);
}

enum loupe_status loupe_layout_decode_bytes(struct loupe_arena *arena, struct loupe_span bytes,
                                            uint8_t pointer_size, uint32_t limit,
                                            struct loupe_layout *ret) {
    return decode_string(arena, bytes, extended_ops, pointer_size, limit, ret);
}

enum loupe_status loupe_layout_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                    uint64_t word, uint32_t limit, struct loupe_layout *ret) {
    if (word < LOUPE_LAYOUT_INLINE_END)
        return loupe_layout_decode_inline(arena, (uint32_t)word, memory->machine.pointer_size,
                                          limit, ret);
    return read_string(memory, arena, word, extended_ops, limit, ret);
}

/* ---- Generic-helper information ---- */

enum loupe_status loupe_generic_decode_inline(struct loupe_arena *arena, uint32_t word,
                                              uint8_t pointer_size, uint32_t limit,
                                              struct loupe_layout *ret) {
    static const struct nibble items[] = {{LOUPE_LAYOUT_STRONG, 8},
                                          {LOUPE_LAYOUT_BLOCK, 12},
                                          {LOUPE_LAYOUT_BYREF, 16},
                                          {LOUPE_LAYOUT_WEAK, 20}};
    return decode_nibbles(arena, word, (struct nibbles){items, 4}, pointer_size, limit, ret);
}

enum loupe_status loupe_generic_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                     loupe_addr address, uint32_t limit, struct loupe_layout *ret) {
    return read_string(memory, arena, address + 1, generic_ops, limit, ret);
}

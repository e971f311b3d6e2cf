#include "blocks/block.h"

enum { SMALL_DESCRIPTOR_HAS_FLAGS_SHIFT = 31 };

#define IN_DESCRIPTOR_GENERIC_MASK  0xc000u /* bits 14 and 15 of the flags in a descriptor */
#define IN_DESCRIPTOR_GENERIC_SHIFT 14

const struct loupe_flag_name loupe_block_flag_names[] = {
    {LOUPE_BLOCK_DEALLOCATING, "DEALLOCATING"},
    {LOUPE_BLOCK_INLINE_LAYOUT_STRING, "INLINE_LAYOUT_STRING"},
    {LOUPE_BLOCK_SMALL_DESCRIPTOR, "SMALL_DESCRIPTOR"},
    {LOUPE_BLOCK_IS_NOESCAPE, "IS_NOESCAPE"},
    {LOUPE_BLOCK_NEEDS_FREE, "NEEDS_FREE"},
    {LOUPE_BLOCK_HAS_COPY_DISPOSE, "HAS_COPY_DISPOSE"},
    {LOUPE_BLOCK_HAS_CTOR, "HAS_CTOR"},
    {LOUPE_BLOCK_IS_GC, "IS_GC"},
    {LOUPE_BLOCK_IS_GLOBAL, "IS_GLOBAL"},
    {LOUPE_BLOCK_USE_STRET, "USE_STRET"},
    {LOUPE_BLOCK_HAS_SIGNATURE, "HAS_SIGNATURE"},
    {LOUPE_BLOCK_HAS_EXTENDED_LAYOUT, "HAS_EXTENDED_LAYOUT"},
};
const unsigned loupe_block_flag_name_count =
    sizeof(loupe_block_flag_names) / sizeof(loupe_block_flag_names[0]);

const char *loupe_block_storage_name(enum loupe_block_storage storage) {
    static const char *const names[] = {
        [LOUPE_BLOCK_ON_HEAP] = "heap",
        [LOUPE_BLOCK_ON_STACK] = "stack",
        [LOUPE_BLOCK_GLOBAL] = "global",
    };
    return names[storage];
}

/* ---- The literal ---- */

static enum loupe_status read_literal(struct loupe_memory *memory, struct loupe_block *block) {
    unsigned word = block->pointer_size;
    loupe_addr address = block->address;
    enum loupe_status status = loupe_memory_read_word(memory, address, &block->isa);
    if (!status)
        status = loupe_memory_read_u32(memory, address + word, &block->flags);
    if (!status)
        status = loupe_memory_read_u32(memory, address + word + 4, &block->reserved);
    if (!status)
        status = loupe_memory_read_pointer(memory, address + word + 8, &block->invoke);
    if (!status)
        status = loupe_memory_read_pointer(memory, address + 2 * word + 8, &block->descriptor);
    return status;
}

/* ---- What follows from flags ---- */

static enum loupe_block_storage find_storage(const struct loupe_memory *memory,
                                             const struct loupe_block *block,
                                             const struct loupe_block_traits *traits) {
    if (block->flags & LOUPE_BLOCK_IS_NOESCAPE) /* they carry IS_GLOBAL and a global isa too */
        return LOUPE_BLOCK_ON_STACK;
    if (block->flags & LOUPE_BLOCK_IS_GLOBAL)
        return LOUPE_BLOCK_GLOBAL;
    if (block->flags & LOUPE_BLOCK_NEEDS_FREE)
        return LOUPE_BLOCK_ON_HEAP;
    if (traits->heap_isa && loupe_memory_strip(memory, block->isa) == traits->heap_isa)
        return LOUPE_BLOCK_ON_HEAP;
    return LOUPE_BLOCK_ON_STACK;
}

static uint32_t count_owners(const struct loupe_block *block,
                             const struct loupe_block_traits *traits) {
    switch (traits->count) {
    case LOUPE_BLOCK_COUNT_IN_FLAGS_BY_1:
        return block->flags & 0xffff;
    case LOUPE_BLOCK_COUNT_IN_RESERVED:
        return block->reserved > INT32_MAX ? 0 : block->reserved;
    case LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2:
        break;
    }
    return (block->flags & LOUPE_BLOCK_REFCOUNT_MASK) / 2;
}

/* The low half is the runtime's. Only Apple's tells in it that a block is being deallocated. */
static uint32_t named_flags(const struct loupe_block *block,
                            const struct loupe_block_traits *traits) {
    bool is_apple = traits->count == LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2;
    return block->flags & ~(is_apple ? LOUPE_BLOCK_REFCOUNT_MASK : 0xffffu);
}

/*
 * The flags inside a descriptor are a copy of the compiler's, with the generic mode in two bits
 * that belong to the count in a block. Anything else there is not such a copy.
 */
static enum loupe_generic_mode find_generic_mode(uint64_t in_descriptor_flags) {
    uint64_t of_runtime = (0xffffu & ~IN_DESCRIPTOR_GENERIC_MASK) | LOUPE_BLOCK_NEEDS_FREE;
    if (in_descriptor_flags > UINT32_MAX || in_descriptor_flags & of_runtime)
        return LOUPE_GENERIC_NONE;
    return (enum loupe_generic_mode)((in_descriptor_flags & IN_DESCRIPTOR_GENERIC_MASK) >>
                                     IN_DESCRIPTOR_GENERIC_SHIFT);
}

/* ---- Large descriptors ---- */

/* The words of a large descriptor, in order; some are only there for some flags. */
struct descriptor_cursor {
    struct loupe_memory *memory;
    loupe_addr next;
    enum loupe_status status; /* the first failure */
};

static uint64_t take_word(struct descriptor_cursor *cursor) {
    uint64_t word = 0;
    if (!cursor->status)
        cursor->status = loupe_memory_read_word(cursor->memory, cursor->next, &word);
    cursor->next += cursor->memory->machine.pointer_size;
    return word;
}

static loupe_addr take_pointer(struct descriptor_cursor *cursor) {
    return loupe_memory_strip(cursor->memory, take_word(cursor));
}

static uint32_t clamp_size(uint64_t size) {
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static enum loupe_status read_large_descriptor(struct loupe_memory *memory,
                                               struct loupe_block *block) {
    struct descriptor_cursor cursor = {.memory = memory, .next = block->descriptor};
    block->generic = find_generic_mode(take_word(&cursor));
    block->size = clamp_size(take_word(&cursor));
    if (block->flags & LOUPE_BLOCK_HAS_COPY_DISPOSE) {
        block->copy_helper = take_pointer(&cursor);
        block->dispose_helper = take_pointer(&cursor);
    }
    if (block->flags & (LOUPE_BLOCK_HAS_SIGNATURE | LOUPE_BLOCK_HAS_EXTENDED_LAYOUT)) {
        block->signature = take_pointer(&cursor);
        block->layout = take_word(&cursor);
    }
    if (block->generic == LOUPE_GENERIC_INLINE || block->generic == LOUPE_GENERIC_OUT_OF_LINE) {
        cursor.next = block->descriptor - memory->machine.pointer_size;
        block->generic_info =
            block->generic == LOUPE_GENERIC_INLINE ? take_word(&cursor) : take_pointer(&cursor);
    }
    return cursor.status;
}

/* ---- Small descriptors: 32-bit fields, addresses relative to the field ---- */

static uint32_t take_field(struct descriptor_cursor *cursor) {
    uint32_t field = 0;
    if (!cursor->status)
        cursor->status = loupe_memory_read_u32(cursor->memory, cursor->next, &field);
    cursor->next += sizeof(field);
    return field;
}

static loupe_addr take_relative(struct descriptor_cursor *cursor) {
    loupe_addr field_address = cursor->next;
    uint64_t field = take_field(cursor);
    uint64_t distance = field | (field >> 31 ? ~(uint64_t)UINT32_MAX : 0);
    uint64_t address_mask = cursor->memory->machine.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
    return field ? (field_address + distance) & address_mask : 0;
}

/* What stands in front of the address point: the generic-helper information, then the flags. */
static void read_small_prefix(struct descriptor_cursor *cursor, struct loupe_block *block) {
    cursor->next = block->descriptor - 4;
    block->generic =
        find_generic_mode(take_field(cursor) & ~(uint32_t)LOUPE_BLOCK_SMALL_DESCRIPTOR);
    cursor->next = block->descriptor - 8;
    if (block->generic == LOUPE_GENERIC_INLINE)
        block->generic_info = take_field(cursor);
    else if (block->generic == LOUPE_GENERIC_OUT_OF_LINE)
        block->generic_info = take_relative(cursor);
}

static enum loupe_status read_small_descriptor(struct loupe_memory *memory,
                                               struct loupe_block *block) {
    struct descriptor_cursor cursor = {.memory = memory, .next = block->descriptor};
    uint32_t size = take_field(&cursor);
    block->size = size & INT32_MAX;
    block->signature = take_relative(&cursor);
    block->layout = block->flags & LOUPE_BLOCK_INLINE_LAYOUT_STRING ? take_field(&cursor)
                                                                    : take_relative(&cursor);
    if (block->flags & LOUPE_BLOCK_HAS_COPY_DISPOSE) {
        block->copy_helper = take_relative(&cursor);
        block->dispose_helper = take_relative(&cursor);
    }
    if (size >> SMALL_DESCRIPTOR_HAS_FLAGS_SHIFT)
        read_small_prefix(&cursor, block);
    return cursor.status;
}

/* ---- The block ---- */

static enum loupe_status check_size(const struct loupe_block *block, struct loupe_error *err) {
    if (block->size >= block->header_size && block->size <= LOUPE_BLOCK_MAX_SIZE)
        return LOUPE_OK;
    return loupe_detail(err, LOUPE_DETAIL_BAD_BLOCK,
                        loupe_fail(err, LOUPE_ENOTOBJECT, block->address,
                                   "0x%llx is not a block: its descriptor says a size of %u bytes",
                                   (unsigned long long)block->address, block->size));
}

static void derive(const struct loupe_memory *memory, const struct loupe_block_traits *traits,
                   struct loupe_block *block) {
    block->named_flags = named_flags(block, traits);
    block->storage = find_storage(memory, block, traits);
    block->has_retain_count = block->storage == LOUPE_BLOCK_ON_HEAP;
    if (block->has_retain_count)
        block->retain_count = count_owners(block, traits);
    block->has_layout = (block->flags & LOUPE_BLOCK_HAS_EXTENDED_LAYOUT) != 0;
    if (!block->has_layout)
        block->layout = 0; /* the layout of a garbage collector */
    bool has_helpers = block->flags & LOUPE_BLOCK_HAS_COPY_DISPOSE || block->generic;
    block->owns_captures =
        has_helpers && !(block->flags & (LOUPE_BLOCK_IS_GLOBAL | LOUPE_BLOCK_IS_NOESCAPE));
}

enum loupe_status loupe_block_read(struct loupe_memory *memory, loupe_addr address,
                                   const struct loupe_block_traits *traits, struct loupe_block *ret,
                                   struct loupe_error *err) {
    uint8_t pointer_size = memory->machine.pointer_size;
    struct loupe_block block = {.address = address,
                                .pointer_size = pointer_size,
                                .header_size = loupe_block_header_size(pointer_size)};
    enum loupe_status status = read_literal(memory, &block);
    if (status)
        return loupe_detail(
            err, LOUPE_DETAIL_BAD_BLOCK,
            loupe_fail(err, status, address, LOUPE_BLOCK_UNREADABLE, (unsigned long long)address));
    if (!block.descriptor)
        return loupe_detail(err, LOUPE_DETAIL_BAD_BLOCK,
                            loupe_fail(err, LOUPE_ENOTOBJECT, address,
                                       "0x%llx is not a block: its descriptor is nil",
                                       (unsigned long long)address));
    status = block.flags & LOUPE_BLOCK_SMALL_DESCRIPTOR ? read_small_descriptor(memory, &block)
                                                        : read_large_descriptor(memory, &block);
    if (status)
        return loupe_detail(
            err, LOUPE_DETAIL_BAD_BLOCK,
            loupe_fail(err, status, block.descriptor,
                       "0x%llx is a block whose descriptor at 0x%llx cannot be read",
                       (unsigned long long)address, (unsigned long long)block.descriptor));
    status = check_size(&block, err);
    if (status)
        return status;
    derive(memory, traits, &block);
    *ret = block;
    return LOUPE_OK;
}

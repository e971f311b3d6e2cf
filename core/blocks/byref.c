#include "blocks/byref.h"

#include "blocks/block_layout.h"
#include "blocks/capture_merge.h"

/* Bits of a byref's flags (libclosure Block_private.h). */
enum { BYREF_NEEDS_FREE = 1 << 24, BYREF_HAS_COPY_DISPOSE = 1 << 25, BYREF_KIND_SHIFT = 28 };

const char *loupe_byref_kind_name(enum loupe_byref_kind kind) {
    static const char *const names[] = {
        [LOUPE_BYREF_UNSPECIFIED] = "unspecified",
        [LOUPE_BYREF_EXTENDED] = "extended",
        [LOUPE_BYREF_NON_OBJECT] = "non-object",
        [LOUPE_BYREF_STRONG] = "strong",
        [LOUPE_BYREF_WEAK] = "weak",
        [LOUPE_BYREF_UNRETAINED] = "unretained",
        [LOUPE_BYREF_RESERVED] = "reserved",
    };
    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "reserved";
}

/* ---- Header ---- */

static enum loupe_byref_kind kind_in(uint32_t flags) {
    uint32_t number = flags >> BYREF_KIND_SHIFT;
    return number < LOUPE_BYREF_RESERVED ? (enum loupe_byref_kind)number : LOUPE_BYREF_RESERVED;
}

/* Where the fields that every byref has end. */
static uint32_t base_size(const struct loupe_memory *memory) {
    return 2u * memory->machine.pointer_size + 8;
}

static enum loupe_status read_header(struct loupe_memory *memory, struct loupe_byref *byref) {
    unsigned word = memory->machine.pointer_size;
    loupe_addr address = byref->address;
    enum loupe_status status = loupe_memory_read_u32(memory, address + 2 * word, &byref->flags);
    if (!status)
        status = loupe_memory_read_u32(memory, address + 2 * word + 4, &byref->size);
    if (!status && byref->flags & BYREF_HAS_COPY_DISPOSE) {
        loupe_addr helpers = address + base_size(memory);
        byref->has_helpers = true;
        status = loupe_memory_read_pointer(memory, helpers, &byref->keep_helper);
        if (!status)
            status = loupe_memory_read_pointer(memory, helpers + word, &byref->destroy_helper);
    }
    return status;
}

static bool is_on_heap(struct loupe_memory *memory, const struct loupe_block_traits *traits,
                       const struct loupe_byref *byref) {
    uint64_t isa;
    if (!traits->byref_heap_isa)
        return (byref->flags & BYREF_NEEDS_FREE) != 0;
    return loupe_memory_read_word(memory, byref->address, &isa) == LOUPE_OK &&
           isa == traits->byref_heap_isa;
}

static void derive(struct loupe_memory *memory, const struct loupe_block_traits *traits,
                   struct loupe_byref *byref) {
    byref->kind = kind_in(byref->flags);
    byref->on_heap = is_on_heap(memory, traits, byref);
    byref->has_retain_count = byref->on_heap && traits->byref_count_unit;
    if (byref->has_retain_count)
        byref->retain_count = (byref->flags & traits->byref_count_mask) / traits->byref_count_unit;
}

/* ---- Where the variable is ---- */

static bool is_one_word(enum loupe_byref_kind kind) {
    return kind == LOUPE_BYREF_STRONG || kind == LOUPE_BYREF_WEAK || kind == LOUPE_BYREF_UNRETAINED;
}

/* Behind all fields of the header: the earliest place of the variable. */
static uint32_t header_end(const struct loupe_memory *memory, const struct loupe_byref *byref) {
    uint32_t word = memory->machine.pointer_size;
    return base_size(memory) + (byref->has_helpers ? 2 * word : 0) +
           (byref->kind == LOUPE_BYREF_EXTENDED ? word : 0);
}

static uint32_t find_variable(const struct loupe_memory *memory, const struct loupe_byref *byref) {
    return is_one_word(byref->kind) ? byref->size - memory->machine.pointer_size
                                    : header_end(memory, byref);
}

/* ---- What it holds ---- */

static struct loupe_merge_input variable_input(const struct loupe_memory *memory,
                                               const struct loupe_byref *byref) {
    return (struct loupe_merge_input){.pointer_size = memory->machine.pointer_size,
                                      .start = byref->variable_offset,
                                      .end = byref->size,
                                      .owns = byref->has_helpers};
}

static enum loupe_status read_record(struct loupe_memory *memory, struct loupe_arena *arena,
                                     const struct loupe_block_traits *traits,
                                     struct loupe_byref *byref) {
    uint32_t word = memory->machine.pointer_size;
    uint32_t room = byref->size - header_end(memory, byref);
    struct loupe_layout *layout = loupe_arena_alloc(arena, sizeof(*layout));
    if (!layout)
        return LOUPE_ENOMEM;
    uint64_t layout_word = 0;
    enum loupe_status status = loupe_memory_read_word(
        memory, byref->address + header_end(memory, byref) - word, &layout_word);
    if (!status && layout_word)
        status = loupe_layout_read(memory, arena, layout_word, room, layout);
    if (status == LOUPE_ENOMEM)
        return status;
    byref->variable.unread = status;
    byref->variable_offset = find_variable(memory, byref);
    struct loupe_merge_input input = variable_input(memory, byref);
    if (!status && layout_word) {
        byref->variable.layout = layout;
        if (!loupe_merge_input_add_layout(arena, &input, layout))
            return LOUPE_ENOMEM;
    } else if (!status && traits->has_layouts) {
        input.layout_end = input.end;
    }
    /* Helpers that the layout gives no reason for: C++, whose objects it does not show. */
    input.layout_may_miss_owned =
        byref->has_helpers && !loupe_claims_need_helpers(&input.claims[LOUPE_SOURCE_LAYOUT]);
    return loupe_captures_merge(arena, &input, &byref->variable);
}

static enum loupe_capture_kind kind_of_variable(const struct loupe_byref *byref) {
    switch (byref->kind) {
    case LOUPE_BYREF_STRONG:
        return byref->has_helpers ? LOUPE_CAPTURE_STRONG : LOUPE_CAPTURE_UNRETAINED;
    case LOUPE_BYREF_WEAK:
        return LOUPE_CAPTURE_WEAK;
    case LOUPE_BYREF_UNRETAINED:
        return LOUPE_CAPTURE_UNRETAINED;
    case LOUPE_BYREF_NON_OBJECT:
        return LOUPE_CAPTURE_DATA;
    case LOUPE_BYREF_UNSPECIFIED:
    case LOUPE_BYREF_EXTENDED:
    case LOUPE_BYREF_RESERVED:
        break;
    }
    return LOUPE_CAPTURE_UNKNOWN;
}

static enum loupe_status describe_whole(const struct loupe_memory *memory,
                                        struct loupe_arena *arena, struct loupe_byref *byref) {
    byref->variable_offset = find_variable(memory, byref);
    struct loupe_capture *item = loupe_arena_alloc(arena, sizeof(*item));
    if (!item)
        return LOUPE_ENOMEM;
    *item = (struct loupe_capture){.offset = byref->variable_offset,
                                   .size = byref->size - byref->variable_offset,
                                   .kind = kind_of_variable(byref)};
    /* Helpers of an unspecified variable may handle anything. */
    if (item->kind != LOUPE_CAPTURE_UNKNOWN || !byref->has_helpers)
        item->evidence = LOUPE_EVIDENCE_FLAGS;
    byref->variable.items = item;
    byref->variable.count = 1;
    return LOUPE_OK;
}

/* ---- The byref ---- */

static enum loupe_status check_size(const struct loupe_memory *memory,
                                    const struct loupe_byref *byref, struct loupe_error *err) {
    uint32_t variable = is_one_word(byref->kind) ? memory->machine.pointer_size : 0;
    if (byref->size >= header_end(memory, byref) + variable && byref->size <= LOUPE_BLOCK_MAX_SIZE)
        return LOUPE_OK;
    return loupe_fail(err, LOUPE_ENOTOBJECT, byref->address,
                      "0x%llx is not a __block variable: it says a size of %u bytes",
                      (unsigned long long)byref->address, byref->size);
}

enum loupe_status loupe_byref_read_header(struct loupe_memory *memory, loupe_addr address,
                                          const struct loupe_block_traits *traits,
                                          struct loupe_byref *ret, struct loupe_error *err) {
    struct loupe_byref byref = {0};
    enum loupe_status status =
        loupe_memory_read_pointer(memory, address + memory->machine.pointer_size, &byref.address);
    if (!status)
        status = read_header(memory, &byref);
    if (status)
        return loupe_fail(err, status, address, "0x%llx is a __block variable that cannot be read",
                          (unsigned long long)address);
    derive(memory, traits, &byref);
    status = check_size(memory, &byref, err);
    if (!status)
        *ret = byref;
    return status;
}

enum loupe_status loupe_byref_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                   loupe_addr address, const struct loupe_block_traits *traits,
                                   struct loupe_byref *ret, struct loupe_error *err) {
    struct loupe_byref byref;
    enum loupe_status status = loupe_byref_read_header(memory, address, traits, &byref, err);
    if (status)
        return status;
    status = byref.kind == LOUPE_BYREF_EXTENDED ? read_record(memory, arena, traits, &byref)
                                                : describe_whole(memory, arena, &byref);
    if (!status)
        *ret = byref;
    return status;
}

#include "blocks/captures.h"

#include "blocks/block.h"
#include "blocks/block_layout.h"
#include "blocks/block_symbol.h"
#include "blocks/capture_merge.h"

#include <string.h>

const char *loupe_capture_kind_name(enum loupe_capture_kind kind) {
    static const char *const names[] = {
        [LOUPE_CAPTURE_STRONG] = "strong",         [LOUPE_CAPTURE_BLOCK] = "block",
        [LOUPE_CAPTURE_BYREF] = "byref",           [LOUPE_CAPTURE_WEAK] = "weak",
        [LOUPE_CAPTURE_UNRETAINED] = "unretained", [LOUPE_CAPTURE_DATA] = "data",
        [LOUPE_CAPTURE_UNKNOWN] = "unknown",
    };
    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

const char *loupe_evidence_name(enum loupe_evidence evidence) {
    switch (evidence) {
    case LOUPE_EVIDENCE_SYMBOL:
        return "symbol";
    case LOUPE_EVIDENCE_GENERIC:
        return "generic";
    case LOUPE_EVIDENCE_LAYOUT:
        return "layout";
    case LOUPE_EVIDENCE_DEBUG_INFO:
        return "debug-info";
    case LOUPE_EVIDENCE_PROBE:
        return "probe";
    case LOUPE_EVIDENCE_FLAGS:
        break;
    }
    return "flags";
}

bool loupe_capture_kind_owns(enum loupe_capture_kind kind) {
    return kind == LOUPE_CAPTURE_STRONG || kind == LOUPE_CAPTURE_BLOCK ||
           kind == LOUPE_CAPTURE_BYREF;
}

bool loupe_capture_owns(const struct loupe_capture *capture) {
    return loupe_capture_kind_owns(capture->kind);
}

bool loupe_capture_may_own(const struct loupe_capture *capture) {
    uint32_t excluded = LOUPE_EVIDENCE_SYMBOL | LOUPE_EVIDENCE_GENERIC | LOUPE_EVIDENCE_FLAGS;
    return capture->kind == LOUPE_CAPTURE_UNKNOWN &&
           (capture->type.length || !(capture->evidence & excluded));
}

/* ---- What a symbol claims ---- */

/* Without helpers the suffix of a descriptor's name lists all references; that the block has no
 * helpers means that it owns none of them, unless the runtime acts for it. */
static enum loupe_capture_kind kind_in_suffix(enum loupe_capture_kind named, bool owns) {
    if (owns || named == LOUPE_CAPTURE_WEAK)
        return named;
    return named == LOUPE_CAPTURE_BYREF ? LOUPE_CAPTURE_DATA : LOUPE_CAPTURE_UNRETAINED;
}

static bool add_region(struct loupe_arena *arena, struct loupe_merge_input *input,
                       const struct loupe_symbol_capture *capture, uint32_t end) {
    struct loupe_cxx_region *regions = loupe_arena_grow(arena, input->regions, input->region_count,
                                                        &input->region_capacity, sizeof(*regions));
    if (!regions)
        return false;
    input->regions = regions;
    regions[input->region_count++] =
        (struct loupe_cxx_region){.start = capture->offset, .end = end, .type = capture->type};
    return true;
}

static bool claim_symbol_capture(struct loupe_arena *arena, struct loupe_merge_input *input,
                                 const struct loupe_symbol_capture *capture, uint32_t next) {
    struct loupe_claims *claims = &input->claims[LOUPE_SOURCE_SYMBOL];
    if (capture->type.length)
        return add_region(arena, input, capture, next);
    if (capture->kind == LOUPE_CAPTURE_DATA)
        return true;
    if (capture->by_helper)
        return loupe_claims_add(arena, claims, capture->offset, capture->kind);
    return loupe_claims_add_run(arena, claims, capture->offset, capture->size / input->pointer_size,
                                kind_in_suffix(capture->kind, input->owns), input->pointer_size);
}

static bool claim_symbol(struct loupe_arena *arena, struct loupe_merge_input *input,
                         const struct loupe_block_symbol *symbol) {
    for (uint32_t i = 0; i < symbol->capture_count; i++) {
        uint32_t next = i + 1 < symbol->capture_count ? symbol->captures[i + 1].offset : input->end;
        if (!claim_symbol_capture(arena, input, &symbol->captures[i], next))
            return false;
    }
    return true;
}

/* Types of C++ templates name the ownership of their arguments, under ARC only. */
static bool names_strong(struct loupe_span mangled_type) {
    return loupe_span_contains(mangled_type, "U8__strong");
}

static enum loupe_memory_mode find_mode(const struct loupe_block_symbol *symbol) {
    bool is_arc = symbol->arc_exceptions;
    for (uint32_t i = 0; i < symbol->capture_count; i++) {
        const struct loupe_symbol_capture *capture = &symbol->captures[i];
        if (capture->by_retain)
            return LOUPE_MODE_MANUAL;
        is_arc |= capture->by_helper &&
                  (capture->kind == LOUPE_CAPTURE_STRONG || capture->kind == LOUPE_CAPTURE_WEAK);
        is_arc |= names_strong(capture->type);
    }
    return is_arc ? LOUPE_MODE_ARC : LOUPE_MODE_UNKNOWN;
}

/* All that the symbol names lies between the header's end and the block's. */
static bool fits(const struct loupe_block_symbol *symbol, uint32_t start, uint32_t end,
                 uint8_t pointer_size) {
    for (uint32_t i = 0; i < symbol->capture_count; i++) {
        const struct loupe_symbol_capture *capture = &symbol->captures[i];
        bool is_whole_words = capture->by_helper || capture->size % pointer_size == 0;
        if (capture->offset < start || capture->offset > end ||
            capture->size > end - capture->offset || !is_whole_words)
            return false;
    }
    return true;
}

/* ---- The symbols of a block ---- */

enum { SHORT_NAME = 512, LONGEST_NAME = 64 * 1024 };

/* The name of exactly this address, if it is one that can say something. */
static enum loupe_status find_name(struct loupe_memory *memory, struct loupe_arena *arena,
                                   loupe_addr address, struct loupe_span *ret) {
    char buffer[SHORT_NAME];
    uint64_t offset = 0;
    *ret = (struct loupe_span){0};
    if (!address || !loupe_memory_name_address(memory, address, buffer, sizeof(buffer), &offset) ||
        offset || !loupe_block_symbol_is_one(loupe_span_of(buffer)))
        return LOUPE_OK;
    struct loupe_span name = loupe_span_of(buffer);
    char *copy;
    if (name.length + 1 < sizeof(buffer)) {
        copy = loupe_arena_copy_string(arena, name);
    } else {
        copy = loupe_arena_alloc(arena, LONGEST_NAME);
        if (copy)
            loupe_memory_name_address(memory, address, copy, LONGEST_NAME, &offset);
    }
    *ret = loupe_span_of(copy);
    return copy ? LOUPE_OK : LOUPE_ENOMEM;
}

/* What the flags say of helpers in the name: how blocks with generic ones are named is not known.
 */
static enum loupe_helpers helpers_of(const struct loupe_block *block) {
    if (block->flags & LOUPE_BLOCK_HAS_COPY_DISPOSE)
        return LOUPE_HELPERS_PRESENT;
    return block->generic ? LOUPE_HELPERS_UNKNOWN : LOUPE_HELPERS_NONE;
}

struct inquiry {
    struct loupe_memory *memory;
    struct loupe_arena *arena;
    const struct loupe_block *block;
    const struct loupe_block_traits *traits;
    struct loupe_merge_input input;
    struct loupe_captures captures;
};

/* Parses the name at one of the block's addresses. *found: it says what this block captures. */
static enum loupe_status try_symbol(struct inquiry *inquiry, loupe_addr address,
                                    struct loupe_block_symbol *symbol, bool *found) {
    const struct loupe_block *block = inquiry->block;
    struct loupe_captures *captures = &inquiry->captures;
    struct loupe_span name;
    enum loupe_status status = find_name(inquiry->memory, inquiry->arena, address, &name);
    if (status || !name.length)
        return status;
    struct loupe_symbol_context context = {.pointer_size = block->pointer_size,
                                           .helpers = helpers_of(block),
                                           .block_size = block->size};
    status = loupe_block_symbol_parse(inquiry->arena, name, &context, symbol, NULL);
    if (status == LOUPE_ENOMEM)
        return status;
    *found = !status && symbol->says_captures && (!symbol->size || symbol->size == block->size) &&
             fits(symbol, block->header_size, block->size, block->pointer_size);
    if (*found || !captures->symbol.length)
        captures->symbol = name;
    captures->symbol_was_used = *found;
    return LOUPE_OK;
}

static enum loupe_status find_symbol(struct inquiry *inquiry, struct loupe_block_symbol *symbol,
                                     bool *found) {
    const struct loupe_block *block = inquiry->block;
    const loupe_addr places[] = {block->descriptor, block->copy_helper, block->dispose_helper};
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]) && !status && !*found; i++)
        status = try_symbol(inquiry, places[i], symbol, found);
    return status;
}

/* ---- A block ---- */

static enum loupe_status ask_symbol(struct inquiry *inquiry) {
    struct loupe_merge_input *input = &inquiry->input;
    struct loupe_block_symbol symbol;
    bool found = false;
    enum loupe_status status = find_symbol(inquiry, &symbol, &found);
    if (status || !found)
        return status;
    input->mode = find_mode(&symbol);
    inquiry->captures.mode = input->mode;
    /* Beside generic helpers a block's own ones only handle what those cannot; and a helper's name
     * lacks the C++ objects that the other helper alone has something to do for. */
    bool is_descriptor = symbol.form == LOUPE_SYMBOL_DESCRIPTOR;
    bool is_one_of_two = !is_descriptor && inquiry->block->flags & LOUPE_BLOCK_HAS_CTOR;
    input->symbol_names_all_owned = !inquiry->block->generic && !is_one_of_two;
    input->symbol_names_unretained = inquiry->traits->has_layouts && is_descriptor;
    return claim_symbol(inquiry->arena, input, &symbol) ? LOUPE_OK : LOUPE_ENOMEM;
}

/* Sources that cannot be read say nothing, and it is noted that there was one. */
static enum loupe_status note_unread(struct inquiry *inquiry, enum loupe_status status) {
    if (status && status != LOUPE_ENOMEM) {
        inquiry->captures.unread = status;
        return LOUPE_OK;
    }
    return status;
}

static enum loupe_status ask_generic_info(struct inquiry *inquiry) {
    const struct loupe_block *block = inquiry->block;
    uint32_t limit = block->size - block->header_size;
    struct loupe_layout layout = {.end = LOUPE_LAYOUT_BAD_BYTE};
    enum loupe_status status;
    if (block->generic == LOUPE_GENERIC_INLINE)
        status = loupe_generic_decode_inline(inquiry->arena, (uint32_t)block->generic_info,
                                             block->pointer_size, limit, &layout);
    else if (block->generic == LOUPE_GENERIC_OUT_OF_LINE)
        status = loupe_generic_read(inquiry->memory, inquiry->arena, block->generic_info, limit,
                                    &layout);
    else
        return LOUPE_OK;
    if (status)
        return note_unread(inquiry, status);
    /* Helpers of the block's own, beside these, handle what only they know. */
    inquiry->input.generic_names_all_owned =
        layout.end != LOUPE_LAYOUT_BAD_BYTE && !block->copy_helper && !block->dispose_helper;
    struct loupe_claims *claims = &inquiry->input.claims[LOUPE_SOURCE_GENERIC];
    return loupe_claims_add_layout(inquiry->arena, claims, block->header_size, &layout,
                                   block->pointer_size)
               ? LOUPE_OK
               : LOUPE_ENOMEM;
}

/* Blocks with C++ captures, or with helpers that the layout gives no reason for, own something that
 * layouts do not show. */
static bool may_miss_owned(const struct loupe_block *block, const struct loupe_claims *claims) {
    if (block->flags & LOUPE_BLOCK_HAS_CTOR)
        return true;
    return block->flags & LOUPE_BLOCK_HAS_COPY_DISPOSE && !loupe_claims_need_helpers(claims);
}

static enum loupe_status ask_layout(struct inquiry *inquiry) {
    const struct loupe_block *block = inquiry->block;
    struct loupe_merge_input *input = &inquiry->input;
    if (!block->has_layout)
        return LOUPE_OK;
    if (block->layout) {
        struct loupe_layout *layout = loupe_arena_alloc(inquiry->arena, sizeof(*layout));
        if (!layout)
            return LOUPE_ENOMEM;
        enum loupe_status status = loupe_layout_read(inquiry->memory, inquiry->arena, block->layout,
                                                     block->size - block->header_size, layout);
        if (status)
            return note_unread(inquiry, status);
        inquiry->captures.layout = layout;
        if (!loupe_merge_input_add_layout(inquiry->arena, input, layout))
            return LOUPE_ENOMEM;
    } else if (inquiry->traits->has_layouts) {
        input->layout_end = input->end;
    }
    input->layout_may_miss_owned = may_miss_owned(block, &input->claims[LOUPE_SOURCE_LAYOUT]);
    return LOUPE_OK;
}

/* The helpers hand objects to the runtime, and this one only copies their addresses. */
static void leave_objects(struct loupe_captures *captures) {
    for (uint32_t i = 0; i < captures->count; i++) {
        if (captures->items[i].kind == LOUPE_CAPTURE_STRONG)
            captures->items[i].kind = LOUPE_CAPTURE_UNRETAINED;
    }
}

enum loupe_status loupe_captures_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                      const struct loupe_block *block,
                                      const struct loupe_block_traits *traits,
                                      struct loupe_captures *ret) {
    struct inquiry inquiry = {
        .memory = memory,
        .arena = arena,
        .block = block,
        .traits = traits,
        .input = {.pointer_size = block->pointer_size,
                  .start = block->header_size,
                  .end = block->size,
                  .owns = block->owns_captures,
                  .expects_claims = (block->flags & LOUPE_BLOCK_IS_NOESCAPE) != 0}};
    enum loupe_status status = ask_symbol(&inquiry);
    if (!status)
        status = ask_generic_info(&inquiry);
    if (!status)
        status = ask_layout(&inquiry);
    if (!status)
        status = loupe_captures_merge(arena, &inquiry.input, &inquiry.captures);
    if (!status && traits->leaves_objects)
        leave_objects(&inquiry.captures);
    if (!status)
        *ret = inquiry.captures;
    return status;
}

/* ---- One source alone ---- */

enum loupe_status loupe_captures_of_layout(struct loupe_arena *arena,
                                           const struct loupe_layout *layout, uint8_t pointer_size,
                                           struct loupe_captures *ret) {
    uint32_t start = 3u * pointer_size + 8;
    struct loupe_merge_input input = {
        .pointer_size = pointer_size, .start = start, .end = start + layout->size, .owns = true};
    struct loupe_captures captures = {0};
    if (!loupe_merge_input_add_layout(arena, &input, layout))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_captures_merge(arena, &input, &captures);
    if (!status)
        *ret = captures;
    return status;
}

/* Of the block, or of what a helper's name lists; a C++ object counts as a word at least. */
static uint32_t find_end(const struct loupe_block_symbol *symbol, uint8_t pointer_size) {
    uint32_t end = symbol->size;
    for (uint32_t i = 0; i < symbol->capture_count && !symbol->size; i++) {
        const struct loupe_symbol_capture *capture = &symbol->captures[i];
        uint32_t capture_end = capture->offset + (capture->size ? capture->size : pointer_size);
        end = capture_end > end ? capture_end : end;
    }
    return end;
}

enum loupe_status loupe_captures_of_symbol(struct loupe_arena *arena,
                                           const struct loupe_block_symbol *symbol,
                                           uint8_t pointer_size, struct loupe_captures *ret) {
    bool is_descriptor = symbol->form == LOUPE_SYMBOL_DESCRIPTOR;
    struct loupe_merge_input input = {.pointer_size = pointer_size,
                                      .start = 3u * pointer_size + 8,
                                      .end = find_end(symbol, pointer_size),
                                      .owns = symbol->has_helpers,
                                      .expects_claims = true,
                                      .symbol_names_all_owned = true,
                                      .symbol_names_unretained = is_descriptor};
    struct loupe_captures captures = {0};
    if (!fits(symbol, input.start, input.end, pointer_size))
        return LOUPE_EUSAGE;
    if (!claim_symbol(arena, &input, symbol))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_captures_merge(arena, &input, &captures);
    if (!status)
        *ret = captures;
    return status;
}

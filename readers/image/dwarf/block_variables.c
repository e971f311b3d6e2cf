#include "image/dwarf/block_variables.h"

#include "image/dwarf/dwarf_constants.h"

enum { MOST_STEPS = 8 };

struct blocks {
    struct loupe_dwarf_walk *walk;
    loupe_block_variable_visitor *visit;
    void *ctx;
};

/* From the type of a parameter to the structure that it points to; the cursor is behind it then. */
static bool find_structure(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                           uint64_t type, struct loupe_cursor *ret) {
    /* Cap: the parameter of a block's function takes one; else offsets stand for names. */
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        struct loupe_dwarf_entry entry;
        if (!loupe_dwarf_entry_at(walk, unit, type, ret, &entry))
            return false;
        if (entry.tag == DW_TAG_structure_type)
            return entry.has_children;
        if (entry.tag != DW_TAG_pointer_type && entry.tag != DW_TAG_typedef &&
            entry.tag != DW_TAG_const_type && entry.tag != DW_TAG_volatile_type)
            return false;
        type = entry.type;
    }
    return false;
}

/* Members behind the header of a block. */
static void visit_members(const struct blocks *blocks, const struct loupe_dwarf_unit *unit,
                          uint64_t function, uint64_t type) {
    struct loupe_dwarf_walk *walk = blocks->walk;
    uint64_t header = 8 + 3 * (uint64_t)unit->address_size;
    struct loupe_cursor cursor;
    struct loupe_dwarf_entry entry;
    unsigned depth = 1;
    if (!find_structure(walk, unit, type, &cursor))
        return;
    while (depth && loupe_dwarf_next_entry(walk, unit, &cursor, &entry)) {
        if (depth == 1 && entry.tag == DW_TAG_member && entry.has_location &&
            entry.location >= header && entry.location <= UINT32_MAX) {
            struct loupe_span name = loupe_dwarf_text(walk, &entry.name);
            if (name.length)
                blocks->visit(blocks->ctx, function, (uint32_t)entry.location, name);
        }
        depth = !entry.tag ? depth - 1 : depth + entry.has_children;
    }
}

static void visit_unit(const struct blocks *blocks, const struct loupe_dwarf_unit *unit,
                       struct loupe_cursor *cursor) {
    struct loupe_dwarf_entry entry, function = {.tag = 0};
    while (loupe_dwarf_next_entry(blocks->walk, unit, cursor, &entry)) {
        if (entry.tag == DW_TAG_subprogram)
            function = entry;
        if (entry.tag == DW_TAG_formal_parameter && function.has_address &&
            loupe_dwarf_is_called(&entry.name, ".block_descriptor"))
            visit_members(blocks, unit, function.address, entry.type);
    }
}

enum loupe_status loupe_block_variables_visit(const struct loupe_dwarf_sections *sections,
                                              const struct loupe_chunk_ops *chunks,
                                              loupe_block_variable_visitor *visit, void *ctx) {
    struct loupe_dwarf_walk walk;
    struct blocks blocks = {.walk = &walk, .visit = visit, .ctx = ctx};
    struct loupe_dwarf_unit unit;
    struct loupe_dwarf_entry entry;
    struct loupe_cursor cursor;
    enum loupe_status status;
    bool more;
    loupe_dwarf_walk_init(&walk, sections, chunks);
    while (!(status = loupe_dwarf_next_unit(&walk, &unit, &entry, &cursor, &more)) && more)
        visit_unit(&blocks, &unit, &cursor);
    loupe_dwarf_walk_deinit(&walk);
    return status;
}

#include "image/dwarf/block_variables.h"

#include "image/dwarf/dwarf_constants.h"

#include <string.h>

enum { MOST_STEPS = 8, MOST_LEVELS = 8, LONGEST_PATH = 512 };

struct blocks {
    struct loupe_dwarf_walk *walk;
    loupe_block_variable_visitor *visit;
    void *ctx;
};

/* A structure whose members are visited, in that which is around it. */
struct level {
    struct loupe_cursor cursor;
    uint64_t base;      /* where it begins in the block */
    size_t path_length; /* of the variable, and of the members down to it */
    unsigned depth;     /* of the entry that comes next, in those of the structure: 1 is a member */
    bool has_members, is_base_class;
};

/* The variables of one block, and what they consist of. */
struct variables {
    const struct blocks *blocks;
    const struct loupe_dwarf_unit *unit;
    uint64_t function, header;
    char path[LONGEST_PATH];
    struct level levels[MOST_LEVELS];
    unsigned level_count;
};

static bool is_structure(uint64_t tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* From a type to the structure that it is or, as may be asked, points to; the cursor is behind it
 * then. */
static bool find_structure(const struct variables *variables, uint64_t type, bool may_point,
                           struct loupe_cursor *ret) {
    /* Cap: the parameter of a block's function takes one; else offsets stand for names. */
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        struct loupe_dwarf_entry entry;
        if (!loupe_dwarf_entry_at(variables->blocks->walk, variables->unit, type, ret, &entry))
            return false;
        if (is_structure(entry.tag))
            return entry.has_children;
        if ((entry.tag != DW_TAG_pointer_type || !may_point) && entry.tag != DW_TAG_typedef &&
            entry.tag != DW_TAG_const_type && entry.tag != DW_TAG_volatile_type)
            return false;
        type = entry.type;
    }
    return false;
}

/* Goes into a structure. False: it is none, or too deep in others. */
static bool enter(struct variables *variables, uint64_t type, const struct level *level) {
    if (variables->level_count == MOST_LEVELS)
        return false;
    struct level *entered = &variables->levels[variables->level_count];
    *entered = *level;
    entered->depth = 1;
    if (!find_structure(variables, type, !variables->level_count, &entered->cursor))
        return false;
    variables->level_count++;
    return true;
}

static void tell(const struct variables *variables, uint64_t offset, struct loupe_span name) {
    const struct blocks *blocks = variables->blocks;
    if (name.length && offset >= variables->header && offset <= UINT32_MAX)
        blocks->visit(blocks->ctx, variables->function, (uint32_t)offset, name);
}

/* The path with a member behind it; its length, or 0: there is no room. */
static size_t add_to_path(struct variables *variables, size_t length, struct loupe_span name) {
    bool is_first = length == 0;
    if (!name.length)
        return length;
    if (name.length >= LONGEST_PATH - length - 1)
        return 0;
    if (!is_first)
        variables->path[length++] = '.';
    memcpy(variables->path + length, name.bytes, name.length);
    return length + name.length;
}

/* One that has no name is called as what it stands in. */
static void take_member(struct variables *variables, const struct loupe_dwarf_entry *entry) {
    struct level *level = &variables->levels[variables->level_count - 1];
    struct loupe_span name = loupe_dwarf_text(variables->blocks->walk, &entry->name);
    size_t length = add_to_path(variables, level->path_length, name);
    struct level inner = {.base = level->base + entry->location,
                          .path_length = length,
                          .is_base_class = entry->tag == DW_TAG_inheritance};
    bool is_told = level->path_length || entry->location >= variables->header;
    level->has_members |= is_told;
    if (!is_told || (length && enter(variables, entry->type, &inner)) || inner.is_base_class)
        return;
    tell(variables, inner.base, length ? (struct loupe_span){variables->path, length} : name);
}

/* What has no member of its own, as an object of C++ that is empty, is told itself. */
static void leave(struct variables *variables) {
    const struct level *level = &variables->levels[--variables->level_count];
    if (!level->has_members && !level->is_base_class)
        tell(variables, level->base, (struct loupe_span){variables->path, level->path_length});
}

/* Members behind the header of a block, and the members of these. */
static void visit_members(struct variables *variables, uint64_t type) {
    struct loupe_dwarf_entry entry;
    if (!enter(variables, type, &(struct level){.base = 0}))
        return;
    while (variables->level_count) {
        struct level *level = &variables->levels[variables->level_count - 1];
        if (!level->depth || !loupe_dwarf_next_entry(variables->blocks->walk, variables->unit,
                                                     &level->cursor, &entry)) {
            leave(variables);
            continue;
        }
        bool is_member = level->depth == 1 && entry.has_location &&
                         (entry.tag == DW_TAG_member || entry.tag == DW_TAG_inheritance);
        level->depth = !entry.tag ? level->depth - 1 : level->depth + entry.has_children;
        if (is_member)
            take_member(variables, &entry);
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
            visit_members(&(struct variables){.blocks = blocks,
                                              .unit = unit,
                                              .function = function.address,
                                              .header = 8 + 3 * (uint64_t)unit->address_size},
                          entry.type);
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

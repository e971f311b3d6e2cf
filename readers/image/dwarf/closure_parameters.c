#include "image/dwarf/closure_parameters.h"

#include "image/dwarf/dwarf_constants.h"

/* A function whose entries come now. */
struct function {
    uint64_t address;
    unsigned depth; /* of its own entry */
    bool is_open;
    uint32_t count;
    struct loupe_span names[LOUPE_MOST_CLOSURE_PARAMETERS];
};

struct functions {
    struct loupe_dwarf_walk *walk;
    loupe_closure_parameters_visitor *visit;
    void *ctx;
    struct function function;
};

static void end_function(struct functions *functions) {
    struct function *function = &functions->function;
    if (function->is_open && function->count && function->count <= LOUPE_MOST_CLOSURE_PARAMETERS)
        functions->visit(functions->ctx, function->address, function->names, function->count);
    function->is_open = false;
}

/* What stands for types that are known only there has a name that no source can have. */
static void take_parameter(struct functions *functions, const struct loupe_dwarf_entry *entry) {
    struct function *function = &functions->function;
    struct loupe_span name = loupe_dwarf_text(functions->walk, &entry->name);
    if (!name.length || name.bytes[0] == '$')
        return;
    if (function->count < LOUPE_MOST_CLOSURE_PARAMETERS)
        function->names[function->count] = name;
    function->count++;
}

static void visit_unit(struct functions *functions, const struct loupe_dwarf_unit *unit,
                       struct loupe_cursor *cursor) {
    struct function *function = &functions->function;
    struct loupe_dwarf_entry entry;
    unsigned depth = 1;
    function->is_open = false;
    while (depth && loupe_dwarf_next_entry(functions->walk, unit, cursor, &entry)) {
        if (!entry.tag) {
            depth--;
            if (function->is_open && depth <= function->depth)
                end_function(functions);
            continue;
        }
        if (function->is_open && depth <= function->depth)
            end_function(functions);
        if (entry.tag == DW_TAG_subprogram && entry.has_address && entry.has_children) {
            *function =
                (struct function){.address = entry.address, .depth = depth, .is_open = true};
        } else if (entry.tag == DW_TAG_formal_parameter && function->is_open &&
                   depth == function->depth + 1) {
            take_parameter(functions, &entry);
        }
        depth += entry.has_children;
    }
    end_function(functions);
}

enum loupe_status loupe_closure_parameters_visit(const struct loupe_dwarf_sections *sections,
                                                 const struct loupe_chunk_ops *chunks,
                                                 loupe_closure_parameters_visitor *visit,
                                                 void *ctx) {
    struct loupe_dwarf_walk walk;
    struct functions functions = {.walk = &walk, .visit = visit, .ctx = ctx};
    struct loupe_dwarf_unit unit;
    struct loupe_dwarf_entry entry;
    struct loupe_cursor cursor;
    enum loupe_status status;
    bool more;
    loupe_dwarf_walk_init(&walk, sections, chunks);
    while (!(status = loupe_dwarf_next_unit(&walk, &unit, &entry, &cursor, &more)) && more) {
        if (entry.language == DW_LANG_Swift)
            visit_unit(&functions, &unit, &cursor);
    }
    loupe_dwarf_walk_deinit(&walk);
    return status;
}

#include "image/dwarf/ivar_lines.h"

#include "base/fnv.h"
#include "image/dwarf/dwarf_constants.h"
#include "image/dwarf/line_table.h"

#include <string.h>

enum { WORK_OF_FINDING = 1 << 26, WORK_FOR_A_BYTE = 64 }; /* bytes of lists of files */

struct ivar {
    struct loupe_span class_name, name;
    uint64_t table, file; /* where the table of lines begins that has the file by that number */
    uint32_t line;
};

/* A class whose members follow. */
struct described {
    struct loupe_span name;
    uint64_t hash;
    unsigned depth; /* of its members; 0: there is none */
    bool is_class;  /* of Objective-C; else a structure of C, as far as is known */
    bool has_member;
};

struct search {
    struct loupe_dwarf_walk walk;
    struct loupe_ivar_lines *lines;
    struct described described;
    uint64_t table;
};

static struct ivar *ivar_at(const struct loupe_ivar_lines *lines, uint32_t number) {
    return loupe_vector_at(&lines->ivars, number, sizeof(struct ivar));
}

/* ---- Looking through the units ---- */

static bool is_of_objective_c(uint64_t language) {
    return language == DW_LANG_ObjC || language == DW_LANG_ObjC_plus_plus;
}

static bool ends_with(struct loupe_span text, const char *end) {
    size_t length = strlen(end);
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

/* gcc takes a file that is compiled with -std=gnu99 for one of C: its name tells. */
static bool may_have_classes(struct search *search, const struct loupe_dwarf_entry *unit) {
    struct loupe_span name = loupe_dwarf_text(&search->walk, &unit->name);
    return is_of_objective_c(unit->language) || ends_with(name, ".m") || ends_with(name, ".mm");
}

static void begin(struct search *search, const struct loupe_dwarf_entry *entry, unsigned depth) {
    search->described = (struct described){.name = loupe_dwarf_text(&search->walk, &entry->name),
                                           .depth = depth + 1,
                                           .is_class = is_of_objective_c(entry->runtime)};
    search->described.hash = loupe_fnv_span(LOUPE_FNV_BASIS, search->described.name);
    if (!search->described.name.length)
        search->described.depth = 0;
}

/* What clang says of a class gcc does not: there its first member is the superclass, which has no
 * name, and a class that has none begins with its isa. */
static void learn_by_first(struct described *described, const struct loupe_dwarf_entry *entry) {
    if (!described->has_member && entry->tag == DW_TAG_member)
        described->is_class |= (entry->is_artificial && !entry->name.is_text) ||
                               loupe_dwarf_is_called(&entry->name, "isa");
    described->has_member = true;
}

/* An isa is the runtime's, whichever class names it. */
static enum loupe_status add(struct search *search, const struct loupe_dwarf_entry *entry) {
    struct loupe_ivar_lines *lines = search->lines;
    struct loupe_span name = loupe_dwarf_text(&search->walk, &entry->name);
    uint64_t hash = loupe_fnv_span(search->described.hash, name);
    uint32_t known;
    if (!name.length || loupe_span_equals(name, "isa") || !entry->line ||
        entry->line > UINT32_MAX || loupe_map_find(&lines->by_name, hash, &known))
        return LOUPE_OK;
    struct ivar *added = loupe_vector_add(&lines->ivars);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct ivar){.class_name = search->described.name,
                           .name = name,
                           .table = search->table,
                           .file = entry->file,
                           .line = (uint32_t)entry->line};
    return loupe_map_put(&lines->by_name, hash, lines->ivars.count - 1);
}

static enum loupe_status visit_unit(struct search *search, const struct loupe_dwarf_unit *unit,
                                    struct loupe_cursor *cursor) {
    struct described *described = &search->described;
    struct loupe_dwarf_entry entry;
    enum loupe_status status = LOUPE_OK;
    unsigned depth = 1;
    described->depth = 0;
    while (!status && depth && loupe_dwarf_next_entry(&search->walk, unit, cursor, &entry)) {
        if (!entry.tag) {
            depth--;
            if (depth < described->depth)
                described->depth = 0;
            continue;
        }
        if (depth == described->depth) {
            learn_by_first(described, &entry);
            if (described->is_class && entry.tag == DW_TAG_member)
                status = add(search, &entry);
        } else if (!described->depth && entry.has_children &&
                   (entry.tag == DW_TAG_structure_type || entry.tag == DW_TAG_class_type)) {
            begin(search, &entry, depth);
        }
        depth += entry.has_children;
    }
    return status;
}

enum loupe_status loupe_ivar_lines_init(struct loupe_ivar_lines *lines,
                                        const struct loupe_dwarf_sections *sections,
                                        const struct loupe_line_sections *line_sections,
                                        const struct loupe_chunk_ops *chunks) {
    struct search search = {.lines = lines};
    struct loupe_dwarf_unit unit;
    struct loupe_dwarf_entry entry;
    struct loupe_cursor cursor;
    enum loupe_status status;
    bool more;
    *lines = (struct loupe_ivar_lines){
        .sections = *line_sections,
        .work_left = WORK_OF_FINDING + WORK_FOR_A_BYTE * (uint64_t)line_sections->lines.length};
    loupe_vector_init(&lines->ivars, chunks, sizeof(struct ivar));
    loupe_map_init(&lines->by_name, chunks);
    loupe_dwarf_walk_init(&search.walk, sections, chunks);
    while (!(status = loupe_dwarf_next_unit(&search.walk, &unit, &entry, &cursor, &more)) && more) {
        if (!may_have_classes(&search, &entry) || !entry.has_lines || !entry.has_children)
            continue;
        search.table = entry.lines;
        status = visit_unit(&search, &unit, &cursor);
        if (status)
            break;
    }
    loupe_dwarf_walk_deinit(&search.walk);
    if (status)
        loupe_ivar_lines_deinit(lines);
    return status;
}

void loupe_ivar_lines_deinit(struct loupe_ivar_lines *lines) {
    loupe_vector_deinit(&lines->ivars);
    loupe_map_deinit(&lines->by_name);
}

/* ---- Finding ---- */

static bool are_equal(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Names of files are looked for one after the other, in a list of so many bytes. */
static bool may_search(struct loupe_ivar_lines *lines, uint64_t bytes) {
    lines->work_left = bytes < lines->work_left ? lines->work_left - bytes : 0;
    return lines->work_left;
}

bool loupe_ivar_lines_find(struct loupe_ivar_lines *lines, struct loupe_span class_name,
                           struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret) {
    struct loupe_line_table table;
    uint64_t hash = loupe_fnv_span(loupe_fnv_span(LOUPE_FNV_BASIS, class_name), ivar);
    uint32_t number;
    if (!loupe_map_find(&lines->by_name, hash, &number))
        return false;
    const struct ivar *found = ivar_at(lines, number);
    if (!are_equal(found->class_name, class_name) || !are_equal(found->name, ivar) ||
        !loupe_line_table_at(lines->sections.lines, found->table, &table) ||
        !may_search(lines, table.program.at - found->table) ||
        !loupe_line_table_path(&table, &lines->sections, found->file, path, cap))
        return false;
    *line_ret = found->line;
    return true;
}

void loupe_ivar_lines_name(const struct loupe_ivar_lines *lines, uint32_t number,
                           struct loupe_span *class_ret, struct loupe_span *ivar_ret) {
    const struct ivar *ivar = ivar_at(lines, number);
    *class_ret = ivar->class_name;
    *ivar_ret = ivar->name;
}

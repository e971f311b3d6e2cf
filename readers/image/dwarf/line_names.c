/* Names of source files in tables of lines. */
#include "image/dwarf/dwarf_constants.h"
#include "image/dwarf/line_table.h"

/* A name, and the number of the folder it is below. */
struct entry {
    struct loupe_span name;
    uint64_t folder;
};

static struct loupe_span text_at(struct loupe_span section, uint64_t offset) {
    struct loupe_cursor cursor = {
        .bytes = (const uint8_t *)section.bytes, .at = offset, .end = section.length};
    return offset < section.length ? loupe_cursor_text(&cursor) : (struct loupe_span){.bytes = ""};
}

/* One value: a number, or a text, which is looked for only where somebody wants it (text): else a
 * list could have all its entries look through one long text. */
static void take_form(const struct loupe_line_sections *sections,
                      const struct loupe_line_table *table, uint64_t form,
                      struct loupe_cursor *cursor, struct loupe_span *text, uint64_t *number) {
    struct loupe_span inline_text;
    uint64_t offset;
    switch (form) {
    case DW_FORM_string:
        inline_text = loupe_cursor_text(cursor);
        if (text)
            *text = inline_text;
        break;
    case DW_FORM_line_strp:
    case DW_FORM_strp:
        offset = loupe_cursor_number(cursor, table->offset_size);
        if (text)
            *text =
                text_at(form == DW_FORM_strp ? sections->strings : sections->line_strings, offset);
        break;
    case DW_FORM_data1:
    case DW_FORM_data2:
        *number = loupe_cursor_number(cursor, form == DW_FORM_data1 ? 1 : 2);
        break;
    case DW_FORM_data4:
    case DW_FORM_data8:
        *number = loupe_cursor_number(cursor, form == DW_FORM_data4 ? 4 : 8);
        break;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_strx:
        *number = loupe_cursor_uleb(cursor);
        break;
    case DW_FORM_data16:
        loupe_cursor_skip(cursor, 16);
        break;
    case DW_FORM_block:
        loupe_cursor_skip(cursor, loupe_cursor_uleb(cursor));
        break;
    case DW_FORM_block1:
    case DW_FORM_block2:
        loupe_cursor_skip(cursor, loupe_cursor_number(cursor, form == DW_FORM_block1 ? 1 : 2));
        break;
    case DW_FORM_block4:
        loupe_cursor_skip(cursor, loupe_cursor_number(cursor, 4));
        break;
    default:
        cursor->broken = true;
    }
}

/* Version 5: a list says of what its entries consist. Goes through it, up to the wanted one. */
static bool take_list(const struct loupe_line_sections *sections,
                      const struct loupe_line_table *table, struct loupe_cursor *cursor,
                      uint64_t wanted, struct entry *ret) {
    struct loupe_cursor formats = {.bytes = cursor->bytes, .end = cursor->end};
    unsigned format_count = (unsigned)loupe_cursor_number(cursor, 1);
    bool found = false;
    formats.at = cursor->at;
    for (unsigned i = 0; i < 2 * format_count; i++)
        loupe_cursor_uleb(cursor);
    uint64_t count = loupe_cursor_uleb(cursor);
    /* An entry of nothing takes no bytes: then there is none. */
    for (uint64_t i = 0; i < count && format_count && !cursor->broken; i++) {
        struct loupe_cursor format = formats;
        struct entry entry = {.name = {.bytes = ""}};
        uint64_t before = cursor->at;
        for (unsigned j = 0; j < format_count; j++) {
            struct loupe_span text = {.bytes = ""};
            uint64_t number = 0, content = loupe_cursor_uleb(&format);
            take_form(sections, table, loupe_cursor_uleb(&format), cursor,
                      i == wanted ? &text : NULL, &number);
            if (content == DW_LNCT_path)
                entry.name = text;
            else if (content == DW_LNCT_directory_index)
                entry.folder = number;
        }
        if (i == wanted && !cursor->broken) {
            *ret = entry;
            found = true;
        }
        if (cursor->at == before)
            break;
    }
    return found;
}

static bool find_names_5(const struct loupe_line_sections *sections,
                         const struct loupe_line_table *table, uint64_t file, struct entry *ret,
                         struct loupe_span folders[2]) {
    struct loupe_cursor start = {
        .bytes = table->program.bytes, .at = table->names, .end = table->program.at};
    struct loupe_cursor cursor = start;
    struct entry folder;
    take_list(sections, table, &cursor, UINT64_MAX, &folder);
    if (!take_list(sections, table, &cursor, file, ret))
        return false;
    cursor = start;
    if (take_list(sections, table, &cursor, ret->folder, &folder))
        folders[1] = folder.name;
    cursor = start;
    if (ret->folder && take_list(sections, table, &cursor, 0, &folder))
        folders[0] = folder.name;
    return true;
}

/* Before version 5: names of folders, an empty one, then files: a name and three numbers each. */
static bool find_names_4(const struct loupe_line_table *table, uint64_t file, struct entry *ret,
                         struct loupe_span folders[2]) {
    struct loupe_cursor start = {
        .bytes = table->program.bytes, .at = table->names, .end = table->program.at};
    struct loupe_cursor cursor = start;
    while (loupe_cursor_text(&cursor).length)
        ;
    struct entry entry = {.name = {.bytes = ""}};
    for (uint64_t i = 1; i <= file; i++) {
        entry.name = loupe_cursor_text(&cursor);
        entry.folder = loupe_cursor_uleb(&cursor);
        loupe_cursor_uleb(&cursor);
        loupe_cursor_uleb(&cursor);
        if (cursor.broken || !entry.name.length)
            return false;
    }
    *ret = entry;
    for (uint64_t i = 1; i <= entry.folder; i++) {
        folders[1] = loupe_cursor_text(&start);
        if (!folders[1].length)
            return file != 0;
    }
    return file != 0;
}

static bool is_absolute(struct loupe_span path) {
    return path.length && (path.bytes[0] == '/' || (path.length > 1 && path.bytes[1] == ':'));
}

/* "/build" and "src" and "a.c": each below what stands before, unless it says where it is itself.
 */
static void join(const struct loupe_span parts[3], char *dst, size_t cap) {
    size_t used = 0;
    unsigned first = 2;
    while (first && !is_absolute(parts[first]))
        first--;
    *dst = '\0';
    for (unsigned i = first; i < 3; i++) {
        bool needs_slash = used && dst[used - 1] != '/' && parts[i].length;
        used += loupe_format(dst + used, cap - used, "%s%.*s", needs_slash ? "/" : "",
                             (int)(parts[i].length < cap ? parts[i].length : cap), parts[i].bytes);
    }
}

bool loupe_line_table_path(const struct loupe_line_table *table,
                           const struct loupe_line_sections *sections, uint64_t file, char *path,
                           size_t cap) {
    struct loupe_span parts[3] = {{.bytes = ""}, {.bytes = ""}, {.bytes = ""}};
    struct entry entry;
    if (table->version >= 5 ? !find_names_5(sections, table, file, &entry, parts)
                            : !find_names_4(table, file, &entry, parts))
        return false;
    parts[2] = entry.name;
    join(parts, path, cap);
    return true;
}

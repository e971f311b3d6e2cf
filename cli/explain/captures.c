#include "explain/captures.h"

#include "shared/table.h"

static const char *kind_words(enum loupe_capture_kind kind) {
    switch (kind) {
    case LOUPE_CAPTURE_STRONG:
        return "an object that the block owns";
    case LOUPE_CAPTURE_BLOCK:
        return "a block that the block owns";
    case LOUPE_CAPTURE_BYREF:
        return "the storage of a __block variable, which the block owns";
    case LOUPE_CAPTURE_WEAK:
        return "a weak reference";
    case LOUPE_CAPTURE_UNRETAINED:
        return "an object that the block does not own";
    case LOUPE_CAPTURE_DATA:
        return "no object";
    case LOUPE_CAPTURE_UNKNOWN:
        break;
    }
    return "not described";
}

static bool is_reference(const struct loupe_capture *capture) {
    return capture->kind != LOUPE_CAPTURE_DATA &&
           (capture->kind != LOUPE_CAPTURE_UNKNOWN || loupe_capture_may_own(capture));
}

static void json_list(struct loupe_json *json, const char *key,
                      const struct loupe_captures *captures, bool references) {
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *capture = &captures->items[i];
        if (is_reference(capture) != references)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_uint(json, "offset", capture->offset);
        loupe_json_put_uint(json, "size", capture->size);
        loupe_json_put_string(json, "kind", loupe_capture_kind_name(capture->kind));
        if (capture->type.length)
            loupe_json_put_text(json, "type", capture->type);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

void show_captures_json(struct loupe_json *json, const struct loupe_captures *captures) {
    json_list(json, "captures", captures, true);
    json_list(json, "other", captures, false);
}

static void add_capture(struct table *table, const struct loupe_capture *capture) {
    bool is_cxx = capture->type.length && capture->kind == LOUPE_CAPTURE_UNKNOWN;
    table_add_format(table, "%u", capture->offset);
    table_add_format(table, "%u", capture->size);
    table_add(table, loupe_span_of(loupe_capture_kind_name(capture->kind)));
    if (is_cxx)
        table_add_format(table, "a C++ object, %.*s", (int)capture->type.length,
                         capture->type.bytes);
    else
        table_add(table, loupe_span_of(kind_words(capture->kind)));
}

bool show_captures_table(const struct loupe_captures *captures) {
    static const char *const headings[] = {"offset", "size", "kind", "meaning"};
    struct table table;
    if (!captures->count) {
        puts("\nit captures nothing");
        return true;
    }
    table_init(&table, 4, headings);
    for (uint32_t i = 0; i < captures->count; i++)
        add_capture(&table, &captures->items[i]);
    bool ok = !table.failed;
    if (ok) {
        putchar('\n');
        table_print(&table);
    }
    table_deinit(&table);
    return ok;
}

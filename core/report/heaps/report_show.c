#include "report/heaps/report_show.h"

#include "leaks/heap_graph.h"
#include "report/report_declared.h"
#include "report/heaps/report_trace.h"
#include "runtime/values/tagged_values.h"
#include "snapshot/values/collections.h"
#include "snapshot/values/native_names.h"
#include "snapshot/referrers.h"
#include "snapshot/values/value_text.h"

#include <string.h>

struct report {
    struct loupe_json *json;
    const struct loupe_shown_object *shown;
    const struct loupe_snapshot *snapshot;
    uint32_t nested; /* objects that were opened so far */
};

const char *loupe_value_type_name(uint32_t type) {
    static const char *const names[] = {
        [LOUPE_VALUE_OBJECT] = "object", [LOUPE_VALUE_BOOLEAN] = "boolean",
        [LOUPE_VALUE_CHAR] = "char",     [LOUPE_VALUE_FLOAT] = "float",
        [LOUPE_VALUE_DOUBLE] = "double", [LOUPE_VALUE_BYTE] = "byte",
        [LOUPE_VALUE_SHORT] = "short",   [LOUPE_VALUE_INT] = "int",
        [LOUPE_VALUE_LONG] = "long",     [LOUPE_VALUE_UNSIGNED] = "unsigned long"};
    const char *name = type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
    return name ? name : "unknown";
}

static bool is_beyond(const struct report *report, uint64_t count) {
    return report->shown->limit && count >= report->shown->limit;
}

/* ---- Values ---- */

static void put_fields(struct report *report, uint32_t node, uint32_t depth);

/* False: it says nothing of itself. */
static bool put_value_of(struct report *report, uint32_t node) {
    char *text = report->shown->text;
    size_t length = loupe_snapshot_say_value(report->snapshot, node, text, report->shown->text_cap);
    if (length)
        loupe_json_put_text(report->json, "value", (struct loupe_span){text, length});
    return length;
}

static void put_members(struct report *report, uint32_t node) {
    const struct loupe_snapshot *snapshot = report->snapshot;
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    loupe_json_put_address(report->json, "address", loupe_snapshot_address(snapshot, node));
    loupe_json_put_text(report->json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    if (is_class != LOUPE_NONE)
        loupe_json_put_text(report->json, "is_class",
                            loupe_snapshot_class_name(snapshot, is_class));
    loupe_json_put_uint(report->json, "size", loupe_columns_size(&snapshot->columns, node));
    loupe_report_about_node(report->json, snapshot, node);
    loupe_report_part_of(report->json, report->shown->tracer, node);
}

static void put_object(struct report *report, uint32_t node, uint32_t depth) {
    loupe_json_begin_object(report->json);
    put_members(report, node);
    if (!put_value_of(report, node) && depth < report->shown->depth &&
        report->nested < LOUPE_SHOW_MOST_NESTED) {
        report->nested++;
        put_fields(report, node, depth + 1);
    }
    loupe_json_end_object(report->json);
}

/* A number, a date or a text that is the word itself. */
static void put_tagged(struct report *report, uint64_t word) {
    char text[64];
    const struct loupe_tagging *tagging = loupe_heap_tagging(report->snapshot);
    size_t length = loupe_tagged_value(tagging, word, text, sizeof(text));
    if (!length)
        return;
    loupe_json_put_string(report->json, "class", loupe_tagged_class(tagging, word));
    loupe_json_put_text(report->json, "value", (struct loupe_span){text, length});
}

/* What a reference leads to; null where it is none, and only the address of what is not there. */
static void put_target(struct report *report, uint64_t address, uint32_t depth) {
    uint32_t node;
    loupe_json_key(report->json, "object");
    if (!address) {
        loupe_json_null(report->json);
    } else if (loupe_snapshot_find(report->snapshot, address, &node)) {
        put_object(report, node, depth);
    } else {
        loupe_json_begin_object(report->json);
        uint32_t placed = loupe_snapshot_class_placed_at(report->snapshot, address);
        loupe_json_put_address(report->json, "address", address);
        put_tagged(report, address);
        if (placed != LOUPE_NONE)
            loupe_json_put_text(report->json, "is_class",
                                loupe_snapshot_class_name(report->snapshot, placed));
        loupe_json_end_object(report->json);
    }
}

static bool is_json_number(struct loupe_span text) {
    return text.length &&
           (text.bytes[text.length - 1] >= '0' && text.bytes[text.length - 1] <= '9');
}

static void put_scalar(struct report *report, struct loupe_value value) {
    char room[64];
    struct loupe_value_text text = {.dst = room, .room = sizeof(room) - 1};
    loupe_json_key(report->json, "value");
    if (value.type == LOUPE_VALUE_BOOLEAN) {
        loupe_json_bool(report->json, value.bits != 0);
        return;
    }
    loupe_put_scalar(&text, value);
    struct loupe_span span = {room, text.used};
    if (value.type != LOUPE_VALUE_CHAR && is_json_number(span))
        loupe_json_value(report->json, span);
    else if (value.type == LOUPE_VALUE_CHAR && span.length > 2) /* without its quotes */
        loupe_json_span(report->json, (struct loupe_span){room + 1, span.length - 2});
    else
        loupe_json_span(report->json, span);
}

/* VALUE of docs/protocol.md, into an object that is open. */
static void put_value(struct report *report, struct loupe_value value, uint32_t depth) {
    loupe_json_put_string(report->json, "type", loupe_value_type_name(value.type));
    if (value.type == LOUPE_VALUE_OBJECT)
        put_target(report, value.bits, depth);
    else if (value.type != LOUPE_VALUE_NONE)
        put_scalar(report, value);
}

/* ---- Fields and items ---- */

/* What a field holds, and where the text is that its word leads to. */
static void put_field(struct report *report, uint32_t node, const struct loupe_field *field,
                      uint32_t depth) {
    struct loupe_span text = loupe_field_text(report->snapshot, node, field);
    if (!field->is_known) {
        loupe_json_put_string(report->json, "type", loupe_value_type_name(field->type));
        loupe_json_put_bool(report->json, "known", false);
    } else if (text.length) {
        loupe_json_put_string(report->json, "type", "text");
        loupe_json_put_text(report->json, "value", text);
        loupe_json_put_address(report->json, "address", field->value.bits);
    } else {
        put_value(report, field->value, depth);
    }
}

static void put_fields(struct report *report, uint32_t node, uint32_t depth) {
    struct loupe_field_cursor cursor = loupe_fields_begin(report->snapshot, node);
    struct loupe_field field;
    struct loupe_written declared;
    loupe_json_key(report->json, "fields");
    loupe_json_begin_array(report->json);
    while (loupe_fields_next(&cursor, &field)) {
        loupe_json_begin_object(report->json);
        loupe_json_put_text(report->json, "name", field.name);
        loupe_json_put_text(report->json, "declared_by",
                            loupe_snapshot_class_name(report->snapshot, field.declared_by));
        if (report->snapshot->native &&
            loupe_native_field_declared(report->snapshot, &field, &declared))
            loupe_report_declared(report->json, declared.file, declared.line);
        loupe_json_put_bool(report->json, "static", field.is_static);
        uint32_t link = loupe_field_link(report->snapshot, node, &field);
        if (link != LOUPE_NO_EDGE)
            loupe_json_put_string(
                report->json, "ownership",
                loupe_link_kind_name((enum loupe_link_kind)report->snapshot->columns.kinds[link]));
        put_field(report, node, &field, depth);
        loupe_json_end_object(report->json);
    }
    loupe_json_end_array(report->json);
}

struct items {
    struct report *report;
    uint64_t count, shown;
};

static bool put_item(void *ctx, const struct loupe_item *item) {
    struct items *items = ctx;
    struct loupe_json *json = items->report->json;
    items->count++;
    if (is_beyond(items->report, items->shown))
        return true;
    items->shown++;
    loupe_json_begin_object(json);
    if (item->key.type != LOUPE_VALUE_NONE) {
        loupe_json_key(json, "key");
        loupe_json_begin_object(json);
        put_value(items->report, item->key, 1);
        loupe_json_end_object(json);
    } else if (item->name.length) {
        loupe_json_put_text(json, "name", item->name);
    } else {
        loupe_json_put_uint(json, "index", item->index);
    }
    put_value(items->report, item->value, 1);
    loupe_json_end_object(json);
    return true;
}

static enum loupe_status put_items(struct report *report, const struct loupe_chunk_ops *chunks) {
    static const char *const kinds[] = {[LOUPE_NO_COLLECTION] = "array",
                                        [LOUPE_LIST] = "list",
                                        [LOUPE_SET] = "set",
                                        [LOUPE_MAP] = "map"};
    const struct loupe_snapshot *snapshot = report->snapshot;
    struct items items = {.report = report};
    struct loupe_collection collection;
    uint32_t node = report->shown->node;
    bool is_array =
        snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_OBJECT_ARRAYS;
    if (!loupe_collection_of(snapshot, node, &collection) && !is_array)
        return LOUPE_OK;
    loupe_json_put_string(report->json, "collection", kinds[collection.kind]);
    if (collection.has_count)
        loupe_json_put_uint(report->json, "collection_count", collection.count);
    if (collection.capacity)
        loupe_json_put_uint(report->json, "capacity", collection.capacity);
    loupe_json_key(report->json, "items");
    loupe_json_begin_array(report->json);
    enum loupe_status status = loupe_collection_each(snapshot, chunks, node, put_item, &items);
    loupe_json_end_array(report->json);
    loupe_json_put_uint(report->json, "item_count", items.count);
    return status;
}

/* ---- References ---- */

/* Of so many, those that there are beyond the limit. */
static void put_left_out(struct report *report, const char *key, uint64_t count) {
    if (is_beyond(report, count) && count > report->shown->limit)
        loupe_json_put_uint(report->json, key, count - report->shown->limit);
}

static void put_links(struct report *report) {
    const struct loupe_columns *columns = &report->snapshot->columns;
    uint32_t node = report->shown->node;
    uint64_t count = 0;
    loupe_json_put_uint(report->json, "outgoing_count",
                        columns->first[node + 1] - columns->first[node]);
    loupe_json_key(report->json, "outgoing");
    loupe_json_begin_array(report->json);
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (!loupe_is_other_link(report->snapshot, node, link) || is_beyond(report, count++))
            continue;
        loupe_json_begin_object(report->json);
        loupe_report_link(report->json, report->shown->tracer, node, link);
        loupe_json_key(report->json, "object");
        put_object(report, columns->to[link], report->shown->depth);
        loupe_json_end_object(report->json);
    }
    loupe_json_end_array(report->json);
    put_left_out(report, "outgoing_left_out", count);
}

static void put_referrer(struct report *report, const struct loupe_referrer *referrer) {
    struct loupe_json *json = report->json;
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(report->snapshot, referrer->class_number));
    loupe_json_put_uint(json, "count", referrer->count);
    loupe_json_key(json, "example");
    loupe_json_begin_object(json);
    loupe_report_link(json, report->shown->tracer, referrer->node, referrer->link);
    loupe_json_key(json, "object");
    put_object(report, referrer->node, report->shown->depth);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

static void put_referrers(struct report *report) {
    const struct loupe_vector *referrers = report->shown->referrers;
    uint64_t count = report->shown->other_referrers;
    loupe_json_key(report->json, "incoming");
    loupe_json_begin_array(report->json);
    for (uint32_t i = 0; i < referrers->count; i++) {
        const struct loupe_referrer *referrer = loupe_vector_at(referrers, i, sizeof(*referrer));
        count += referrer->count;
        if (!is_beyond(report, i))
            put_referrer(report, referrer);
    }
    loupe_json_end_array(report->json);
    loupe_json_put_uint(report->json, "incoming_count", count);
    put_left_out(report, "incoming_left_out", referrers->count);
}

static void put_roots(struct report *report) {
    const struct loupe_snapshot *snapshot = report->snapshot;
    loupe_json_key(report->json, "roots");
    loupe_json_begin_array(report->json);
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        if (snapshot->roots[i].node == report->shown->node)
            loupe_report_root(report->json, report->shown->tracer, i, NULL);
    }
    loupe_json_end_array(report->json);
}

/* ---- All of it ---- */

/* Its value has at least the room of those of other answers. */
static void put_head(struct report *report) {
    char value[256];
    size_t length = 0;
    put_members(report, report->shown->node);
    if (report->shown->text_cap >= sizeof(value)) {
        put_value_of(report, report->shown->node);
        return;
    }
    length = loupe_snapshot_say_value(report->snapshot, report->shown->node, value, sizeof(value));
    if (length)
        loupe_json_put_text(report->json, "value", (struct loupe_span){value, length});
}

static void put_retain_count(struct report *report) {
    uint64_t count;
    enum loupe_retain_count kind =
        report->snapshot->native
            ? loupe_native_retain_count(report->snapshot, report->shown->node, &count)
            : LOUPE_COUNT_UNKNOWN;
    loupe_json_key(report->json, "retain_count");
    if (kind == LOUPE_COUNT_KNOWN)
        loupe_json_uint(report->json, count);
    else
        loupe_json_null(report->json);
    if (kind == LOUPE_COUNT_IMMORTAL)
        loupe_json_put_bool(report->json, "immortal", true);
}

static void put_owner(struct report *report) {
    uint32_t owner = report->shown->dominators->immediate[report->shown->node];
    loupe_json_put_bool(report->json, "reachable", owner != LOUPE_NO_NODE);
    loupe_json_key(report->json, "kept_by");
    if (owner < report->snapshot->columns.nodes)
        put_object(report, owner, report->shown->depth);
    else
        loupe_json_null(report->json);
}

enum loupe_status loupe_report_show(struct loupe_json *json, const struct loupe_shown_object *shown,
                                    const struct loupe_chunk_ops *chunks) {
    struct report report = {.json = json, .shown = shown, .snapshot = shown->tracer->snapshot};
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    put_head(&report);
    loupe_report_retained(json, shown->dominators, shown->node);
    put_retain_count(&report);
    put_owner(&report);
    loupe_report_node_stack(json, shown->stacks, shown->node);
    loupe_json_end_object(json);
    put_fields(&report, shown->node, 1);
    enum loupe_status status = put_items(&report, chunks);
    put_links(&report);
    put_referrers(&report);
    put_roots(&report);
    loupe_report_shown_stacks(json, shown->stacks);
    return status;
}

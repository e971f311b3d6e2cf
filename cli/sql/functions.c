/* The functions of `loupe sql`: about one object, which they take by its number. */
#include "sql/sql.h"

#ifdef LOUPE_HAS_SQLITE

#include "base/fnv.h"
#include "leaks/heap_graph.h"
#include "runtime/values/tagged_values.h"
#include "snapshot/values/fields.h"
#include "snapshot/values/values.h"

#include <string.h>

typedef void function(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                      sqlite3_value **arguments);

/* What it says of itself, a string without its quotes. */
static void put_text(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                     sqlite3_value **arguments) {
    size_t length = loupe_snapshot_say_value(heap->snapshot, node, heap->text, heap->text_cap);
    bool is_quoted = length > 1 && heap->text[0] == '"';
    (void)arguments;
    if (length)
        sqlite3_result_text(result, heap->text + is_quoted, (int)length - 2 * is_quoted,
                            SQLITE_TRANSIENT);
}

static void put_class(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                      sqlite3_value **arguments) {
    struct loupe_span name =
        loupe_snapshot_class_name(heap->snapshot, heap->snapshot->classes[node]);
    (void)arguments;
    sqlite3_result_text(result, name.bytes, (int)name.length, SQLITE_TRANSIENT);
}

static void put_address(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                        sqlite3_value **arguments) {
    char text[24];
    (void)arguments;
    loupe_format(text, sizeof(text), "0x%llx",
                 (unsigned long long)loupe_snapshot_address(heap->snapshot, node));
    sqlite3_result_text(result, text, -1, SQLITE_TRANSIENT);
}

static void put_retained(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                         sqlite3_value **arguments) {
    const struct loupe_dominators *dominators = sql_dominators(heap);
    (void)arguments;
    if (dominators)
        sqlite3_result_int64(result, (sqlite3_int64)dominators->retained[node]);
    else
        sqlite3_result_error_nomem(result);
}

/* ---- Fields ---- */

static void put_number(sqlite3_context *result, struct loupe_value value) {
    double number;
    float small;
    uint32_t bits = (uint32_t)value.bits;
    if (value.type == LOUPE_VALUE_DOUBLE) {
        memcpy(&number, &value.bits, sizeof(number));
        sqlite3_result_double(result, number);
    } else if (value.type == LOUPE_VALUE_FLOAT) {
        memcpy(&small, &bits, sizeof(small));
        sqlite3_result_double(result, (double)small);
    } else {
        sqlite3_result_int64(result, (sqlite3_int64)value.bits);
    }
}

bool sql_put_said(sqlite3_context *result, const struct loupe_snapshot *snapshot, uint32_t node,
                  const struct loupe_field *field) {
    char room[64];
    struct loupe_span text = loupe_field_text(snapshot, node, field);
    if (!text.length)
        text = (struct loupe_span){room, loupe_tagged_value(loupe_heap_tagging(snapshot),
                                                            field->value.bits, room, sizeof(room))};
    if (!text.length)
        return false;
    bool is_quoted = text.length > 1 && text.bytes[0] == '"';
    sqlite3_result_text(result, text.bytes + is_quoted, (int)text.length - 2 * is_quoted,
                        SQLITE_TRANSIENT);
    return true;
}

static bool find_field(const struct loupe_snapshot *snapshot, uint32_t node, const char *name,
                       struct loupe_field *ret) {
    struct loupe_field_cursor cursor = loupe_fields_begin(snapshot, node);
    while (loupe_fields_next(&cursor, ret)) {
        if (ret->is_known && !ret->is_static && loupe_span_equals(ret->name, name))
            return true;
    }
    return false;
}

/* A number as it is; an object that says something of itself as that, else as its number. */
static void put_field(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                      sqlite3_value **arguments) {
    const char *name = (const char *)sqlite3_value_text(arguments[1]);
    struct loupe_field field;
    uint32_t target;
    if (!name || !find_field(heap->snapshot, node, name, &field))
        return;
    if (field.value.type != LOUPE_VALUE_OBJECT) {
        put_number(result, field.value);
    } else if (field.value.bits && loupe_snapshot_find(heap->snapshot, field.value.bits, &target) &&
               !loupe_field_text(heap->snapshot, node, &field).length) {
        if (loupe_snapshot_show_value(heap->snapshot, target, heap->text, heap->text_cap))
            put_text(result, heap, target, NULL);
        else
            sqlite3_result_int64(result, target);
    } else {
        sql_put_said(result, heap->snapshot, node, &field);
    }
}

/* ---- Contents of arrays of numbers ---- */

static bool contents(struct sql_heap *heap, uint32_t node, struct loupe_span *ret) {
    const uint8_t *bytes;
    uint64_t length;
    if (!loupe_snapshot_contents(heap->snapshot, node, &bytes, &length))
        return false;
    *ret = (struct loupe_span){(const char *)bytes, (size_t)length};
    return true;
}

static void put_digest(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                       sqlite3_value **arguments) {
    struct loupe_span bytes;
    (void)arguments;
    if (!contents(heap, node, &bytes))
        return;
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, bytes);
    sqlite3_result_int64(result, (sqlite3_int64)(hash ^ bytes.length << 56));
}

static void put_is_zero(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                        sqlite3_value **arguments) {
    struct loupe_span bytes;
    size_t at = 0;
    (void)arguments;
    if (!contents(heap, node, &bytes))
        return;
    while (at < bytes.length && !bytes.bytes[at])
        at++;
    sqlite3_result_int(result, bytes.length && at == bytes.length);
}

/* ---- Paths ---- */

static void add_step(const struct loupe_tracer *tracer, const struct loupe_trace_step *step,
                     char *text, size_t cap, size_t *used) {
    struct loupe_link_name name;
    loupe_snapshot_name_link(tracer->snapshot, step->node, step->link, &name);
    if (name.kind == LOUPE_LINK_NAME_ELEMENT && !name.name.length)
        *used += loupe_format(text + *used, cap - *used, "[%u]", (unsigned)name.index);
    else
        *used += loupe_format(text + *used, cap - *used, ".%.*s", (int)name.name.length,
                              name.name.bytes);
}

/* "static Main.cache[2].next": how the shortest path from a root leads to it. */
static void put_path(sqlite3_context *result, struct sql_heap *heap, uint32_t node,
                     sqlite3_value **arguments) {
    const struct loupe_shortest *shortest = loupe_heap_question_path(&heap->question->heap, node);
    struct loupe_trace trace;
    char text[1024];
    (void)arguments;
    if (!shortest || loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE ||
        loupe_trace_shortest(&heap->question->heap.tracer, shortest, node, NULL, &trace))
        return;
    uint32_t first = trace.steps[0].node, is_class = loupe_snapshot_class_at(heap->snapshot, first);
    struct loupe_span name = loupe_snapshot_class_name(
        heap->snapshot, is_class == LOUPE_NONE ? heap->snapshot->classes[first] : is_class);
    size_t used = loupe_format(
        text, sizeof(text), "%s: %.*s",
        loupe_snapshot_root_kind_name((enum loupe_root_kind)heap->snapshot->roots[trace.root].kind),
        (int)name.length, name.bytes);
    for (uint32_t i = 0; i + 1 < trace.count; i++)
        add_step(&heap->question->heap.tracer, &trace.steps[i], text, sizeof(text), &used);
    sqlite3_result_text(result, text, (int)used, SQLITE_TRANSIENT);
}

/* ---- All ---- */

static const struct entry {
    const char *name;
    int arguments;
    function *put;
} functions[] = {
    {"text", 1, put_text},         {"class", 1, put_class}, {"address", 1, put_address},
    {"retained", 1, put_retained}, {"field", 2, put_field}, {"digest", 1, put_digest},
    {"is_zero", 1, put_is_zero},   {"path", 1, put_path},
};

/* SQLite hands over one pointer to each function. */
struct bound {
    struct sql_heap *heap;
    const struct entry *entry;
};

static void call(sqlite3_context *result, int count, sqlite3_value **arguments) {
    const struct bound *bound = sqlite3_user_data(result);
    (void)count;
    if (sqlite3_value_type(arguments[0]) != SQLITE_INTEGER)
        return;
    sqlite3_int64 node = sqlite3_value_int64(arguments[0]);
    if (node >= 0 && node < (sqlite3_int64)bound->heap->snapshot->columns.nodes)
        bound->entry->put(result, bound->heap, (uint32_t)node, arguments);
}

int sql_add_functions(sqlite3 *database, struct sql_heap *heap) {
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && code == SQLITE_OK; i++) {
        struct bound *bound = sqlite3_malloc64(sizeof(*bound));
        if (!bound)
            return SQLITE_NOMEM;
        *bound = (struct bound){heap, &functions[i]};
        code = sqlite3_create_function_v2(database, functions[i].name, functions[i].arguments,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC, bound, call, NULL,
                                          NULL, sqlite3_free);
    }
    return code;
}

#endif

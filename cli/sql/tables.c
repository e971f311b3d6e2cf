/* The virtual tables of `loupe sql`: rows are made as they are asked for, of the snapshot as it is.
 */
#include "sql/sql.h"

#ifdef LOUPE_HAS_SQLITE

#include "analysis/transposed.h"
#include "leaks/heap_graph.h"
#include "snapshot/class_groups.h"
#include "snapshot/values/collections.h"
#include "snapshot/values/fields.h"
#include "snapshot/native.h"

#include <stdlib.h>
#include <string.h>

/* ---- What tables have in common ---- */

struct cursor;

/*
 * A table of nodes goes through the heap and looks at each; one of numbers has rows from 0 on.
 * Column 0 of a table of nodes is the object; `by_class` and `by_target` are the columns that may
 * be asked for by a value, or -1.
 */
struct shape {
    const char *name, *schema;
    uint32_t (*count)(const struct sql_heap *heap); /* NULL: a table of nodes */
    bool (*takes)(struct cursor *cursor);           /* of a node: it has a row; NULL: all */
    bool (*next_part)(struct cursor *cursor);       /* the next row of the node; NULL: one each */
    void (*column)(struct cursor *cursor, sqlite3_context *result, int column);
    int by_class, by_address, by_target;
};

struct table {
    sqlite3_vtab base;
    struct sql_heap *heap;
    const struct shape *shape;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct sql_heap *heap;
    const struct shape *shape;
    uint32_t at;           /* node, or number */
    uint32_t place, end;   /* of it, in the order; the same where that is the heap's own */
    const uint32_t *order; /* nodes by class; or NULL */
    sqlite3_int64 row;     /* its number */
    uint8_t *classes;      /* by class: whether nodes of it are asked for; NULL: all are */
    uint32_t link, links;  /* of a table of references: which is shown, where they end */
    uint32_t source;       /* of it */
    bool is_incoming;      /* `at` is the target */
    struct loupe_field_cursor fields;
    struct loupe_field field;
    struct loupe_collection collection;
};

static void put_span(sqlite3_context *result, struct loupe_span text) {
    if (text.length)
        sqlite3_result_text(result, text.bytes, (int)text.length, SQLITE_TRANSIENT);
    else
        sqlite3_result_null(result);
}

static void put_string(const struct cursor *cursor, sqlite3_context *result, uint32_t string) {
    put_span(result, loupe_snapshot_string(cursor->heap->snapshot, string));
}

/* Names of classes outlast the question. */
static void put_class(const struct cursor *cursor, sqlite3_context *result, uint32_t number) {
    struct loupe_span name = loupe_snapshot_class_name(cursor->heap->snapshot, number);
    if (name.length)
        sqlite3_result_text(result, name.bytes, (int)name.length, SQLITE_STATIC);
}

static void put_address(const struct cursor *cursor, sqlite3_context *result, uint32_t node) {
    char text[24];
    size_t length =
        loupe_format(text, sizeof(text), "0x%llx",
                     (unsigned long long)loupe_snapshot_address(cursor->heap->snapshot, node));
    sqlite3_result_text(result, text, (int)length, SQLITE_TRANSIENT);
}

static void put_node(const struct cursor *cursor, sqlite3_context *result, uint32_t node) {
    if (node < cursor->heap->snapshot->columns.nodes)
        sqlite3_result_int64(result, node);
    else
        sqlite3_result_null(result);
}

/* ---- objects ---- */

static void put_of_dominators(const struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_dominators *dominators = sql_dominators(cursor->heap);
    uint32_t node = cursor->at;
    if (!dominators) {
        sqlite3_result_error_nomem(result);
        return;
    }
    switch (column) {
    case 4:
        sqlite3_result_int64(result, (sqlite3_int64)dominators->retained[node]);
        break;
    case 5:
        sqlite3_result_int64(result, dominators->counts[node]);
        break;
    case 6:
        put_node(cursor, result, dominators->immediate[node]);
        break;
    default:
        sqlite3_result_int(result, dominators->immediate[node] != LOUPE_NO_NODE);
    }
}

static void object_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    uint64_t count;
    switch (column) {
    case 0:
        put_node(cursor, result, cursor->at);
        break;
    case 1:
        put_address(cursor, result, cursor->at);
        break;
    case 2:
        put_class(cursor, result, snapshot->classes[cursor->at]);
        break;
    case 3:
        sqlite3_result_int64(result,
                             (sqlite3_int64)loupe_columns_size(&snapshot->columns, cursor->at));
        break;
    case 8:
        if (snapshot->native &&
            loupe_native_retain_count(snapshot, cursor->at, &count) == LOUPE_COUNT_KNOWN)
            sqlite3_result_int64(result, (sqlite3_int64)count);
        break;
    default:
        put_of_dominators(cursor, result, column);
    }
}

/* ---- refs ---- */

static bool begin_links(struct cursor *cursor) {
    const struct loupe_columns *columns = &cursor->heap->snapshot->columns;
    if (cursor->is_incoming)
        columns = &cursor->heap->incoming.columns;
    cursor->link = columns->first[cursor->at];
    cursor->links = columns->first[cursor->at + 1];
    cursor->source = cursor->at;
    return cursor->link < cursor->links;
}

static bool next_link(struct cursor *cursor) {
    return ++cursor->link < cursor->links;
}

/* The link of the heap itself that a link of the one turned round is: the first between the two. */
static uint32_t own_link(const struct cursor *cursor, uint32_t *source) {
    const struct loupe_columns *columns = &cursor->heap->snapshot->columns;
    *source = cursor->at;
    if (!cursor->is_incoming)
        return cursor->link;
    *source = cursor->heap->incoming.columns.to[cursor->link];
    return loupe_path_link(columns, LOUPE_ALL_LINKS, 0, *source, cursor->at);
}

static void put_link_name(const struct cursor *cursor, sqlite3_context *result, uint32_t source,
                          uint32_t link) {
    struct loupe_link_name name;
    char index[24];
    loupe_snapshot_name_link(cursor->heap->snapshot, source, link, &name);
    if (name.kind == LOUPE_LINK_NAME_ELEMENT && !name.name.length) {
        size_t length = loupe_format(index, sizeof(index), "[%u]", (unsigned)name.index);
        sqlite3_result_text(result, index, (int)length, SQLITE_TRANSIENT);
    } else {
        put_span(result, name.name);
    }
}

static void link_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_columns *columns = &cursor->heap->snapshot->columns;
    uint32_t source, link = own_link(cursor, &source);
    if (link == LOUPE_NO_EDGE)
        return;
    switch (column) {
    case 0:
        put_node(cursor, result, source);
        break;
    case 1:
        put_node(cursor, result, columns->to[link]);
        break;
    case 2:
        put_span(result, loupe_span_of(loupe_link_kind_name(
                             columns->kinds ? (enum loupe_link_kind)columns->kinds[link]
                                            : LOUPE_LINK_STRONG)));
        break;
    default:
        put_link_name(cursor, result, source, link);
    }
}

/* ---- classes ---- */

static uint32_t count_classes(const struct sql_heap *heap) {
    return heap->snapshot->class_count;
}

static const struct loupe_class_total *total_of(struct cursor *cursor) {
    struct sql_heap *heap = cursor->heap;
    const struct loupe_snapshot *snapshot = heap->snapshot;
    if (!heap->totals) {
        heap->totals = calloc((size_t)snapshot->class_count + 1, sizeof(*heap->totals));
        if (heap->totals)
            loupe_histogram_count(&snapshot->columns, snapshot->classes, NULL,
                                  snapshot->class_count, heap->totals);
    }
    return heap->totals ? &heap->totals[cursor->at] : NULL;
}

static void put_loader(const struct cursor *cursor, sqlite3_context *result) {
    uint32_t loader = loupe_class_loader(cursor->heap->snapshot, cursor->at);
    if (loader != LOUPE_NO_NODE)
        put_address(cursor, result, loader);
}

static void class_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_snapshot_class *entry = &cursor->heap->snapshot->class_table[cursor->at];
    const struct loupe_class_total *total = column == 5 || column == 6 ? total_of(cursor) : NULL;
    switch (column) {
    case 0:
        sqlite3_result_int64(result, cursor->at);
        break;
    case 1:
        put_string(cursor, result, entry->name);
        break;
    case 2:
        put_span(result,
                 loupe_package_of(loupe_snapshot_class_name(cursor->heap->snapshot, cursor->at)));
        break;
    case 3:
        put_span(result, loupe_span_of(loupe_class_kind_name((enum loupe_class_kind)entry->kind)));
        break;
    case 4:
        if (entry->superclass != LOUPE_NONE)
            put_class(cursor, result, entry->superclass);
        break;
    case 7:
        sqlite3_result_int64(result, entry->instance_size);
        break;
    case 8:
        put_node(cursor, result, entry->node);
        break;
    case 9:
        put_loader(cursor, result);
        break;
    default:
        if (total)
            sqlite3_result_int64(result,
                                 (sqlite3_int64)(column == 5 ? total->count : total->bytes));
    }
}

/* ---- roots, threads, frames ---- */

static uint32_t count_roots(const struct sql_heap *heap) {
    return heap->snapshot->columns.root_count;
}

static void root_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    const struct loupe_snapshot_root *root = &snapshot->roots[cursor->at];
    switch (column) {
    case 0:
        put_node(cursor, result, root->node);
        break;
    case 1:
        put_span(result,
                 loupe_span_of(loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind)));
        break;
    case 2:
        if (root->thread < snapshot->thread_count)
            sqlite3_result_int64(result, root->thread);
        break;
    case 3:
        if (root->frame != LOUPE_NONE)
            sqlite3_result_int64(result, root->frame);
        break;
    default:
        if (snapshot->native)
            put_string(cursor, result, snapshot->native->root_places[cursor->at].name);
    }
}

static uint32_t count_threads(const struct sql_heap *heap) {
    return heap->snapshot->thread_count;
}

static void thread_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_snapshot_thread *thread = &cursor->heap->snapshot->threads[cursor->at];
    if (column == 0)
        sqlite3_result_int64(result, cursor->at);
    else if (column == 1)
        put_node(cursor, result, thread->node);
    else if (column == 2)
        put_string(cursor, result, thread->name);
    else
        sqlite3_result_int64(result, column == 3 ? thread->serial : thread->frame_count);
}

static uint32_t count_frames(const struct sql_heap *heap) {
    return heap->snapshot->frame_count;
}

static void put_thread_of_frame(const struct cursor *cursor, sqlite3_context *result, bool frame) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        const struct loupe_snapshot_thread *thread = &snapshot->threads[i];
        if (cursor->at - thread->first_frame < thread->frame_count) {
            sqlite3_result_int64(result, frame ? cursor->at - thread->first_frame : i);
            return;
        }
    }
}

static void frame_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_snapshot_frame *frame = &cursor->heap->snapshot->frames[cursor->at];
    switch (column) {
    case 0:
    case 1:
        put_thread_of_frame(cursor, result, column == 1);
        break;
    case 2:
        put_string(cursor, result, frame->class_name);
        break;
    case 3:
        put_string(cursor, result, frame->method);
        break;
    case 4:
        put_string(cursor, result, frame->source);
        break;
    default:
        if (frame->line > 0)
            sqlite3_result_int64(result, frame->line);
    }
}

/* ---- fields ---- */

static bool next_field(struct cursor *cursor) {
    return loupe_fields_next(&cursor->fields, &cursor->field);
}

static bool begin_fields(struct cursor *cursor) {
    cursor->fields = loupe_fields_begin(cursor->heap->snapshot, cursor->at);
    return next_field(cursor);
}

/* A number as one, an object as its number. */
static void put_value(const struct cursor *cursor, sqlite3_context *result,
                      struct loupe_value value) {
    double number;
    float small;
    uint32_t bits = (uint32_t)value.bits, node;
    switch (value.type) {
    case LOUPE_VALUE_OBJECT:
        if (value.bits && loupe_snapshot_find(cursor->heap->snapshot, value.bits, &node))
            put_node(cursor, result, node);
        break;
    case LOUPE_VALUE_DOUBLE:
        memcpy(&number, &value.bits, sizeof(number));
        sqlite3_result_double(result, number);
        break;
    case LOUPE_VALUE_FLOAT:
        memcpy(&small, &bits, sizeof(small));
        sqlite3_result_double(result, (double)small);
        break;
    case LOUPE_VALUE_NONE:
        break;
    default:
        sqlite3_result_int64(result, (sqlite3_int64)value.bits);
    }
}

static void field_column(struct cursor *cursor, sqlite3_context *result, int column) {
    const struct loupe_field *field = &cursor->field;
    if (column == 0)
        put_node(cursor, result, cursor->at);
    else if (column == 1)
        put_class(cursor, result, field->declared_by);
    else if (column == 2)
        put_span(result, field->name);
    else if (column == 3)
        sqlite3_result_int(result, field->is_static);
    else if (column == 4 && field->is_known && field->value.type == LOUPE_VALUE_OBJECT)
        sql_put_said(result, cursor->heap->snapshot, cursor->at, field);
    else if (field->is_known && (column == 5) == (field->value.type == LOUPE_VALUE_OBJECT))
        put_value(cursor, result, field->value);
}

/* ---- strings, collections ---- */

static size_t read_text(const struct cursor *cursor) {
    struct sql_heap *heap = cursor->heap;
    return loupe_snapshot_show_value(heap->snapshot, cursor->at, heap->text, heap->text_cap);
}

static bool is_string(struct cursor *cursor) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    if (!snapshot->native)
        return loupe_span_equals(loupe_snapshot_class_name(snapshot, snapshot->classes[cursor->at]),
                                 "java.lang.String");
    return snapshot->class_table[snapshot->classes[cursor->at]].kind == LOUPE_CLASS_INSTANCES &&
           read_text(cursor) && cursor->heap->text[0] == '"';
}

/* With the array of characters, which few strings share. */
static uint64_t string_bytes(const struct cursor *cursor) {
    const struct loupe_columns *columns = &cursor->heap->snapshot->columns;
    uint64_t bytes = loupe_columns_size(columns, cursor->at);
    for (uint32_t link = columns->first[cursor->at]; link < columns->first[cursor->at + 1];
         link++) {
        uint32_t kind =
            cursor->heap->snapshot->class_table[cursor->heap->snapshot->classes[columns->to[link]]]
                .kind;
        if (kind == LOUPE_CLASS_PRIMITIVE_ARRAYS || kind == LOUPE_CLASS_STORAGE)
            bytes += loupe_columns_size(columns, columns->to[link]);
    }
    return bytes;
}

static void string_column(struct cursor *cursor, sqlite3_context *result, int column) {
    size_t length = column == 1 ? read_text(cursor) : 0;
    if (column == 0)
        put_node(cursor, result, cursor->at);
    else if (column == 2)
        sqlite3_result_int64(result, (sqlite3_int64)string_bytes(cursor));
    else if (length > 2)
        sqlite3_result_text(result, cursor->heap->text + 1, (int)length - 2, SQLITE_TRANSIENT);
    else
        sqlite3_result_text(result, "", 0, SQLITE_STATIC);
}

static bool is_collection(struct cursor *cursor) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    return snapshot->class_table[snapshot->classes[cursor->at]].kind == LOUPE_CLASS_INSTANCES &&
           loupe_collection_of(snapshot, cursor->at, &cursor->collection);
}

static void collection_column(struct cursor *cursor, sqlite3_context *result, int column) {
    static const char *const kinds[] = {"", "list", "set", "map"};
    const struct loupe_collection *collection = &cursor->collection;
    if (column < 3)
        object_column(cursor, result, column);
    else if (column == 3)
        put_span(result, loupe_span_of(kinds[collection->kind]));
    else if (column == 4 && collection->has_count)
        sqlite3_result_int64(result, (sqlite3_int64)collection->count);
    else if (column == 5 && collection->capacity)
        sqlite3_result_int64(result, (sqlite3_int64)collection->capacity);
}

/* ---- All ---- */

static const struct shape shapes[] = {
    {"objects",
     "CREATE TABLE x(object INTEGER, address TEXT, class TEXT, size INTEGER, retained INTEGER, "
     "retained_objects INTEGER, dominator INTEGER, reachable INTEGER, retain_count INTEGER)",
     NULL, NULL, NULL, object_column, 2, 1, -1},
    {"refs", "CREATE TABLE x(source INTEGER, target INTEGER, kind TEXT, name TEXT)", NULL,
     begin_links, next_link, link_column, -1, -1, 1},
    {"classes",
     "CREATE TABLE x(number INTEGER, name TEXT, package TEXT, kind TEXT, superclass TEXT, "
     "instances INTEGER, bytes INTEGER, instance_size INTEGER, object INTEGER, loader TEXT)",
     count_classes, NULL, NULL, class_column, -1, -1, -1},
    {"roots", "CREATE TABLE x(object INTEGER, kind TEXT, thread INTEGER, frame INTEGER, name TEXT)",
     count_roots, NULL, NULL, root_column, -1, -1, -1},
    {"threads",
     "CREATE TABLE x(thread INTEGER, object INTEGER, name TEXT, serial INTEGER, frames INTEGER)",
     count_threads, NULL, NULL, thread_column, -1, -1, -1},
    {"frames",
     "CREATE TABLE x(thread INTEGER, frame INTEGER, class TEXT, method TEXT, source TEXT, "
     "line INTEGER)",
     count_frames, NULL, NULL, frame_column, -1, -1, -1},
    {"fields",
     "CREATE TABLE x(object INTEGER, class TEXT, name TEXT, static INTEGER, value NUMERIC, "
     "target INTEGER)",
     NULL, begin_fields, next_field, field_column, -1, -1, -1},
    {"strings", "CREATE TABLE x(object INTEGER, text TEXT, bytes INTEGER)", NULL, is_string, NULL,
     string_column, -1, -1, -1},
    {"collections",
     "CREATE TABLE x(object INTEGER, address TEXT, class TEXT, kind TEXT, items INTEGER, "
     "capacity INTEGER)",
     NULL, is_collection, NULL, collection_column, 2, 1, -1},
};

/* ---- SQLite's side ---- */

enum { ASKED_ALL, ASKED_OBJECT, ASKED_CLASS, ASKED_ADDRESS, ASKED_TARGET, IN_ORDER = 8 };

static int connect(sqlite3 *database, void *aux, int argc, const char *const *argv,
                   sqlite3_vtab **ret, char **error) {
    (void)argc, (void)error;
    const struct shape *shape = NULL;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (strcmp(shapes[i].name, argv[0]) == 0)
            shape = &shapes[i];
    }
    struct table *table = sqlite3_malloc64(sizeof(*table));
    if (!table || !shape)
        return SQLITE_NOMEM;
    *table = (struct table){.heap = aux, .shape = shape};
    *ret = &table->base;
    return sqlite3_declare_vtab(database, shape->schema);
}

static int disconnect(sqlite3_vtab *table) {
    sqlite3_free(table);
    return SQLITE_OK;
}

static int asked_for(const struct shape *shape, int column) {
    if (shape->count)
        return ASKED_ALL;
    if (column == 0)
        return ASKED_OBJECT;
    return column == shape->by_address  ? ASKED_ADDRESS
           : column == shape->by_target ? ASKED_TARGET
           : column == shape->by_class  ? ASKED_CLASS
                                        : ASKED_ALL;
}

/* Letter by letter, as names of classes are compared here. */
static bool is_exact(sqlite3_index_info *info, int constraint) {
    const char *collation = sqlite3_vtab_collation(info, constraint);
    return collation && strcmp(collation, "BINARY") == 0;
}

/* Rows of a class side by side are what `group by class` needs: it sorts nothing then. */
static bool is_by_class(const struct shape *shape, const sqlite3_index_info *info) {
    return shape->by_class >= 0 && info->nOrderBy == 1 && !info->aOrderBy[0].desc &&
           info->aOrderBy[0].iColumn == shape->by_class;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info) {
    const struct shape *shape = ((struct table *)base)->shape;
    static const double costs[] = {[ASKED_ALL] = 1e8,
                                   [ASKED_OBJECT] = 1,
                                   [ASKED_CLASS] = 1e7,
                                   [ASKED_ADDRESS] = 2,
                                   [ASKED_TARGET] = 20};
    int best = ASKED_ALL, at = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        int asked = asked_for(shape, info->aConstraint[i].iColumn);
        if (info->aConstraint[i].usable && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
            (asked != ASKED_CLASS || is_exact(info, i)) && costs[asked] < costs[best]) {
            best = asked;
            at = i;
        }
    }
    if (at >= 0) {
        info->aConstraintUsage[at].argvIndex = 1;
        info->aConstraintUsage[at].omit = best == ASKED_CLASS;
    }
    info->idxNum = best;
    if (is_by_class(shape, info)) {
        info->orderByConsumed = 1;
        info->idxNum |= IN_ORDER;
    }
    info->estimatedCost = costs[best];
    info->estimatedRows = (sqlite3_int64)costs[best];
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret) {
    const struct table *table = (const struct table *)base;
    struct cursor *cursor = sqlite3_malloc64(sizeof(*cursor));
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){.heap = table->heap, .shape = table->shape};
    *ret = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    struct cursor *cursor = (struct cursor *)base;
    free(cursor->classes);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

/* Goes on to the next node that has rows, this one included. */
static int settle(struct cursor *cursor) {
    for (; cursor->place < cursor->end; cursor->place++) {
        cursor->at = cursor->order ? cursor->order[cursor->place] : cursor->place;
        if (cursor->place % 65536 == 0 && loupe_is_stopped(heap_stop))
            return SQLITE_INTERRUPT;
        if (cursor->classes && !cursor->classes[cursor->heap->snapshot->classes[cursor->at]])
            continue;
        if (!cursor->shape->takes || cursor->shape->takes(cursor))
            break;
    }
    return SQLITE_OK;
}

static bool match_classes(struct cursor *cursor, sqlite3_value *value) {
    const struct loupe_snapshot *snapshot = cursor->heap->snapshot;
    const char *name = (const char *)sqlite3_value_text(value);
    free(cursor->classes);
    cursor->classes = calloc((size_t)snapshot->class_count + 1, 1);
    for (uint32_t i = 0; cursor->classes && name && i < snapshot->class_count; i++)
        cursor->classes[i] = loupe_span_equals(loupe_snapshot_class_name(snapshot, i), name);
    return cursor->classes;
}

static void narrow_to(struct cursor *cursor, uint64_t node) {
    bool is_there = node < cursor->end;
    cursor->order = NULL;
    cursor->place = is_there ? (uint32_t)node : cursor->end;
    cursor->end = is_there ? cursor->place + 1 : cursor->end;
}

/* ---- Rows of a class side by side ---- */

struct named_class {
    struct loupe_span name;
    uint32_t number;
};

static int compare_names(const void *left, const void *right) {
    const struct named_class *a = left, *b = right;
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = shorter ? memcmp(a->name.bytes, b->name.bytes, shorter) : 0;
    return order ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

/* Where the rows of each class begin, by its name. NULL: no memory. */
static uint32_t *find_beginnings(const struct loupe_snapshot *snapshot) {
    uint32_t classes = snapshot->class_count, sum = 0;
    struct named_class *named = calloc((size_t)classes + 1, sizeof(*named));
    uint32_t *counts = calloc((size_t)classes + 1, sizeof(*counts));
    if (!named || !counts) {
        free(named);
        free(counts);
        return NULL;
    }
    for (uint32_t i = 0; i < classes; i++)
        named[i] = (struct named_class){loupe_snapshot_class_name(snapshot, i), i};
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++)
        counts[snapshot->classes[node]]++;
    qsort(named, classes, sizeof(*named), compare_names);
    for (uint32_t i = 0; i < classes; i++) {
        uint32_t count = counts[named[i].number];
        counts[named[i].number] = sum;
        sum += count;
    }
    free(named);
    return counts;
}

static bool order_by_class(struct sql_heap *heap) {
    const struct loupe_snapshot *snapshot = heap->snapshot;
    if (heap->by_class)
        return true;
    uint32_t *next = find_beginnings(snapshot);
    heap->by_class = malloc(((size_t)snapshot->columns.nodes + 1) * sizeof(*heap->by_class));
    bool has_room = next && heap->by_class;
    for (uint32_t node = 0; has_room && node < snapshot->columns.nodes; node++)
        heap->by_class[next[snapshot->classes[node]]++] = node;
    free(next);
    return has_room;
}

static bool find_address(const struct cursor *cursor, sqlite3_value *value, uint32_t *ret) {
    const char *text = (const char *)sqlite3_value_text(value);
    uint64_t address;
    return text && cli_parse_number(text, UINT64_MAX, &address) &&
           loupe_snapshot_find(cursor->heap->snapshot, address, ret);
}

static bool turn_round(struct cursor *cursor) {
    struct sql_heap *heap = cursor->heap;
    if (!heap->has_incoming)
        heap->has_incoming = !loupe_transposed_make(&heap->snapshot->columns, LOUPE_ALL_LINKS,
                                                    &heap_chunks, &heap->incoming);
    cursor->is_incoming = heap->has_incoming;
    return heap->has_incoming;
}

static int filter(sqlite3_vtab_cursor *base, int asked, const char *text, int argc,
                  sqlite3_value **argv) {
    struct cursor *cursor = (struct cursor *)base;
    uint32_t node = UINT32_MAX;
    bool is_in_order = asked & IN_ORDER;
    asked &= ~IN_ORDER;
    (void)text, (void)argc;
    cursor->place = 0;
    cursor->row = 0;
    if (is_in_order && !order_by_class(cursor->heap))
        return SQLITE_NOMEM;
    cursor->order = is_in_order ? cursor->heap->by_class : NULL;
    cursor->is_incoming = false;
    cursor->end = cursor->shape->count ? cursor->shape->count(cursor->heap)
                                       : cursor->heap->snapshot->columns.nodes;
    if (asked == ASKED_OBJECT || asked == ASKED_TARGET)
        narrow_to(cursor, sqlite3_value_type(argv[0]) == SQLITE_INTEGER
                              ? (uint64_t)sqlite3_value_int64(argv[0])
                              : UINT64_MAX);
    if (asked == ASKED_ADDRESS)
        narrow_to(cursor, find_address(cursor, argv[0], &node) ? node : UINT64_MAX);
    if ((asked == ASKED_TARGET && !turn_round(cursor)) ||
        (asked == ASKED_CLASS && !match_classes(cursor, argv[0])))
        return SQLITE_NOMEM;
    return settle(cursor);
}

static int next(sqlite3_vtab_cursor *base) {
    struct cursor *cursor = (struct cursor *)base;
    cursor->row++;
    if (cursor->shape->next_part && cursor->shape->next_part(cursor))
        return SQLITE_OK;
    cursor->place++;
    return settle(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base) {
    const struct cursor *cursor = (const struct cursor *)base;
    return cursor->place >= cursor->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *result, int number) {
    struct cursor *cursor = (struct cursor *)base;
    cursor->shape->column(cursor, result, number);
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *ret) {
    *ret = ((struct cursor *)base)->row;
    return SQLITE_OK;
}

/* Without xCreate: the table is there by its name, and nobody can make or drop it. */
static const sqlite3_module module = {.iVersion = 1,
                                      .xConnect = connect,
                                      .xBestIndex = best_index,
                                      .xDisconnect = disconnect,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = filter,
                                      .xNext = next,
                                      .xEof = is_at_end,
                                      .xColumn = column,
                                      .xRowid = row_number};

/* A table is made when it is first named, which an authorizer takes for a change of the schema: so
 * each is named now. */
static int make(sqlite3 *database, const struct shape *shape) {
    char sql[64];
    loupe_format(sql, sizeof(sql), "SELECT 1 FROM %s LIMIT 0", shape->name);
    return sqlite3_exec(database, sql, NULL, NULL, NULL);
}

int sql_add_tables(sqlite3 *database, struct sql_heap *heap) {
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && code == SQLITE_OK; i++) {
        code = sqlite3_create_module(database, shapes[i].name, &module, heap);
        if (code == SQLITE_OK)
            code = make(database, &shapes[i]);
    }
    return code;
}

void sql_heap_deinit(struct sql_heap *heap) {
    if (heap->has_incoming)
        loupe_transposed_deinit(&heap->incoming);
    free(heap->by_class);
    free(heap->totals);
    free(heap->text);
}

#endif

#include "report/heaps/report_trace.h"

#include "cycles/knots/fingerprint.h"
#include "leaks/heap_graph.h"
#include "report/report_declared.h"
#include "report/report_graph.h"
#include "report/report_root.h"
#include "snapshot/values/native_names.h"

/* ---- Objects ---- */

/* What is no object, and of blocks what is known of the source. */
static void put_native(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       uint32_t node) {
    struct loupe_written written = {.function = "", .file = ""};
    enum loupe_node_kind kind = loupe_native_node_kind(snapshot, node);
    if (kind == LOUPE_NODE_BLOCK || kind == LOUPE_NODE_RAW)
        loupe_json_put_string(json, "kind", loupe_node_kind_name(kind));
    if (kind == LOUPE_NODE_BLOCK &&
        loupe_native_class_written(snapshot, snapshot->classes[node], &written))
        loupe_report_written(json, &written);
}

/* Of an object that is a thread, its name. */
static void put_thread(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       uint32_t node) {
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        if (snapshot->threads[i].node == node) {
            loupe_json_put_text(json, "thread",
                                loupe_snapshot_string(snapshot, snapshot->threads[i].name));
            return;
        }
    }
}

void loupe_report_about_node(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t node) {
    if (snapshot->native)
        put_native(json, snapshot, node);
    else
        put_thread(json, snapshot, node);
    loupe_report_heap_name(json, snapshot, node);
}

typedef size_t value_of_node(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                             size_t cap);

static void put_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                       uint32_t node, value_of_node *value_of) {
    uint32_t described = snapshot->classes[node],
             is_class = loupe_snapshot_class_at(snapshot, node);
    char value[256];
    size_t length = value_of(snapshot, node, value, sizeof(value));
    loupe_json_put_address(json, "address", loupe_snapshot_address(snapshot, node));
    loupe_json_put_text(json, "class", loupe_snapshot_class_name(snapshot, described));
    if (is_class != LOUPE_NONE)
        loupe_json_put_text(json, "is_class", loupe_snapshot_class_name(snapshot, is_class));
    loupe_json_put_uint(json, "size", loupe_columns_size(&snapshot->columns, node));
    if (length)
        loupe_json_put_text(json, "value", (struct loupe_span){value, length});
    loupe_report_about_node(json, snapshot, node);
}

void loupe_report_heap_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                              uint32_t node) {
    put_object(json, snapshot, node, loupe_snapshot_show_value);
}

void loupe_report_counted_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                 uint32_t node) {
    put_object(json, snapshot, node, loupe_snapshot_say_value);
}

void loupe_report_heap_name(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t node) {
    if (snapshot->heap_count)
        loupe_json_put_text(json, "heap", loupe_snapshot_heap_name(snapshot, node));
}

static const char *expectation_word(enum loupe_expectation expectation) {
    static const char *const words[] = {[LOUPE_EXPECTED_UNKNOWN] = NULL,
                                        [LOUPE_EXPECTED_ALIVE] = "alive",
                                        [LOUPE_EXPECTED_LEAKING] = "leaking"};
    return words[expectation];
}

static void put_reason(struct loupe_json *json, const struct loupe_rule *rule) {
    loupe_json_put_text(json, "reason", rule ? rule->reason : (struct loupe_span){"", 0});
}

static struct loupe_span file_of(const struct loupe_rule *rule) {
    struct loupe_span path = loupe_span_of(rule->origin);
    for (size_t at = path.length; at; at--) {
        if (path.bytes[at - 1] == '/')
            return (struct loupe_span){path.bytes + at, path.length - at};
    }
    return path;
}

void loupe_report_rule(struct loupe_json *json, const struct loupe_rule *rule) {
    put_reason(json, rule);
    if (!rule)
        return;
    loupe_json_key(json, "rule");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "file", file_of(rule));
    loupe_json_put_uint(json, "line", rule->line);
    loupe_json_end_object(json);
}

void loupe_report_retained(struct loupe_json *json, const struct loupe_dominators *dominators,
                           uint32_t node) {
    uint32_t others = loupe_dominators_others(dominators, node);
    loupe_json_put_uint(json, "retained", dominators->retained[node]);
    loupe_json_put_uint(json, "retained_objects", dominators->counts[node]);
    if (others)
        loupe_json_put_uint(json, "retained_others", others);
}

/* At the end of the path: what would go with the object. */
static void put_retained(struct loupe_json *json, const struct loupe_dominators *dominators,
                         uint32_t node) {
    if (dominators)
        loupe_report_retained(json, dominators, node);
}

static void put_objects(struct loupe_json *json, const struct loupe_tracer *tracer,
                        const struct loupe_trace *trace, const struct loupe_trace_facts *facts) {
    loupe_json_key(json, "objects");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct loupe_trace_step *step = &trace->steps[i];
        loupe_json_begin_object(json);
        loupe_report_heap_object(json, tracer->snapshot, step->node);
        loupe_report_part_of(json, tracer, step->node);
        loupe_json_put_string(json, "expected", expectation_word(step->expectation));
        loupe_report_rule(json, step->rule);
        if (facts->stacks)
            loupe_report_node_stack(json, facts->stacks, step->node);
        if (i + 1 == trace->count)
            put_retained(json, facts->dominators, step->node);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Links ---- */

static const char *link_word(enum loupe_link_name_kind kind) {
    static const char *const words[] = {
        [LOUPE_LINK_NAME_UNKNOWN] = "unknown",   [LOUPE_LINK_NAME_FIELD] = "field",
        [LOUPE_LINK_NAME_STATIC] = "static",     [LOUPE_LINK_NAME_ELEMENT] = "element",
        [LOUPE_LINK_NAME_CONSTANT] = "constant", [LOUPE_LINK_NAME_SPECIAL] = "special"};
    return words[kind];
}

static void put_name(struct loupe_json *json, const struct loupe_link_name *name,
                     const char *capture) {
    if (capture) {
        loupe_json_put_string(json, "path", capture);
    } else if (name->kind == LOUPE_LINK_NAME_ELEMENT || name->kind == LOUPE_LINK_NAME_CONSTANT) {
        char index[16];
        loupe_format(index, sizeof(index), "[%u]", name->index);
        loupe_json_put_string(json, "path", index);
    } else {
        loupe_json_put_text(json, "path", name->name);
    }
}

static struct loupe_span declaring_class(const struct loupe_snapshot *snapshot, uint32_t link,
                                         const struct loupe_link_name *name) {
    const struct loupe_label *label = snapshot->native ? loupe_native_label(snapshot, link) : NULL;
    return label ? loupe_snapshot_string(snapshot, label->declared_by)
                 : loupe_snapshot_class_name(snapshot, name->declared_by);
}

/* What an EDGE about one object has, too. */
static void put_native_link(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t link) {
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    const char *kind = label ? loupe_edge_kind_name((enum loupe_edge_kind)label->kind) : "word";
    loupe_json_put_string(json, "reference", kind);
    loupe_json_put_uint(json, "offset", snapshot->native->slots[link]);
}

void loupe_report_link(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t from,
                       uint32_t link) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    const struct loupe_columns *columns = &tracer->columns;
    struct loupe_link_name name;
    struct loupe_written declared;
    const struct loupe_pointer_ivar *pointer = loupe_native_pointer(snapshot, from, link);
    loupe_snapshot_name_link(snapshot, from, link, &name);
    if (pointer) {
        name.name = loupe_snapshot_string(snapshot, pointer->name);
        name.declared_by = pointer->class_number;
    }
    loupe_json_put_address(json, "from", loupe_snapshot_address(snapshot, from));
    loupe_json_put_address(json, "to", loupe_snapshot_address(snapshot, columns->to[link]));
    loupe_json_put_string(json, "kind", link_word(name.kind));
    put_name(json, &name, loupe_native_capture_name(snapshot, from, link));
    const struct loupe_label *label = snapshot->native ? loupe_native_label(snapshot, link) : NULL;
    bool is_captured = label && label->kind == LOUPE_EDGE_CAPTURE;
    struct loupe_span declared_by = declaring_class(snapshot, link, &name);
    loupe_json_put_text(json, "declared_by",
                        is_captured ? (struct loupe_span){.bytes = ""} : declared_by);
    if (is_captured && declared_by.length)
        loupe_json_put_text(json, "closure", declared_by);
    if (snapshot->native)
        put_native_link(json, snapshot, link);
    if (label && loupe_native_declared(snapshot, label, &declared))
        loupe_report_declared(json, declared.file, declared.line);
    enum loupe_link_kind kind =
        columns->kinds ? (enum loupe_link_kind)columns->kinds[link] : LOUPE_LINK_STRONG;
    loupe_json_put_string(json, "ownership", loupe_link_kind_name(kind));
}

static void put_edges(struct loupe_json *json, const struct loupe_tracer *tracer,
                      const struct loupe_trace *trace) {
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i + 1 < trace->count; i++) {
        const struct loupe_trace_step *step = &trace->steps[i];
        loupe_json_begin_object(json);
        loupe_report_link(json, tracer, step->node, step->link);
        loupe_json_put_bool(json, "suspect", step->is_suspect);
        put_reason(json, step->link_rule);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Roots ---- */

/* Of a native heap: where it is, in words of strong-refs --incoming. */
static void put_place(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t number) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    const struct loupe_root_place *place = &snapshot->native->root_places[number];
    uint32_t thread = snapshot->roots[number].thread;
    uint32_t known;
    loupe_json_key(json, "slot");
    if (place->slot)
        loupe_json_address(json, place->slot);
    else
        loupe_json_null(json);
    loupe_report_heap_variable(json, snapshot, tracer->symbols, number);
    if (place->image != LOUPE_NONE)
        loupe_json_put_text(json, "image", loupe_snapshot_string(snapshot, place->image));
    if (place->name != LOUPE_NONE)
        loupe_json_put_text(
            json, snapshot->roots[number].kind == LOUPE_ROOT_KERNEL ? "holder" : "register",
            loupe_snapshot_string(snapshot, place->name));
    if (thread < snapshot->thread_count)
        loupe_json_put_uint(json, "thread_id", snapshot->threads[thread].serial);
    if (thread < snapshot->thread_count && loupe_native_thread_number(snapshot, thread, &known))
        loupe_json_put_uint(json, "thread_number", known);
}

void loupe_report_root(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t number,
                       const struct loupe_rule *rule) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    const struct loupe_snapshot_root *root = &snapshot->roots[number];
    struct loupe_span thread = {"", 0};
    if (root->thread < snapshot->thread_count)
        thread = loupe_snapshot_string(snapshot, snapshot->threads[root->thread].name);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind",
                          loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind));
    loupe_json_put_address(json, "to", loupe_snapshot_address(snapshot, root->node));
    loupe_json_put_text(json, "thread", thread);
    loupe_report_root_frame(json, snapshot, number);
    put_reason(json, rule);
    if (snapshot->native)
        put_place(json, tracer, number);
    loupe_json_end_object(json);
}

static const char *level_word(enum loupe_path_level level) {
    return level == LOUPE_LEVEL_LATE ? "late" : level == LOUPE_LEVEL_STACK ? "stack" : "normal";
}

void loupe_report_trace_members(struct loupe_json *json, const struct loupe_tracer *tracer,
                                const struct loupe_trace *trace,
                                const struct loupe_trace_facts *facts) {
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(trace->fingerprint, fingerprint);
    loupe_json_key(json, "root");
    loupe_report_root(json, tracer, trace->root, trace->root_rule);
    loupe_json_put_string(json, "level", level_word(trace->level));
    loupe_json_put_uint(json, "length", trace->count - 1);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_key(json, "first_suspect");
    if (trace->first_suspect == LOUPE_NONE)
        loupe_json_null(json);
    else
        loupe_json_uint(json, trace->first_suspect);
    put_objects(json, tracer, trace, facts);
    put_edges(json, tracer, trace);
}

void loupe_report_trace(struct loupe_json *json, const struct loupe_tracer *tracer,
                        const struct loupe_trace *trace, const struct loupe_trace_facts *facts) {
    loupe_json_begin_object(json);
    loupe_report_trace_members(json, tracer, trace, facts);
    loupe_json_end_object(json);
}

/* ---- Memory ---- */

static void put_owner(struct loupe_json *json, const struct loupe_tracer *tracer,
                      const struct loupe_memory_owner *owner) {
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, tracer->snapshot, owner->object);
    loupe_json_end_object(json);
    if (owner->link == LOUPE_NO_EDGE)
        return;
    loupe_json_key(json, "edge");
    loupe_json_begin_object(json);
    loupe_report_link(json, tracer, owner->object, owner->link);
    loupe_json_end_object(json);
}

void loupe_report_allocator(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t node) {
    const struct loupe_recorded_frame *frame =
        snapshot->native && loupe_native_is_memory(snapshot, node)
            ? loupe_snapshot_guilty(snapshot, loupe_snapshot_stack(snapshot, node))
            : NULL;
    if (!frame)
        return;
    loupe_json_key(json, "part_of");
    loupe_json_begin_object(json);
    loupe_json_key(json, "frame");
    loupe_report_recorded_frame(json, snapshot, frame);
    loupe_json_end_object(json);
}

void loupe_report_part_of(struct loupe_json *json, const struct loupe_tracer *tracer,
                          uint32_t node) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    struct loupe_memory_owner owner;
    if (!tracer->owners || !snapshot->native || !loupe_native_is_memory(snapshot, node))
        return;
    if (!loupe_memory_owner_find(tracer->owners, node, &owner)) {
        loupe_report_allocator(json, snapshot, node);
        return;
    }
    loupe_json_key(json, "part_of");
    loupe_json_begin_object(json);
    if (owner.object == LOUPE_NO_NODE) {
        loupe_json_key(json, "root");
        loupe_report_root(json, tracer, owner.root, NULL);
    } else {
        put_owner(json, tracer, &owner);
    }
    loupe_json_end_object(json);
}

void loupe_report_owner(struct loupe_json *json, struct loupe_memory_owners *owners,
                        uint32_t node) {
    if (!owners)
        return;
    struct loupe_tracer tracer = {.snapshot = owners->snapshot,
                                  .columns = owners->snapshot->columns,
                                  .owners = owners,
                                  .symbols = owners->symbols};
    loupe_report_part_of(json, &tracer, node);
}

static void put_owner_of(void *ctx, uint32_t node, struct loupe_json *json) {
    loupe_report_owner(json, ctx, node);
}

struct loupe_heap_memory loupe_report_owners_of(struct loupe_memory_owners *owners) {
    return (struct loupe_heap_memory){.ctx = owners, .put_owner = put_owner_of};
}

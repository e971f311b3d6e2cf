#include "report/report_graph.h"

#include "report/report.h"
#include "report/report_declared.h"
#include "report/report_recorded.h"

static void write_text_or_null(struct loupe_json *json, const char *text) {
    loupe_json_string(json, text[0] ? text : NULL);
}

/* The class that declares the ivar, where its object is of another, and where it does. */
static void write_declaration(struct loupe_json *json, const struct loupe_graph *graph,
                              const struct loupe_describer *describer, uint32_t from,
                              const struct loupe_edge_label *label) {
    struct loupe_span class_name = describer->class_name(describer->ctx, graph, from);
    char path[LOUPE_LONGEST_SOURCE_PATH];
    uint32_t line;
    if (label->declared_by && !loupe_span_equals(class_name, label->declared_by))
        loupe_json_put_string(json, "declared_by", label->declared_by);
    if (describer->declared &&
        describer->declared(describer->ctx, label, path, sizeof(path), &line))
        loupe_report_declared(json, path, line);
}

/* An edge of the graph, or one that owns nothing. */
struct written_edge {
    uint32_t source; /* node */
    loupe_addr to;
    struct loupe_edge edge;
    struct loupe_edge_label label;
};

static void write_edge(struct loupe_json *json, const struct loupe_graph *graph,
                       const struct loupe_describer *describer,
                       const struct written_edge *written) {
    const struct loupe_edge *edge = &written->edge;
    const struct loupe_edge_label *label = &written->label;
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "from", loupe_graph_address(graph, written->source));
    loupe_json_put_address(json, "to", written->to);
    loupe_json_put_string(json, "kind", loupe_edge_kind_name((enum loupe_edge_kind)edge->kind));
    loupe_json_key(json, "name");
    write_text_or_null(json, label->name);
    loupe_json_key(json, "path");
    write_text_or_null(json, label->path);
    loupe_json_key(json, "offset");
    if (label->has_offset)
        loupe_json_uint(json, label->offset);
    else
        loupe_json_null(json);
    loupe_json_key(json, "slot");
    if (label->slot)
        loupe_json_address(json, label->slot);
    else
        loupe_json_null(json);
    loupe_json_put_string(json, "ownership",
                          loupe_ownership_name((enum loupe_ownership)edge->ownership));
    if (edge->shared)
        loupe_json_put_bool(json, "shared", true);
    if (edge->ownership != LOUPE_STRONG && edge->ownership < LOUPE_NONOWNING_WEAK) {
        loupe_json_put_string(json, "assumption", label->assumption);
        if (label->doubt)
            loupe_json_put_string(json, "doubt", label->doubt);
    }
    if (label->manual && edge->ownership < LOUPE_NONOWNING_WEAK)
        loupe_json_put_bool(json, "manual", true);
    if (label->evidence)
        loupe_json_put_string(json, "evidence", label->evidence);
    if (label->closure)
        loupe_json_put_string(json, "closure", label->closure);
    if (label->is_part)
        loupe_json_put_bool(json, "part", true);
    if (edge->kind == LOUPE_EDGE_IVAR)
        write_declaration(json, graph, describer, written->source, label);
    loupe_json_end_object(json);
}

void loupe_report_edge(struct loupe_json *json, const struct loupe_graph *graph,
                       const struct loupe_describer *describer, uint32_t from, uint32_t edge_id) {
    struct written_edge written = {.source = from, .edge = loupe_graph_edge(graph, edge_id)};
    written.to = loupe_graph_address(graph, written.edge.to);
    describer->label(describer->ctx, graph, from, edge_id, &written.label);
    write_edge(json, graph, describer, &written);
}

/* Returns why it owns nothing. */
static const char *write_nonowning_edge(struct loupe_json *json, const struct loupe_graph *graph,
                                        const struct loupe_describer *describer,
                                        const struct loupe_nonowning_ref *nonowning) {
    struct written_edge written = {
        .source = nonowning->from, .to = nonowning->target, .edge = nonowning->edge};
    const char *reason =
        describer->label_nonowning(describer->ctx, graph, nonowning, &written.label);
    loupe_json_key(json, "edge");
    write_edge(json, graph, describer, &written);
    return reason;
}

void loupe_report_nonowning(struct loupe_json *json, const struct loupe_graph *graph,
                            const struct loupe_describer *describer,
                            const struct loupe_nonowning_ref *nonowning) {
    loupe_json_put_string(json, "reason", write_nonowning_edge(json, graph, describer, nonowning));
}

void loupe_report_ruled_out(struct loupe_json *json, struct loupe_graph *graph,
                            const struct loupe_describer *describer, struct loupe_filters known,
                            uint32_t from, uint32_t edge) {
    loupe_json_begin_object(json);
    loupe_json_key(json, "edge");
    loupe_report_edge(json, graph, describer, from, edge);
    loupe_json_put_string(
        json, "reason",
        loupe_filters_reason(graph, describer, known.items, known.count, from, edge));
    loupe_json_end_object(json);
}

void loupe_report_freed_slots(struct loupe_json *json, const struct loupe_graph *graph,
                              const struct loupe_describer *describer,
                              const struct loupe_freed_slots *slots) {
    if (!slots->count && !slots->left_out)
        return;
    loupe_json_put_uint(json, "freed_slots_found", slots->count + slots->left_out);
    loupe_json_key(json, "freed_slots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < slots->count; i++) {
        const struct loupe_nonowning_ref *slot = &slots->items[i];
        struct loupe_freed freed;
        loupe_json_begin_object(json);
        write_nonowning_edge(json, graph, describer, slot);
        loupe_json_key(json, "class");
        loupe_json_span(json, describer->class_name(describer->ctx, graph, slot->from));
        if (describer->freed(describer->ctx, slot->target, &freed))
            loupe_report_freed(json, &freed);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static struct loupe_recorded *recorded_of(const struct loupe_describer *describer) {
    return describer->recorded ? describer->recorded(describer->ctx) : NULL;
}

void loupe_report_written(struct loupe_json *json, const struct loupe_written *written) {
    loupe_json_key(json, "invoke");
    loupe_json_begin_object(json);
    if (written->symbol.length)
        loupe_json_put_text(json, "symbol", written->symbol);
    loupe_json_put_text(json, "file", loupe_span_of(written->file));
    loupe_json_put_uint(json, "line", written->line);
    loupe_json_put_text(json, "function", loupe_span_of(written->function));
    loupe_json_end_object(json);
}

static void write_value(struct loupe_json *json, const struct loupe_graph *graph,
                        const struct loupe_describer *describer, uint32_t node) {
    char text[96];
    size_t length =
        describer->value ? describer->value(describer->ctx, graph, node, text, sizeof(text)) : 0;
    if (length)
        loupe_json_put_text(json, "value", (struct loupe_span){text, length});
}

static void write_object(struct loupe_json *json, const struct loupe_graph *graph,
                         const struct loupe_describer *describer, uint32_t node) {
    struct loupe_span class_name = describer->class_name(describer->ctx, graph, node);
    enum loupe_node_kind kind = loupe_node_kind(loupe_graph_node(graph, node));
    uint64_t number;
    loupe_json_begin_object(json);
    loupe_json_key(json, "class");
    if (class_name.length)
        loupe_json_span(json, class_name);
    else
        loupe_json_null(json);
    loupe_json_put_string(json, "kind", loupe_node_kind_name(kind));
    loupe_json_key(json, "size");
    if (describer->size(describer->ctx, graph, node, &number))
        loupe_json_uint(json, number);
    else
        loupe_json_null(json);
    loupe_json_key(json, "retain_count");
    if (describer->retain_count(describer->ctx, graph, node, &number) == LOUPE_COUNT_KNOWN)
        loupe_json_uint(json, number);
    else
        loupe_json_null(json);
    struct loupe_written written;
    if (describer->written && describer->written(describer->ctx, graph, node, &written))
        loupe_report_written(json, &written);
    bool may_be_freed = describer->freed && kind != LOUPE_NODE_BYREF;
    struct loupe_freed freed;
    if (may_be_freed && describer->freed(describer->ctx, loupe_graph_address(graph, node), &freed))
        loupe_report_freed(json, &freed);
    else
        write_value(json, graph, describer, node);
    struct loupe_recorded *recorded = recorded_of(describer);
    if (recorded || (describer->allocated && !describer->recorded))
        loupe_report_allocated(json, recorded, describer->allocated(describer->ctx, graph, node));
    if (describer->about)
        describer->about(describer->ctx, graph, node, json);
    loupe_json_end_object(json);
}

void loupe_report_objects(struct loupe_json *json, const struct loupe_graph *graph,
                          const struct loupe_describer *describer, const uint32_t *nodes,
                          uint32_t count) {
    loupe_json_key(json, "objects");
    loupe_json_begin_object(json);
    for (uint32_t i = 0; i < count; i++) {
        char key[24];
        loupe_format(key, sizeof(key), "0x%llx",
                     (unsigned long long)loupe_graph_address(graph, nodes[i]));
        loupe_json_key(json, key);
        write_object(json, graph, describer, nodes[i]);
    }
    loupe_json_end_object(json);
    struct loupe_recorded *recorded = recorded_of(describer);
    if (recorded)
        loupe_report_stacks(json, recorded);
}

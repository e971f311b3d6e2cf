#include "report/objects/report_refs.h"

#include "report/report_graph.h"

static void write_ruled_out(struct loupe_json *json, struct loupe_graph *graph,
                            const struct loupe_describer *describer, struct loupe_filters known,
                            uint32_t seed) {
    bool any = false;
    for (uint32_t edge = 0; edge < loupe_graph_edge_count(graph); edge++) {
        if (!loupe_graph_is_hidden(graph, edge))
            continue;
        if (!any) {
            loupe_json_key(json, "not_owned");
            loupe_json_begin_array(json);
        }
        any = true;
        loupe_report_ruled_out(json, graph, describer, known, seed, edge);
    }
    if (any)
        loupe_json_end_array(json);
}

void loupe_report_refs(struct loupe_json *json, struct loupe_graph *graph,
                       const struct loupe_describer *describer, struct loupe_filters known,
                       uint32_t seed, const uint32_t *nodes) {
    loupe_json_put_address(json, "object", loupe_graph_address(graph, seed));
    loupe_report_objects(json, graph, describer, nodes, loupe_graph_node_count(graph));
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t edge = 0; edge < loupe_graph_edge_count(graph); edge++) {
        if (!loupe_graph_is_hidden(graph, edge))
            loupe_report_edge(json, graph, describer, seed, edge);
    }
    loupe_json_end_array(json);
    write_ruled_out(json, graph, describer, known, seed);
}

void loupe_report_nonowning_refs(struct loupe_json *json, const struct loupe_graph *graph,
                                 const struct loupe_describer *describer,
                                 const struct loupe_nonowning_refs *nonowning) {
    loupe_json_key(json, "not_counted");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < nonowning->items.count; i++) {
        loupe_json_begin_object(json);
        loupe_report_nonowning(json, graph, describer, loupe_nonowning_at(nonowning, i));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

#include "report/objects/report_cycles.h"

#include "cycles/knots/fingerprint.h"
#include "report/named_nodes.h"
#include "report/objects/report_fix.h"
#include "report/report_graph.h"
#include "report/report_unread.h"

/* ---- Long rings ---- */

/* Nobody reads more of a ring, nor of all of them together. */
enum { SHOWN_OF_RING = 4096, SHOWN_OF_MANY = 64, SHOWN_OF_ALL = 1 << 17 };

/* So many edges of each ring are shown: half of them from its start, half to its end. */
uint32_t loupe_report_edges_shown(const struct loupe_cycles *cycles) {
    uint64_t edges = 0;
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        const struct loupe_rings *rings = &cycles->knots[i].rings;
        for (uint32_t j = 0; j < rings->count; j++)
            edges +=
                rings->items[j].length < SHOWN_OF_RING ? rings->items[j].length : SHOWN_OF_RING;
    }
    return edges > SHOWN_OF_ALL ? SHOWN_OF_MANY : SHOWN_OF_RING;
}

/* The edge that is shown after the i-th. */
static uint32_t next_shown(const struct loupe_ring *ring, uint32_t shown, uint32_t i) {
    return ring->length > shown && i + 1 == shown / 2 ? ring->length - shown / 2 : i + 1;
}

/* ---- Objects that the answer names ---- */

static void name_knot(struct loupe_named_nodes *named, const struct loupe_cycles_answer *answer,
                      const struct loupe_knot_facts *knot, uint32_t shown) {
    const struct loupe_graph *graph = answer->graph;
    for (uint32_t i = 0; i < knot->rings.count; i++) {
        const struct loupe_ring *ring = &knot->rings.items[i];
        for (uint32_t j = 0; j < ring->length; j = next_shown(ring, shown, j)) {
            loupe_name_node(named, loupe_ring_from(graph, ring, j));
            loupe_name_node(named, loupe_graph_target(graph, ring->edges[j]));
        }
    }
    for (uint32_t i = 0; i < knot->verdict.holder_count; i++) {
        const struct loupe_holder *holder = &knot->verdict.holders[i];
        loupe_name_node(named, holder->from);
        loupe_name_node(named, loupe_graph_target(graph, holder->edge));
    }
    if (knot->verdict.example != LOUPE_NO_NODE)
        loupe_name_node(named, knot->verdict.example);
    for (uint32_t i = 0; i < knot->fixes.count; i++) {
        const struct loupe_fix *fix = &knot->fixes.items[i];
        loupe_name_node(named, fix->from);
        loupe_name_node(named, loupe_graph_target(graph, fix->edge));
        if (fix->kept_by != LOUPE_NO_NODE)
            loupe_name_node(named, fix->kept_by);
        struct loupe_adviser adviser = loupe_report_adviser(answer, knot);
        struct loupe_advice advice;
        loupe_advise(&adviser, fix, &advice);
        loupe_name_node(named, loupe_graph_target(graph, advice.subjects->edge));
        if (advice.subjects->in_edge != LOUPE_NO_EDGE)
            loupe_name_node(named, advice.subjects->in_from);
    }
}

static const struct loupe_nonowning_ref *nonowning_of(const struct loupe_cycles_answer *answer,
                                                      const struct loupe_weak_ring *ring) {
    return loupe_nonowning_at(answer->nonowning, ring->nonowning);
}

static void name_weak_ring(struct loupe_named_nodes *named,
                           const struct loupe_cycles_answer *answer,
                           const struct loupe_weak_ring *ring) {
    const struct loupe_nonowning_ref *nonowning = nonowning_of(answer, ring);
    loupe_name_node(named, nonowning->from);
    loupe_name_node(named, nonowning->edge.to);
    for (uint32_t i = 0; i < ring->length; i++)
        loupe_name_node(named, loupe_graph_target(answer->graph, ring->edges[i]));
}

static size_t count_named(const struct loupe_cycles *cycles, uint32_t shown,
                          const struct loupe_weak_rings *weak_rings) {
    size_t count = 1;
    for (uint32_t i = 0; weak_rings && i < weak_rings->count; i++)
        count += 2 + (size_t)weak_rings->items[i].length;
    for (uint32_t i = 0; i < cycles->knot_count; i++) {
        const struct loupe_knot_facts *knot = &cycles->knots[i];
        for (uint32_t j = 0; j < knot->rings.count; j++)
            count += 2 * (size_t)(knot->rings.items[j].length < shown ? knot->rings.items[j].length
                                                                      : shown);
        count += 2 * (size_t)knot->verdict.holder_count + 1 + 5 * (size_t)knot->fixes.count;
    }
    return count;
}

/* The seed, then what rings, holders, verdicts and fixes mention, each once. */
enum loupe_status loupe_report_list_named(const struct loupe_cycles_answer *answer,
                                          struct loupe_named_nodes *named) {
    const struct loupe_cycles *cycles = answer->cycles;
    uint32_t shown = loupe_report_edges_shown(cycles);
    loupe_named_nodes_init(named, answer->graph, answer->arena,
                           count_named(cycles, shown, answer->weak_rings));
    if (answer->options->seed != LOUPE_NO_NODE)
        loupe_name_node(named, answer->options->seed);
    for (uint32_t i = 0; i < cycles->knot_count; i++)
        name_knot(named, answer, &cycles->knots[i], shown);
    for (uint32_t i = 0; answer->weak_rings && i < answer->weak_rings->count; i++)
        name_weak_ring(named, answer, &answer->weak_rings->items[i]);
    return loupe_named_nodes_end(named);
}

/* ---- Parts of a knot ---- */

static void write_edge(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       uint32_t from, uint32_t edge) {
    loupe_report_edge(json, answer->graph, answer->describer, from, edge);
}

void loupe_report_fingerprint(struct loupe_json *json, uint64_t fingerprint) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(fingerprint, text);
    loupe_json_put_string(json, "fingerprint", text);
}

/* Where it is another one. */
static void write_older(struct loupe_json *json, uint64_t older, uint64_t fingerprint) {
    char text[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(older, text);
    if (older != fingerprint)
        loupe_json_put_string(json, "older_fingerprint", text);
}

void loupe_report_degree(struct loupe_json *json, enum loupe_degree degree, bool certain) {
    loupe_json_put_string(json, "degree", loupe_degree_name(degree));
    loupe_json_put_string(json, "severity",
                          loupe_severity_name(loupe_severity_of(degree, certain)));
}

static void write_verdict(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                          const struct loupe_verdict *verdict) {
    loupe_json_put_string(json, "verdict", loupe_verdict_name(verdict->kind));
    loupe_json_put_string(json, "verdict_reason", loupe_verdict_reason_text(verdict->reason));
    loupe_json_key(json, "verdict_example");
    if (verdict->example == LOUPE_NO_NODE)
        loupe_json_null(json);
    else
        loupe_json_address(json, loupe_graph_address(answer->graph, verdict->example));
    loupe_json_key(json, "counts");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "retains", verdict->retains);
    loupe_json_put_uint(json, "inside", verdict->inside);
    loupe_json_put_uint(json, "outside", verdict->outside);
    loupe_json_put_uint(json, "unexplained", verdict->unexplained);
    loupe_json_put_uint(json, "excess", verdict->excess);
    loupe_json_put_uint(json, "assumed", verdict->assumed);
    loupe_json_put_uint(json, "not_counted", verdict->not_counted);
    loupe_json_end_object(json);
    loupe_json_key(json, "held_by");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < verdict->holder_count; i++)
        write_edge(json, answer, verdict->holders[i].from, verdict->holders[i].edge);
    loupe_json_end_array(json);
}

void loupe_report_ring(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       const struct loupe_ring *ring, uint32_t shown) {
    loupe_json_begin_object(json);
    loupe_report_fingerprint(json, ring->fingerprint);
    write_older(json, ring->older_fingerprint, ring->fingerprint);
    loupe_json_put_uint(json, "length", ring->length);
    loupe_json_put_bool(json, "shortest", ring->shortest);
    loupe_json_put_bool(json, "certain", ring->certain);
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < ring->length; i = next_shown(ring, shown, i))
        write_edge(json, answer, loupe_ring_from(answer->graph, ring, i), ring->edges[i]);
    loupe_json_end_array(json);
    if (ring->length > shown)
        loupe_json_put_uint(json, "edges_left_out", ring->length - shown);
    loupe_json_end_object(json);
}

void loupe_report_knot(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       const struct loupe_knot_facts *knot, uint32_t shown) {
    loupe_report_fingerprint(json, knot->fingerprint);
    write_older(json, knot->older_fingerprint, knot->fingerprint);
    loupe_json_put_uint(json, "objects", knot->objects);
    loupe_json_put_uint(json, "edges", knot->edges);
    loupe_json_put_bool(json, "contains_seed", knot->contains_seed);
    loupe_json_put_bool(json, "certain", knot->certain);
    loupe_report_degree(json,
                        knot->is_timed ? LOUPE_DEGREE_TIMER
                                       : loupe_degree_of(knot->verdict.kind, knot->certain),
                        knot->certain);
    write_verdict(json, answer, &knot->verdict);
    loupe_json_key(json, "rings");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < knot->rings.count; i++)
        loupe_report_ring(json, answer, &knot->rings.items[i], shown);
    loupe_json_end_array(json);
    loupe_json_put_bool(json, "all_rings", knot->rings.all);
    if (knot->fixes.together_are_enough)
        loupe_json_put_bool(json, "together_are_enough", true);
    loupe_json_key(json, "fixes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < knot->fixes.count; i++)
        loupe_report_fix(json, answer, knot, i);
    loupe_json_end_array(json);
    loupe_json_put_uint(json, "fixes_left_out", knot->fixes.left_out);
}

/* ---- References that own nothing ---- */

static void write_weak_ring(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                            const struct loupe_weak_ring *ring) {
    const struct loupe_nonowning_ref *nonowning = nonowning_of(answer, ring);
    uint32_t from = nonowning->edge.to;
    loupe_json_begin_object(json);
    loupe_report_nonowning(json, answer->graph, answer->describer, nonowning);
    loupe_json_put_uint(json, "count", ring->count);
    loupe_json_key(json, "way");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < ring->length; i++) {
        write_edge(json, answer, from, ring->edges[i]);
        from = loupe_graph_target(answer->graph, ring->edges[i]);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_weak_rings(struct loupe_json *json, const struct loupe_cycles_answer *answer) {
    const struct loupe_weak_rings *rings = answer->weak_rings;
    loupe_json_key(json, "weak_rings");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "found", rings->found);
    loupe_json_put_uint(json, "sorts_found", rings->sorts_found);
    loupe_json_put_bool(json, "all", rings->all && !answer->nonowning->left_out);
    loupe_json_key(json, "sorts");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < rings->count; i++)
        write_weak_ring(json, answer, &rings->items[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* ---- Filters ---- */

enum { FILTER_NAME = LOUPE_MAX_PATH * 2 };

/* "UIView._subviewCache -> UIView", without the parts that match anything. */
static void name_filter(const struct loupe_filter *filter, char ret[FILTER_NAME]) {
    loupe_format(ret, FILTER_NAME, "%s%s%s%s%s", filter->source ? filter->source : "*",
                 filter->path ? "." : "", filter->path ? filter->path : "",
                 filter->target ? " -> " : "", filter->target ? filter->target : "");
}

static void write_hidden_by(struct loupe_json *json, const char *what, uint64_t edges,
                            const char *reason) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "filter", what);
    loupe_json_put_uint(json, "edges", edges);
    loupe_json_put_string(json, "reason", reason);
    loupe_json_end_object(json);
}

void loupe_report_hidden(struct loupe_json *json, const struct loupe_cycles_answer *answer) {
    loupe_json_key(json, "hidden");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < answer->options->filter_count; i++) {
        if (!answer->cycles->hidden[i])
            continue;
        char name[FILTER_NAME];
        name_filter(&answer->options->filters[i], name);
        write_hidden_by(json, name, answer->cycles->hidden[i], answer->options->filters[i].reason);
    }
    const struct loupe_ruled_out *ruled_out = &answer->cycles->ruled_out;
    if (ruled_out->by_counts)
        write_hidden_by(
            json, "retain counts", ruled_out->by_counts,
            "what they point to counts no more retains than references known to own it");
    if (ruled_out->by_dealloc)
        write_hidden_by(json, "dealloc", ruled_out->by_dealloc,
                        "the -dealloc of their classes never touches them, and names or retain "
                        "counts speak against them, too");
    loupe_json_end_array(json);
}

/* ---- The answer ---- */

enum loupe_status loupe_report_cycles(struct loupe_json *json,
                                      const struct loupe_cycles_answer *answer) {
    struct loupe_named_nodes named;
    enum loupe_status status = loupe_report_list_named(answer, &named);
    if (status)
        return status;
    const struct loupe_graph *graph = answer->graph;
    loupe_report_begin(json, answer->envelope, loupe_report_is_complete(answer->findings));
    loupe_json_put_address(json, "seed", loupe_graph_address(graph, answer->options->seed));
    if (answer->without_weak_references)
        loupe_json_put_bool(json, "weak_references", false);
    loupe_report_objects(json, graph, answer->describer, named.nodes, named.count);
    loupe_json_put_uint(json, "knots_found", answer->cycles->knots_found);
    loupe_json_put_uint(json, "possible_found", answer->cycles->possible_found);
    uint32_t shown = loupe_report_edges_shown(answer->cycles);
    loupe_json_key(json, "knots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < answer->cycles->knot_count; i++) {
        loupe_json_begin_object(json);
        loupe_report_knot(json, answer, &answer->cycles->knots[i], shown);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_report_unread(json, answer->unread);
    if (answer->freed)
        loupe_report_freed_slots(json, graph, answer->describer, answer->freed);
    loupe_report_not_followed(json, answer->findings);
    loupe_report_hidden(json, answer);
    if (answer->weak_rings)
        write_weak_rings(json, answer);
    struct loupe_costs costs = {.objects = loupe_graph_node_count(graph),
                                .edges = loupe_graph_edge_count(graph),
                                .started = answer->started,
                                .has_walk = true,
                                .walked = answer->walked};
    loupe_report_stats(json, answer->memory, &costs);
    loupe_report_end(json);
    return LOUPE_OK;
}

#include "cycles/peel.h"

#include <string.h>

/* ---- A line of nodes ---- */

/* Each node knows the next one, so the line needs no memory but one number a node. */
struct line {
    const struct loupe_graph *graph;
    uint32_t *next; /* by node; for a node that is not in the line, what else is known of it */
    uint32_t first, last;
};

/* Nodes that are taken at once: their edges lie anywhere and are fetched together. */
enum { BATCH = 16 };

static void append(struct line *line, uint32_t node) {
    line->next[node] = LOUPE_NO_NODE;
    if (line->first == LOUPE_NO_NODE)
        line->first = node;
    else
        line->next[line->last] = node;
    line->last = node;
}

/* Returns how many were taken; 0 at the end. */
static uint32_t take(struct line *line, uint32_t *batch) {
    uint32_t count = 0;
    for (; count < BATCH && line->first != LOUPE_NO_NODE; line->first = line->next[line->first]) {
        batch[count++] = line->first;
        loupe_prefetch(loupe_graph_first_edge_place(line->graph, line->first));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = loupe_graph_first_edge(line->graph, batch[i]);
        if (edge < loupe_graph_edge_count(line->graph))
            loupe_prefetch(loupe_graph_link_place(line->graph, edge));
    }
    return count;
}

static bool line_init(struct line *line, const struct loupe_settled *settled) {
    *line = (struct line){.graph = settled->graph, .first = LOUPE_NO_NODE, .last = LOUPE_NO_NODE};
    line->next = loupe_chunk_get(settled->chunks, settled->nodes * sizeof(*line->next));
    return line->next != NULL;
}

static void line_deinit(struct line *line, const struct loupe_settled *settled) {
    loupe_chunk_put(settled->chunks, line->next, settled->nodes * sizeof(*line->next));
}

/* ---- From the front ---- */

/* References from other open nodes, by the node that they lead to. Returns those of open nodes to
 * themselves. */
static uint32_t count_references(const struct loupe_settled *settled, uint32_t *counts) {
    const struct loupe_graph *graph = settled->graph;
    uint32_t own_edges = 0;
    memset(counts, 0, settled->nodes * sizeof(*counts));
    for (uint32_t node = 0; node < settled->nodes; node++) {
        if (loupe_settled_state(settled, node) != LOUPE_NODE_OPEN)
            continue;
        uint32_t end = loupe_graph_edges_end(graph, node);
        for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
            uint32_t to = loupe_graph_target(graph, id);
            bool shown = !loupe_graph_is_hidden(graph, id), own = to == node;
            counts[to] += shown & !own;
            own_edges += shown & own;
        }
    }
    return own_edges;
}

/*
 * Takes the references of a node away, and lines up the nodes that now have none. A node that holds
 * itself is a knot of its own, so it stays open.
 */
static void loosen(struct loupe_settled *settled, struct line *line, uint32_t node) {
    const struct loupe_graph *graph = settled->graph;
    uint32_t end = loupe_graph_edges_end(graph, node), own_edges = 0;
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        uint32_t link = loupe_graph_link(graph, id);
        if (link & LOUPE_HIDDEN)
            continue;
        if (link == node)
            own_edges++;
        else if (--line->next[link] == 0 && loupe_settled_state(settled, link) == LOUPE_NODE_OPEN)
            append(line, link);
    }
    line->next[node] = 0;
    if (own_edges) {
        settled->open_edges += end - loupe_graph_first_edge(graph, node);
    } else {
        loupe_settled_set(settled, node, LOUPE_NODE_LOOSE);
        settled->open--;
    }
}

static void line_up_unreferenced(const struct loupe_settled *settled, struct line *line) {
    for (uint32_t node = 0; node < settled->nodes; node++) {
        if (!line->next[node] && loupe_settled_state(settled, node) == LOUPE_NODE_OPEN)
            append(line, node);
    }
}

/* Returns the hub. */
static uint32_t count_the_rest(struct loupe_settled *settled, const uint32_t *counts) {
    uint32_t hub = LOUPE_NO_NODE;
    for (uint32_t node = 0; node < settled->nodes; node++) {
        if (loupe_settled_state(settled, node) != LOUPE_NODE_OPEN)
            continue;
        settled->open_edges += counts[node];
        if (hub == LOUPE_NO_NODE || counts[node] > counts[hub])
            hub = node;
    }
    return hub;
}

enum loupe_status loupe_peel(struct loupe_settled *settled, uint32_t *hub_ret) {
    struct line line;
    uint32_t batch[BATCH], count;
    if (!line_init(&line, settled))
        return LOUPE_ENOMEM;
    settled->open_edges = count_references(settled, line.next);
    line_up_unreferenced(settled, &line);
    while ((count = take(&line, batch)) > 0) {
        for (uint32_t i = 0; i < count; i++)
            loosen(settled, &line, batch[i]);
    }
    *hub_ret = count_the_rest(settled, line.next);
    line_deinit(&line, settled);
    return LOUPE_OK;
}

/* ---- From the anchor ---- */

static void lead_on(struct loupe_settled *settled, struct line *line, uint32_t node) {
    const struct loupe_graph *graph = settled->graph;
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        uint32_t link = loupe_graph_link(graph, id);
        if ((link & LOUPE_HIDDEN) || loupe_settled_state(settled, link) != LOUPE_NODE_OPEN)
            continue;
        loupe_settled_set(settled, link, LOUPE_NODE_LED);
        append(line, link);
    }
}

enum loupe_status loupe_lead(struct loupe_settled *settled) {
    struct line line;
    uint32_t batch[BATCH], count;
    if (!line_init(&line, settled))
        return LOUPE_ENOMEM;
    append(&line, settled->anchor);
    while ((count = take(&line, batch)) > 0) {
        for (uint32_t i = 0; i < count; i++)
            lead_on(settled, &line, batch[i]);
    }
    line_deinit(&line, settled);
    return LOUPE_OK;
}

#include "cycles/settle.h"

#include <string.h>

static void set_state(struct loupe_settled *settled, uint32_t node, enum loupe_node_state state) {
    unsigned shift = node % LOUPE_NODES_PER_WORD * 2;
    uint64_t *word = &settled->states[node / LOUPE_NODES_PER_WORD];
    *word = (*word & ~((uint64_t)3 << shift)) | (uint64_t)state << shift;
}

/* ---- Passes ---- */

/* Settles an open node if its edges allow that. */
static void settle_node(struct loupe_settled *settled, uint32_t node) {
    const struct loupe_graph *graph = settled->graph;
    uint32_t end = loupe_graph_edges_end(graph, node), open_edges = 0;
    bool returns = false;
    for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < end; id++) {
        const struct loupe_edge *edge = loupe_graph_edge(graph, id);
        if (edge->hidden) {
            settled->seed_leads = false; /* perhaps it leads to the target by this edge only */
            continue;
        }
        enum loupe_node_state state = loupe_settled_state(settled, edge->to);
        open_edges += state == LOUPE_NODE_OPEN;
        returns |= state == LOUPE_NODE_WITH_SEED;
    }
    if (!returns && open_edges) {
        settled->open_edges += open_edges;
        return;
    }
    set_state(settled, node, returns ? LOUPE_NODE_WITH_SEED : LOUPE_NODE_LOOSE);
    settled->with_seed += returns;
    settled->open--;
}

/* One pass over the open nodes. */
static void pass(struct loupe_settled *settled, bool upwards) {
    settled->open_edges = 0;
    for (uint32_t i = 0; i < settled->nodes; i++) {
        uint32_t node = upwards ? i : settled->nodes - 1 - i;
        if (loupe_settled_state(settled, node) == LOUPE_NODE_OPEN)
            settle_node(settled, node);
    }
}

static bool hides_edges(const struct loupe_graph *graph, uint32_t node) {
    uint32_t end = loupe_graph_edges_end(graph, node);
    for (uint32_t id = loupe_graph_node(graph, node)->first_edge; id < end; id++) {
        if (loupe_graph_edge(graph, id)->hidden)
            return true;
    }
    return false;
}

/* Opens again what was settled by its way to the seed. */
static void forget_seed(struct loupe_settled *settled) {
    for (uint32_t node = 0; node < settled->nodes; node++) {
        if (loupe_settled_state(settled, node) == LOUPE_NODE_WITH_SEED) {
            set_state(settled, node, LOUPE_NODE_OPEN);
            settled->open++;
        }
    }
    settled->with_seed = 0;
    settled->open_edges = UINT32_MAX; /* not known any more */
}

bool loupe_settled_copy_fits(const struct loupe_settled *settled) {
    uint64_t bytes =
        3 * (uint64_t)settled->open * sizeof(uint32_t) + settled->open_edges * sizeof(uint32_t);
    return bytes <= (uint64_t)settled->nodes * 15 / 2 + LOUPE_SMALL_COPY;
}

/*
 * Until a copy of what is open fits, a search is so slow that it costs as much as twenty passes or
 * more: another one is worth it when one in ten nodes was settled, or when the ways to the seed
 * that were found are growing in number.
 */
enum { WORTH_A_PASS = 10, GROWTH = 4 };

static void settle_most(struct loupe_settled *settled) {
    settled->seed_leads = settled->graph->seeds == 1 && !hides_edges(settled->graph, 0);
    if (settled->seed_leads) {
        set_state(settled, 0, LOUPE_NODE_WITH_SEED);
        settled->open--;
    }
    pass(settled, false);
    if (!settled->seed_leads)
        forget_seed(settled);
    bool upwards = true, worth = true;
    while (worth && !loupe_settled_copy_fits(settled)) {
        uint32_t open = settled->open, seeds = settled->with_seed;
        pass(settled, upwards);
        upwards = !upwards;
        worth = open - settled->open > open / WORTH_A_PASS ||
                settled->with_seed - seeds > seeds / GROWTH;
    }
}

/* ---- Numbers ---- */

/* One bit per open node of a word. */
static uint64_t open_bits(uint64_t word) {
    return ~(word | word >> 1) & 0x5555555555555555u;
}

static uint32_t count_bits(uint64_t bits) {
    /* Of bits at even places only: sums of two, of four, of all. */
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

static void number_open(struct loupe_settled *settled) {
    uint32_t open = 0;
    for (uint32_t i = 0; i <= (settled->nodes - 1) / LOUPE_NODES_PER_WORD; i++) {
        settled->open_before[i] = open;
        open += count_bits(open_bits(settled->states[i]));
    }
}

uint32_t loupe_settled_number(const struct loupe_settled *settled, uint32_t node) {
    uint32_t word = node / LOUPE_NODES_PER_WORD;
    uint64_t below = ((uint64_t)1 << node % LOUPE_NODES_PER_WORD * 2) - 1;
    return settled->open_before[word] + count_bits(open_bits(settled->states[word]) & below);
}

/* ---- Life ---- */

static size_t words_of(const struct loupe_settled *settled) {
    return ((size_t)settled->nodes + LOUPE_NODES_PER_WORD - 1) / LOUPE_NODES_PER_WORD;
}

enum loupe_status loupe_settle(const struct loupe_graph *graph,
                               const struct loupe_chunk_ops *chunks, struct loupe_settled *ret) {
    struct loupe_settled settled = {
        .graph = graph, .chunks = chunks, .nodes = loupe_graph_node_count(graph)};
    size_t words = words_of(&settled);
    settled.open = settled.nodes;
    settled.states = loupe_chunk_get(chunks, words * sizeof(*settled.states));
    settled.open_before = loupe_chunk_get(chunks, words * sizeof(*settled.open_before));
    if (!settled.states || !settled.open_before) {
        loupe_settled_deinit(&settled);
        return LOUPE_ENOMEM;
    }
    memset(settled.states, 0, words * sizeof(*settled.states));
    settle_most(&settled);
    number_open(&settled);
    *ret = settled;
    return LOUPE_OK;
}

void loupe_settled_deinit(struct loupe_settled *settled) {
    size_t words = words_of(settled);
    loupe_chunk_put(settled->chunks, settled->states, words * sizeof(*settled->states));
    loupe_chunk_put(settled->chunks, settled->open_before, words * sizeof(*settled->open_before));
    settled->states = NULL;
    settled->open_before = NULL;
}

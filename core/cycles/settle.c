#include "cycles/peel.h"

#include <string.h>

/* One bit per node of a word of states, at even places. */
#define EACH_NODE 0x5555555555555555u

static size_t words_of(const struct loupe_settled *settled) {
    return ((size_t)settled->nodes + LOUPE_NODES_PER_WORD - 1) / LOUPE_NODES_PER_WORD;
}

static uint64_t open_bits(uint64_t word) {
    _Static_assert(LOUPE_NODE_OPEN == 0 && LOUPE_NODE_LED == 3, "open: both bits are equal");
    return ~(word ^ word >> 1) & EACH_NODE;
}

/* ---- Passes ---- */

/* Settles an open node if its edges allow that. */
static inline void settle_node(struct loupe_settled *settled, uint32_t node) {
    const struct loupe_graph *graph = settled->graph;
    enum loupe_node_state own = loupe_settled_state(settled, node);
    uint32_t end = loupe_graph_edges_end(graph, node), open_edges = 0, returns = 0, hides = 0;
    for (uint32_t id = loupe_graph_first_edge(graph, node); id < end; id++) {
        enum loupe_node_state state = loupe_settled_state(settled, loupe_graph_target(graph, id));
        uint32_t hidden = loupe_graph_is_hidden(graph, id), shown = 1 - hidden;
        open_edges += (state == own) & shown;
        returns |= (state == LOUPE_NODE_TIED) & shown;
        hides |= hidden;
    }
    settled->hides_edges |= hides;
    returns &= own == LOUPE_NODE_LED;
    if (!returns && open_edges) {
        settled->open_edges += open_edges;
        return;
    }
    loupe_settled_set(settled, node, returns ? LOUPE_NODE_TIED : LOUPE_NODE_LOOSE);
    settled->tied += returns;
    settled->open--;
}

static inline void settle_word(struct loupe_settled *settled, uint32_t word, bool upwards) {
    uint64_t bits = open_bits(settled->states[word]);
    while (bits) {
        unsigned bit = (unsigned)(upwards ? __builtin_ctzll(bits) : 63 - __builtin_clzll(bits));
        bits ^= (uint64_t)1 << bit;
        settle_node(settled, word * LOUPE_NODES_PER_WORD + bit / 2);
    }
}

/* One pass over the open nodes. */
static void pass(struct loupe_settled *settled, bool upwards) {
    uint32_t words = (uint32_t)words_of(settled);
    settled->open_edges = 0;
    for (uint32_t i = 0; i < words; i++)
        settle_word(settled, upwards ? i : words - 1 - i, upwards);
}

/*
 * Until a copy of what is open fits, a search is so slow that it costs as much as ten passes or
 * more: another one is worth it when one in ten nodes was settled, or when the anchor's knot is
 * growing. Once it does not grow any more, nothing else leads back to the anchor.
 */
enum { WORTH_A_PASS = 10, GROWTH = 4 };

static void pass_while_worth(struct loupe_settled *settled) {
    bool upwards = true, worth = true;
    while (worth && !settled->complete && !loupe_settled_copy_fits(settled)) {
        uint32_t open = settled->open, tied = settled->tied;
        pass(settled, upwards);
        upwards = !upwards;
        worth = open - settled->open > open / WORTH_A_PASS || settled->tied - tied > tied / GROWTH;
        settled->complete = settled->anchor != LOUPE_NO_NODE && settled->tied == tied;
    }
}

bool loupe_settled_copy_fits(const struct loupe_settled *settled) {
    uint64_t bytes =
        3 * (uint64_t)settled->open * sizeof(uint32_t) + settled->open_edges * sizeof(uint32_t);
    return bytes <= (uint64_t)settled->nodes * 15 / 2;
}

/* ---- The anchor ---- */

static void set_anchor(struct loupe_settled *settled, uint32_t anchor) {
    loupe_settled_set(settled, anchor, LOUPE_NODE_TIED);
    settled->anchor = anchor;
    settled->open--;
}

static void begin(struct loupe_settled *settled, enum loupe_node_state state) {
    memset(settled->states, state == LOUPE_NODE_LED ? 0xff : 0,
           words_of(settled) * sizeof(*settled->states));
    for (uint32_t i = settled->nodes; i % LOUPE_NODES_PER_WORD; i++)
        loupe_settled_set(settled, i, LOUPE_NODE_LOOSE); /* there are no such nodes */
    settled->open = settled->nodes;
}

static bool seed_hides_edges(const struct loupe_graph *graph) {
    uint32_t id = 0, end = loupe_graph_edges_end(graph, 0);
    while (id < end && !loupe_graph_is_hidden(graph, id))
        id++;
    return id < end;
}

/* Makes nodes that are LED open; and where what is tied was not, those too. */
static void release(struct loupe_settled *settled, bool tied_too) {
    for (size_t i = 0; i < words_of(settled); i++) {
        uint64_t word = settled->states[i];
        uint64_t released = word >> 1 & EACH_NODE & (tied_too ? EACH_NODE : word);
        settled->states[i] = word & ~(released | released << 1);
    }
}

/* What was tied to the seed as if that led to all nodes. */
static void give_seed_up(struct loupe_settled *settled) {
    release(settled, true);
    settled->open += settled->tied + 1;
    settled->tied = 0;
    settled->anchor = LOUPE_NO_NODE;
    settled->open_edges = loupe_graph_edge_count(settled->graph); /* at most */
}

/* ---- What is settled in turn ---- */

/*
 * A pass along the seed tells loose nodes by their own edges at the same time, so it comes first in
 * any case.
 */
static void settle_from_seed(struct loupe_settled *settled) {
    const struct loupe_graph *graph = settled->graph;
    begin(settled, LOUPE_NODE_LED); /* true if the seed is the only one and no edge is hidden */
    set_anchor(settled, 0);
    pass(settled, false);
    bool leads_to_all = graph->seeds == 1 && !settled->hides_edges && !seed_hides_edges(graph);
    if (!leads_to_all || !settled->tied)
        give_seed_up(settled);
    if (settled->tied || settled->nodes - settled->open > settled->nodes / WORTH_A_PASS)
        pass_while_worth(settled);
}

static enum loupe_status settle_from_hub(struct loupe_settled *settled, uint32_t hub) {
    set_anchor(settled, hub);
    enum loupe_status status = loupe_lead(settled);
    if (!status)
        pass_while_worth(settled);
    return status;
}

static enum loupe_status peel(struct loupe_settled *settled, uint32_t *hub_ret) {
    release(settled, false);
    return loupe_peel(settled, hub_ret);
}

static bool is_peeling_worth(const struct loupe_settled *settled) {
    return !loupe_settled_copy_fits(settled) &&
           (settled->anchor == LOUPE_NO_NODE || settled->complete);
}

static enum loupe_status settle_most(struct loupe_settled *settled) {
    enum loupe_status status = LOUPE_OK;
    uint32_t hub = LOUPE_NO_NODE;
    settle_from_seed(settled);
    if (is_peeling_worth(settled))
        status = peel(settled, &hub);
    if (status || settled->anchor != LOUPE_NO_NODE || loupe_settled_copy_fits(settled))
        return status;
    status = settle_from_hub(settled, hub);
    return !status && is_peeling_worth(settled) ? peel(settled, &hub) : status;
}

static void leave_open(struct loupe_settled *settled) {
    begin(settled, LOUPE_NODE_OPEN);
    settled->anchor = LOUPE_NO_NODE;
    settled->open_edges = loupe_graph_edge_count(settled->graph);
}

/* ---- Numbers ---- */

static uint32_t count_bits(uint64_t bits) {
    /* Of bits at even places only: sums of two, of four, of all. */
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

static void number_open(struct loupe_settled *settled) {
    uint32_t open = 0;
    for (size_t i = 0; i < words_of(settled); i++) {
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

enum loupe_status loupe_settle(const struct loupe_graph *graph, bool settle,
                               const struct loupe_chunk_ops *chunks, struct loupe_settled *ret) {
    struct loupe_settled settled = {.graph = graph,
                                    .chunks = chunks,
                                    .nodes = loupe_graph_node_count(graph),
                                    .is_settled = settle};
    size_t words = words_of(&settled);
    settled.states = loupe_chunk_get(chunks, words * sizeof(*settled.states));
    settled.open_before = loupe_chunk_get(chunks, words * sizeof(*settled.open_before));
    enum loupe_status status = settled.states && settled.open_before ? LOUPE_OK : LOUPE_ENOMEM;
    if (!status && settle)
        status = settle_most(&settled);
    else if (!status)
        leave_open(&settled);
    if (status) {
        loupe_settled_deinit(&settled);
        return status;
    }
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

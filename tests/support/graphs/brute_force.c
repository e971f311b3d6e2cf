#include "brute_force.h"

#include <string.h>

static void close_over(uint32_t nodes, bool leads[BRUTE_NODES][BRUTE_NODES]) {
    for (uint32_t via = 0; via < nodes; via++) {
        for (uint32_t from = 0; from < nodes; from++) {
            for (uint32_t to = 0; to < nodes; to++)
                leads[from][to] |= leads[from][via] && leads[via][to];
        }
    }
}

void brute_force(const struct drawn_graph *drawn, struct brute_force *ret) {
    static bool leads[BRUTE_NODES][BRUTE_NODES];
    *ret = (struct brute_force){.nodes = drawn->node_count};
    memset(leads, 0, sizeof(leads));
    for (uint32_t i = 0; i < drawn->edge_count; i++)
        leads[drawn->edges[i].from][drawn->edges[i].to] = true;
    close_over(ret->nodes, leads);
    for (uint32_t i = 0; i < ret->nodes; i++)
        ret->reached[i] = i == 0 || leads[0][i];
    for (uint32_t i = 0; i < drawn->edge_count; i++) {
        const struct drawn_edge *edge = &drawn->edges[i];
        if (!ret->reached[edge->from])
            continue;
        ret->edge[edge->from][edge->to]++;
        ret->strong[edge->from][edge->to] += edge->ownership == LOUPE_STRONG;
    }
    for (uint32_t i = 0; i < ret->nodes; i++) {
        ret->knot_of[i] = LOUPE_NO_NODE;
        for (uint32_t j = 0; j < ret->nodes; j++)
            ret->leads[i][j] = ret->reached[i] && leads[i][j];
    }
    for (uint32_t i = 0; i < ret->nodes; i++) {
        for (uint32_t j = ret->nodes; j-- > 0;) {
            if (ret->leads[i][j] && ret->leads[j][i])
                ret->knot_of[i] = j;
        }
    }
}

/* Breadth first by rounds over a matrix. */
uint32_t brute_ring_through(const struct brute_force *brute, uint32_t node, bool strong_only) {
    bool at[BRUTE_NODES] = {false};
    at[node] = true;
    for (uint32_t length = 1; length <= brute->nodes; length++) {
        bool next[BRUTE_NODES] = {false};
        for (uint32_t i = 0; i < brute->nodes; i++) {
            for (uint32_t j = 0; j < brute->nodes; j++)
                next[j] |= at[i] && (strong_only ? brute->strong : brute->edge)[i][j];
        }
        if (next[node])
            return length;
        memcpy(at, next, sizeof(at));
    }
    return 0;
}

uint32_t brute_girth(const struct brute_force *brute, uint32_t knot, bool strong_only) {
    uint32_t girth = 0;
    for (uint32_t i = 0; i < brute->nodes; i++) {
        uint32_t length = brute->knot_of[i] == knot ? brute_ring_through(brute, i, strong_only) : 0;
        if (length && (!girth || length < girth))
            girth = length;
    }
    return girth;
}

bool brute_has_ring_without(const struct brute_force *brute, uint32_t knot, uint32_t from,
                            uint32_t to) {
    bool leads[BRUTE_NODES][BRUTE_NODES] = {{false}};
    for (uint32_t i = 0; i < brute->nodes; i++) {
        for (uint32_t j = 0; j < brute->nodes; j++)
            leads[i][j] = brute->edge[i][j] && brute->knot_of[i] == knot &&
                          brute->knot_of[j] == knot && !(i == from && j == to);
    }
    close_over(brute->nodes, leads);
    for (uint32_t i = 0; i < brute->nodes; i++) {
        if (leads[i][i])
            return true;
    }
    return false;
}

/* ---- All rings ---- */

struct path {
    uint8_t nodes[BRUTE_NODES];
    bool on[BRUTE_NODES];
    uint32_t length;
};

static void extend(const struct brute_force *brute, struct path *path, struct brute_rings *ret) {
    uint32_t start = path->nodes[0], last = path->nodes[path->length - 1];
    for (uint32_t to = start; to < brute->nodes && ret->count < BRUTE_RINGS; to++) {
        if (!brute->edge[last][to])
            continue;
        if (to == start) {
            ret->length[ret->count] = path->length;
            memcpy(ret->nodes[ret->count++], path->nodes, path->length);
        } else if (!path->on[to]) {
            path->nodes[path->length++] = (uint8_t)to;
            path->on[to] = true;
            extend(brute, path, ret);
            path->on[to] = false;
            path->length--;
        }
    }
}

void brute_all_rings(const struct brute_force *brute, uint32_t knot, struct brute_rings *ret) {
    ret->count = 0;
    for (uint32_t start = 0; start < brute->nodes; start++) {
        if (brute->knot_of[start] != knot)
            continue;
        struct path path = {.nodes = {(uint8_t)start}, .length = 1};
        path.on[start] = true;
        extend(brute, &path, ret);
    }
}

/* ---- Drawing ---- */

/* One call a statement, because arguments are evaluated in any order. */
static uint32_t below(uint64_t *random, uint32_t limit) {
    return (uint32_t)(drawn_random(random) % limit);
}

static void draw_random_edge(struct drawn_graph *drawn, uint64_t *random, uint32_t from,
                             uint32_t to, bool may_be_other) {
    static const char *const paths[] = {"_left", "_right", "delegate", "st.x"};
    bool element = may_be_other && below(random, 4) == 0;
    bool assumed = may_be_other && below(random, 6) == 0;
    drawn_graph_add_edge(drawn, from, to, element ? LOUPE_EDGE_ELEMENT : LOUPE_EDGE_IVAR,
                         assumed ? LOUPE_ASSUMED : LOUPE_STRONG, paths[below(random, 4)]);
}

void brute_draw(struct drawn_graph *drawn, uint64_t *random, uint32_t max_nodes) {
    static const char *const classes[] = {"Alpha", "Beta", "Gamma"};
    uint32_t nodes = 1 + below(random, max_nodes);
    uint32_t edges = below(random, 2 * nodes + 2);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        loupe_format(name, sizeof(name), "n%u", i);
        drawn_graph_add_node(drawn, name, classes[below(random, 3)]);
    }
    for (uint32_t i = 1; i < nodes; i++) /* something to walk along */
        draw_random_edge(drawn, random, below(random, i), i, false);
    for (uint32_t i = 0; i < edges; i++) {
        uint32_t from = below(random, nodes);
        draw_random_edge(drawn, random, from, below(random, nodes), true);
    }
}

void brute_shuffle_addresses(struct drawn_graph *drawn, uint64_t *random) {
    for (uint32_t i = drawn->node_count; i > 1; i--) {
        uint32_t j = (uint32_t)(drawn_random(random) % i);
        loupe_addr address = drawn->nodes[i - 1].address;
        drawn->nodes[i - 1].address = drawn->nodes[j].address;
        drawn->nodes[j].address = address;
    }
}

void brute_shuffle_edges(struct drawn_graph *drawn, uint64_t *random) {
    for (uint32_t i = drawn->edge_count; i > 1; i--) {
        uint32_t j = (uint32_t)(drawn_random(random) % i);
        struct drawn_edge edge = drawn->edges[i - 1];
        drawn->edges[i - 1] = drawn->edges[j];
        drawn->edges[j] = edge;
    }
}

/*
 * Dominators, retained sizes and reachability against their definitions: what is no longer
 * reachable when a node is taken away.
 */
#include "analysis/dominators/histogram.h"
#include "analysis/reach.h"
#include "check.h"
#include "graphs/drawn_columns.h"
#include "graphs/drawn_graph.h"

#include <stdlib.h>

static struct drawn_columns drawn;
static struct loupe_dominators found;

static const loupe_link_kinds strong = LOUPE_ALL_LINKS & ~(1u << LOUPE_LINK_WEAK);

static enum loupe_status find_by(enum loupe_dominator_method method,
                                 const struct loupe_chunk_ops *chunks,
                                 struct loupe_dominators *ret) {
    struct loupe_dominator_options options = {.kinds = strong, .method = method};
    return loupe_dominators_find(&drawn.columns, &options, chunks, ret);
}

static void open_picture(const char *picture) {
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, picture);
    drawn_columns_build(&drawn);
    CHECK_EQ(find_by(LOUPE_SEMI_NCA_GUARDED, &drawn_chunks, &found), LOUPE_OK);
}

static void close_picture(void) {
    loupe_dominators_deinit(&found);
    drawn_columns_deinit(&drawn);
}

/* owner "*": only the roots together; "-": the node is not reachable. */
static void check_dominator(const char *node, const char *owner) {
    uint32_t immediate = found.immediate[drawn_columns_node(&drawn, node)];
    if (!strcmp(owner, "*"))
        CHECK_EQ(immediate, drawn.columns.nodes);
    else if (!strcmp(owner, "-"))
        CHECK_EQ(immediate, LOUPE_NO_NODE);
    else
        CHECK_EQ(immediate, drawn_columns_node(&drawn, owner));
}

static void check_retained(const char *node, uint64_t bytes, uint32_t objects) {
    CHECK_EQ(found.retained[drawn_columns_node(&drawn, node)], bytes);
    CHECK_EQ(found.counts[drawn_columns_node(&drawn, node)], objects);
}

/* ---- Drawn ---- */

static void test_shared_child_belongs_to_the_common_owner(void) {
    open_picture(">A A->B A->C B->D C->D D->E A=10 B=20 C=30 D=40 E=50");
    check_dominator("D", "A");
    check_dominator("E", "D");
    check_retained("A", 150, 5);
    check_retained("B", 20, 1);
    check_retained("D", 90, 2);
    close_picture();
}

static void test_several_roots_own_together(void) {
    open_picture(">A >B A->C B->C C->D");
    check_dominator("C", "*");
    check_dominator("D", "C");
    check_retained("A", 1, 1);
    close_picture();
}

/* A root that another one holds is still alive by itself. */
static void test_root_with_predecessors_belongs_to_nobody(void) {
    open_picture(">A A->B B->C >C C->A");
    check_dominator("A", "*");
    check_dominator("B", "A");
    check_dominator("C", "*");
    close_picture();
}

static void test_weak_links_own_nothing(void) {
    open_picture(">A A~>B A->C C->D B->D");
    check_dominator("B", "-");
    check_dominator("D", "C");
    check_retained("B", 0, 0);
    check_retained("C", 2, 2);
    close_picture();
}

/*
 * A search that settles dominators as it meets nodes takes E or L for the owner of "42": F's way to
 * L is found after L's children.
 */
static void test_owner_is_raised_after_its_children_were_met(void) {
    open_picture(">root root->E root->T T->F F->L E->L E->U L->S U->S");
    check_dominator("E", "root");
    check_dominator("L", "root");
    check_dominator("U", "E");
    check_dominator("S", "root");
    check_retained("E", 2, 2);
    check_retained("L", 1, 1);
    close_picture();
}

static void test_nothing_is_reachable_without_roots(void) {
    open_picture("A->B B->A");
    check_dominator("A", "-");
    check_dominator("B", "-");
    CHECK_EQ(found.reached, 0);
    close_picture();
}

static void test_heap_without_objects(void) {
    open_picture("");
    CHECK_EQ(found.reached, 0);
    close_picture();
}

/* ---- Policies ---- */

static void open_policy(const char *picture, const char *policy) {
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, picture);
    drawn_columns_build(&drawn);
    CHECK_EQ(loupe_dominators_by_policy(&drawn.columns, loupe_link_policy_named(policy),
                                        &drawn_chunks, &found),
             LOUPE_OK);
}

static void test_weak_links_own_with_mat(void) {
    open_policy(">A A->B A~>C B->C C->D", "mat");
    check_dominator("C", "A");
    check_retained("B", 1, 1);
    close_picture();
    open_policy(">A A->B A~>C B->C C->D", "loupe");
    check_dominator("C", "B");
    check_retained("B", 3, 3);
    close_picture();
}

/* Its predecessors are all references, whatever they are and wherever they come from. */
static void test_weak_links_and_garbage_own_together_with_visualvm(void) {
    open_policy(">A A->B A->W W~>C W~>D B->C C->E G->E", "visualvm");
    check_dominator("C", "A");
    check_dominator("D", "-");
    check_dominator("E", "*");
    check_dominator("G", "-");
    check_retained("A", 4, 4);
    close_picture();
}

static void test_classes_own_statics_and_objects_keep_classes(void) {
    open_policy(">A A^>K K->S", "loupe");
    check_dominator("S", "K");
    check_retained("A", 3, 3);
    close_picture();
    open_policy(">A A^>K K->S", "haha");
    check_dominator("K", "-");
    close_picture();
}

/* ---- Random heaps against the definition ---- */

/* What the roots reach around a node, written from the definition with nothing of the core's. */
static uint32_t reach_around(uint32_t avoided, bool *met, uint32_t *stack) {
    const struct loupe_columns *c = &drawn.columns;
    uint32_t depth = 0, count = 0;
    memset(met, 0, c->nodes);
    for (uint32_t i = 0; i < c->root_count; i++)
        stack[depth++] = c->roots[i];
    while (depth) {
        uint32_t node = stack[--depth];
        if (node == avoided || met[node])
            continue;
        met[node] = true;
        count++;
        for (uint32_t link = c->first[node]; link < c->first[node + 1]; link++) {
            if (c->kinds[link] != LOUPE_LINK_WEAK)
                stack[depth++] = c->to[link];
        }
    }
    return count;
}

enum { MOST_NODES = 200, MOST_LINKS = MOST_NODES * 4 + 16 };

struct truth {
    uint32_t immediate[MOST_NODES], lost_objects[MOST_NODES], lost_odd[MOST_NODES];
    uint64_t lost_bytes[MOST_NODES];
    bool is_reached[MOST_NODES];
};

/*
 * Of all that dominate a node, the immediate one loses the fewest: it is dominated by all others.
 */
static void find_truth(struct truth *truth) {
    const struct loupe_columns *c = &drawn.columns;
    static bool met[MOST_NODES];
    static uint32_t stack[MOST_LINKS * 2];
    uint32_t total = reach_around(LOUPE_NO_NODE, truth->is_reached, stack);
    for (uint32_t node = 0; node < c->nodes; node++) {
        truth->immediate[node] = truth->is_reached[node] ? c->nodes : LOUPE_NO_NODE;
        truth->lost_bytes[node] = 0;
        truth->lost_odd[node] = 0;
    }
    for (uint32_t node = 0; node < c->nodes; node++) {
        truth->lost_objects[node] = total - reach_around(node, met, stack);
        for (uint32_t other = 0; other < c->nodes; other++) {
            if (!truth->is_reached[other] || met[other])
                continue;
            truth->lost_bytes[node] += c->sizes[other];
            truth->lost_odd[node] += other % 2;
            uint32_t best = truth->immediate[other];
            bool is_nearer =
                best == c->nodes || truth->lost_objects[node] < truth->lost_objects[best];
            if (other != node && is_nearer)
                truth->immediate[other] = node;
        }
    }
}

static bool is_true(const struct loupe_dominators *got, const struct truth *truth) {
    bool same = true;
    for (uint32_t node = 0; node < drawn.columns.nodes; node++) {
        same &= got->immediate[node] == truth->immediate[node];
        same &= got->retained[node] == truth->lost_bytes[node];
        same &= got->counts[node] == truth->lost_objects[node];
        same &= loupe_dominators_others(got, node) == truth->lost_odd[node];
    }
    return same;
}

static bool is_odd(const void *ctx, uint32_t node) {
    (void)ctx;
    return node % 2;
}

static const struct loupe_others odd = {.ctx = NULL, .has = is_odd};

static bool method_is_right(enum loupe_dominator_method method, const struct truth *truth) {
    struct loupe_dominators got;
    if (find_by(method, &drawn_chunks, &got))
        return false;
    bool right = !loupe_dominators_count_apart(&got, &odd, &drawn_chunks) && is_true(&got, truth);
    loupe_dominators_deinit(&got);
    return right;
}

static bool set_is_right(uint64_t *random, const struct truth *truth) {
    static bool met[MOST_NODES];
    static uint32_t stack[MOST_LINKS * 2];
    uint32_t node = (uint32_t)(drawn_random(random) % drawn.columns.nodes);
    uint32_t left = reach_around(node, met, stack), all = reach_around(LOUPE_NO_NODE, met, stack);
    struct loupe_node_set set = {.nodes = &node, .count = 1, .others = &odd};
    struct loupe_amount amount;
    enum loupe_status status =
        loupe_retained_by_set(&drawn.columns, strong, &set, &drawn_chunks, &amount);
    return !status && amount.objects == all - left && amount.others == truth->lost_odd[node];
}

/*
 * Half of them are small, where odd shapes are more likely. LOUPE_RANDOM_HEAPS in the environment
 * asks for another number.
 */
static void test_methods_agree_with_the_definition_on_random_heaps(void) {
    const char *wanted = getenv("LOUPE_RANDOM_HEAPS");
    uint32_t heaps = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : (uint32_t)check_share(100000),
             wrong = 0;
    static struct truth truth;
    uint64_t random = 17;
    drawn_columns_init(&drawn);
    for (uint32_t i = 0; i < heaps; i++) {
        drawn_columns_random(&drawn, &random, i % 2 ? 24 : MOST_NODES);
        drawn_columns_build(&drawn);
        find_truth(&truth);
        wrong += !method_is_right(LOUPE_SEMI_NCA, &truth);
        wrong += !method_is_right(LOUPE_LENGAUER_TARJAN, &truth);
        wrong += !method_is_right(LOUPE_SEMI_NCA_GUARDED, &truth);
        wrong += !set_is_right(&random, &truth);
    }
    CHECK_EQ(wrong, 0);
    drawn_columns_deinit(&drawn);
}

/* ---- Families that are hard for one algorithm or another ---- */

enum { LONG = 200000 };

static void open_family(void) {
    drawn_columns_build(&drawn);
    CHECK_EQ(find_by(LOUPE_SEMI_NCA_GUARDED, &drawn_chunks, &found), LOUPE_OK);
}

static bool lengauer_tarjan_agrees(void) {
    struct loupe_dominators other;
    if (find_by(LOUPE_LENGAUER_TARJAN, &drawn_chunks, &other))
        return false;
    bool same = !memcmp(found.immediate, other.immediate, drawn.nodes * sizeof(uint32_t)) &&
                !memcmp(found.retained, other.retained, drawn.nodes * sizeof(uint64_t));
    loupe_dominators_deinit(&other);
    return same;
}

/* A node that leads to many, each of which leads to one more: no stack has room for all of them. */
static void test_what_many_lead_to_is_reached(void) {
    struct loupe_marks marks;
    struct loupe_amount reached;
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, 2 * LONG + 2);
    drawn_columns_root(&drawn, 2 * LONG);
    for (uint32_t node = 0; node < LONG; node++) {
        drawn_columns_link(&drawn, 2 * LONG, node, LOUPE_LINK_STRONG);
        drawn_columns_link(&drawn, node, 2 * LONG - 1 - node, LOUPE_LINK_STRONG);
    }
    drawn_columns_build(&drawn);
    CHECK_EQ(loupe_marks_init(&marks, &drawn_chunks, drawn.nodes), LOUPE_OK);
    CHECK_EQ(loupe_reach(&drawn.columns, strong, &marks, &reached), LOUPE_OK);
    CHECK_EQ(reached.objects, 2 * LONG + 1);
    CHECK(!loupe_is_marked(&marks, 2 * LONG + 1));
    loupe_marks_deinit(&marks);
    drawn_columns_deinit(&drawn);
}

static void test_long_list(void) {
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, LONG);
    drawn_columns_root(&drawn, 0);
    for (uint32_t node = 0; node + 1 < LONG; node++)
        drawn_columns_link(&drawn, node, node + 1, LOUPE_LINK_STRONG);
    open_family();
    CHECK_EQ(found.immediate[LONG - 1], LONG - 2);
    CHECK_EQ(found.retained[0], LONG);
    CHECK_EQ(found.counts[LONG / 2], LONG / 2);
    CHECK(lengauer_tarjan_agrees());
    close_picture();
}

/* Two lists linked both ways: every node but the root belongs to the root. */
static void test_long_ladder(void) {
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, 2 * LONG + 1);
    drawn_columns_root(&drawn, 0);
    drawn_columns_link(&drawn, 0, 1, LOUPE_LINK_STRONG);
    drawn_columns_link(&drawn, 0, 2, LOUPE_LINK_STRONG);
    for (uint32_t node = 1; node <= 2 * LONG; node++) {
        uint32_t beside = node % 2 ? node + 1 : node - 1;
        if (node + 2 <= 2 * LONG)
            drawn_columns_link(&drawn, node, node + 2, LOUPE_LINK_STRONG);
        drawn_columns_link(&drawn, node, beside, LOUPE_LINK_STRONG);
    }
    open_family();
    uint32_t of_root = 0;
    for (uint32_t node = 1; node <= 2 * LONG; node++)
        of_root += found.immediate[node] == 0;
    CHECK_EQ(of_root, 2 * LONG);
    CHECK(lengauer_tarjan_agrees());
    close_picture();
}

/*
 * A list whose end leads to many, and its beginning too: from each of them Semi-NCA goes up the
 * whole list.
 */
static void test_list_with_a_shared_tail_makes_semi_nca_give_up(void) {
    drawn_columns_init(&drawn);
    uint32_t tail = drawn_columns_add_nodes(&drawn, LONG) + LONG / 2;
    drawn_columns_root(&drawn, 0);
    for (uint32_t node = 0; node + 1 < tail; node++)
        drawn_columns_link(&drawn, node, node + 1, LOUPE_LINK_STRONG);
    for (uint32_t node = tail; node < LONG; node++) {
        drawn_columns_link(&drawn, tail - 1, node, LOUPE_LINK_STRONG);
        drawn_columns_link(&drawn, 1, node, LOUPE_LINK_STRONG);
    }
    open_family();
    CHECK(found.fell_back);
    CHECK_EQ(found.immediate[LONG - 1], 1);
    CHECK_EQ(found.immediate[tail - 1], tail - 2);
    CHECK_EQ(found.retained[1], LONG - 1);
    CHECK(lengauer_tarjan_agrees());
    close_picture();
}

/* ---- Memory that runs out ---- */

static void test_every_failed_chunk_is_told_and_nothing_is_kept(void) {
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, ">A A->B B->C C->A A->D");
    drawn_columns_build(&drawn);
    for (int method = 0; method <= LOUPE_LENGAUER_TARJAN; method++) {
        enum loupe_status status = LOUPE_ENOMEM;
        for (uint32_t fail_at = 1; status && fail_at < 100; fail_at++) {
            struct drawn_failing_chunks state = {.fail_at = fail_at};
            struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
            status = find_by((enum loupe_dominator_method)method, &chunks, &found);
            if (!status)
                loupe_dominators_deinit(&found);
            CHECK_EQ(state.outstanding, 0);
        }
        CHECK_EQ(status, LOUPE_OK);
    }
    drawn_columns_deinit(&drawn);
}

/* ---- Memory that is taken ---- */

struct room {
    size_t now, most;
};

static void *get_counted(void *ctx, size_t bytes) {
    struct room *room = ctx;
    room->now += bytes;
    room->most = room->now > room->most ? room->now : room->most;
    return malloc(bytes);
}

static void put_counted(void *ctx, void *chunk, size_t bytes) {
    struct room *room = ctx;
    room->now -= chunk ? bytes : 0;
    free(chunk);
}

/* A list with a link back to the node before, of each but the first: one backward link a node. */
static void test_memory_is_what_the_header_says(void) {
    enum { FEW_BYTES = 256 };
    struct room room = {0};
    const struct loupe_chunk_ops counted = {.get = get_counted, .put = put_counted, .ctx = &room};
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, LONG);
    drawn_columns_root(&drawn, 0);
    for (uint32_t node = 0; node + 1 < LONG; node++) {
        drawn_columns_link(&drawn, node, node + 1, LOUPE_LINK_STRONG);
        drawn_columns_link(&drawn, node + 1, node, LOUPE_LINK_STRONG);
    }
    drawn_columns_build(&drawn);
    CHECK_EQ(find_by(LOUPE_SEMI_NCA_GUARDED, &counted, &found), LOUPE_OK);
    CHECK(room.most <= LONG * (16 + 4) + LONG * 3 / 8 + FEW_BYTES);
    CHECK(room.now <= LONG * 16 + FEW_BYTES);
    close_picture();
    CHECK_EQ(room.now, 0);
}

/* As objects lead to classes that are never unloaded. */
static void test_links_to_roots_take_no_memory(void) {
    enum { FEW_BYTES = 1024, ROOTS = 4 };
    struct room room = {0};
    const struct loupe_chunk_ops counted = {.get = get_counted, .put = put_counted, .ctx = &room};
    drawn_columns_init(&drawn);
    drawn_columns_add_nodes(&drawn, LONG);
    for (uint32_t root = 0; root < ROOTS; root++)
        drawn_columns_root(&drawn, root);
    for (uint32_t node = ROOTS - 1; node + 1 < LONG; node++) {
        drawn_columns_link(&drawn, node, node + 1, LOUPE_LINK_STRONG);
        for (uint32_t root = 0; root < ROOTS; root++)
            drawn_columns_link(&drawn, node + 1, root, LOUPE_LINK_STRONG);
    }
    drawn_columns_build(&drawn);
    CHECK_EQ(find_by(LOUPE_SEMI_NCA_GUARDED, &counted, &found), LOUPE_OK);
    CHECK(room.most <= LONG * 20 + FEW_BYTES);
    CHECK_EQ(found.immediate[0], LONG);
    CHECK_EQ(found.counts[ROOTS - 1], LONG - ROOTS + 1);
    close_picture();
}

int main(void) {
    RUN(test_shared_child_belongs_to_the_common_owner);
    RUN(test_several_roots_own_together);
    RUN(test_root_with_predecessors_belongs_to_nobody);
    RUN(test_weak_links_own_nothing);
    RUN(test_owner_is_raised_after_its_children_were_met);
    RUN(test_nothing_is_reachable_without_roots);
    RUN(test_heap_without_objects);
    RUN(test_weak_links_own_with_mat);
    RUN(test_weak_links_and_garbage_own_together_with_visualvm);
    RUN(test_classes_own_statics_and_objects_keep_classes);
    RUN(test_methods_agree_with_the_definition_on_random_heaps);
    RUN(test_what_many_lead_to_is_reached);
    RUN(test_long_list);
    RUN(test_long_ladder);
    RUN(test_list_with_a_shared_tail_makes_semi_nca_give_up);
    RUN(test_every_failed_chunk_is_told_and_nothing_is_kept);
    RUN(test_memory_is_what_the_header_says);
    RUN(test_links_to_roots_take_no_memory);
    return check_report();
}

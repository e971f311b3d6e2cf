/*
 * Shortest paths from roots: which of several is taken, and what all roots have to say about one
 * object.
 */
#include "analysis/transposed.h"
#include "check.h"
#include "graphs/drawn_columns.h"
#include "graphs/drawn_graph.h"

static struct drawn_columns drawn;
static struct loupe_shortest found;
static loupe_path_rank *ranks;
static uint8_t levels[256]; /* of roots */

static const loupe_link_kinds kinds = LOUPE_ALL_LINKS & ~(1u << LOUPE_LINK_WEAK);
static const loupe_link_kinds late = 1u << LOUPE_LINK_LIBRARY;

static enum loupe_status find(const struct loupe_chunk_ops *chunks) {
    struct loupe_shortest_options options = {.kinds = kinds, .late = late, .root_levels = levels};
    return loupe_shortest_find(&drawn.columns, &options, chunks, &found);
}

static enum loupe_status find_with_ranks(void) {
    struct loupe_shortest_options options = {.kinds = kinds, .late = late, .root_levels = levels};
    return loupe_shortest_find_ranks(&drawn.columns, &options, &drawn_chunks, &found, &ranks);
}

static void draw(const char *picture) {
    memset(levels, LOUPE_LEVEL_NORMAL, sizeof(levels));
    drawn_columns_init(&drawn);
    drawn_columns_draw(&drawn, picture);
    drawn_columns_build(&drawn);
}

static void close_picture(void) {
    loupe_shortest_deinit(&found);
    drawn_columns_deinit(&drawn);
}

/* "A B C": the path from its root; "": there is none. */
static void check_path(const char *node, const char *want) {
    char text[256] = "";
    uint32_t at = drawn_columns_node(&drawn, node);
    bool is_reached = loupe_path_level(&found, at) != LOUPE_LEVEL_NONE;
    while (is_reached && at != LOUPE_NO_NODE) {
        size_t length = strlen(drawn.names[at]), gap = *text ? 1 : 0;
        memmove(text + length + gap, text, strlen(text) + 1);
        memcpy(text, drawn.names[at], length);
        text[length] = gap ? ' ' : text[length];
        at = loupe_path_before(&found, at);
    }
    CHECK_STR(text, want);
}

/* ---- Which path is taken ---- */

static void test_shortest_of_two_ways(void) {
    draw(">A A->B B->C C->D A->X X->D");
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("D", "A X D");
    CHECK_EQ(loupe_path_length(&found, drawn_columns_node(&drawn, "D")), 2);
    close_picture();
}

static void test_weak_links_lead_nowhere(void) {
    draw(">A A~>B A->C");
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("B", "");
    CHECK_EQ(loupe_path_level(&found, drawn_columns_node(&drawn, "B")), LOUPE_LEVEL_NONE);
    close_picture();
}

static void test_library_link_is_the_last_resort(void) {
    draw(">A A*>D A->B B->C C->D A*>E E->F");
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("D", "A B C D");
    check_path("F", "A E F");
    CHECK_EQ(loupe_path_level(&found, drawn_columns_node(&drawn, "F")), LOUPE_LEVEL_LATE);
    close_picture();
}

/* The long way to a library link is not overtaken by what is behind a shorter one. */
static void test_library_links_count_by_the_length_before_them(void) {
    draw(">A A->B B->C C*>Z A*>M M->N N->O O->Z Z->Y");
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("Z", "A B C Z");
    check_path("Y", "A B C Z Y");
    close_picture();
}

static void test_frame_is_the_last_root(void) {
    draw(">F F->D >A A*>D >S S->E F->E");
    levels[0] = LOUPE_LEVEL_STACK;
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("D", "A D");
    check_path("E", "S E");
    check_path("F", "F");
    CHECK_EQ(loupe_path_root(&found, drawn_columns_node(&drawn, "D")), 1);
    close_picture();
}

static void test_root_of_a_library_comes_behind_others(void) {
    draw(">L >A L->D A->B B->C C->D L->E");
    levels[0] = LOUPE_LEVEL_LATE;
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    check_path("D", "A B C D");
    check_path("E", "L E");
    close_picture();
}

static void test_link_of_a_step_is_the_best_one(void) {
    draw(">A A~>B A*>B A->B A->B");
    CHECK_EQ(find(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(loupe_path_link(&drawn.columns, kinds, late, 0, 1), 2);
    CHECK_EQ(loupe_path_link(&drawn.columns, late, late, 0, 1), 1);
    CHECK_EQ(loupe_path_link(&drawn.columns, kinds, late, 1, 0), LOUPE_NO_EDGE);
    close_picture();
}

/* ---- Random heaps ---- */

enum { MOST_NODES = 60 };

static uint32_t step(uint32_t rank, uint8_t kind) {
    uint32_t next = rank + 1;
    uint32_t late_one = loupe_path_rank_of(LOUPE_LEVEL_LATE, next & LOUPE_RANK_LENGTH);
    bool gets_late =
        kind == LOUPE_LINK_LIBRARY && rank >> LOUPE_RANK_SHIFT == LOUPE_LEVEL_NORMAL + 1;
    return gets_late ? late_one : next;
}

/* Dijkstra's algorithm without a queue. */
static void find_ranks(uint32_t *rank) {
    const struct loupe_columns *c = &drawn.columns;
    bool settled[MOST_NODES] = {false};
    memset(rank, 0xff, c->nodes * sizeof(*rank));
    for (uint32_t i = 0; i < c->root_count; i++) {
        uint32_t of_root = loupe_path_rank_of((enum loupe_path_level)levels[i], 0);
        if (of_root < rank[c->roots[i]])
            rank[c->roots[i]] = of_root;
    }
    for (uint32_t round = 0; round < c->nodes; round++) {
        uint32_t best = c->nodes;
        for (uint32_t node = 0; node < c->nodes; node++) {
            if (!settled[node] && rank[node] != UINT32_MAX &&
                (best == c->nodes || rank[node] < rank[best]))
                best = node;
        }
        if (best == c->nodes)
            return;
        settled[best] = true;
        for (uint32_t link = c->first[best]; link < c->first[best + 1]; link++) {
            uint32_t to = c->to[link], through = step(rank[best], c->kinds[link]);
            if (c->kinds[link] != LOUPE_LINK_WEAK && through < rank[to])
                rank[to] = through;
        }
    }
}

static bool path_is_real(uint32_t node) {
    uint32_t before = loupe_path_before(&found, node);
    if (before == LOUPE_NO_NODE)
        return drawn.columns.roots[loupe_path_root(&found, node)] == node;
    uint32_t link = loupe_path_link(&drawn.columns, kinds, late, before, node);
    return link != LOUPE_NO_EDGE && step(ranks[before], drawn.columns.kinds[link]) == ranks[node];
}

/* What is kept says the same as the rank, but that a path from a given root is a normal one. */
static bool is_kept(uint32_t node) {
    enum loupe_path_level level = loupe_path_level(&found, node);
    if (ranks[node] == LOUPE_NO_PATH)
        return level == LOUPE_LEVEL_NONE;
    uint32_t length = loupe_path_length(&found, node);
    return ranks[node] == loupe_path_rank_of(level, length) ||
           (level == LOUPE_LEVEL_NORMAL &&
            ranks[node] == loupe_path_rank_of(LOUPE_LEVEL_GIVEN, length));
}

static void draw_random(uint64_t *random) {
    drawn_columns_random(&drawn, random, MOST_NODES);
    for (uint32_t i = 0; i < drawn.link_count; i++) {
        if (drawn_random(random) % 5 == 0)
            drawn.links[i].kind = LOUPE_LINK_LIBRARY;
    }
    for (uint32_t i = 0; i < drawn.root_count; i++)
        levels[i] = (uint8_t)(drawn_random(random) % LOUPE_LEVEL_NONE);
    for (uint32_t i = 0; i < drawn.root_count && drawn_random(random) % 4 == 0; i++)
        levels[i] = LOUPE_LEVEL_GIVEN;
    drawn_columns_build(&drawn);
}

static void test_ranks_are_the_best_on_random_heaps(void) {
    uint64_t random = 5;
    uint32_t wrong = 0, rank[MOST_NODES];
    drawn_columns_init(&drawn);
    for (uint32_t i = 0; i < 20000; i++) {
        draw_random(&random);
        find_ranks(rank);
        CHECK_EQ(find_with_ranks(), LOUPE_OK);
        for (uint32_t node = 0; node < drawn.nodes; node++) {
            wrong += ranks[node] != rank[node] || !is_kept(node);
            wrong += rank[node] != UINT32_MAX && !path_is_real(node);
        }
        loupe_numbers_put(&drawn_chunks, &ranks, drawn.nodes);
        loupe_shortest_deinit(&found);
    }
    CHECK_EQ(wrong, 0);
    drawn_columns_deinit(&drawn);
}

/* ---- All roots of one object ---- */

static struct loupe_transposed transposed;
static struct loupe_root_paths paths;

static void open_paths(const char *node, uint32_t most) {
    struct loupe_shortest_options options = {.late = late, .root_levels = levels};
    CHECK_EQ(loupe_transposed_make(&drawn.columns, kinds, &drawn_chunks, &transposed), LOUPE_OK);
    CHECK_EQ(loupe_root_paths_find(&drawn.columns, &transposed, &options,
                                   drawn_columns_node(&drawn, node), most, &paths),
             LOUPE_OK);
}

static void close_paths(void) {
    loupe_root_paths_deinit(&paths);
    loupe_transposed_deinit(&transposed);
    drawn_columns_deinit(&drawn);
}

static void check_root_path(uint32_t place, const char *want) {
    char text[256] = "";
    if (!CHECK(place < paths.count))
        return;
    uint32_t at = drawn.columns.roots[paths.roots[place]];
    for (; at != LOUPE_NO_NODE; at = loupe_root_path_after(&paths, at)) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "", drawn.names[at]);
    }
    CHECK_STR(text, want);
}

static void test_paths_from_several_roots(void) {
    draw(">A A->B B->Z >C C->Z >D D*>Z >E E~>Z");
    open_paths("Z", 10);
    CHECK_EQ(paths.count, 3);
    check_root_path(0, "C Z");
    check_root_path(1, "A B Z");
    check_root_path(2, "D Z");
    close_paths();
}

static void test_as_many_paths_as_asked_for(void) {
    draw(">A A->B B->Z >C C->Z >D D->E E->F F->Z");
    open_paths("Z", 2);
    CHECK_EQ(paths.count, 2);
    CHECK_EQ(paths.found, 3);
    check_root_path(1, "A B Z");
    close_paths();
}

/* Beside a path that begins at B a longer one through B says nothing. */
static void test_no_path_through_another_root(void) {
    draw(">A A->B >B B->Z");
    open_paths("Z", 9);
    CHECK_EQ(paths.count, 1);
    check_root_path(0, "B Z");
    close_paths();
}

/* But a frame on the way does not hide what holds without it. */
static void test_frame_hides_no_better_root(void) {
    draw(">A A->B >B B->Z");
    levels[1] = LOUPE_LEVEL_STACK;
    open_paths("Z", 9);
    CHECK_EQ(paths.count, 2);
    check_root_path(0, "A B Z");
    check_root_path(1, "B Z");
    close_paths();
}

static void test_object_that_is_a_root_itself(void) {
    draw(">A A->Z >Z >Z Z->A");
    open_paths("Z", 9);
    CHECK_EQ(paths.count, 2);
    check_root_path(0, "Z");
    check_root_path(1, "A Z");
    close_paths();
}

static void test_object_without_roots(void) {
    draw(">A Y->Z Z->A");
    open_paths("Z", 9);
    CHECK_EQ(paths.count, 0);
    close_paths();
}

static void test_transposed_has_every_link_once(void) {
    uint64_t random = 9;
    drawn_columns_init(&drawn);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        struct loupe_transposed twice;
        draw_random(&random);
        CHECK_EQ(loupe_transposed_make(&drawn.columns, LOUPE_ALL_LINKS, &drawn_chunks, &transposed),
                 LOUPE_OK);
        CHECK_EQ(loupe_transposed_make(&transposed.columns, LOUPE_ALL_LINKS, &drawn_chunks, &twice),
                 LOUPE_OK);
        uint32_t links = drawn.columns.first[drawn.nodes];
        wrong +=
            memcmp(twice.columns.first, drawn.columns.first, drawn.nodes * sizeof(uint32_t)) != 0;
        uint64_t sum = 0, turned = 0;
        for (uint32_t link = 0; link < links; link++) {
            sum += (drawn.columns.to[link] + 1) * (drawn.columns.kinds[link] + 7u);
            turned += (twice.columns.to[link] + 1) * (twice.columns.kinds[link] + 7u);
        }
        wrong += sum != turned || !loupe_columns_are_valid(&transposed.columns);
        loupe_transposed_deinit(&twice);
        loupe_transposed_deinit(&transposed);
    }
    CHECK_EQ(wrong, 0);
    drawn_columns_deinit(&drawn);
}

/* ---- Memory that runs out ---- */

static enum loupe_status do_all(const struct loupe_chunk_ops *chunks) {
    enum loupe_status status = find(chunks);
    if (status)
        return status;
    loupe_shortest_deinit(&found);
    status = loupe_transposed_make(&drawn.columns, kinds, chunks, &transposed);
    if (status)
        return status;
    struct loupe_shortest_options options = {.late = late, .root_levels = levels};
    status = loupe_root_paths_find(&drawn.columns, &transposed, &options, 1, 3, &paths);
    if (!status)
        loupe_root_paths_deinit(&paths);
    loupe_transposed_deinit(&transposed);
    return status;
}

static void test_every_failed_chunk_is_told_and_nothing_is_kept(void) {
    draw(">A A->B B*>C C*>A A*>D");
    enum loupe_status status = LOUPE_ENOMEM;
    for (uint32_t fail_at = 1; status && fail_at < 100; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        status = do_all(&chunks);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK_EQ(status, LOUPE_OK);
    drawn_columns_deinit(&drawn);
}

int main(void) {
    RUN(test_shortest_of_two_ways);
    RUN(test_weak_links_lead_nowhere);
    RUN(test_library_link_is_the_last_resort);
    RUN(test_library_links_count_by_the_length_before_them);
    RUN(test_frame_is_the_last_root);
    RUN(test_root_of_a_library_comes_behind_others);
    RUN(test_link_of_a_step_is_the_best_one);
    RUN(test_ranks_are_the_best_on_random_heaps);
    RUN(test_paths_from_several_roots);
    RUN(test_as_many_paths_as_asked_for);
    RUN(test_no_path_through_another_root);
    RUN(test_frame_hides_no_better_root);
    RUN(test_object_that_is_a_root_itself);
    RUN(test_object_without_roots);
    RUN(test_transposed_has_every_link_once);
    RUN(test_every_failed_chunk_is_told_and_nothing_is_kept);
    return check_report();
}

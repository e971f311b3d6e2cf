/* Whether an object is held, leaked or released too often: drawn graphs and numbers. */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "graph/object_verdict.h"

static struct drawn_graph drawn;
static struct loupe_vector roots;
static struct loupe_paths_from_roots paths;
static struct loupe_incoming incoming;
static struct loupe_object_evidence evidence;
static struct loupe_object_verdict verdict;

/* X is asked about; R, if there is one, is global. */
static void open_picture(const char *picture, uint64_t retains) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_vector_init(&roots, &drawn_chunks, sizeof(struct loupe_root));
    evidence = (struct loupe_object_evidence){.known = LOUPE_COUNT_KNOWN,
                                              .retains = retains,
                                              .searched = true,
                                              .searched_bytes = 5 << 20};
    if (picture[0] == 'R') {
        struct loupe_root *root = loupe_vector_add(&roots);
        *root = (struct loupe_root){.kind = LOUPE_ROOT_GLOBAL};
    }
}

static void add_word(enum loupe_root_kind kind, uint32_t retains) {
    struct loupe_root *root = loupe_vector_add(&roots);
    *root =
        (struct loupe_root){.node = drawn_graph_id(&drawn, "X"), .kind = kind, .retains = retains};
}

static void judge(void) {
    uint32_t id = drawn_graph_id(&drawn, "X");
    CHECK_EQ(loupe_incoming_find(&drawn.graph, id, NULL, &roots, &paths, &incoming), LOUPE_OK);
    loupe_object_verdict_find(&drawn.graph, &incoming, &evidence, &verdict);
}

static void close_picture(void) {
    loupe_paths_from_roots_deinit(&paths);
    loupe_vector_deinit(&roots);
    drawn_graph_deinit(&drawn);
}

static void check_verdict(enum loupe_object_verdict_kind kind, const char *reason) {
    judge();
    CHECK_STR(loupe_object_verdict_name(verdict.kind), loupe_object_verdict_name(kind));
    CHECK_STR(verdict.reason, reason);
    close_picture();
}

/* ---- Leaked ---- */

static void test_retain_that_no_word_can_own(void) {
    open_picture("X.a->A", 1);
    check_verdict(LOUPE_OBJECT_LEAKED, "a release is missing: 1 of its 1 retain has no owner (no "
                                       "other pointer to it in 5 MB of writable memory)");
}

static void test_one_release_is_missing_although_something_holds_it(void) {
    open_picture("R.x->X", 3);
    evidence.other_words = 1;
    check_verdict(LOUPE_OBJECT_LEAKED, "a release is missing: 1 of its 3 retains has no owner (no "
                                       "further pointer to it in 5 MB of writable memory)");
}

static void test_every_word_might_own_a_retain(void) {
    static const enum loupe_root_kind kinds[] = {LOUPE_ROOT_GLOBAL, LOUPE_ROOT_THREAD_LOCAL,
                                                 LOUPE_ROOT_STACK, LOUPE_ROOT_REGISTER};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        open_picture("X.a->A", 1);
        add_word(kinds[i], 0);
        judge();
        CHECK(verdict.kind != LOUPE_OBJECT_LEAKED);
        close_picture();
    }
    open_picture("S.x~>X", 1);
    judge();
    CHECK(verdict.kind != LOUPE_OBJECT_LEAKED);
    close_picture();
}

static void test_without_a_whole_search_nothing_is_missing(void) {
    open_picture("X.a->A", 1);
    evidence.searched = false;
    check_verdict(LOUPE_OBJECT_UNCLEAR,
                  "1 of its 1 retain may be owned by memory that was not searched");
}

static void test_ring_that_explains_all_retains(void) {
    open_picture("X.a->A A.x->X", 1);
    add_word(LOUPE_ROOT_STACK, 0);
    check_verdict(LOUPE_OBJECT_LEAKED, "only a retain cycle keeps it alive");
}

static void test_ring_with_an_assumed_reference_is_no_proof(void) {
    open_picture("X.a->A A.x~>X", 1);
    check_verdict(LOUPE_OBJECT_UNCLEAR,
                  "no root that was searched reaches its holders: ask about these");
}

/* ---- Released too often ---- */

static void test_more_owners_than_retains(void) {
    open_picture("R.x->X R.y->X", 1);
    check_verdict(LOUPE_OBJECT_OVER_RELEASED,
                  "2 references own it, its retain count is 1: it will be freed while still in use "
                  "(unless its class overrides -retain)");
}

static void test_assumed_references_do_not_prove_it(void) {
    open_picture("R.x->X R.y~>X R.z+>X", 1);
    check_verdict(LOUPE_OBJECT_HELD, "its references own all its retains");
}

static void test_pool_and_owner_of_one_retain(void) {
    open_picture("R.x->X", 1);
    add_word(LOUPE_ROOT_POOL, 1);
    judge();
    CHECK_EQ(verdict.kind, LOUPE_OBJECT_OVER_RELEASED);
    close_picture();
}

static void test_freed_object_that_is_owned(void) {
    open_picture("R.x->X", 1);
    evidence.was_freed = true;
    check_verdict(LOUPE_OBJECT_OVER_RELEASED, "it was freed, and 1 reference to it remains");
    open_picture("R.x~>X", 1);
    evidence.was_freed = true;
    check_verdict(LOUPE_OBJECT_UNCLEAR, "it was freed, and 1 reference to it remains");
    open_picture("X.y~>Y Y.z~>R R.x~>Y", 1);
    evidence.was_freed = true;
    check_verdict(LOUPE_OBJECT_UNCLEAR, "it was freed");
}

/* ---- Held ---- */

static void test_held_from_a_root(void) {
    open_picture("R.x->X", 1);
    check_verdict(LOUPE_OBJECT_HELD, "its references own all its retains");
    open_picture("R.x~>X", 1);
    check_verdict(LOUPE_OBJECT_HELD, "its references are only assumed to own it");
    open_picture("R.x->X", 2);
    evidence.other_words = 1;
    check_verdict(LOUPE_OBJECT_HELD,
                  "references own it; 1 of its 2 retains may have another owner");
}

static void test_held_by_a_global_or_a_pool(void) {
    open_picture("X.a->A", 1);
    add_word(LOUPE_ROOT_GLOBAL, 0);
    check_verdict(LOUPE_OBJECT_HELD, "a pointer in global or thread-local data may own it");
    open_picture("X.a->A", 1);
    add_word(LOUPE_ROOT_POOL, 1);
    check_verdict(LOUPE_OBJECT_HELD, "until an autorelease pool is drained");
}

/* Its holder is reached by nothing, and need not own it. */
static void test_held_by_a_global_where_the_holder_is_only_assumed_to_own_it(void) {
    open_picture("A.x~>X", 1);
    add_word(LOUPE_ROOT_GLOBAL, 0);
    check_verdict(LOUPE_OBJECT_HELD, "a pointer in global or thread-local data may own it");
    open_picture("A.x->X", 1);
    add_word(LOUPE_ROOT_GLOBAL, 0);
    check_verdict(LOUPE_OBJECT_UNCLEAR,
                  "no root that was searched reaches its holders: ask about these");
}

static void test_what_is_never_freed_is_held(void) {
    open_picture("R.x->X R.y->X", 0);
    evidence.known = LOUPE_COUNT_IMMORTAL;
    check_verdict(LOUPE_OBJECT_HELD, "it is never freed");
}

/* ---- Unknown ---- */

static void test_words_on_stacks_may_own_it(void) {
    open_picture("X.a->A", 1);
    add_word(LOUPE_ROOT_STACK, 0);
    check_verdict(LOUPE_OBJECT_UNCLEAR, "stack or register values may own 1 of its 1 retain; if "
                                        "that is never released, it is a leak");
}

static void test_words_that_are_no_objects_may_own_it(void) {
    open_picture("X.a->A", 2);
    evidence.other_words = 3;
    check_verdict(
        LOUPE_OBJECT_UNCLEAR,
        "2 of its 2 retains may be owned by non-object memory, where 3 pointers point to it");
}

static void test_count_that_is_not_known(void) {
    open_picture("X.a->A", 0);
    evidence.known = LOUPE_COUNT_UNKNOWN;
    check_verdict(LOUPE_OBJECT_UNCLEAR, "its retain count is unknown");
}

int main(void) {
    RUN(test_retain_that_no_word_can_own);
    RUN(test_one_release_is_missing_although_something_holds_it);
    RUN(test_every_word_might_own_a_retain);
    RUN(test_without_a_whole_search_nothing_is_missing);
    RUN(test_ring_that_explains_all_retains);
    RUN(test_ring_with_an_assumed_reference_is_no_proof);
    RUN(test_more_owners_than_retains);
    RUN(test_assumed_references_do_not_prove_it);
    RUN(test_pool_and_owner_of_one_retain);
    RUN(test_freed_object_that_is_owned);
    RUN(test_held_from_a_root);
    RUN(test_held_by_a_global_or_a_pool);
    RUN(test_held_by_a_global_where_the_holder_is_only_assumed_to_own_it);
    RUN(test_what_is_never_freed_is_held);
    RUN(test_words_on_stacks_may_own_it);
    RUN(test_words_that_are_no_objects_may_own_it);
    RUN(test_count_that_is_not_known);
    return check_report();
}

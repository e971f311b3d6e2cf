/* What filters hide, what they must not hide, and that they count. */
#include "check.h"
#include "cycles/cycles.h"
#include "graphs/drawn_graph.h"
#include "runtime/abi.h"

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;

static void open_picture(const char *picture, const struct loupe_filter *filters, uint32_t count) {
    struct loupe_cycles_options options = {.filters = filters, .filter_count = count};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void close_picture(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
}

/* One filter: how many edges it hides and how many knots are left. */
static void check_filter(struct loupe_filter filter, const char *picture, uint64_t hidden,
                         uint32_t knots) {
    open_picture(picture, &filter, 1);
    CHECK_EQ(cycles.hidden[0], hidden);
    CHECK_EQ(cycles.knot_count, knots);
    close_picture();
}

static uint32_t comparisons;

static bool is_kind_of_counted(void *ctx, const struct loupe_graph *graph, uint32_t node,
                               const char *class_name) {
    comparisons++;
    return drawn.describer.is_kind_of(ctx, graph, node, class_name);
}

/* How often a class is compared with a filter's, for a ring of so many nodes of one class. */
static uint32_t comparisons_in_ring(uint32_t length) {
    const struct loupe_filter filters[] = {
        {.source = "View", .path = "x"}, {.source = "Other"}, {.source = "View", .path = "next"}};
    uint64_t hidden[3];
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < length; i++)
        drawn_graph_add_node(&drawn, "n", "View");
    for (uint32_t i = 0; i < length; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % length, LOUPE_EDGE_IVAR, LOUPE_STRONG, "next");
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    struct loupe_describer describer = drawn.describer;
    describer.is_kind_of = is_kind_of_counted;
    comparisons = 0;
    CHECK_EQ(loupe_filters_apply(&drawn.graph, &describer, filters, 3, hidden), LOUPE_OK);
    CHECK_EQ(hidden[2], length);
    drawn_graph_deinit(&drawn);
    return comparisons;
}

static void test_classes_are_compared_once(void) {
    CHECK_EQ(comparisons_in_ring(100), comparisons_in_ring(3));
}

static void test_no_filter_hides_nothing(void) {
    open_picture("A.b->B B.a->A", NULL, 0);
    CHECK_EQ(cycles.knot_count, 1);
    close_picture();
}

static void test_only_ivar_of_a_ring(void) {
    check_filter((struct loupe_filter){.source = "A", .path = "b"}, "A.b->B B.a->A", 1, 0);
}

static void test_one_of_two_ivars_leaves_the_ring(void) {
    check_filter((struct loupe_filter){.source = "A", .path = "b"}, "A.b->B A.c->B B.a->A", 1, 1);
}

static void test_both_ivars_of_two(void) {
    struct loupe_filter filters[] = {{.source = "A", .path = "b"}, {.source = "A", .path = "c"}};
    open_picture("A.b->B A.c->B B.a->A", filters, 2);
    CHECK_EQ(cycles.hidden[0], 1);
    CHECK_EQ(cycles.hidden[1], 1);
    CHECK_EQ(cycles.knot_count, 0);
    close_picture();
}

static void test_first_of_two_filters_that_match_counts(void) {
    struct loupe_filter filters[] = {{.source = "A"}, {.source = "A", .path = "b"}};
    open_picture("A.b->B B.a->A", filters, 2);
    CHECK_EQ(cycles.hidden[0], 1);
    CHECK_EQ(cycles.hidden[1], 0);
    close_picture();
}

static void test_instance_of_a_subclass(void) {
    check_filter((struct loupe_filter){.source = "Base", .path = "b"}, "a:Sub<Base a.b->B B.a->a",
                 1, 0);
}

static void test_same_path_of_another_class_is_not_hidden(void) {
    check_filter((struct loupe_filter){.source = "X", .path = "b"}, "A.b->B B.a->A", 0, 1);
}

static void test_target_class(void) {
    struct loupe_filter filter = {.source = "A", .path = "b", .target = "Base"};
    check_filter(filter, "A.b->b b:Base b.a->A", 1, 0);
    check_filter(filter, "A.b->b b:Sub<Base b.a->A", 1, 0);
    check_filter(filter, "A.b->B B.a->A", 0, 1);
}

static void test_any_source_by_path_of_a_capture(void) {
    check_filter((struct loupe_filter){.path = "self"}, "A.h->b b{self}->A", 1, 0);
}

static void test_path_of_a_struct_member_is_matched_whole(void) {
    check_filter((struct loupe_filter){.source = "A", .path = "st.x"}, "A.st.x->B B.a->A", 1, 0);
    check_filter((struct loupe_filter){.source = "A", .path = "st"}, "A.st.x->B B.a->A", 0, 1);
}

static void test_edges_are_named_only_where_a_class_has_a_filter(void) {
    struct loupe_filter filter = {.source = "X", .path = "b"};
    open_picture("A.b->B B.c->C C.d->D", &filter, 1);
    CHECK_EQ(drawn.labels, 0);
    close_picture();
}

/* A class that says that it retains is believed, and no retain counted for what owns nothing. */
static void test_filter_for_what_owns_nothing(void) {
    struct loupe_filter filter = {.source = "A", .path = "b", .owns_nothing = true};
    check_filter(filter, "A.b~>B B.a->A", 1, 0);
    check_filter(filter, "A.b->B B.a->A", 0, 1);
    check_filter(filter, "A.b+>B B.a->A", 0, 1);
    open_picture("S=1 S.a->A A.b~>B A.c->B B.a->A B=1", &filter, 1);
    CHECK_EQ(cycles.knots[0].certain, true);
    CHECK_EQ(cycles.knots[0].verdict.kind, LOUPE_HELD);
    CHECK_EQ(cycles.knots[0].verdict.excess, 0);
    CHECK_EQ(cycles.knots[0].verdict.assumed, 0);
    close_picture();
}

static void check_table(struct loupe_filters filters) {
    CHECK(filters.count > 0);
    for (uint32_t i = 0; i < filters.count; i++) {
        CHECK(filters.items[i].source != NULL);
        CHECK(filters.items[i].path || filters.items[i].target || !filters.items[i].owns_nothing);
        CHECK(filters.items[i].reason != NULL);
    }
}

static void test_every_filter_says_why(void) {
    CHECK(loupe_abi_apple.filters == &loupe_apple_filters);
    CHECK(loupe_abi_gcc.filters == &loupe_gnustep_filters);
    CHECK(loupe_abi_gnustep2.filters == &loupe_gnustep_filters);
    check_table(loupe_apple_filters);
    check_table(loupe_gnustep_filters);
}

static void test_gnustep_filters_hide_delegates_and_ways_back(void) {
    static const char *const pictures[] = {
        "A:MyApplication<NSApplication A._delegate~>D D._application~>A",
        "C:NSButtonCell<NSActionCell C._target~>T T._cell~>C",
        "V:NSView V._subviews~>W W:NSView W._super_view~>V",
        "C:NSWindowController C._window~>W W:NSWindow C._owner~>C W._windowController~>C",
        "B:NSToolbar B._items~>I I:NSToolbarItem I._toolbar~>B",
        "I:NSToolbarItem I._backView~>B B:GSToolbarButton B._toolbarItem~>I",
        "V:NSView V._tracking_rects~>R R:GSTrackingRect R.owner~>V",
        "D:NSDrawer D._drawerWindow~>W W:GSDrawerWindow W._drawer~>D",
        "M:NSMenu M._view~>V V:NSMenuView V._items_link~>L L.menu~>V",
        "S:GSFileInputStream<GSInputStream S._delegate~>R R._in~>S",
        "S:GSDataOutputStream<GSOutputStream S._delegate~>R R._out~>S",
        "S:GSInetServerStream<GSAbstractServerStream S._delegate~>R R._server~>S",
        ("I:GSInetInputStream<GSSocketInputStream I._sibling~>O "
         "O:GSInetOutputStream<GSSocketOutputStream O._sibling~>I"),
        "I:GSSocketInputStream I._handler~>H H:GSTLSHandler<GSStreamHandler H.istream~>I",
        "C:NSConnection C._internal~>N N:NSConnectionInternal N._delegate~>C",
        "C:GSMimeSMTPClientInternal C.delegate~>O O._mail~>C",
        "O:GSKVOObservation O.observer~>V V._observation~>O",
        "D:NSURLDownload D._loader~>L L:GSURLDownload L._parent~>D",
    };
    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
        open_picture(pictures[i], loupe_gnustep_filters.items, loupe_gnustep_filters.count);
        CHECK_EQ(cycles.knot_count, 0);
        close_picture();
    }
    open_picture("A:MyApplication<NSApplication A._helper~>H H._application~>A",
                 loupe_gnustep_filters.items, loupe_gnustep_filters.count);
    CHECK_EQ(cycles.knot_count, 1);
    close_picture();
}

static void test_standard_filters_hide_the_rings_of_uikit(void) {
    static const char *const pictures[] = {
        "V:MyView<UIView V._subviewCache->a a[0]->W W:UIView W._parent->V",
        "A:UIHeldAction A.m_target->T T._action->A",
        "T:UITouch T._view->V V._touch->T",
        "T:UITouch T._gestureRecognizers->V V._touch->T",
        "T:UITouch T._window->V V._touch->T",
        "T:UITouch T._warpedIntoView->V V._touch->T",
        "C:_UIViewControllerOneToOneTransitionContext C._toViewController->V V._context->C",
        "C:_UIViewControllerOneToOneTransitionContext C._fromViewController->V V._context->C",
        "G:UITap<UIGestureRecognizer G._gestureEnvironment->E E._recognizer->G",
    };
    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
        open_picture(pictures[i], loupe_apple_filters.items, loupe_apple_filters.count);
        uint64_t hidden = 0;
        for (uint32_t j = 0; j < loupe_apple_filters.count; j++)
            hidden += cycles.hidden[j];
        CHECK_EQ(hidden, 1);
        CHECK_EQ(cycles.knot_count, 0);
        close_picture();
    }
}

/* ---- Filters of a question ---- */

static struct loupe_filter *filters;
static uint32_t filter_count;

static void join_filters(const char *arguments, const struct loupe_abi *abi) {
    struct loupe_request request;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_request_decode(arguments, &arena, &request, NULL), LOUPE_OK);
    CHECK_EQ(loupe_filters_join(&request, *abi->filters, &arena, &filters, &filter_count),
             LOUPE_OK);
}

static void test_filters_of_a_project_come_before_the_standard_ones(void) {
    join_filters("filter A b * why;filter * * C w", &loupe_abi_apple);
    CHECK_EQ(filter_count, 2 + loupe_apple_filters.count);
    CHECK_STR(filters[0].source, "A");
    CHECK_STR(filters[1].target, "C");
    CHECK_STR(filters[2].source, loupe_apple_filters.items[0].source);
    loupe_arena_deinit(&arena);
}

static void test_knowledge_is_what_filters_say_of_owning_nothing(void) {
    join_filters("filter A b * why", &loupe_abi_gcc);
    uint32_t count = loupe_filters_keep_knowledge(filters, filter_count);
    CHECK(count > 0 && count < filter_count);
    for (uint32_t i = 0; i < count; i++)
        CHECK(filters[i].owns_nothing);
    loupe_arena_deinit(&arena);
}

static void test_reason_of_a_ruled_out_reference(void) {
    open_picture("B:NSBox B._content_view~>V B._cell~>C B._view->V", loupe_gnustep_filters.items,
                 loupe_gnustep_filters.count);
    struct loupe_graph *graph = &drawn.graph;
    CHECK_EQ(loupe_graph_edge_facts(graph, 0)->ownership, LOUPE_DISOWNED);
    CHECK_STR(loupe_filters_reason(graph, &drawn.describer, loupe_gnustep_filters.items,
                                   loupe_gnustep_filters.count, 0, 0),
              "a second name of what its list of subviews retains");
    CHECK(loupe_filters_reason(graph, &drawn.describer, loupe_gnustep_filters.items,
                               loupe_gnustep_filters.count, 0, 1) == NULL);
    close_picture();
}

static void test_standard_filters_can_be_left_out(void) {
    join_filters("no-filters", &loupe_abi_apple);
    CHECK_EQ(filter_count, 0);
    loupe_arena_deinit(&arena);
    join_filters("filter A b * why;no-filters", &loupe_abi_apple);
    CHECK_EQ(filter_count, 1);
    loupe_arena_deinit(&arena);
}

static void test_without_arguments_there_are_the_standard_filters(void) {
    join_filters(NULL, &loupe_abi_apple);
    CHECK_EQ(filter_count, loupe_apple_filters.count);
    loupe_arena_deinit(&arena);
}

/* As many as a project may come to have: more than a byte can number. */
static void test_filter_behind_a_thousand_others_counts(void) {
    enum { FILTERS = 1000 };
    static struct loupe_filter many[FILTERS];
    for (unsigned i = 0; i < FILTERS; i++)
        many[i] = (struct loupe_filter){.source = "A", .path = "x"};
    many[FILTERS - 1].path = "b";
    open_picture("A.b->B B.a->A", many, FILTERS);
    CHECK_EQ(cycles.hidden[FILTERS - 1], 1);
    CHECK_EQ(cycles.hidden[0], 0);
    CHECK_EQ(cycles.knot_count, 0);
    CHECK_EQ(drawn.labels, 1);
    close_picture();
}

int main(void) {
    RUN(test_classes_are_compared_once);
    RUN(test_no_filter_hides_nothing);
    RUN(test_only_ivar_of_a_ring);
    RUN(test_one_of_two_ivars_leaves_the_ring);
    RUN(test_both_ivars_of_two);
    RUN(test_first_of_two_filters_that_match_counts);
    RUN(test_instance_of_a_subclass);
    RUN(test_same_path_of_another_class_is_not_hidden);
    RUN(test_target_class);
    RUN(test_any_source_by_path_of_a_capture);
    RUN(test_path_of_a_struct_member_is_matched_whole);
    RUN(test_edges_are_named_only_where_a_class_has_a_filter);
    RUN(test_filter_for_what_owns_nothing);
    RUN(test_every_filter_says_why);
    RUN(test_gnustep_filters_hide_delegates_and_ways_back);
    RUN(test_standard_filters_hide_the_rings_of_uikit);
    RUN(test_filters_of_a_project_come_before_the_standard_ones);
    RUN(test_knowledge_is_what_filters_say_of_owning_nothing);
    RUN(test_reason_of_a_ruled_out_reference);
    RUN(test_standard_filters_can_be_left_out);
    RUN(test_without_arguments_there_are_the_standard_filters);
    RUN(test_filter_behind_a_thousand_others_counts);
    return check_report();
}

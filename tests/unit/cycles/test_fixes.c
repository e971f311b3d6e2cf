/* Which reference to make weak: drawn cases for the order, random graphs for the truth of it. */
#include "graphs/brute_force.h"
#include "check.h"
#include "cycles/cycles.h"

static struct drawn_graph drawn;
static struct loupe_arena arena;
static struct loupe_cycles cycles;
static uint32_t seed; /* the first node, if nothing else is said */

static void open_drawing(uint32_t max_rings) {
    struct loupe_cycles_options options = {.max_rings = max_rings, .seed = seed};
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
}

static void open_picture(const char *picture, uint32_t max_rings) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    open_drawing(max_rings);
}

static void close_drawing(void) {
    loupe_arena_deinit(&arena);
    drawn_graph_unbuild(&drawn);
}

static void close_picture(void) {
    close_drawing();
    drawn_graph_deinit(&drawn);
}

/* The fixes of the first knot, one a line: "knot A.b->B: a block captures self". */
static const char *fixes_text(void) {
    static char text[8192];
    size_t length = 0;
    text[0] = '\0';
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct loupe_fix *fix = &fixes->items[i];
        length += loupe_format(text + length, sizeof(text) - length, "%s%s %s", i ? "\n" : "",
                               fix->breaks_knot ? "knot" : "ring",
                               drawn_graph_edge(&drawn, fix->from, fix->edge));
        for (uint32_t j = 0; j < fix->parallel_count && j < LOUPE_MAX_FIX_PARALLELS; j++)
            length += loupe_format(text + length, sizeof(text) - length, " and %s",
                                   drawn_graph_edge(&drawn, fix->from, fix->parallels[j]));
        length += loupe_format(text + length, sizeof(text) - length, ": %s", fix->reason);
    }
    return text;
}

static void check_fixes(const char *picture, const char *want) {
    open_picture(picture, 1);
    CHECK_EQ(cycles.knot_count, 1);
    CHECK_STR(fixes_text(), want);
    close_picture();
}

enum against { ONLY_HOLDER, IMPRACTICABLE, DOUBTFUL, FREES_AT_ONCE };

/* Whether the fix of the first knot that is this edge has this against it, and no other has. */
static bool is_listed_as(const char *picture, const char *edge, enum against against) {
    bool found = false, others = false;
    open_picture(picture, 1);
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct loupe_fix *fix = &fixes->items[i];
        const bool has[] = {[ONLY_HOLDER] = fix->only_holder,
                            [IMPRACTICABLE] = !fix->practicable,
                            [DOUBTFUL] = fix->doubtful,
                            [FREES_AT_ONCE] = fix->frees_at_once};
        bool is = has[against];
        bool same = strcmp(drawn_graph_edge(&drawn, fix->from, fix->edge), edge) == 0;
        found |= is && same;
        others |= is && !same;
    }
    close_picture();
    return found && !others;
}

static void test_capture_of_self_comes_first(void) {
    check_fixes("A._handler->b b{self}->A", "knot b{self}->A: a block captures self\n"
                                            "knot A._handler->b: part of the cycle");
}

static void test_capture_without_a_name_is_known_by_its_owner(void) {
    check_fixes("A._handler->b b{x}->A", "knot b{x}->A: a block captures its owner\n"
                                         "knot A._handler->b: part of the cycle");
}

static void test_capture_on_a_longer_ring(void) {
    check_fixes("A._handler->b b{x}->C C._a->A", "knot b{x}->C: a block captures it\n"
                                                 "knot C._a->A: part of the cycle\n"
                                                 "knot A._handler->b: part of the cycle");
}

/* The inner block holds self on purpose; the outer one holds the inner block to call it. */
static void test_capture_of_an_object_comes_before_that_of_a_block(void) {
    check_fixes("A._handler->b b{next}->c c{x}->A", "knot c{x}->A: a block captures it\n"
                                                    "knot b{next}->c: a block captures another\n"
                                                    "knot A._handler->b: part of the cycle");
    check_fixes("A._timer->T T!->b b{x}->A T:NSTimer",
                "knot b{x}->A: a block captures it\n"
                "knot T!->b: a timer or action retains its target\n"
                "knot A._timer->T: part of the cycle");
    check_fixes("A._timer->T T!->U U._block->b b{x}->A T:NSTimer U:_NSTimerBlockTarget",
                "knot b{x}->A: a block captures it\n"
                "knot T!->U: a timer or action retains its target\n"
                "knot A._timer->T: part of the cycle\n"
                "knot U._block->b: part of the cycle");
}

/* Each action is a ring of its own; what an undo manager consists of is nobody's to change. */
static void test_undo_manager_with_two_actions(void) {
    static const char picture[] =
        "D._undo->U U._stack->L L[0]->A A._calls->K K[0]->I I[1]->D L[1]->B B._calls->M M[0]->J "
        "J[1]->D U:NSUndoManager L:NSMutableArray A:PrivateUndoGroup B:PrivateUndoGroup "
        "K:NSMutableArray M:NSMutableArray I:GSFFIInvocation J:GSFFIInvocation";
    open_picture(picture, 2);
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    CHECK_STR(drawn_graph_edge(&drawn, fixes->items[0].from, fixes->items[0].edge), "D._undo->U");
    CHECK(fixes->items[0].breaks_knot && fixes->items[0].practicable && fixes->items[0].mistake);
    for (uint32_t i = 1; i < fixes->count; i++)
        CHECK(!fixes->items[i].practicable);
    close_picture();
}

/* Loops that one change breaks are shown once, so that those are seen that are left. */
static void test_changes_that_are_needed_together(void) {
    struct loupe_cycles_options options = {.max_rings = 1, .max_rings_left = 5};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn,
                     "D.info->M M=>D D.layers->B B[0]->L L.doc->D L.shapes->A A[0]->S A[1]->T "
                     "A[2]->U A[3]->V S.layer->L T.layer->L U.layer->L V.layer->L A:NSMutableArray "
                     "B:NSMutableArray M:NSMutableDictionary S:Shape T:Shape U:Shape V:Shape");
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    const struct loupe_knot_facts *knot = &cycles.knots[0];
    uint32_t together = 0;
    for (uint32_t i = 0; i < knot->fixes.count; i++)
        together += knot->fixes.items[i].together;
    CHECK_EQ(together, 3);
    CHECK_EQ(knot->rings.count, 3);
    CHECK(knot->fixes.together_are_enough && !knot->rings.all);
    close_picture();
}

static void test_block_variable_that_holds_the_owner(void) {
    check_fixes("A._handler->b b{x}->v v&y->A", "knot v&y->A: a block captures its owner\n"
                                                "knot b{x}->v: a block keeps its __block variable\n"
                                                "knot A._handler->b: part of the cycle");
    check_fixes("A._handler->b b{x}->v v&y->C C._a->A",
                "knot v&y->C: a block captures it\n"
                "knot C._a->A: part of the cycle\n"
                "knot b{x}->v: a block keeps its __block variable\n"
                "knot A._handler->b: part of the cycle");
}

static void test_names_of_back_references_come_before_others(void) {
    check_fixes("A._table->T T._tableDelegate->A",
                "knot T._tableDelegate->A: _tableDelegate is named like a reference back\n"
                "knot A._table->T: part of the cycle");
    check_fixes("A._kids->T T.parent->A",
                "knot T.parent->A: parent is named like a reference back\n"
                "knot A._kids->T: part of the cycle");
    check_fixes("A._x->T T.st.dataSource->A",
                "knot T.st.dataSource->A: dataSource is named like a reference back\n"
                "knot A._x->T: part of the cycle");
}

static void test_names_that_only_contain_the_letters_do_not(void) {
    check_fixes("A._downer->T T._targeted->U U._x->A", "knot U._x->A: part of the cycle\n"
                                                       "knot A._downer->T: part of the cycle\n"
                                                       "knot T._targeted->U: part of the cycle");
}

static void test_way_back_along_a_list(void) {
    check_fixes("A.next->B B.prev->A", "knot B.prev->A: prev is named like a reference back\n"
                                       "knot A.next->B: part of the cycle");
    check_fixes("A._next->B B._previousNode->A",
                "knot B._previousNode->A: _previousNode is named like a reference back\n"
                "knot A._next->B: part of the cycle");
    check_fixes("A._preview->B B._previously->C C._x->A",
                "knot C._x->A: part of the cycle\n"
                "knot A._preview->B: part of the cycle\n"
                "knot B._previously->C: part of the cycle");
}

static void test_timer_target(void) {
    check_fixes("A._timer->T T!->A", "knot T!->A: a timer or action retains its target\n"
                                     "knot A._timer->T: part of the cycle");
    check_fixes("A._timer->T T!->U U._block->b b{x}->A T:NSTimer U:_NSTimerBlockTarget",
                "knot b{x}->A: a block captures it\n"
                "knot T!->U: a timer or action retains its target\n"
                "knot A._timer->T: part of the cycle\n"
                "knot U._block->b: part of the cycle");
}

static void test_what_breaks_the_knot_comes_before_what_breaks_a_ring(void) {
    check_fixes("A._b->B B._back->A B._c->C C._a->A", "knot A._b->B: part of the cycle\n"
                                                      "ring B._back->A: part of the cycle");
    check_fixes("A._b->B B.delegate->A B.target->C C.parent->A A._d->B",
                "ring B.delegate->A: delegate is named like a reference back\n"
                "knot A._b->B and A._d->B: part of the cycle");
}

static void test_what_is_known_to_be_a_mistake_comes_before_what_breaks_the_knot(void) {
    check_fixes("A._b->B B.delegate->A B._c->C C._a->A",
                "ring B.delegate->A: delegate is named like a reference back\n"
                "knot A._b->B: part of the cycle");
}

static void test_what_is_below_is_not_named_like_a_reference_back(void) {
    check_fixes("P._childCoordinator->C C._parentCoordinator->P",
                "knot C._parentCoordinator->P: _parentCoordinator is named like a reference back\n"
                "knot P._childCoordinator->C: part of the cycle");
}

static void test_way_back_of_what_is_associated(void) {
    check_fixes("A@decoration->D D._host->A",
                "knot D._host->A: an associated object keeps what it is associated with\n"
                "knot A@decoration->D: part of the cycle");
}

static void test_two_rings_that_share_only_an_object_have_no_common_fix(void) {
    check_fixes("A._b->B B._a->A A._c->C C._a->A", "ring B._a->A: part of the cycle\n"
                                                   "ring A._b->B: part of the cycle");
}

static void test_parallel_references_must_go_together(void) {
    check_fixes("A._x->B A._y->B B._a->A", "knot B._a->A: part of the cycle\n"
                                           "knot A._x->B and A._y->B: part of the cycle");
}

/* ---- What speaks against a reference ---- */

static void test_way_down_would_be_lost_at_once(void) {
    check_fixes("A._kids->T T._folder->A", "knot T._folder->A: part of the cycle\n"
                                           "knot A._kids->T: part of the cycle");
    CHECK(is_listed_as("A._kids->T T._folder->A", "A._kids->T", ONLY_HOLDER));
}

static void test_collections_and_their_members_stay(void) {
    check_fixes("A._list->L L[0]->B B._a->A L:NSMutableArray",
                "knot B._a->A: an item keeps "
                "the owner of its collection\n"
                "knot L[0]->B: part of the cycle\n"
                "knot A._list->L: part of the cycle");
}

/* What an item has leads back: the list is not the mistake, whatever the reference is called. */
static void test_what_an_item_has_keeps_the_owner_of_the_list(void) {
    check_fixes("A._list->L L[0]->B B._menu->M M._page->A L:NSMutableArray",
                "knot M._page->A: an item keeps the owner of its collection\n"
                "knot L[0]->B: part of the cycle\n"
                "knot B._menu->M: part of the cycle\n"
                "knot A._list->L: part of the cycle");
    check_fixes("A._observers->L L[0]->B B._menu->M M._page->A L:NSMutableArray",
                "knot L[0]->B: who observes it is not its own\n"
                "knot M._page->A: part of the cycle\n"
                "knot B._menu->M: part of the cycle\n"
                "knot A._observers->L: part of the cycle");
}

static void test_ivars_of_system_libraries_come_last(void) {
    check_fixes("A._op->O O._delegate->A O:NSOperation", "knot A._op->O: part of the cycle\n"
                                                         "knot O._delegate->A: _delegate is named "
                                                         "like a reference back");
    check_fixes("A._op->O O._delegate->A O:NSoperation",
                "knot O._delegate->A: _delegate is named like a reference back\n"
                "knot A._op->O: part of the cycle");
    CHECK(is_listed_as("A._op->O O._delegate->A O:NSOperation", "O._delegate->A", IMPRACTICABLE));
}

static void test_classes_of_the_program_are_not_taken_for_the_systems(void) {
    CHECK(is_listed_as("A._view->V V._owner->A V:UIView", "V._owner->A", IMPRACTICABLE));
    CHECK(is_listed_as("A._view->V V._owner->A V:_UIBarItem", "V._owner->A", IMPRACTICABLE));
    CHECK(!is_listed_as("A._view->V V._owner->A V:UIDGenerator", "V._owner->A", IMPRACTICABLE));
    CHECK(!is_listed_as("A._view->V V._owner->A V:AVLTree", "V._owner->A", IMPRACTICABLE));
    CHECK(!is_listed_as("A._view->V V._owner->A V:NSKVONotifying_Model", "V._owner->A",
                        IMPRACTICABLE));
    check_fixes("A._model->M M._a->A M:NSKVONotifying_Model",
                "knot M._a->A: part of the cycle\n"
                "knot A._model->M: part of the cycle");
}

/* A counts no retain, though a reference to it was found. */
static void test_assumed_reference_back_is_probably_none_if_counts_say_so(void) {
    check_fixes("A._kids~>K K._parent~>A K.me~>K A=0",
                "ring A._kids~>K: part of the cycle\n"
                "ring K._parent~>A: _parent is named like a reference back");
    CHECK(is_listed_as("A._kid~>B B._parent~>A A=0", "B._parent~>A", DOUBTFUL));
}

/* The feed's screens own their feed: all counts are explained, so that the name is the mistake. */
static void test_assumed_reference_back_is_the_mistake_if_counts_agree(void) {
    check_fixes("F._items~>L L[0]->S S._parent~>F L:NSMutableArray",
                "knot S._parent~>F: _parent is named like a reference back\n"
                "knot L[0]->S: part of the cycle\n"
                "knot F._items~>L: part of the cycle");
    check_fixes("C._view~>V V._delegate~>C C=2 V=2",
                "knot V._delegate~>C: _delegate is named like a reference back\n"
                "knot C._view~>V: part of the cycle");
    CHECK(!is_listed_as("A._kid~>B B._parent~>A", "B._parent~>A", DOUBTFUL));
}

/* ---- Known mistakes ---- */

/* What the shipped patterns (pictures/patterns.txt) say to change is the first fix. */
static const struct {
    const char *mistake, *picture, *first;
} mistakes[] = {
    {"timer-target", "A._timer->T T!->A T:NSTimer", "T!->A"},
    {"timer-block", "A._timer->T T!->b b{x}->A T:NSTimer", "b{x}->A"},
    {"proxy-target", "A._proxy->P P._real->A P:RemoteProxy", "P._real->A"},
    {"layer-delegate", "V._back->L L._delegate->V L:GridLayer", "L._delegate->V"},
    {"data-source", "S._grid->G G._dataSource->S", "G._dataSource->S"},
    {"delegate", "S._grid->G G._delegate->S", "G._delegate->S"},
    {"delegate, assumed", "S._grid~>G G._delegate~>S", "G._delegate~>S"},
    {"delegate, beside another ring", "S._grid->G G._delegate->S G._a->H H._b->G",
     "G._delegate->S"},
    {"cell-of-table", "T._cells->L L[0]->C C._table->T L:NSMutableArray C:PhotoCell",
     "C._table->T"},
    {"view-controller-of-view", "C._view->V V._controller->C C:PhotoController V:PhotoView",
     "V._controller->C"},
    {"view-controller-of-view, kept by another too",
     "C._view->V V._controller->C X._view->V C:PhotoController V:PhotoView", "V._controller->C"},
    {"coordinator", "P._child->C C._parentCoordinator->P C:LoginCoordinator",
     "C._parentCoordinator->P"},
    {"coordinator, of a router", "S._router->R R._screen->S R:LoginRouter", "R._screen->S"},
    {"view-model", "V._presenter->P P._view->V V:AlbumView P:AlbumPresenter", "P._view->V"},
    {"kvo-observer", "G._values->K K._observer->G K:KVOController", "K._observer->G"},
    {"associated-back-reference", "A@decoration->D D._host->A", "D._host->A"},
    {"thread-target", "I._thread->T T._target->I T:WorkThread", "T._target->I"},
    {"undo-manager", "D._undo->U U._actions->L L[0]->A A._target->D U:UndoStack L:NSMutableArray",
     "A._target->D"},
    {"undo-manager, a Foundation's",
     "D._undo->U U._actions->L L[0]->A A!->D U:NSUndoManager L:NSMutableArray A:GSFFIInvocation",
     "D._undo->U"},
    {"observers-in-collection", "D._wire->W W.observers->L L[0]->D L:NSMutableArray", "L[0]->D"},
    {"observers-never-removed", "M._observers->L L[0]->C C._model->M L:NSMutableArray", "L[0]->C"},
    {"linked-list-back", "A._next->B B._previous->A", "B._previous->A"},
    {"child-of-parent", "F._items->L L[0]->S S._parent->F L:NSMutableArray", "S._parent->F"},
    {"child-of-parent, in a box", "B._content->C C._enclosing->B", "C._enclosing->B"},
    {"watcher of a model", "V._meter->M M._watcher->V", "M._watcher->V"},
    {"listener of a model", "V._model->M M._listener->V", "M._listener->V"},
    {"completion-handler", "A._completion->b b{self}->A", "b{self}->A"},
    {"block-stored-by-self", "A._handler->b b{self}->A", "b{self}->A"},
    {"block-variable", "A._handler->b b{x}->v v&me->A", "v&me->A"},
    {"handlers-in-collection", "A._handlers->L L[0]->b b{self}->A L:NSMutableArray", "b{self}->A"},
};

static void check_first_fix(const char *picture, const char *first) {
    open_picture(picture, 1);
    const struct loupe_fix *fix = cycles.knots[0].fixes.items;
    CHECK_STR(drawn_graph_edge(&drawn, fix->from, fix->edge), first);
    CHECK(fix->mistake && fix->only_holder == fix->frees_at_once);
    close_picture();
}

/* Whoever is asked about, if anybody, and whoever else has something of it. */
static void test_what_a_known_mistake_names_is_the_first_fix(void) {
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        char held[256];
        check_current = mistakes[i].mistake;
        check_first_fix(mistakes[i].picture, mistakes[i].first);
        seed = LOUPE_NO_NODE;
        check_first_fix(mistakes[i].picture, mistakes[i].first);
        for (const char *name = mistakes[i].picture; name; name = strchr(name, ' ')) {
            name += *name == ' ';
            loupe_format(held, sizeof(held), "%s Q._q->%.*s", mistakes[i].picture, 1, name);
            check_first_fix(held, mistakes[i].first);
            loupe_format(held, sizeof(held), "%s %.*s=4", mistakes[i].picture, 1, name);
            check_first_fix(held, mistakes[i].first);
        }
        seed = 0;
    }
}

/* Whose owner is a tool: nothing else keeps that. */
static void test_tools_are_no_way_back(void) {
    check_fixes("S._holder->I I._container->L L[0]->S I:NSInvocation L:NSMutableArray",
                "knot L[0]->S: part of the cycle\n"
                "knot S._holder->I: an item keeps the owner of its collection\n"
                "knot I._container->L: _container is named like a "
                "reference back");
    check_fixes("S._parentList->L L[0]->S L:NSMutableArray",
                "knot L[0]->S: part of the cycle\n"
                "knot S._parentList->L: _parentList is named like a reference back");
}

static void test_items_that_keep_the_owner_of_their_collection(void) {
    const char *const pictures[] = {"F._all->L L[2]->A A._list->F L:NSMutableArray",
                                    "F._all->L L[2]->A A._list->F L:NSMutableArray Q._q->F",
                                    "F._all->L L=>A A._list->F L:NSMutableDictionary"};
    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
        check_first_fix(pictures[i], "A._list->F");
        seed = LOUPE_NO_NODE;
        check_first_fix(pictures[i], "A._list->F");
        seed = 0;
    }
}

/* ---- What something outside keeps ---- */

/* "A.x->B", "A.x->B kept by K" for each fix of the first knot. */
static void check_release(const char *picture, const char *want) {
    static char text[2048];
    size_t length = 0;
    open_picture(picture, 1);
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    text[0] = '\0';
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct loupe_fix *fix = &fixes->items[i];
        const char *frees = fix->frees == LOUPE_FREES       ? " frees"
                            : fix->frees == LOUPE_FREES_NOT ? ""
                                                            : " ?";
        length += loupe_format(text + length, sizeof(text) - length, "%s%s%s", i ? ", " : "",
                               drawn_graph_edge(&drawn, fix->from, fix->edge), frees);
        if (fix->kept_by != LOUPE_NO_NODE)
            length += loupe_format(text + length, sizeof(text) - length, " kept by %s",
                                   drawn.nodes[drawn_graph_drawn(&drawn, fix->kept_by)].name);
    }
    CHECK_STR(text, want);
    close_picture();
}

/* Who observes a model owns it: that is what it would lose. */
static void test_collections_of_observers_are_the_way_back(void) {
    seed = LOUPE_NO_NODE;
    check_release("M._observers->L L[0]->C C._model->M L:NSMutableArray C=2",
                  "L[0]->C ?, C._model->M ?, M._observers->L ?");
    check_release("M._all->L L[0]->C C._model->M L:NSMutableArray C=2",
                  "L[0]->C ?, C._model->M ?, M._all->L ?");
    check_release("M._observers->L L[0]->C C._model->M L:NSMutableArray",
                  "L[0]->C frees, C._model->M frees, M._observers->L frees");
    seed = 0;
}

/* Making _bus weak leaves bus, block and controller as they are: the bus is a singleton. */
static void test_way_back_to_what_is_kept_is_no_fix(void) {
    check_release("V._bus->B B._handler->b b{self}->V B=2",
                  "b{self}->V frees, B._handler->b frees, V._bus->B kept by B");
    check_release("V._bus->B B._handler->b b{self}->V B=!",
                  "b{self}->V frees, B._handler->b frees, V._bus->B kept by B");
}

static void test_object_asked_about_may_be_kept_by_who_asks(void) {
    check_release("V._bus->B B._handler->b b{self}->V V=2",
                  "b{self}->V frees, V._bus->B frees, B._handler->b frees");
}

/* It is the mistake all the same: to take away P's child would leave P, which is in use, without.
 */
static void test_reference_back_to_a_kept_parent_is_not_enough(void) {
    check_release("K._parent->P P._kid->K P=2", "K._parent->P kept by P, P._kid->K frees");
    check_release("K._p->P P._kid->K P=2", "P._kid->K frees, K._p->P kept by P");
}

static void test_two_that_are_kept_need_two_changes(void) {
    check_release("V._a->B V._b->C B._v->V C._v->V B=2 C=2",
                  "V._a->B kept by B, B._v->V kept by C");
}

/* One controller of many at a bus: its ring is not the only one, but it goes. */
static void test_ring_is_enough_where_others_are_not_in_the_way(void) {
    check_release("V._bus->B B.x->b b{self}->V B.y->c c{self}->W W._bus->B B=3",
                  "b{self}->V frees, B.x->b frees, V._bus->B kept by B");
}

/* A ring is left that leads to the seed, though nothing outside does. */
static void test_ring_that_is_left_keeps_too(void) {
    check_release("V._a->A A._v->V V._b->B B._v->V A._k->K K._v->A K=2",
                  "A._v->V, V._a->A kept by K");
}

/* Nobody says that A should go while somebody has it, nor what goes: it is enough that no ring is
 * left. */
static void test_knot_beside_the_seed_should_go_with_its_holder(void) {
    check_release("S._a->A A._b->B B._a->A S=1", "B._a->A frees, A._b->B frees");
    check_release("S._a->A A._b->B B._a->A S=1 B=2", "B._a->A ?, A._b->B ?");
    check_release("S._a->A A._b->b b{self}->V V._a->A S=1 A=4",
                  "b{self}->V ?, V._a->A ?, A._b->b ?");
    open_picture("S._a->A A._b->B B._a->A A._c->C C._a->A S=1 B=3", 1);
    CHECK(!loupe_fix_is_enough(&cycles.knots[0].fixes.items[0], false)); /* one ring of two */
    close_picture();
    open_picture("S._a->A A._b->B B._a->A S=1 B=2", 1);
    CHECK(loupe_fix_is_enough(&cycles.knots[0].fixes.items[0], false));
    CHECK(!loupe_fix_is_enough(&cycles.knots[0].fixes.items[0], true));
    close_picture();
}

/* Somebody outside has A, and would use a B that is gone: Back._a is the one, whatever its name. */
static void test_owner_keeps_its_child(void) {
    static const char *const in_use[] = {"A._b->B B._a->A A=2", "X._x->A A._b->B B._a->A"};
    static const char *const wanted[] = {"B._a->A ?, A._b->B ?", "B._a->A frees, A._b->B frees"};
    for (size_t i = 0; i < sizeof(in_use) / sizeof(*in_use); i++) {
        seed = LOUPE_NO_NODE;
        check_release(in_use[i], wanted[i]);
        CHECK(is_listed_as(in_use[i], "A._b->B", FREES_AT_ONCE));
        seed = 0;
    }
    CHECK(!is_listed_as("A._b->B B._a->A", "A._b->B", FREES_AT_ONCE));
    seed = LOUPE_NO_NODE; /* that both rings go at once is no reason */
    check_release("A._b->B B._a->A B._c->C C._a->A A=3", "B._a->A ?, A._b->B ?");
    seed = 0;
}

static void test_unknown_count_keeps_nothing_for_certain(void) {
    check_release("V._bus->B B._handler->b b{self}->V B=?",
                  "b{self}->V frees, V._bus->B frees, B._handler->b frees");
}

/* "A.x->B everywhere" for the fixes that break the knot when the ivar is weak in all instances. */
static void check_everywhere(const char *picture, const char *want) {
    static char text[2048];
    size_t length = 0;
    open_picture(picture, 1);
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    text[0] = '\0';
    for (uint32_t i = 0; i < fixes->count; i++) {
        const struct loupe_fix *fix = &fixes->items[i];
        length += loupe_format(text + length, sizeof(text) - length, "%s%s %s", i ? ", " : "",
                               drawn_graph_edge(&drawn, fix->from, fix->edge),
                               !fix->tried_everywhere   ? "-"
                               : fix->breaks_everywhere ? "knot"
                                                        : "ring");
    }
    CHECK_STR(text, want);
    close_picture();
}

/* No single reference of a tree with parent pointers breaks the knot, but one ivar does. */
static void test_ivar_that_is_one_too_many_in_a_tree(void) {
    check_everywhere("r:Root a:N b:N c:N r._top->a a._up->r b._up->a c._up->a a._left->b "
                     "a._right->c",
                     "a._up->r knot, r._top->a ring");
}

static void test_ivars_of_other_classes_are_others(void) {
    check_everywhere("r:Root a:N b:M r._top->a a._up->r b._up->a a._left->b",
                     "r._top->a ring, a._up->r ring");
}

/* Who lets one observer take itself out lets all of its class. */
static void test_observers_of_a_class_are_removed_alike(void) {
    check_everywhere(
        "R._listeners->L L[0]->a L[1]->b a._radio->R b._radio->R L:NSMutableArray a:Tug b:Tug",
        "L[0]->a knot, a._radio->R knot, R._listeners->L knot");
    check_everywhere(
        "R._listeners->L L[0]->a L[1]->b a._radio->R b._radio->R L:NSMutableArray a:Tug b:Ferry",
        "L[0]->a ring, a._radio->R ring, R._listeners->L knot");
    check_everywhere(
        "H._berths->L L[0]->a L[1]->b a._dock->H b._dock->H L:NSMutableArray a:Berth b:Berth",
        "a._dock->H knot, L[0]->a -, H._berths->L knot");
}

static void test_captures_are_not_the_same_in_all_blocks(void) {
    check_everywhere("A._x->b A._y->c b{self}->A c{self}->A", "b{self}->A -, A._x->b ring");
}

static void test_single_fix_is_one_everywhere(void) {
    check_everywhere("A._b->B B._a->A", "B._a->A knot, A._b->B knot");
}

static void test_one_of_two_parallel_ivars_is_none_everywhere(void) {
    check_everywhere("A._x->B A._y->B B._a->A", "B._a->A knot, A._x->B ring");
}

static void test_reference_to_itself(void) {
    check_fixes("A._me->A", "knot A._me->A: part of the cycle");
}

static void test_fixes_of_every_ring_that_is_shown(void) {
    open_picture("A._b->B B._a->A A._c->C C._a->A", 5);
    CHECK_STR(fixes_text(), "ring B._a->A: part of the cycle\n"
                            "ring C._a->A: part of the cycle\n"
                            "ring A._b->B: part of the cycle\n"
                            "ring A._c->C: part of the cycle");
    CHECK_EQ(cycles.knots[0].fixes.left_out, 0);
    close_picture();
}

static void test_more_fixes_than_are_listed_are_counted(void) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < 300; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < 300; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % 300, LOUPE_EDGE_IVAR, LOUPE_STRONG, "_next");
    open_drawing(1);
    CHECK_EQ(cycles.knots[0].fixes.count, LOUPE_MAX_FIXES);
    CHECK_EQ(cycles.knots[0].fixes.left_out, 300 - LOUPE_MAX_FIXES);
    close_picture();
}

/* What there is no time to try stands between what is enough and what is not. */
static void test_release_of_a_large_knot_is_tried_as_far_as_there_is_time(void) {
    enum { NODES = 40, PARALLEL = 30000 };
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < NODES; i++)
        drawn_graph_add_node(&drawn, "n", "Node");
    for (uint32_t i = 0; i < NODES; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % NODES, LOUPE_EDGE_ASSOCIATION, LOUPE_STRONG, "k");
    for (uint32_t i = 0; i < PARALLEL; i++)
        drawn_graph_add_edge(&drawn, 0, 1, LOUPE_EDGE_ELEMENT, LOUPE_STRONG, "[0]");
    drawn.nodes[NODES / 2].retain_count = 2;
    open_drawing(1);
    const struct loupe_fixes *fixes = &cycles.knots[0].fixes;
    unsigned untried = 0;
    for (uint32_t i = 0; i < fixes->count; i++) {
        untried += fixes->items[i].frees == LOUPE_FREES_UNKNOWN;
        if (i && fixes->items[i].frees == LOUPE_FREES)
            CHECK_EQ(fixes->items[i - 1].frees, LOUPE_FREES);
        if (i && fixes->items[i - 1].frees == LOUPE_FREES_NOT)
            CHECK_EQ(fixes->items[i].frees, LOUPE_FREES_NOT);
    }
    CHECK(untried > 0 && untried < fixes->count);
    close_picture();
}

/* ---- Random graphs ---- */

static struct brute_force brute;

/* One that goes before what it breaks. */
static bool has_grave_objection(const struct loupe_fix *fix) {
    const struct loupe_edge_facts *facts = loupe_graph_edge_facts(&drawn.graph, fix->edge);
    uint32_t to = loupe_graph_target(&drawn.graph, fix->edge);
    return !fix->practicable || fix->doubtful || fix->frees_at_once ||
           (facts->kind == LOUPE_EDGE_IVAR &&
            loupe_node_kind(loupe_graph_node(&drawn.graph, to)) == LOUPE_NODE_BLOCK);
}

/* Every fix does what it says, and no hop that dissolves the knot is missing. */
static void check_knot(const struct loupe_knot_facts *knot, uint32_t name) {
    bool fixed[BRUTE_NODES][BRUTE_NODES] = {{false}};
    bool broke_all = true, was_mistake = true;
    for (uint32_t i = 0; i < knot->fixes.count; i++) {
        const struct loupe_fix *fix = &knot->fixes.items[i];
        uint32_t from = drawn_graph_drawn(&drawn, fix->from);
        uint32_t to = drawn_graph_drawn(&drawn, loupe_graph_target(&drawn.graph, fix->edge));
        CHECK_EQ(fix->breaks_knot, !brute_has_ring_without(&brute, name, from, to));
        CHECK_EQ(fix->parallel_count, brute.edge[from][to] - 1);
        CHECK(!fixed[from][to]);
        fixed[from][to] = true;
        if (has_grave_objection(fix))
            continue;
        bool breaks_all = fix->breaks_knot || fix->breaks_everywhere;
        CHECK(was_mistake || !fix->mistake);
        CHECK(broke_all || !breaks_all || was_mistake != fix->mistake);
        was_mistake = fix->mistake;
        broke_all = breaks_all;
    }
    for (uint32_t from = 0; from < brute.nodes; from++) {
        for (uint32_t to = 0; to < brute.nodes; to++) {
            if (brute.edge[from][to] && brute.knot_of[from] == name && brute.knot_of[to] == name)
                CHECK(fixed[from][to] || brute_has_ring_without(&brute, name, from, to));
        }
    }
}

/* What is left of the drawing when the ivar is gone from all instances. */
static const struct brute_force *without_ivar(const struct loupe_fix *fix) {
    static struct brute_force without;
    const struct loupe_edge_facts *weak = loupe_graph_edge_facts(&drawn.graph, fix->edge);
    const char *class_name = drawn.nodes[drawn_graph_drawn(&drawn, fix->from)].class_name;
    without = brute;
    for (uint32_t i = 0; i < drawn.edge_count; i++) {
        const struct drawn_edge *edge = &drawn.edges[i];
        if (brute.reached[edge->from] && edge->kind == LOUPE_EDGE_IVAR &&
            edge->offset == weak->offset && strcmp(edge->path, drawn.texts[weak->detail]) == 0 &&
            strcmp(drawn.nodes[edge->from].class_name, class_name) == 0)
            without.edge[edge->from][edge->to]--;
    }
    return &without;
}

static bool has_ring_without_ivar(uint32_t name, const struct loupe_fix *fix) {
    return brute_has_ring_without(without_ivar(fix), name, LOUPE_NO_NODE, LOUPE_NO_NODE);
}

static void check_everywhere_against_oracle(const struct loupe_knot_facts *knot, uint32_t name) {
    for (uint32_t i = 0; i < knot->fixes.count; i++) {
        const struct loupe_fix *fix = &knot->fixes.items[i];
        bool ivar = loupe_graph_edge_facts(&drawn.graph, fix->edge)->kind == LOUPE_EDGE_IVAR;
        CHECK_EQ(fix->tried_everywhere, ivar);
        if (ivar)
            CHECK_EQ(fix->breaks_everywhere, !has_ring_without_ivar(name, fix));
    }
}

/* ---- What stays, by transitive closure ---- */

struct brute_release {
    bool goal[BRUTE_NODES], anchor[BRUTE_NODES];
    bool anchored;
};

static struct brute_release brute_release_of(uint32_t name) {
    struct brute_release release = {.anchored = false};
    bool entered = false;
    for (uint32_t to = 0; to < brute.nodes; to++) {
        uint32_t found = 0, outside = 0;
        if (brute.knot_of[to] != name)
            continue;
        for (uint32_t from = 0; from < brute.nodes; from++) {
            found += brute.edge[from][to];
            outside += brute.knot_of[from] == name ? 0 : brute.edge[from][to];
        }
        int64_t retains = drawn.nodes[to].retain_count;
        if (retains == DRAWN_COUNT_REFERENCES)
            retains = drawn.nodes[to].references;
        release.anchor[to] = to != 0 && retains > found;
        release.goal[to] = brute.knot_of[0] == name ? to == 0 : outside && !release.anchor[to];
        release.anchored |= release.anchor[to];
        entered |= release.goal[to];
    }
    for (uint32_t i = 0; !entered && i < brute.nodes; i++)
        release.goal[i] = brute.knot_of[i] == name && !release.anchor[i];
    return release;
}

/* Nodes of the knot that lead to the node once the fix is made; that includes it if it is on a
 * ring.
 */
static void mark_leading(const struct loupe_fix *fix, uint32_t name, bool leads[][BRUTE_NODES]) {
    const struct brute_force *left = fix->tried_everywhere ? without_ivar(fix) : &brute;
    uint32_t cut_from = drawn_graph_drawn(&drawn, fix->from);
    uint32_t cut_to = drawn_graph_drawn(&drawn, loupe_graph_target(&drawn.graph, fix->edge));
    for (uint32_t i = 0; i < brute.nodes; i++) {
        for (uint32_t j = 0; j < brute.nodes; j++)
            leads[i][j] = left->edge[i][j] && brute.knot_of[i] == name &&
                          brute.knot_of[j] == name && !(i == cut_from && j == cut_to);
    }
    for (uint32_t k = 0; k < brute.nodes; k++) {
        for (uint32_t i = 0; i < brute.nodes; i++) {
            for (uint32_t j = 0; j < brute.nodes; j++)
                leads[i][j] |= leads[i][k] && leads[k][j];
        }
    }
}

static void check_release_against_oracle(const struct loupe_fix *fix, uint32_t name) {
    bool leads[BRUTE_NODES][BRUTE_NODES], gone = false, anchor_leads = false, named = false;
    bool has_goals = false;
    struct brute_release release = brute_release_of(name);
    if (release.anchored && brute.knot_of[0] != name) { /* nobody is asked about */
        CHECK_EQ(fix->frees, LOUPE_FREES_UNKNOWN);
        CHECK_EQ(fix->kept_by, LOUPE_NO_NODE);
        return;
    }
    mark_leading(fix, name, leads);
    for (uint32_t goal = 0; goal < brute.nodes; goal++) {
        bool goes = release.goal[goal];
        has_goals |= goes;
        for (uint32_t i = 0; release.goal[goal] && i < brute.nodes; i++) {
            bool reaches = leads[i][goal];
            goes &= !(reaches && (release.anchor[i] || leads[i][i]));
            anchor_leads |= reaches && release.anchor[i];
            named |= reaches && release.anchor[i] && fix->kept_by != LOUPE_NO_NODE &&
                     drawn_graph_drawn(&drawn, fix->kept_by) == i;
        }
        gone |= goes;
    }
    if (has_goals)
        CHECK_EQ(named, anchor_leads && !gone);
    else
        CHECK(fix->kept_by != LOUPE_NO_NODE);
    if (release.anchored)
        CHECK_EQ(fix->frees, gone ? LOUPE_FREES : LOUPE_FREES_NOT);
    else if (fix->frees != LOUPE_FREES_UNKNOWN)
        CHECK(gone);
}

static void test_random_fixes_free_what_they_say(void) {
    uint64_t random = 16;
    unsigned outcomes[3] = {0}, kept = 0;
    for (unsigned round = 0; round < 2000; round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, round % 2 ? 6 : 14);
        brute_force(&drawn, &brute);
        for (uint32_t i = 0; i < drawn.node_count; i++) {
            if (drawn_random(&random) % 5 == 0)
                drawn.nodes[i].retain_count = drawn.nodes[i].references + 1;
        }
        open_drawing(1 + round % 3);
        for (uint32_t i = 0; i < cycles.knot_count; i++) {
            const struct loupe_knot_facts *knot = &cycles.knots[i];
            uint32_t member = loupe_ring_from(&drawn.graph, &knot->rings.items[0], 0);
            for (uint32_t j = 0; j < knot->fixes.count; j++) {
                const struct loupe_fix *fix = &knot->fixes.items[j];
                check_release_against_oracle(fix, brute.knot_of[drawn_graph_drawn(&drawn, member)]);
                outcomes[fix->frees]++;
                kept += fix->kept_by != LOUPE_NO_NODE;
            }
        }
        close_picture();
    }
    CHECK(outcomes[0] > 500 && outcomes[1] > 500 && outcomes[2] > 500 && kept > 500);
}

static void test_random_fixes_break_what_they_say(void) {
    uint64_t random = 6;
    unsigned knots_fixed = 0, knots_not_fixed = 0;
    for (unsigned round = 0; round < 3000; round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, round % 2 ? 6 : 16);
        brute_force(&drawn, &brute);
        open_drawing(1 + round % 3);
        for (uint32_t i = 0; i < cycles.knot_count; i++) {
            const struct loupe_knot_facts *knot = &cycles.knots[i];
            uint32_t member = loupe_ring_from(&drawn.graph, &knot->rings.items[0], 0);
            uint32_t name = brute.knot_of[drawn_graph_drawn(&drawn, member)];
            check_knot(knot, name);
            check_everywhere_against_oracle(knot, name);
            bool fixed = knot->fixes.items[0].breaks_knot;
            knots_fixed += fixed;
            knots_not_fixed += !fixed;
        }
        close_picture();
    }
    CHECK(knots_fixed > 500 && knots_not_fixed > 500);
}

static void test_order_of_edges_does_not_change_the_fixes(void) {
    static char before[8192];
    uint64_t random = 7;
    for (unsigned round = 0; round < 1000; round++) {
        drawn_graph_init(&drawn);
        brute_draw(&drawn, &random, 10);
        open_drawing(1);
        bool one = cycles.knot_count == 1;
        loupe_format(before, sizeof(before), "%s", one ? fixes_text() : "");
        close_drawing();
        brute_shuffle_edges(&drawn, &random);
        open_drawing(1);
        if (one)
            CHECK_STR(fixes_text(), before);
        close_picture();
    }
}

int main(void) {
    RUN(test_capture_of_self_comes_first);
    RUN(test_capture_without_a_name_is_known_by_its_owner);
    RUN(test_capture_on_a_longer_ring);
    RUN(test_capture_of_an_object_comes_before_that_of_a_block);
    RUN(test_undo_manager_with_two_actions);
    RUN(test_changes_that_are_needed_together);
    RUN(test_block_variable_that_holds_the_owner);
    RUN(test_names_of_back_references_come_before_others);
    RUN(test_names_that_only_contain_the_letters_do_not);
    RUN(test_way_back_along_a_list);
    RUN(test_timer_target);
    RUN(test_what_breaks_the_knot_comes_before_what_breaks_a_ring);
    RUN(test_what_is_known_to_be_a_mistake_comes_before_what_breaks_the_knot);
    RUN(test_what_is_below_is_not_named_like_a_reference_back);
    RUN(test_way_back_of_what_is_associated);
    RUN(test_owner_keeps_its_child);
    RUN(test_items_that_keep_the_owner_of_their_collection);
    RUN(test_collections_of_observers_are_the_way_back);
    RUN(test_tools_are_no_way_back);
    RUN(test_two_rings_that_share_only_an_object_have_no_common_fix);
    RUN(test_parallel_references_must_go_together);
    RUN(test_way_down_would_be_lost_at_once);
    RUN(test_collections_and_their_members_stay);
    RUN(test_what_an_item_has_keeps_the_owner_of_the_list);
    RUN(test_ivars_of_system_libraries_come_last);
    RUN(test_classes_of_the_program_are_not_taken_for_the_systems);
    RUN(test_assumed_reference_back_is_probably_none_if_counts_say_so);
    RUN(test_assumed_reference_back_is_the_mistake_if_counts_agree);
    RUN(test_what_a_known_mistake_names_is_the_first_fix);
    RUN(test_way_back_to_what_is_kept_is_no_fix);
    RUN(test_object_asked_about_may_be_kept_by_who_asks);
    RUN(test_reference_back_to_a_kept_parent_is_not_enough);
    RUN(test_two_that_are_kept_need_two_changes);
    RUN(test_ring_is_enough_where_others_are_not_in_the_way);
    RUN(test_ring_that_is_left_keeps_too);
    RUN(test_knot_beside_the_seed_should_go_with_its_holder);
    RUN(test_unknown_count_keeps_nothing_for_certain);
    RUN(test_ivar_that_is_one_too_many_in_a_tree);
    RUN(test_ivars_of_other_classes_are_others);
    RUN(test_observers_of_a_class_are_removed_alike);
    RUN(test_captures_are_not_the_same_in_all_blocks);
    RUN(test_single_fix_is_one_everywhere);
    RUN(test_one_of_two_parallel_ivars_is_none_everywhere);
    RUN(test_reference_to_itself);
    RUN(test_fixes_of_every_ring_that_is_shown);
    RUN(test_more_fixes_than_are_listed_are_counted);
    RUN(test_release_of_a_large_knot_is_tried_as_far_as_there_is_time);
    RUN(test_random_fixes_free_what_they_say);
    RUN(test_random_fixes_break_what_they_say);
    RUN(test_order_of_edges_does_not_change_the_fixes);
    return check_report();
}

/* What leaks in a heap that is drawn: which degree, which head, what it keeps, and what is no leak.
 */
#include "check.h"
#include "memory/drawn_native.h"
#include "memory/drawn_snapshot.h"
#include "leaks/leaks.h"
#include "snapshot/without_stacks.h"
#include "snapshot/rules/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct drawn_snapshot drawn;
static struct loupe_arena arena;
static struct loupe_leaks leaks;

static enum loupe_status find_with(const struct loupe_leaks_options *options,
                                   const struct loupe_chunk_ops *chunks) {
    loupe_arena_init(&arena, chunks);
    return loupe_leaks_find(&drawn.snapshot, options, chunks, &arena, &leaks);
}

static void open_picture(const char *picture) {
    struct loupe_leaks_options options = {0};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, picture);
    for (uint32_t i = 0; i < drawn.drawn.node_count; i++) {
        if (drawn.drawn.nodes[i].kind == LOUPE_NODE_BYREF)
            drawn.drawn.nodes[i].class_name = "__block variable"; /* as a walk calls it */
    }
    drawn_snapshot_build(&drawn, "apple");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
}

static void close_picture(void) {
    loupe_leaks_deinit(&leaks);
    loupe_arena_deinit(&arena);
    drawn_snapshot_deinit(&drawn);
}

/* The leak of a node; one with node LOUPE_NO_NODE when there is none. */
static struct loupe_leak leak_of(const char *name) {
    uint32_t node = drawn_snapshot_node(&drawn, name);
    for (uint32_t i = 0; i < leaks.count; i++) {
        if (leaks.items[i].node == node)
            return leaks.items[i];
    }
    return (struct loupe_leak){.node = LOUPE_NO_NODE};
}

static bool is_leak(const char *name) {
    return leak_of(name).node != LOUPE_NO_NODE;
}

static void test_what_a_root_leads_to_is_no_leak(void) {
    open_picture("global>A A.b->B B.c->C m*24 C?>m");
    CHECK_EQ(leaks.count, 0);
    CHECK_EQ(leaks.lost.objects, 0);
    close_picture();
}

static void test_a_lost_tree_is_one_leak_of_its_top(void) {
    open_picture("global>G A:Screen A=1 A.b->B A.c->C C.d->D A#100 D#40");
    CHECK_EQ(leaks.count, 1);
    struct loupe_leak leak = leak_of("A");
    CHECK(leak.is_leak_root && !leak.is_cycle);
    CHECK_EQ(leak.degree, LOUPE_DEGREE_LOST);
    CHECK_EQ(leak.kept.objects, 4);
    CHECK_EQ(leak.kept.bytes, 100 + 16 + 16 + 40);
    CHECK_EQ(leak.missing, 1);
    CHECK_EQ(leaks.lost.objects, 4);
    CHECK_EQ(leaks.lost.bytes, leak.kept.bytes);
    close_picture();
}

static void test_a_lost_ring_is_a_cycle_and_keeps_what_hangs_on_it(void) {
    open_picture("A.b->B B.a->A B.data->D A?>m m*1000");
    CHECK_EQ(leaks.count, 1);
    const struct loupe_leak *leak = &leaks.items[0];
    CHECK(leak->is_cycle && leak->is_leak_root);
    CHECK_EQ(leak->kept.objects, 4);
    CHECK_EQ(leak->kept.bytes, 3 * 16 + 1000);
    const struct loupe_knot_facts *knot = loupe_leak_knot(&leaks, leak);
    CHECK(knot != NULL);
    CHECK_EQ(knot->rings.items[0].length, 2);
    CHECK(knot->fixes.count > 0);
    CHECK_EQ(knot->verdict.kind, LOUPE_LEAKED);
    close_picture();
}

static void test_equal_leaks_are_one_entry(void) {
    open_picture("a:A a=1 a.x->x x:X  b:A b=1 b.x->y y:X  c:A c=1  e:E e=1");
    CHECK_EQ(leaks.count, 4);
    CHECK_EQ(leaks.group_count, 2);
    CHECK_EQ(leaks.groups[0].count, 3);
    CHECK_EQ(leaks.groups[0].kept.objects, 5);
    CHECK_EQ(leaks.groups[0].kept.bytes, 5 * 16);
    CHECK_EQ(leaks.groups[1].count, 1);
    close_picture();
}

/* Whether a stale word leads to one of them is luck. */
static void test_equal_leaks_are_one_entry_whatever_leads_to_some(void) {
    open_picture("a:A b:B a.b->b b.a->a  c:A d:B c.b->d d.a->c stack>c  e:A f:B e.b->f f.a->e");
    CHECK_EQ(leaks.count, 3);
    CHECK_EQ(leaks.group_count, 1);
    CHECK_EQ(leaks.groups[0].count, 3);
    CHECK_EQ(leaks.groups[0].unowned, 1);
    CHECK_EQ(leaks.items[leaks.groups[0].first].degree, LOUPE_DEGREE_LOST);
    struct loupe_leaks_totals totals = loupe_leaks_add_up(&leaks, NULL);
    CHECK_EQ(totals.lost.objects, 4);
    CHECK_EQ(totals.unowned.objects, 2);
    close_picture();
}

static void test_equal_rings_are_one_entry_with_rings_once(void) {
    open_picture("a:A b:B a.b->b b.a->a  c:A d:B c.b->d d.a->c  e:A f:B e.b->f f.a->e");
    CHECK_EQ(leaks.count, 3);
    CHECK_EQ(leaks.group_count, 1);
    CHECK_EQ(leaks.groups[0].count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct loupe_knot_facts *knot = loupe_leak_knot(&leaks, &leaks.items[i]);
        CHECK(knot && knot->rings.count == 1);
    }
    close_picture();
}

/* What a group keeps, NULL: what is shared: "2 A, 1 B". */
static const char *kept(const struct loupe_leak_group *group) {
    static char text[200];
    struct loupe_kept_classes classes;
    size_t length = 0;
    text[0] = '\0';
    CHECK_EQ(loupe_leaks_keep(&leaks, group, &arena, &classes), LOUPE_OK);
    for (uint32_t i = 0; i < classes.count; i++) {
        struct loupe_span name =
            loupe_snapshot_class_name(&drawn.snapshot, classes.items[i].class_number);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u %.*s", i ? ", " : "",
                                   classes.items[i].count, (int)name.length, name.bytes);
    }
    return text;
}

/* Memory is told by the objects that it keeps, however many they are. */
static void test_raw_memory_is_told_by_what_it_keeps(void) {
    open_picture("m*24 m?>n n*24 n?>a a:A a.b->b b:B n?>c c:A  o*24 o?>d d:A d.e->e e:B  p*24 "
                 "q*24 q?>r r*24  t*24 t?>f f:F");
    CHECK_EQ(leaks.group_count, 4);
    CHECK_EQ(leaks.groups[0].count, 2);
    CHECK_EQ(leaks.groups[0].kept.objects, 8);
    CHECK_STR(kept(&leaks.groups[0]), "3 A, 2 B");
    CHECK_STR(kept(&leaks.groups[1]), "1 F");
    CHECK_EQ(leaks.groups[2].kept.objects, 2); /* it leads to other memory that is lost */
    CHECK_EQ(leaks.groups[3].kept.objects, 1);
    CHECK_STR(kept(&leaks.groups[2]), "");
    CHECK_STR(kept(NULL), "");
    CHECK_EQ(leaks.shared.objects, 0);
    close_picture();
}

/* An object that leaks by itself has its own entry. */
static void test_what_leaks_below_memory_is_told_by_itself(void) {
    open_picture("A=2 A.b->B m*24 m?>A");
    CHECK_EQ(leaks.group_count, 2);
    for (uint32_t i = 0; i < leaks.group_count; i++)
        CHECK_STR(kept(&leaks.groups[i]), "");
    CHECK_EQ(leak_of("A").kept.objects, 2);
    CHECK_EQ(leak_of("A").kept.others, 0);
    CHECK_EQ(leak_of("m").kept.others, 1);
    CHECK_EQ(leaks.lost.others, 1);
    close_picture();
}

/* A word that was left in lost memory keeps nothing of a collection that is lost as well. */
static void test_storage_goes_with_its_collection(void) {
    open_picture("c:Array c=1 c?>s s:Storage s?>a a:A m*24 m?>s");
    CHECK_EQ(leaks.count, 2);
    CHECK_EQ(leak_of("c").kept.objects, 3);
    CHECK_EQ(leak_of("m").kept.objects, 1);
    CHECK_EQ(leaks.shared.objects, 0);
    close_picture();
}

/* Two that keep a third together: neither alone does. */
static void test_what_two_leaks_share_belongs_to_neither(void) {
    open_picture("A=1 B=1 A.c->C B.c->C");
    CHECK_EQ(leaks.count, 2);
    CHECK_EQ(leak_of("A").kept.objects, 1);
    CHECK_EQ(leak_of("B").kept.objects, 1);
    CHECK_EQ(leaks.lost.objects, 3);
    CHECK_EQ(leaks.shared.objects, 1);
    CHECK_EQ(leaks.shared.bytes, 16);
    CHECK_STR(kept(NULL), "1 C");
    close_picture();
}

static void test_raw_memory_is_followed(void) {
    open_picture("global>m m*64 m?>n n*32 n?>A A.b->B");
    CHECK_EQ(leaks.count, 0);
    close_picture();
    open_picture("m*64 m?>n n*32 n?>A A=1 A.b->B");
    CHECK_EQ(leaks.count, 1);
    CHECK(is_leak("m"));
    CHECK_EQ(leak_of("m").kept.objects, 4);
    close_picture();
}

/* Whatever their counts say of references that are only assumed to own. */
static void test_lost_knots_are_leaked_for_sure(void) {
    open_picture("A.b~>B B.a~>A A=3");
    CHECK_EQ(leaks.count, 1);
    CHECK_EQ(loupe_leak_knot(&leaks, &leaks.items[0])->verdict.kind, LOUPE_LEAKED);
    close_picture();
    open_picture("A.b~>B B.a~>A A=!");
    CHECK_EQ(loupe_leak_knot(&leaks, &leaks.items[0])->verdict.kind, LOUPE_UNCLEAR);
    close_picture();
    open_picture("A.b~>B B.a~>A A=3 stack>A");
    CHECK_EQ(leaks.cycles.knots[0].verdict.kind, LOUPE_UNCLEAR);
    close_picture();
}

static void test_a_ring_through_raw_memory_is_a_cycle(void) {
    open_picture("A?>m m*32 m?>A A=1 A.b->B");
    CHECK_EQ(leaks.count, 1);
    const struct loupe_leak *leak = &leaks.items[0];
    CHECK(leak->is_cycle);
    CHECK_EQ(leak->knot, LOUPE_NONE);
    CHECK_EQ(leaks.raw_rings.of[leak->ring].length, 2);
    CHECK_EQ(leak->kept.objects, 3);
    close_picture();
}

static void test_a_knot_below_a_leaked_head_is_a_leak_of_its_own(void) {
    open_picture("H=1 H.a->A A.b->B B.a->A B.c->C");
    CHECK_EQ(leaks.count, 2);
    struct loupe_leak head = leak_of("H");
    CHECK(head.is_leak_root && !head.is_cycle);
    CHECK_EQ(head.kept.objects, 1);
    struct loupe_leak below = leak_of("A");
    CHECK(below.is_cycle && !below.is_leak_root);
    CHECK_EQ(below.kept.objects, 3);
    close_picture();
}

/* Its holder's release would not free it. */
static void test_a_missing_release_below_a_head_is_a_leak_of_its_own(void) {
    open_picture("H=1 H.a->A A=2 A.b->B");
    CHECK_EQ(leaks.count, 2);
    CHECK_EQ(leak_of("A").missing, 1);
    CHECK(!leak_of("A").is_leak_root);
    CHECK_EQ(leak_of("A").kept.objects, 2);
    CHECK_EQ(leak_of("H").kept.objects, 1);
    close_picture();
}

static void test_weak_and_unretained_references_keep_nothing(void) {
    open_picture("global>G G.a^>A A=1");
    CHECK(is_leak("A"));
    close_picture();
    /* A pointer that does not retain leads there all the same: nobody knows that it is unused. */
    open_picture("global>G G.a/>A A=1");
    CHECK_EQ(leaks.count, 0);
    close_picture();
    /* But of what is lost it owns nothing. */
    open_picture("P=1 C=1 C.p/>P P.c/>C");
    CHECK_EQ(leaks.count, 2);
    CHECK(leak_of("P").is_leak_root && leak_of("C").is_leak_root);
    close_picture();
}

static void test_a_knot_held_by_a_stale_word_is_unowned(void) {
    open_picture("stack>A A.b->B B.a->A B.c->C");
    CHECK_EQ(leaks.count, 1);
    CHECK_EQ(leaks.items[0].degree, LOUPE_DEGREE_NO_OWNER);
    CHECK_EQ(leaks.items[0].kept.objects, 3);
    CHECK_EQ(leaks.lost.objects, 0);
    CHECK_EQ(leaks.unowned.objects, 3);
    CHECK_EQ(leaks.on_stacks.objects, 3);
    close_picture();
}

static void test_a_knot_under_an_unretained_pointer_is_unowned(void) {
    open_picture("global>G G.a/>A A.b->B B.a->A");
    CHECK_EQ(leaks.count, 1);
    CHECK_EQ(leaks.items[0].degree, LOUPE_DEGREE_NO_OWNER);
    close_picture();
}

static void test_a_knot_that_somebody_retains_is_held(void) {
    open_picture("stack>A A.b->B B.a->A A=2");
    CHECK_EQ(leaks.count, 0);
    close_picture();
    open_picture("global>G G.a->A A.b->B B.a->A");
    CHECK_EQ(leaks.count, 0);
    close_picture();
}

/* Where ownership is only assumed a global may be the owner after all. */
static void test_an_assumed_knot_is_unowned_by_stacks_alone(void) {
    open_picture("stack>A A.b~>B B.a~>A");
    CHECK_EQ(leaks.count, 1);
    CHECK_EQ(leaks.items[0].degree, LOUPE_DEGREE_NO_OWNER);
    close_picture();
    open_picture("global>A A.b~>B B.a~>A");
    CHECK_EQ(leaks.count, 0);
    close_picture();
}

static void test_a_word_on_a_stack_may_own_an_object(void) {
    open_picture("stack>A A=1 register>B B=1");
    CHECK_EQ(leaks.count, 0);
    CHECK_EQ(leaks.on_stacks.objects, 2);
    CHECK_EQ(leaks.miscount_count, 0);
    close_picture();
}

static void test_words_of_running_code_come_last_and_own_nothing_that_lasts(void) {
    open_picture("global>A A.b->B B.c->C stack>C register>B stack>D D.e->E");
    struct loupe_dominators dominators;
    struct loupe_tracer tracer = {.snapshot = &drawn.snapshot, .columns = drawn.snapshot.columns};
    struct loupe_rules rules;
    struct loupe_ruled_classes ruled;
    loupe_rules_init(&rules, &arena);
    CHECK_EQ(loupe_ruled_classes_find(&drawn.snapshot, &rules, &arena, &ruled), LOUPE_OK);
    tracer.ruled = &ruled;
    tracer.arena = &arena;
    const uint8_t *levels = loupe_root_levels(&tracer);
    static const uint8_t want[] = {LOUPE_LEVEL_NORMAL, LOUPE_LEVEL_STACK, LOUPE_LEVEL_STACK,
                                   LOUPE_LEVEL_STACK};
    CHECK(levels && memcmp(levels, want, sizeof(want)) == 0);
    CHECK_EQ(
        loupe_snapshot_dominators(&drawn.snapshot, loupe_link_policies, &drawn_chunks, &dominators),
        LOUPE_OK);
    CHECK_EQ(dominators.reached, 5);
    CHECK_EQ(dominators.counts[drawn_snapshot_node(&drawn, "A")], 3);
    CHECK_EQ(dominators.counts[drawn_snapshot_node(&drawn, "B")], 2);
    CHECK_EQ(dominators.counts[drawn_snapshot_node(&drawn, "D")], 2);
    loupe_dominators_deinit(&dominators);
    close_picture();
}

static void test_a_knot_that_a_timer_keeps_is_a_suspect(void) {
    open_picture("global>L L:Loop L[0]->T T:Timer<NSTimer T!->A A.timer->T A.data->D");
    CHECK_EQ(leaks.count, 1);
    CHECK_EQ(leaks.items[0].degree, LOUPE_DEGREE_TIMER);
    CHECK_EQ(leaks.items[0].kept.objects, 3);
    CHECK_EQ(leaks.timed.objects, 3);
    CHECK_EQ(leaks.unowned.objects, 0);
    close_picture();
    /* What is lost itself holds it no longer: without that the timer is left. */
    open_picture("global>L L:Loop L[0]->T T:Timer<NSTimer T!->A A.timer->T O.a->A O.p->P P.o->O");
    CHECK_EQ(leaks.count, 2);
    CHECK_EQ((leaks.items[0].degree == LOUPE_DEGREE_TIMER) +
                 (leaks.items[1].degree == LOUPE_DEGREE_TIMER),
             1);
    close_picture();
    /* Somebody else holds it. */
    open_picture("global>L L:Loop L[0]->T T:Timer<NSTimer T!->A A.timer->T global>O O.a->A");
    CHECK_EQ(leaks.count, 0);
    close_picture();
    open_picture("global>L L:Loop L[0]->T T:Timer<NSTimer T!->A A.timer->T A=2 stack>A");
    CHECK_EQ(leaks.count, 0);
    close_picture();
    /* And no timer is in it. */
    open_picture("global>L L:Loop L[0]->T T.a->A A.timer->T");
    CHECK_EQ(leaks.count, 0);
    close_picture();
}

static void test_counts_beyond_all_words_miss_a_release(void) {
    open_picture("global>G G.a->A A=3 A:Mode G.b->B B=2 B:Mode");
    CHECK_EQ(leaks.count, 0);
    CHECK_EQ(leaks.miscount_count, 1);
    const struct loupe_miscount *miscount = &leaks.miscounts[0];
    CHECK(!miscount->is_excess && !miscount->is_lost);
    CHECK_EQ(miscount->count, 2);
    CHECK_EQ(miscount->releases, 3);
    struct loupe_object_verdict verdict;
    loupe_retains_verdict(&leaks.retains, miscount->node, &verdict);
    CHECK_EQ(verdict.kind, LOUPE_OBJECT_LEAKED);
    close_picture();
}

static void test_more_owners_than_retains_is_over_released(void) {
    open_picture("global>G G.a->A G.b->A A=1");
    CHECK_EQ(leaks.miscount_count, 1);
    CHECK(leaks.miscounts[0].is_excess);
    struct loupe_object_verdict verdict;
    loupe_retains_verdict(&leaks.retains, drawn_snapshot_node(&drawn, "A"), &verdict);
    CHECK_EQ(verdict.kind, LOUPE_OBJECT_OVER_RELEASED);
    close_picture();
}

/* One number for each is a byte at first. */
static void test_hundreds_of_owners_are_counted(void) {
    enum { OWNERS = 300, RETAINS = 310 };
    for (unsigned extra = 0; extra < 3; extra++) {
        char word[32];
        drawn_snapshot_init(&drawn);
        drawn_snapshot_draw(&drawn, "A=310 B=1");
        for (unsigned i = 0; i < OWNERS; i++) {
            snprintf(word, sizeof(word), "G.f%u->A G?>B", i);
            drawn_snapshot_draw(&drawn, word);
        }
        for (unsigned i = 0; i < RETAINS - OWNERS - 1 + extra; i++)
            drawn_snapshot_draw(&drawn, extra == 1 ? "G?>A" : "global>A");
        drawn_snapshot_draw(&drawn, "global>G");
        drawn_snapshot_build(&drawn, "apple");
        CHECK_EQ(find_with(&(struct loupe_leaks_options){0}, &drawn_chunks), LOUPE_OK);
        uint32_t a = drawn_snapshot_node(&drawn, "A"), b = drawn_snapshot_node(&drawn, "B");
        CHECK_EQ(loupe_retains_missing(&leaks.retains, a), extra ? 0 : 1);
        CHECK_EQ(loupe_retains_excess(&leaks.retains, a), 0);
        CHECK_EQ(loupe_retains_missing(&leaks.retains, b), 0);
        CHECK_EQ(loupe_retains_owners(&leaks.retains, a).certain, OWNERS);
        CHECK_EQ(loupe_retains_owners(&leaks.retains, b).words, OWNERS);
        close_picture();
    }
}

static void test_what_explains_a_count_is_no_missing_release(void) {
    static const char *const pictures[] = {
        "global>G G.a->A A=2 global>A",  /* a global may be retained */
        "global>G G.a->A A=2 G?>A",      /* a word that nothing describes */
        "global>G G.a->A A=2 pool>A",    /* an autorelease pool */
        "global>G G.a->A A=2 stack>A",   /* a local variable */
        "global>G G.a->A A=2 A!guessed", /* it may have been freed */
        "global>G G.a->A A=9 A!dying",   /* counts mean nothing any more */
        "global>G G.a->A A=?",           "global>G G.a->A A=!",
    };
    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++) {
        open_picture(pictures[i]);
        if (!CHECK_EQ(leaks.miscount_count, 0))
            printf("  in %s\n", pictures[i]);
        close_picture();
    }
}

/* What a filter says owns nothing closes no ring: then the lost objects are leaks by themselves. */
static void test_filters_hide_rings(void) {
    struct loupe_filter filter = {.source = "B", .path = "a", .reason = "known"};
    struct loupe_leaks_options options = {.filters = &filter, .filter_count = 1};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, "stack>A A.b->B B.a->A");
    drawn_snapshot_build(&drawn, "apple");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(leaks.count, 0);
    CHECK_EQ(leaks.cycles.hidden[0], 1);
    close_picture();
}

/* What the library's filters say of a reference decides what is lost, too: no circle is left, and
 * the retain that only such references could own has no owner. */
static void test_what_is_known_not_to_own_explains_no_retain(void) {
    struct loupe_filter filter = {
        .source = "View", .path = "_super", .reason = "not retained", .owns_nothing = true};
    struct loupe_leaks_options options = {.filters = &filter, .filter_count = 1};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, "a:Top b:View a=1 b=1 a.sub~>b b._super~>a "
                                "c:View d:Top c=1 d=1 d.sub~>c c._super~>d "
                                "global>e e:View f:Top e=1 f=1 e._super~>f");
    drawn_snapshot_build(&drawn, "gcc");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(leaks.count, 2);
    CHECK_EQ(leaks.group_count, 1);
    CHECK(!leak_of("a").is_cycle && !leak_of("d").is_cycle);
    CHECK_EQ(leak_of("a").missing, 1);
    CHECK_EQ(leak_of("d").missing, 1);
    CHECK_EQ(leak_of("a").kept.objects, 2);
    CHECK_EQ(leaks.miscount_count, 1); /* f is alive, and a subclass may retain */
    CHECK(leaks.miscounts[0].is_lost);
    close_picture();
}

/* A word that is left over leads to a part of what leaks, and that leads back to the whole: which
 * is a leak all the same, of a degree of its own. */
static void test_what_only_leads_back_keeps_nothing(void) {
    struct loupe_filter filters[] = {
        {.source = "View", .path = "_super", .owns_nothing = true, .leads_back = true},
        {.source = "View", .path = "_target", .owns_nothing = true}};
    struct loupe_leaks_options options = {.filters = filters, .filter_count = 2};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn,
                        "a:Top b:View c:View a=1 b=1 c=1 a.sub~>b b._super~>a "
                        "a.other~>c c._super~>a m*24 global>m m?>b "
                        "t:Target t=1 global>e e:View e=1 e._target~>t "
                        "d:Top f:View d=1 f=1 d.sub~>f f._super~>d n*24 global>n n?>f n?>d");
    drawn_snapshot_build(&drawn, "gcc");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(leaks.count, 1); /* t may be wanted, and d has a word that may own it */
    CHECK_EQ(leak_of("a").degree, LOUPE_DEGREE_NO_OWNER);
    CHECK(!leak_of("a").is_cycle);
    CHECK_EQ(leak_of("a").missing, 1);
    CHECK_EQ(leak_of("a").kept.objects, 2); /* b goes on to be led to */
    CHECK_EQ(leaks.unowned.objects, 2);
    CHECK_EQ(leaks.lost.objects, 0);
    CHECK_EQ(leaks.miscount_count, 0); /* it is told above */
    close_picture();
}

/* Of two retains of what is alive a reference that leads back explains none. */
static void test_what_leads_back_explains_no_retain_of_what_is_alive(void) {
    struct loupe_filter filter = {
        .source = "View", .path = "_super", .owns_nothing = true, .leads_back = true};
    struct loupe_leaks_options options = {.filters = &filter, .filter_count = 1};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, "global>h h:Holder h=1 h.it->a a:Top a=2 b:View b=1 a.sub~>b "
                                "b._super~>a");
    drawn_snapshot_build(&drawn, "gcc");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(leaks.count, 0);
    CHECK_EQ(leaks.miscount_count, 1);
    CHECK_EQ(leaks.miscounts[0].node, drawn_snapshot_node(&drawn, "a"));
    CHECK_EQ(leaks.miscounts[0].releases, 1);
    close_picture();
}

/* Memory that is lost too and happens to lead to one of them makes it no other mistake. */
static void test_a_missing_release_is_one_kind_wherever_a_word_leads(void) {
    open_picture("a:A a=1 m*24 m?>b b:A b=2");
    CHECK(leak_of("a").is_leak_root && !leak_of("b").is_leak_root);
    CHECK_EQ(leak_of("b").missing, 1);
    CHECK_EQ(leak_of("a").fingerprint, leak_of("b").fingerprint);
    CHECK_EQ(leaks.count, 3);
    CHECK_EQ(leaks.group_count, 2);
    CHECK_EQ(leaks.groups[0].count, 2);
    close_picture();
}

/* A table that does not retain what is in it, as one of windows, wants nothing either if that is
 * known; else its contents may have registered themselves, to be there for good. */
static void test_what_is_unowned_leads_back_where_that_is_known(void) {
    struct loupe_filter filter = {
        .source = "Table", .target = "Window", .owns_nothing = true, .leads_back = true};
    struct loupe_leaks_options options = {.filters = &filter, .filter_count = 1};
    drawn_snapshot_init(&drawn);
    drawn_snapshot_draw(&drawn, "global>t t:Table t=1 t.w/>w w:Window w=1 t.o/>o o:Observer o=1");
    drawn_snapshot_build(&drawn, "gcc");
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(leak_of("w").degree, LOUPE_DEGREE_NO_OWNER);
    CHECK(!is_leak("o"));
    close_picture();
}

/* ---- The same from run to run ---- */

enum { PLACEMENTS = 400, MOST_PARTS = 16 };

/* Nodes lie in the order in which they are first mentioned: here in any. */
static uint64_t fingerprint_of_placement(const char *const *nodes, const char *words,
                                         uint64_t *random) {
    char picture[512] = "";
    const char *order[MOST_PARTS];
    unsigned count = 0;
    while (nodes[count]) {
        *random = *random * 6364136223846793005u + 1442695040888963407u;
        unsigned place = (unsigned)((*random >> 33) % (count + 1));
        order[count] = order[place];
        order[place] = nodes[count++];
    }
    for (unsigned i = 0; i < count; i++) {
        strcat(picture, order[i]);
        strcat(picture, " ");
    }
    strcat(picture, words);
    open_picture(picture);
    CHECK_EQ(leaks.count, 1);
    CHECK(leaks.items[0].is_cycle && !loupe_leak_knot(&leaks, &leaks.items[0]));
    uint64_t fingerprint = leaks.items[0].fingerprint;
    close_picture();
    return fingerprint;
}

/* Several circles go through the same memory; which one is told of does not depend on where that
 * lies. */
static void test_circles_of_words_are_the_same_wherever_they_lie(void) {
    static const struct {
        const char *nodes[MOST_PARTS];
        const char *words;
    } circles[] = {
        {{"a*48", "b*24", "c*32", "d*64"}, "a?>b b?>a b?>c c?>d d?>c d?>a"},
        /* Blocks of one size are told apart by what they lead to. */
        {{"a*24", "b*24", "c*24", "d*24", "e*24", "f*24"},
         "a?>b b?>a b?>c c?>d d?>e e?>c e?>f f?>a"},
        /* A list that is linked both ways, of blocks alike, with one that holds both ends. */
        {{"h*64", "a*24", "b*24", "c*24", "d*24", "e*24"},
         "h?>a h?>e a?>b b?>c b?>a c?>d c?>b d?>e d?>c e?>d a?>h e?>h"},
    };
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof(circles) / sizeof(*circles); i++) {
        uint64_t first = fingerprint_of_placement(circles[i].nodes, circles[i].words, &random);
        for (unsigned j = 1; j < PLACEMENTS; j++)
            CHECK_EQ(fingerprint_of_placement(circles[i].nodes, circles[i].words, &random), first);
    }
}

/* ---- The same knots as from one object ---- */

static const char *const shapes[] = {
    "A.b->B B.a->A",
    "A.b->B B{self}->A",
    "a:Node b:Node c:Node a.next->b b.next->c c.next->a",
    "A.items->L L[0]->B L[1]->C B.owner->A C.owner->A",
    "A.b~>B B.a~>A",
    "S.k->K K{v}->V V&v->S",
    "A.b->B B.a->A B.c->C C.d->D D.c->C",
};

static void compare_knots(const char *picture) {
    struct loupe_cycles_options options = {.seed = 0};
    struct loupe_cycles walked;
    struct loupe_arena walk_arena;
    open_picture(picture);
    loupe_arena_init(&walk_arena, &drawn_chunks);
    CHECK_EQ(drawn_graph_build(&drawn.drawn, 0), LOUPE_OK);
    CHECK_EQ(loupe_cycles_find(&drawn.drawn.graph, &drawn.drawn.describer, &options, &walk_arena,
                               &walked),
             LOUPE_OK);
    CHECK_EQ(leaks.cycles.knot_count, walked.knot_count);
    for (uint32_t i = 0; i < walked.knot_count && i < leaks.cycles.knot_count; i++) {
        const struct loupe_knot_facts *here = &leaks.cycles.knots[i], *there = &walked.knots[i];
        CHECK_EQ(here->fingerprint, there->fingerprint);
        CHECK_EQ(here->rings.items[0].fingerprint, there->rings.items[0].fingerprint);
        CHECK_EQ(here->certain, there->certain);
        CHECK_EQ(here->fixes.count, there->fixes.count);
        CHECK_EQ(here->verdict.retains, there->verdict.retains);
        CHECK_EQ(here->verdict.inside, there->verdict.inside);
    }
    drawn_graph_unbuild(&drawn.drawn);
    loupe_arena_deinit(&walk_arena);
    close_picture();
}

static void test_knots_are_those_of_a_walk(void) {
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        compare_knots(shapes[i]);
}

/* From one object of a snapshot: the same graph as the walk's, in the same order. */
static void test_a_graph_from_an_object_is_the_walk_s(void) {
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct loupe_heap_graph graph;
        open_picture(shapes[i]);
        CHECK_EQ(drawn_graph_build(&drawn.drawn, 0), LOUPE_OK);
        CHECK_EQ(loupe_heap_graph_from(&drawn.snapshot, 0, 0, &drawn_chunks, &arena, &graph),
                 LOUPE_OK);
        const struct loupe_graph *walked = &drawn.drawn.graph;
        CHECK_EQ(loupe_graph_node_count(&graph.graph), loupe_graph_node_count(walked));
        CHECK_EQ(loupe_graph_edge_count(&graph.graph), loupe_graph_edge_count(walked));
        for (uint32_t edge = 0; edge < loupe_graph_edge_count(walked); edge++) {
            CHECK_EQ(loupe_graph_target(&graph.graph, edge), loupe_graph_target(walked, edge));
            CHECK_EQ(loupe_graph_source(&graph.graph, edge), loupe_graph_source(walked, edge));
        }
        CHECK(loupe_graph_is_valid(&graph.graph));
        loupe_heap_graph_deinit(&graph);
        drawn_graph_unbuild(&drawn.drawn);
        close_picture();
    }
}

/* ---- Random heaps against a plain search ---- */

static void draw_random(uint64_t *random) {
    static const char *const arrows[] = {".x->", ".y~>", "?>", ".u/>", ".w^>"};
    uint32_t nodes = 2 + (uint32_t)(drawn_random(random) % 12);
    char word[64];
    for (uint32_t i = 0; i < nodes; i++) {
        snprintf(word, sizeof(word), "n%u:C%u n%u=%u", i, (unsigned)(drawn_random(random) % 3), i,
                 1 + (unsigned)(drawn_random(random) % 3));
        drawn_snapshot_draw(&drawn, word);
    }
    for (uint32_t i = 0; i < nodes + drawn_random(random) % nodes; i++) {
        snprintf(word, sizeof(word), "n%u%sn%u", (unsigned)(drawn_random(random) % nodes),
                 arrows[drawn_random(random) % 5], (unsigned)(drawn_random(random) % nodes));
        drawn_snapshot_draw(&drawn, word);
    }
    for (uint64_t i = drawn_random(random) % 3; i; i--)
        drawn_snapshot_root(&drawn, (uint32_t)(drawn_random(random) % nodes),
                            drawn_random(random) % 2 ? LOUPE_ROOT_GLOBAL : LOUPE_ROOT_STACK);
}

/* By passes until nothing changes. */
static void reach_plainly(const struct loupe_columns *columns, bool *reached) {
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t node = 0; node < columns->nodes; node++) {
            for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
                if (reached[node] && columns->kinds[link] != LOUPE_LINK_WEAK &&
                    !reached[columns->to[link]])
                    grown = reached[columns->to[link]] = true;
            }
        }
    }
}

/* Everything lost hangs on some leak, by links that may own. */
static bool all_lost_hang_on_leaks(const bool *alive) {
    const struct loupe_columns *columns = &drawn.snapshot.columns;
    bool covered[64] = {false};
    for (uint32_t i = 0; i < leaks.count; i++)
        covered[leaks.items[i].node] |= leaks.items[i].degree == LOUPE_DEGREE_LOST;
    for (bool grown = true; grown;) {
        grown = false;
        for (uint32_t node = 0; node < columns->nodes; node++) {
            for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
                if (covered[node] && loupe_link_counts(columns, link, LOUPE_LINKS_MAYBE) &&
                    !covered[columns->to[link]])
                    grown = covered[columns->to[link]] = true;
            }
        }
    }
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (!alive[node] && !covered[node])
            return false;
    }
    return true;
}

static void test_random_heaps(void) {
    uint64_t random = 18;
    for (unsigned round = 0; round < check_share(3000); round++) {
        struct loupe_leaks_options options = {0};
        bool alive[64] = {false};
        uint64_t lost = 0;
        drawn_snapshot_init(&drawn);
        draw_random(&random);
        drawn_snapshot_build(&drawn, "apple");
        const struct loupe_columns *columns = &drawn.snapshot.columns;
        for (uint32_t i = 0; i < columns->root_count; i++)
            alive[columns->roots[i]] = true;
        reach_plainly(columns, alive);
        for (uint32_t node = 0; node < columns->nodes; node++)
            lost += !alive[node];
        CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
        CHECK_EQ(leaks.lost.objects, lost);
        CHECK(all_lost_hang_on_leaks(alive));
        uint64_t kept = 0;
        for (uint32_t i = 0; i < leaks.count; i++) {
            CHECK_EQ(alive[leaks.items[i].node], leaks.items[i].degree != LOUPE_DEGREE_LOST);
            kept += leaks.items[i].kept.objects;
        }
        /* No node twice. One that only a leak owns may be reached from an unowned knot as well, by
         * a reference that owns nothing: so these may be more than what is lost. */
        CHECK(kept <= columns->nodes);
        close_picture();
    }
}

static void test_memory_that_runs_out(void) {
    static const char picture[] = "global>G A.b->B B.a->A C=1 C?>m m*24 m?>C stack>D D.e->E E.d->D";
    struct loupe_leaks_options options = {0};
    bool done = false;
    for (unsigned fail_at = 1; !done; fail_at++) {
        struct drawn_failing_chunks state = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        drawn_snapshot_init(&drawn);
        drawn_snapshot_draw(&drawn, picture);
        drawn_snapshot_build(&drawn, "apple");
        enum loupe_status status = find_with(&options, &chunks);
        done = status == LOUPE_OK;
        CHECK(done || status == LOUPE_ENOMEM);
        if (done)
            loupe_leaks_deinit(&leaks);
        loupe_arena_deinit(&arena);
        CHECK_EQ(state.outstanding, 0);
        drawn_snapshot_deinit(&drawn);
    }
}

/* ---- By the stacks that allocated them ---- */

static void test_leaks_add_up_by_who_allocated_them(void) {
    static struct drawn_native heap;
    static const uint32_t sizes[] = {16, 32, 64, 160, 48};
    struct loupe_leaks_options options = {0};
    struct loupe_leaks_by_stack found;
    drawn_native_init(&heap);
    uint32_t cell = drawn_native_class(&heap, "Cell", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t page = drawn_native_class(&heap, "Page", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    uint32_t load = drawn_native_call(&heap, "load", false, LOUPE_NONE);
    uint32_t open = drawn_native_call(&heap, "open", false, LOUPE_NONE);
    for (unsigned i = 0; i < 5; i++)
        drawn_native_node(&heap, i % 2 ? page : cell, sizes[i]);
    heap.stacks[0] = heap.stacks[1] = heap.stacks[2] = load; /* 112 bytes of two kinds */
    heap.stacks[3] = open;
    drawn_native_build(&heap);
    drawn.snapshot = heap.snapshot;
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
    CHECK_EQ(loupe_leaks_by_stack(&leaks, NULL, &arena, &found), LOUPE_OK);
    CHECK_EQ(found.count, 3);
    CHECK_EQ(found.items[0].stack, open);
    CHECK_EQ(found.items[0].kept.bytes, 160);
    CHECK_EQ(found.items[1].stack, load);
    CHECK_EQ(found.items[1].count, 3);
    CHECK_EQ(found.items[1].kept.bytes, 112);
    CHECK_EQ(found.items[2].stack, LOUPE_NONE);
    CHECK_EQ(found.items[2].kept.bytes, 48);
    bool is_hidden[2] = {true, false}; /* the larger kind: Page, of 32 and 160 bytes */
    CHECK_EQ(leaks.group_count, 2);
    CHECK_EQ(loupe_leaks_by_stack(&leaks, is_hidden, &arena, &found), LOUPE_OK);
    CHECK_EQ(found.count, 2);
    CHECK_EQ(found.items[0].stack, load);
    CHECK_EQ(found.items[0].kept.bytes, 80);
    loupe_leaks_deinit(&leaks);
    loupe_arena_deinit(&arena);
}

/* ---- Heaps as tables ---- */

static struct drawn_native heap;

static void find_in_tables(void) {
    struct loupe_leaks_options options = {0};
    drawn_native_build(&heap);
    drawn.snapshot = heap.snapshot;
    CHECK_EQ(find_with(&options, &drawn_chunks), LOUPE_OK);
}

static void close_tables(void) {
    loupe_leaks_deinit(&leaks);
    loupe_arena_deinit(&arena);
}

static const struct loupe_leak *leak_at(uint32_t node) {
    for (uint32_t i = 0; i < leaks.count; i++)
        if (leaks.items[i].node == node)
            return &leaks.items[i];
    return NULL;
}

/* By its policy it retains nothing, and no other reference does: an ivar may be retained by hand.
 */
static void test_an_association_that_assigns_explains_no_retain(void) {
    static const uint8_t kinds[] = {LOUPE_EDGE_ASSOCIATION, LOUPE_EDGE_IVAR};
    for (unsigned i = 0; i < 2; i++) {
        drawn_native_init(&heap);
        uint32_t cls = drawn_native_class(&heap, "Person", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
        uint32_t host = drawn_native_node(&heap, cls, 16),
                 guest = drawn_native_node(&heap, cls, 16);
        struct loupe_label label = {.name = LOUPE_NONE,
                                    .path = LOUPE_NONE,
                                    .declared_by = LOUPE_NONE,
                                    .assumption = LOUPE_NONE,
                                    .doubt = LOUPE_NONE,
                                    .evidence = LOUPE_NONE,
                                    .kind = kinds[i]};
        drawn_native_link(&heap, host, guest, LOUPE_LINK_UNOWNED, drawn_native_label(&heap, label),
                          8);
        drawn_native_root(&heap, host, LOUPE_ROOT_GLOBAL);
        find_in_tables();
        const struct loupe_leak *leak = leak_at(guest);
        if (kinds[i] == LOUPE_EDGE_ASSOCIATION)
            CHECK(leak && leak->degree == LOUPE_DEGREE_NO_OWNER && leak->missing == 1);
        else
            CHECK(!leak);
        CHECK(!leak_at(host));
        close_tables();
    }
}

enum { LONE, WITH_TAIL, WITH_TAIL_ELSEWHERE, LIKE_LONE, MADE_BY_LOAD, MADE_BY_OPEN, BLOCKS };

/* Raw memory of one size, told apart by where it leads to what is lost and by who allocated it. */
static void draw_blocks_of_one_size(uint32_t blocks[BLOCKS]) {
    drawn_native_init(&heap);
    uint32_t raw = drawn_native_class(&heap, "(raw memory)", LOUPE_CLASS_RAW, LOUPE_NONE);
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i] = drawn_native_node(&heap, raw, 32);
    uint32_t tail = drawn_native_node(&heap, raw, 8), other = drawn_native_node(&heap, raw, 24),
             alive = drawn_native_node(&heap, raw, 24);
    drawn_native_root(&heap, alive, LOUPE_ROOT_GLOBAL);
    drawn_native_link(&heap, blocks[WITH_TAIL], tail, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 8);
    drawn_native_link(&heap, blocks[WITH_TAIL_ELSEWHERE], other, LOUPE_LINK_CONSERVATIVE,
                      LOUPE_NONE, 16);
    drawn_native_link(&heap, blocks[LIKE_LONE], alive, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 8);
    heap.stacks[blocks[MADE_BY_LOAD]] = drawn_native_call(&heap, "load", false, LOUPE_NONE);
    heap.stacks[blocks[MADE_BY_OPEN]] = drawn_native_call(&heap, "open", false, LOUPE_NONE);
}

static void test_memory_of_one_size_is_told_apart(void) {
    uint32_t blocks[BLOCKS];
    draw_blocks_of_one_size(blocks);
    find_in_tables();
    CHECK_EQ(leaks.count, BLOCKS);
    const struct loupe_leak *lone = leak_at(blocks[LONE]);
    for (unsigned i = 1; lone && i < BLOCKS; i++) {
        const struct loupe_leak *leak = leak_at(blocks[i]);
        CHECK(leak && leak->older_fingerprint == lone->older_fingerprint);
        CHECK(leak && leak->fingerprint != leak->older_fingerprint);
        for (unsigned k = 0; leak && k < i; k++)
            CHECK_EQ(leak->fingerprint == leak_at(blocks[k])->fingerprint,
                     i == LIKE_LONE && k == LONE);
    }
    close_tables();
}

int main(void) {
    RUN(test_what_a_root_leads_to_is_no_leak);
    RUN(test_a_lost_tree_is_one_leak_of_its_top);
    RUN(test_a_lost_ring_is_a_cycle_and_keeps_what_hangs_on_it);
    RUN(test_equal_leaks_are_one_entry);
    RUN(test_equal_leaks_are_one_entry_whatever_leads_to_some);
    RUN(test_equal_rings_are_one_entry_with_rings_once);
    RUN(test_raw_memory_is_told_by_what_it_keeps);
    RUN(test_what_leaks_below_memory_is_told_by_itself);
    RUN(test_storage_goes_with_its_collection);
    RUN(test_what_two_leaks_share_belongs_to_neither);
    RUN(test_raw_memory_is_followed);
    RUN(test_lost_knots_are_leaked_for_sure);
    RUN(test_a_ring_through_raw_memory_is_a_cycle);
    RUN(test_a_knot_below_a_leaked_head_is_a_leak_of_its_own);
    RUN(test_a_missing_release_below_a_head_is_a_leak_of_its_own);
    RUN(test_weak_and_unretained_references_keep_nothing);
    RUN(test_a_knot_held_by_a_stale_word_is_unowned);
    RUN(test_a_knot_under_an_unretained_pointer_is_unowned);
    RUN(test_a_knot_that_somebody_retains_is_held);
    RUN(test_an_assumed_knot_is_unowned_by_stacks_alone);
    RUN(test_a_word_on_a_stack_may_own_an_object);
    RUN(test_words_of_running_code_come_last_and_own_nothing_that_lasts);
    RUN(test_a_knot_that_a_timer_keeps_is_a_suspect);
    RUN(test_counts_beyond_all_words_miss_a_release);
    RUN(test_more_owners_than_retains_is_over_released);
    RUN(test_hundreds_of_owners_are_counted);
    RUN(test_what_explains_a_count_is_no_missing_release);
    RUN(test_filters_hide_rings);
    RUN(test_what_is_known_not_to_own_explains_no_retain);
    RUN(test_what_only_leads_back_keeps_nothing);
    RUN(test_a_missing_release_is_one_kind_wherever_a_word_leads);
    RUN(test_what_is_unowned_leads_back_where_that_is_known);
    RUN(test_what_leads_back_explains_no_retain_of_what_is_alive);
    RUN(test_circles_of_words_are_the_same_wherever_they_lie);
    RUN(test_knots_are_those_of_a_walk);
    RUN(test_a_graph_from_an_object_is_the_walk_s);
    RUN(test_random_heaps);
    RUN(test_memory_that_runs_out);
    RUN(test_leaks_add_up_by_who_allocated_them);
    RUN(test_an_association_that_assigns_explains_no_retain);
    RUN(test_memory_of_one_size_is_told_apart);
    return check_report();
}

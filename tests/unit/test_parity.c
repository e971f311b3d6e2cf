/*
 * What the in-app detectors are tested for: the 39 cases of FBRetainCycleDetector's detector tests
 * and those of Circle, as drawn heaps, with the number of rings that they expect. Where Loupe gives
 * another number, `why` says why. Then the cases that none of them has.
 *
 * With an argument the program prints the cases as a table in Markdown.
 */
#include "check.h"
#include "drawn_collections.h"
#include "loupe.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct drawn_world w;

/* ---- Drawing ---- */

static loupe_addr node(void) {
    return drawn_object(&w, "Node");
}

static void link(loupe_addr from, const char *ivar, loupe_addr to) {
    drawn_set(&w, from, ivar, to);
}

/* A ring of nodes through _a. */
static loupe_addr ring(unsigned length) {
    loupe_addr first = node(), last = first;
    for (unsigned i = 1; i < length; i++) {
        loupe_addr next = node();
        link(last, "_a", next);
        last = next;
    }
    link(last, "_a", first);
    return first;
}

/* ---- FBRetainCycleDetectorTests ---- */

static loupe_addr empty_object(void) {
    return drawn_object(&w, "NSObject");
}

static loupe_addr object_with_itself(void) {
    return ring(1);
}

static loupe_addr weak_self(void) {
    loupe_addr self = node();
    link(self, "_weak", self);
    return self;
}

static loupe_addr three_elements(void) {
    return ring(3);
}

static loupe_addr common_parent(void) {
    loupe_addr parent = node(), left = node(), right = node();
    link(parent, "_a", left);
    link(parent, "_b", right);
    link(left, "_a", right);
    return parent;
}

static loupe_addr array_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_array(&w, 1, owner));
    return owner;
}

static loupe_addr dictionary_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_dictionary(&w, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr candidate_outside(void) {
    loupe_addr candidate = node();
    link(candidate, "_a", ring(3));
    return candidate;
}

static loupe_addr two_rings_through_the_seed(void) {
    loupe_addr seed = node(), left = node(), right = node();
    link(seed, "_a", left);
    link(seed, "_b", right);
    link(left, "_a", seed);
    link(right, "_a", seed);
    return seed;
}

/* Rings 1-2-4, 2-5-7 and 1-3 among seven nodes. */
static loupe_addr complicated_graph(void) {
    loupe_addr n[8];
    for (unsigned i = 1; i < 8; i++)
        n[i] = node();
    link(n[1], "_a", n[2]);
    link(n[1], "_b", n[3]);
    link(n[2], "_a", n[4]);
    link(n[2], "_b", n[5]);
    link(n[4], "_a", n[1]);
    link(n[3], "_a", n[1]);
    link(n[3], "_b", n[6]);
    link(n[5], "_a", n[7]);
    link(n[7], "_a", n[2]);
    return n[1];
}

/* Two candidates with a shared part: rings 3-4-5 and 5-6. */
static loupe_addr shared_part(void) {
    loupe_addr n[7];
    for (unsigned i = 0; i < 7; i++)
        n[i] = node();
    link(n[0], "_a", n[1]); /* holds both candidates */
    link(n[0], "_b", n[2]);
    link(n[1], "_a", n[3]);
    link(n[2], "_a", n[4]);
    link(n[3], "_a", n[4]);
    link(n[4], "_a", n[5]);
    link(n[5], "_a", n[3]);
    link(n[5], "_b", n[6]);
    link(n[6], "_a", n[5]);
    return n[0];
}

/* set -> array -> object -> dictionary -> set */
static loupe_addr mixed_collections(void) {
    loupe_addr object = node(), array = drawn_array(&w, 1, object),
               set = drawn_mutable_set(&w, 1, array);
    link(object, "_a", drawn_dictionary(&w, 1, drawn_text(&w, "key"), set));
    return set;
}

static loupe_addr array_of_two_owners(void) {
    loupe_addr left = node(), right = node(), array = drawn_mutable_array(&w, 2, left, right);
    link(left, "_a", array);
    link(right, "_a", array);
    return array;
}

static loupe_addr same_object_twice(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_array(&w, 2, owner, owner));
    return owner;
}

static loupe_addr diamond(void) {
    loupe_addr top = node(), left = node(), right = node(), bottom = node();
    link(top, "_a", left);
    link(top, "_b", right);
    link(left, "_a", bottom);
    link(right, "_a", bottom);
    return top;
}

static loupe_addr delegation(void) {
    loupe_addr owner = node(), worker = node();
    link(owner, "_a", worker);
    link(worker, "_weak", owner);
    return owner;
}

/* NSConcreteValue keeps its bytes behind its ivars; nothing says that they are an object. */
static loupe_addr nonretained_value(void) {
    loupe_addr owner = node();
    drawn_framework_class(&w, "NSConcreteValue", "NSObject", 24);
    loupe_addr value = drawn_object(&w, "NSConcreteValue");
    drawn_put_word(&heap, value + 24, owner);
    link(owner, "_a", value);
    return owner;
}

static loupe_addr weak_capture(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_of(&w, "w", owner));
    return owner;
}

static loupe_addr strong_capture(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_of(&w, "s", owner));
    return owner;
}

static loupe_addr capture_held_by_array(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_of(&w, "s", drawn_array(&w, 1, owner)));
    return owner;
}

static loupe_addr two_objects_and_two_blocks(void) {
    loupe_addr left = node(), right = node(), to_left = drawn_block_of(&w, "s", left),
               to_right = drawn_block_of(&w, "s", right);
    link(left, "_a", to_right);
    link(right, "_a", to_left);
    return to_left;
}

static loupe_addr inherited_ivar(void) {
    drawn_class(&w, "Child", "Node", "strong _own @");
    loupe_addr child = drawn_object(&w, "Child");
    link(child, "_a", child);
    return child;
}

static loupe_addr object_and_subclass(void) {
    drawn_class(&w, "Child", "Node", "strong _own @");
    loupe_addr parent = node(), child = drawn_object(&w, "Child");
    link(parent, "_a", child);
    link(child, "_own", parent);
    return parent;
}

static loupe_addr struct_member(void) {
    drawn_class(&w, "Holder", "NSObject", "s.w _st {S=\"strong\"@\"n\"q\"weak\"@}");
    loupe_addr holder = drawn_object(&w, "Holder");
    drawn_set_word(&w, holder, "_st", 0, holder);
    return holder;
}

static loupe_addr weak_struct_member(void) {
    drawn_class(&w, "Holder", "NSObject", "s.w _st {S=\"strong\"@\"n\"q\"weak\"@}");
    loupe_addr holder = drawn_object(&w, "Holder");
    drawn_set_word(&w, holder, "_st", 2, holder);
    return holder;
}

static loupe_addr table_view_delegate(void) {
    drawn_class(&w, "UITableView", "NSObject", "weak _delegate @; weak _dataSource @");
    loupe_addr controller = node(), table = drawn_object(&w, "UITableView");
    link(controller, "_a", table);
    link(table, "_delegate", controller);
    link(table, "_dataSource", controller);
    return controller;
}

/* One ring of two, reached by two paths. */
static loupe_addr ring_by_two_paths(void) {
    loupe_addr seed = node(), left = node(), right = node(), first = ring(2);
    link(seed, "_a", left);
    link(seed, "_b", right);
    link(left, "_a", first);
    link(right, "_a", first);
    return seed;
}

/* Both members are held by the seed. */
static loupe_addr both_members_are_seeds(void) {
    loupe_addr seed = node(), left = node(), right = node();
    link(seed, "_a", left);
    link(seed, "_b", right);
    link(left, "_a", right);
    link(right, "_a", left);
    return seed;
}

static loupe_addr block_variable(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_of(&w, "r", drawn_byref_of(&w, 3, owner)));
    return owner;
}

static loupe_addr nested_blocks(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_of(&w, "b", drawn_block_of(&w, "s", owner)));
    return owner;
}

static loupe_addr mutable_array_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_mutable_array(&w, 1, owner));
    return owner;
}

static loupe_addr mutable_dictionary_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_mutable_dictionary(&w, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr hash_table_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_hash_table(&w, true, 1, owner));
    return owner;
}

static loupe_addr map_table_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_map_table(&w, true, true, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr unretained_ivar(void) {
    drawn_class(&w, "Borrower", "NSObject", "none _other @");
    loupe_addr borrower = drawn_object(&w, "Borrower");
    link(borrower, "_other", borrower);
    return borrower;
}

static loupe_addr timer_user_info(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_target_timer(&w, drawn_object(&w, "NSObject"), owner));
    return owner;
}

/* ---- Timers, associations, Circle ---- */

static loupe_addr timer_target(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_target_timer(&w, owner, 0));
    return owner;
}

static loupe_addr strong_association(void) {
    loupe_addr host = node();
    drawn_associate(&w, host, 0x7000, 0x301, host);
    return host;
}

static loupe_addr removed_association(void) {
    loupe_addr host = node(), other = node();
    drawn_associate(&w, host, 0x7000, 0, host); /* another policy since */
    drawn_associate(&w, other, 0x7000, 0x301, host);
    return host;
}

static loupe_addr pair_by_associations(void) {
    loupe_addr left = node(), right = node();
    drawn_associate(&w, left, 0x7000, 0x301, right);
    drawn_associate(&w, right, 0x7000, 0x301, left);
    return left;
}

static loupe_addr associated_block(void) {
    loupe_addr host = node();
    drawn_associate(&w, host, 0x7000, 0x301, drawn_block_of(&w, "s", host));
    return host;
}

static loupe_addr clique_of_three(void) {
    loupe_addr n[3] = {node(), node(), node()};
    for (unsigned i = 0; i < 3; i++) {
        link(n[i], "_a", n[(i + 1) % 3]);
        link(n[i], "_b", n[(i + 2) % 3]);
    }
    return n[0];
}

static loupe_addr ring_of_42(void) {
    return ring(42);
}

static loupe_addr set_in_ring(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_set_of(&w, 1, owner));
    return owner;
}

/* ---- Missing from all of them ---- */

static loupe_addr padded_structs_three_deep(void) {
    drawn_class(&w, "Holder", "NSObject",
                ".s.s _st {A=\"c\"c\"in\"{B=\"o\"@\"d\"c\"in\"{C=\"o\"@}}}");
    loupe_addr holder = drawn_object(&w, "Holder");
    drawn_set_word(&w, holder, "_st", 3, holder);
    return holder;
}

static loupe_addr array_ivar(void) {
    drawn_class(&w, "Holder", "NSObject", "strong _list [3@]");
    loupe_addr holder = drawn_object(&w, "Holder");
    drawn_set_word(&w, holder, "_list", 2, holder);
    return holder;
}

static loupe_addr union_ivar(void) {
    w.manual = true;
    drawn_class(&w, "Holder", "NSObject", "none _u (U=\"o\"@\"n\"q)");
    loupe_addr holder = drawn_object(&w, "Holder");
    link(holder, "_u", holder);
    return holder;
}

/* struct { char c; id o; } packed: ops 10 30. */
static loupe_addr packed_capture(void) {
    loupe_addr owner = node(), block = drawn_block_of(&w, "dd", (loupe_addr)0, (loupe_addr)0);
    loupe_addr descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor + 8, 41);
    drawn_put_word(&heap, descriptor + 40, drawn_string(&heap, "\x10\x30"));
    drawn_put_word(&heap, block + 33, owner);
    link(owner, "_a", block);
    return owner;
}

static loupe_addr struct_block_variable(void) {
    loupe_addr owner = node(), byref = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, byref + 8, byref);
    drawn_put_u32(&heap, byref + 16, 0x13000002);
    drawn_put_u32(&heap, byref + 20, 64);
    drawn_put_word(&heap, byref + 40, 0x200);
    drawn_put_word(&heap, byref + 56, owner);
    link(owner, "_a", drawn_block_of(&w, "r", byref));
    return owner;
}

static loupe_addr forwarded_block_variable(void) {
    loupe_addr owner = node(), moved = drawn_byref_of(&w, 3, owner), old = drawn_byref_of(&w, 3, 0);
    drawn_put_word(&heap, old + 8, moved);
    link(owner, "_a", drawn_block_of(&w, "r", old));
    return owner;
}

/* No extended layout and no signature; the helper's name tells. */
static loupe_addr plain_c_block(void) {
    loupe_addr owner = node(), block = drawn_block_flagged(&w, 0x43000002, "s", owner), descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor + 40, 0);
    drawn_symbol_add(&heap, "__copy_helper_block_8_32b", 0x500);
    link(owner, "_a", block);
    return owner;
}

static loupe_addr noescape_block(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_flagged(&w, 0xd0800000, "s", owner));
    return owner;
}

/* No helpers of its own; the descriptor says that the layout rules. */
static loupe_addr generic_helper_block(void) {
    loupe_addr owner = node(), block = drawn_block_flagged(&w, 0xc1000002, "s", owner), descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor, 0xc0004000);
    link(owner, "_a", block);
    return owner;
}

static loupe_addr block_without_signature(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_flagged(&w, 0x83000002, "s", owner));
    return owner;
}

static loupe_addr copied_association(void) {
    loupe_addr host = node();
    drawn_associate(&w, host, 0x7000, 0x303, drawn_block_of(&w, "s", host));
    return host;
}

static loupe_addr block_timer(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_block_timer(&w, drawn_block_of(&w, "s", owner)));
    return owner;
}

static loupe_addr cf_collection(void) {
    loupe_addr owner = node();
    link(owner, "_a", drawn_cf_array(&w, true, 1, 1, owner));
    return owner;
}

static loupe_addr observed_capture(void) {
    drawn_class(&w, "NSKVONotifying_Node", "Node", "");
    loupe_addr observed = drawn_object(&w, "NSKVONotifying_Node");
    link(observed, "_a", drawn_block_of(&w, "s", observed));
    return observed;
}

static loupe_addr ring_of_11(void) {
    return ring(11);
}

static loupe_addr distant_ring(void) {
    loupe_addr seed = node(), last = seed;
    for (unsigned i = 0; i < 30; i++) {
        loupe_addr next = node();
        link(last, "_a", next);
        last = next;
    }
    link(last, "_a", ring(2));
    return seed;
}

static loupe_addr parallel_ivars(void) {
    loupe_addr owner = node(), other = node();
    link(owner, "_a", other);
    link(owner, "_b", other);
    link(other, "_a", owner);
    return owner;
}

/* Every ring of a clique of six is a ring: one knot. */
static loupe_addr knot_with_many_rings(void) {
    enum { SIZE = 6 };
    loupe_addr arrays[SIZE], first = 0;
    for (unsigned i = 0; i < SIZE; i++) {
        loupe_addr zero = 0;
        arrays[i] = drawn_array(&w, SIZE, zero, zero, zero, zero, zero, zero);
        first = first ? first : arrays[i];
    }
    for (unsigned i = 0; i < SIZE; i++) {
        for (unsigned j = 0; j < SIZE; j++)
            drawn_put_word(&heap, arrays[i] + 16 + 8 * j, arrays[j]);
    }
    return first;
}

/* ---- The table ---- */

enum { ANY = -1 /* at least one */ };

static const struct parity_case {
    const char *name; /* of their test, without its prefix */
    loupe_addr (*draw)(void);
    int theirs; /* rings that they expect */
    int ours;   /* rings that Loupe shows */
    const char *why;
} cases[] = {
    {"FindNoCyclesInEmptyObject", empty_object, 0, 0, NULL},
    {"FindCycleCreatedByOneObjectWithItself", object_with_itself, 1, 1, NULL},
    {"FindNoCycleIfOneIsUsingWeakProperty", weak_self, 0, 0, NULL},
    {"FindCycleBetweenThreeElements", three_elements, 1, 1, NULL},
    {"FindNoCycleIfObjectsWithCommonParentReferThemselves", common_parent, 0, 0, NULL},
    {"FindCycleIfArrayIsPartOfIt", array_in_ring, 1, 1, NULL},
    {"FindCycleIfDictionaryIsPartOfIt", dictionary_in_ring, 1, 1, NULL},
    {"FindCycleIfCandidateIsNotPartOfTheCycle", candidate_outside, 1, 1, NULL},
    {"FindAllCyclesIfCandidateIsPartOfMoreThanOneCycle", two_rings_through_the_seed, 2, 2, NULL},
    {"FindAllCyclesInMoreComplicatedObjectGraph", complicated_graph, 3, 3, NULL},
    {"CatchCyclesWithoutRetraversing", shared_part, 2, 2, NULL},
    {"FindCycleWithFewCollectionsMixedInIt", mixed_collections, 1, 1, NULL},
    {"FindAllCyclesThatArrayIsPartOf", array_of_two_owners, 2, 2, NULL},
    {"FindOnlyOneRetainCycleIfArrayRefersToSameObjectTwice", same_object_twice, 1, 1, NULL},
    {"NotFindCycleInDiamondDAG", diamond, 0, 0, NULL},
    {"NotFindCycleInCommonDelegationPattern", delegation, 0, 0, NULL},
    {"NotFindCycleWhenObjectIsWrappedInNSValue", nonretained_value, 0, 0, NULL},
    {"NotFindCycleInBlockIfItHoldsWeakReferenceToObject", weak_capture, 0, 0, NULL},
    {"FindCycleBetweenBlockAndObject", strong_capture, 1, 1, NULL},
    {"FindCycleBetweenBlockAndObjectHeldByArray", capture_held_by_array, 1, 1, NULL},
    {"FindCycleIfMultipleBlocksArePartOfIt", two_objects_and_two_blocks, 1, 1, NULL},
    {"FindCycleIfParentClassPropertyIsAReasonForCycle", inherited_ivar, 1, 1, NULL},
    {"FindCycleBetweenObjectAndItsSubclass", object_and_subclass, 1, 1, NULL},
    {"FindCycleIfPartOfItIsElementOfStruct", struct_member, 1, 1, NULL},
    {"NotFindCycleIfItGoesThroughStructsWeakReference", weak_struct_member, 0, 0, NULL},
    {"testRetainCycleInStandardViewControllerDelegation", table_view_delegate, 0, 0, NULL},
    {"NotFindCyclesDeeperThanItsStackDepth", three_elements, 0, 1,
     "their limit of depth is 2 there; Loupe has no such limit"},
    {"ShiftCycleToLowestAddressFirstWhenItsPlacedInTheMiddle", candidate_outside, 1, 1,
     "a ring starts where its fingerprint does, whatever the addresses: see test_fingerprint"},
    {"RemoveDuplicateCycles", ring_by_two_paths, 1, 1, NULL},
    {"RemoveDuplicatesIfOneOfThemIsCyclicShiftOfOther", both_members_are_seeds, 1, 1, NULL},
    {"FindCycleUsingBlockType", block_variable, 1, 1, NULL},
    {"testThatNestedBlocksCycleIsDetected", nested_blocks, ANY, 1, NULL},
    {"testThatArrayContainingOwnerCycleIsDetected", mutable_array_in_ring, 1, 1, NULL},
    {"testThatDictionaryValueCycleIsDetected", mutable_dictionary_in_ring, 1, 1, NULL},
    {"testThatNSHashTableStrongCycleIsDetected", hash_table_in_ring, 1, 1, NULL},
    {"testThatNSMapTableStrongCycleIsDetected", map_table_in_ring, 1, 1, NULL},
    {"testThatUnsafeUnretainedDoesNotFormCycle", unretained_ivar, 0, 0, NULL},
    {"testThatDeepObjCInheritanceChainTraversal", object_and_subclass, 1, 1, NULL},
    {"testThatTimerUserInfoCycleIsDetected", timer_user_info, 1, 1, NULL},

    {"Timer: target cycle", timer_target, 1, 1, NULL},
    {"Associations: strong association", strong_association, 1, 1, NULL},
    {"Associations: added, then removed", removed_association, 0, 0, NULL},
    {"Associations: A to B to A", pair_by_associations, 1, 1, NULL},
    {"Associations: block that captures its host", associated_block, ANY, 1, NULL},
    {"Circle: clique of three", clique_of_three, ANY, 5, "three rings of two and two of three"},
    {"Circle: ring of 42", ring_of_42, 1, 1, NULL},
    {"Circle: set", set_in_ring, 1, 1, NULL},

    {"(none) structs, padded, three deep", padded_structs_three_deep, 0, 1, "they miss it"},
    {"(none) C array of objects", array_ivar, 0, 1, "they drop such ivars"},
    {"(none) union of manual retain/release", union_ivar, 0, 1, "they drop such ivars"},
    {"(none) packed struct captured", packed_capture, 0, 1, "they look at the wrong word"},
    {"(none) __block struct", struct_block_variable, 0, 1, "they do not decode it"},
    {"(none) __block variable that moved", forwarded_block_variable, 0, 1,
     "they do not follow forwarding"},
    {"(none) block of plain C", plain_c_block, 0, 1, "it has no layout, only helpers"},
    {"(none) noescape block", noescape_block, 0, 0, NULL},
    {"(none) block with generic helpers", generic_helper_block, 0, 1, "it has no helpers"},
    {"(none) block without a signature", block_without_signature, 0, 1,
     "they look for the layout in another place"},
    {"(none) association that copies", copied_association, 0, 1, "they follow retain only"},
    {"(none) block timer", block_timer, 0, 1, "they take its block for target and user info"},
    {"(none) bridged collection", cf_collection, 0, 1, "they never look into those"},
    {"(none) capture of an observed object", observed_capture, 0, 1,
     "they drop objects of dynamic classes"},
    {"(none) ring of 11", ring_of_11, 0, 1, "their limit is 10"},
    {"(none) ring 30 steps away", distant_ring, 0, 1, "their limit counts from the seed"},
    {"(none) two ivars to one object", parallel_ivars, 1, 1,
     "one ring; the second ivar is named as parallel"},
    {"(none) knot with hundreds of rings", knot_with_many_rings, ANY, 20,
     "one knot; as many rings as asked for"},
};

enum { MAX_RINGS = 20 };

static int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* Rings of all knots; -1 when there is no answer. */
static int count_rings(loupe_addr seed) {
    struct loupe_question question = {.query = LOUPE_QUERY_RETAIN_CYCLES,
                                      .address = seed,
                                      .max_rings = MAX_RINGS,
                                      .engine = "drawn"};
    struct drawn_text text = {0};
    struct loupe_memory memory;
    drawn_memory(&heap, &memory);
    enum loupe_status status =
        loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text));
    int rings = status ? -1 : count_of(text.text, "\"shortest\":");
    if (rings < 0)
        printf("    %s\n", text.text);
    loupe_memory_deinit(&memory);
    free(text.text);
    return rings;
}

static int rings_of(const struct parity_case *parity) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Node", "NSObject", "strong _a @; strong _b @; weak _weak @");
    int rings = count_rings(parity->draw());
    drawn_world_deinit(&w);
    return rings;
}

static void test_rings_of_every_case(void) {
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_current = cases[i].name;
        CHECK_EQ(rings_of(&cases[i]), cases[i].ours);
        bool differs = cases[i].theirs != ANY && cases[i].theirs != cases[i].ours;
        CHECK(!differs || cases[i].why);
    }
}

static void print_table(void) {
    printf("| case | theirs | Loupe | why they differ |\n| --- | --- | --- | --- |\n");
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        printf("| %s | ", cases[i].name);
        printf(cases[i].theirs == ANY ? "1 or more" : "%d", cases[i].theirs);
        printf(" | %d | %s |\n", rings_of(&cases[i]), cases[i].why ? cases[i].why : "");
    }
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        print_table();
        return 0;
    }
    RUN(test_rings_of_every_case);
    return check_report();
}

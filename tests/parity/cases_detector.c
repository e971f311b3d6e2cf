/* FBRetainCycleDetectorTests of FBRetainCycleDetector: 39 cases. */
#include "parity.h"

static loupe_addr empty_object(void) {
    return drawn_object(&w, "NSObject");
}

static loupe_addr object_with_itself(void) {
    return ring(1);
}

static loupe_addr weak_self(void) {
    loupe_addr self = node();
    link_to(self, "_weak", self);
    return self;
}

static loupe_addr three_elements(void) {
    return ring(3);
}

static loupe_addr common_parent(void) {
    loupe_addr parent = node(), left = node(), right = node();
    link_to(parent, "_a", left);
    link_to(parent, "_b", right);
    link_to(left, "_a", right);
    return parent;
}

static loupe_addr array_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_array(&w, 1, owner));
    return owner;
}

static loupe_addr dictionary_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_dictionary(&w, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr candidate_outside(void) {
    loupe_addr candidate = node();
    link_to(candidate, "_a", ring(3));
    return candidate;
}

static loupe_addr two_rings_through_the_seed(void) {
    loupe_addr seed = node(), left = node(), right = node();
    link_to(seed, "_a", left);
    link_to(seed, "_b", right);
    link_to(left, "_a", seed);
    link_to(right, "_a", seed);
    return seed;
}

/* Rings 1-2-4, 2-5-7 and 1-3 among seven nodes. */
static loupe_addr complicated_graph(void) {
    loupe_addr n[8];
    for (unsigned i = 1; i < 8; i++)
        n[i] = node();
    link_to(n[1], "_a", n[2]);
    link_to(n[1], "_b", n[3]);
    link_to(n[2], "_a", n[4]);
    link_to(n[2], "_b", n[5]);
    link_to(n[4], "_a", n[1]);
    link_to(n[3], "_a", n[1]);
    link_to(n[3], "_b", n[6]);
    link_to(n[5], "_a", n[7]);
    link_to(n[7], "_a", n[2]);
    return n[1];
}

/* Two candidates with a shared part: rings 3-4-5 and 5-6. */
static loupe_addr shared_part(void) {
    loupe_addr n[7];
    for (unsigned i = 0; i < 7; i++)
        n[i] = node();
    link_to(n[0], "_a", n[1]); /* holds both candidates */
    link_to(n[0], "_b", n[2]);
    link_to(n[1], "_a", n[3]);
    link_to(n[2], "_a", n[4]);
    link_to(n[3], "_a", n[4]);
    link_to(n[4], "_a", n[5]);
    link_to(n[5], "_a", n[3]);
    link_to(n[5], "_b", n[6]);
    link_to(n[6], "_a", n[5]);
    return n[0];
}

/* set -> array -> object -> dictionary -> set */
static loupe_addr mixed_collections(void) {
    loupe_addr object = node(), array = drawn_array(&w, 1, object),
               set = drawn_mutable_set(&w, 1, array);
    link_to(object, "_a", drawn_dictionary(&w, 1, drawn_text(&w, "key"), set));
    return set;
}

static loupe_addr array_of_two_owners(void) {
    loupe_addr left = node(), right = node(), array = drawn_mutable_array(&w, 2, left, right);
    link_to(left, "_a", array);
    link_to(right, "_a", array);
    return array;
}

static loupe_addr same_object_twice(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_array(&w, 2, owner, owner));
    return owner;
}

static loupe_addr diamond(void) {
    loupe_addr top = node(), left = node(), right = node(), bottom = node();
    link_to(top, "_a", left);
    link_to(top, "_b", right);
    link_to(left, "_a", bottom);
    link_to(right, "_a", bottom);
    return top;
}

static loupe_addr delegation(void) {
    loupe_addr owner = node(), worker = node();
    link_to(owner, "_a", worker);
    link_to(worker, "_weak", owner);
    return owner;
}

/* NSConcreteValue keeps its bytes behind its ivars; nothing says that they are an object. */
static loupe_addr nonretained_value(void) {
    loupe_addr owner = node();
    drawn_framework_class(&w, "NSConcreteValue", "NSObject", 24);
    loupe_addr value = drawn_object(&w, "NSConcreteValue");
    drawn_put_word(&heap, value + 24, owner);
    link_to(owner, "_a", value);
    return owner;
}

static loupe_addr weak_capture(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "w", owner));
    return owner;
}

static loupe_addr strong_capture(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "s", owner));
    return owner;
}

static loupe_addr capture_held_by_array(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "s", drawn_array(&w, 1, owner)));
    return owner;
}

static loupe_addr two_objects_and_two_blocks(void) {
    loupe_addr left = node(), right = node(), to_left = drawn_block_of(&w, "s", left),
               to_right = drawn_block_of(&w, "s", right);
    link_to(left, "_a", to_right);
    link_to(right, "_a", to_left);
    return to_left;
}

static loupe_addr inherited_ivar(void) {
    drawn_class(&w, "Child", "Node", "strong _own @");
    loupe_addr child = drawn_object(&w, "Child");
    link_to(child, "_a", child);
    return child;
}

static loupe_addr object_and_subclass(void) {
    drawn_class(&w, "Child", "Node", "strong _own @");
    loupe_addr parent = node(), child = drawn_object(&w, "Child");
    link_to(parent, "_a", child);
    link_to(child, "_own", parent);
    return parent;
}

static loupe_addr struct_member(void) {
    loupe_addr owner = holder("s.w _st {S=\"strong\"@\"n\"q\"weak\"@}");
    drawn_set_word(&w, owner, "_st", 0, owner);
    return owner;
}

static loupe_addr weak_struct_member(void) {
    loupe_addr owner = holder("s.w _st {S=\"strong\"@\"n\"q\"weak\"@}");
    drawn_set_word(&w, owner, "_st", 2, owner);
    return owner;
}

static loupe_addr table_view_delegate(void) {
    drawn_class(&w, "UITableView", "NSObject", "weak _delegate @; weak _dataSource @");
    loupe_addr controller = node(), table = drawn_object(&w, "UITableView");
    link_to(controller, "_a", table);
    link_to(table, "_delegate", controller);
    link_to(table, "_dataSource", controller);
    return controller;
}

/* One ring of two, reached by two paths. */
static loupe_addr ring_by_two_paths(void) {
    loupe_addr seed = node(), left = node(), right = node(), first = ring(2);
    link_to(seed, "_a", left);
    link_to(seed, "_b", right);
    link_to(left, "_a", first);
    link_to(right, "_a", first);
    return seed;
}

/* Both members are held by the seed. */
static loupe_addr both_members_are_seeds(void) {
    loupe_addr seed = node(), left = node(), right = node();
    link_to(seed, "_a", left);
    link_to(seed, "_b", right);
    link_to(left, "_a", right);
    link_to(right, "_a", left);
    return seed;
}

static loupe_addr block_variable(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "r", drawn_byref_of(&w, 3, owner)));
    return owner;
}

static loupe_addr nested_blocks(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "b", drawn_block_of(&w, "s", owner)));
    return owner;
}

static loupe_addr mutable_array_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_mutable_array(&w, 1, owner));
    return owner;
}

static loupe_addr mutable_dictionary_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_mutable_dictionary(&w, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr hash_table_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_hash_table(&w, true, 1, owner));
    return owner;
}

static loupe_addr map_table_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_map_table(&w, true, true, 1, drawn_text(&w, "key"), owner));
    return owner;
}

static loupe_addr unretained_ivar(void) {
    loupe_addr owner = holder("none _other @");
    link_to(owner, "_other", owner);
    return owner;
}

static loupe_addr timer_user_info(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_target_timer(&w, drawn_object(&w, "NSObject"), owner));
    return owner;
}

static const struct parity_case cases[] = {
    {"testThatDetectorWillFindNoCyclesInEmptyObject", PARITY_DRAWN(empty_object), NULL, NULL,
     PARITY_RINGS, 0, 0},
    {"testThatDetectorWillFindCycleCreatedByOneObjectWithItself", PARITY_DRAWN(object_with_itself),
     "self_loop", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindNoCycleIfOneIsUsingWeakProperty", PARITY_DRAWN(weak_self),
     "self_loop.guard", NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillFindCycleBetweenThreeElements", PARITY_DRAWN(three_elements), "ring_of_3",
     NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindNoCycleIfObjectsWithCommonParentReferThemselves",
     PARITY_DRAWN(common_parent), NULL, NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillFindCycleIfArrayIsPartOfIt", PARITY_DRAWN(array_in_ring), "array_member",
     NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleIfDictionaryIsPartOfIt", PARITY_DRAWN(dictionary_in_ring),
     "dict_value", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleIfCandidateIsNotPartOfTheCycle", PARITY_DRAWN(candidate_outside),
     "distant_ring", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindAllCyclesIfCandidateIsPartOfMoreThanOneCycle",
     PARITY_DRAWN(two_rings_through_the_seed), "id_array_ivar", NULL, PARITY_RINGS, 2, 2},
    {"testThatDetectorWillFindAllCyclesInMoreComplicatedObjectGraph",
     PARITY_DRAWN(complicated_graph), NULL, NULL, PARITY_RINGS, 3, 3},
    {"testThatDetectorWillCatchCyclesWithoutRetraversing", PARITY_DRAWN(shared_part), NULL, NULL,
     PARITY_RINGS, 2, 2},
    {"testThatDetectorWillFindCycleWithFewCollectionsMixedInIt", PARITY_DRAWN(mixed_collections),
     "collections_mixed", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindAllCyclesThatArrayIsPartOf", PARITY_DRAWN(array_of_two_owners),
     "parent_child", NULL, PARITY_RINGS, 2, 2},
    {"testThatDetectorWillFindOnlyOneRetainCycleIfArrayRefersToSameObjectTwice",
     PARITY_DRAWN(same_object_twice), "array_twice", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillNotFindCycleInDiamondDAG", PARITY_DRAWN(diamond), "diamond", NULL,
     PARITY_RINGS, 0, 0},
    {"testThatDetectorWillNotFindCycleInCommonDelegationPattern", PARITY_DRAWN(delegation),
     "delegate_weak", NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillNotFindCycleWhenObjectIsWrappedInNSValue",
     PARITY_DRAWN(nonretained_value), "value_nonretained", NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillNotFindCycleInBlockIfItHoldsWeakReferenceToObject",
     PARITY_DRAWN(weak_capture), "self_block_weak", NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillFindCycleBetweenBlockAndObject", PARITY_DRAWN(strong_capture),
     "self_block", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleBetweenBlockAndObjectHeldByArray",
     PARITY_DRAWN(capture_held_by_array), "block_in_array", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleIfMultipleBlocksArePartOfIt",
     PARITY_DRAWN(two_objects_and_two_blocks), "block_pair", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleIfParentClassPropertyIsAReasonForCycle",
     PARITY_DRAWN(inherited_ivar), NULL, NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleBetweenObjectAndItsSubclass", PARITY_DRAWN(object_and_subclass),
     NULL, NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleIfPartOfItIsElementOfStruct", PARITY_DRAWN(struct_member),
     "struct_ivar", NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillNotFindCycleIfItGoesThroughStructsWeakReference",
     PARITY_DRAWN(weak_struct_member), "struct_ivar.guard", NULL, PARITY_RINGS, 0, 0},
    {"testRetainCycleInStandardViewControllerDelegation", PARITY_DRAWN(table_view_delegate), NULL,
     NULL, PARITY_RINGS, 0, 0},
    {"testThatDetectorWillNotFindCyclesDeeperThanItsStackDepth", PARITY_DRAWN(three_elements),
     "ring_of_3", "their limit of depth is 2 there; Loupe has no such limit", PARITY_RINGS, 0, 1},
    {"testThatDetectorWillShiftCycleToLowestAddressFirstWhenItsPlacedInTheMiddle",
     PARITY_DRAWN(candidate_outside), NULL,
     "a ring starts where its fingerprint does, whatever the addresses: see test_fingerprint",
     PARITY_RINGS, 1, 1},
    {"testThatDetectorWillRemoveDuplicateCycles", PARITY_DRAWN(ring_by_two_paths), NULL, NULL,
     PARITY_RINGS, 1, 1},
    {"testThatDetectorWillRemoveDuplicatesIfOneOfThemIsCyclicShiftOfOther",
     PARITY_DRAWN(both_members_are_seeds), NULL, NULL, PARITY_RINGS, 1, 1},
    {"testThatDetectorWillFindCycleUsingBlockType", PARITY_DRAWN(block_variable), "byref_block",
     NULL, PARITY_RINGS, 1, 1},
    {"testThatNestedBlocksCycleIsDetected", PARITY_DRAWN(nested_blocks), "block_in_block", NULL,
     PARITY_RINGS, PARITY_ANY, 1},
    {"testThatArrayContainingOwnerCycleIsDetected", PARITY_DRAWN(mutable_array_in_ring),
     "array_member", NULL, PARITY_RINGS, 1, 1},
    {"testThatDictionaryValueCycleIsDetected", PARITY_DRAWN(mutable_dictionary_in_ring),
     "dict_value", NULL, PARITY_RINGS, 1, 1},
    {"testThatNSHashTableStrongCycleIsDetected", PARITY_DRAWN(hash_table_in_ring), "hash_table",
     NULL, PARITY_RINGS, 1, 1},
    {"testThatNSMapTableStrongCycleIsDetected", PARITY_DRAWN(map_table_in_ring), "map_table", NULL,
     PARITY_RINGS, 1, 1},
    {"testThatUnsafeUnretainedDoesNotFormCycle", PARITY_DRAWN(unretained_ivar), NULL, NULL,
     PARITY_RINGS, 0, 0},
    {"testThatDeepObjCInheritanceChainTraversal", PARITY_DRAWN(object_and_subclass), NULL, NULL,
     PARITY_RINGS, 1, 1},
    {"testThatTimerUserInfoCycleIsDetected", PARITY_DRAWN(timer_user_info), "timer_user_info", NULL,
     PARITY_RINGS, 1, 1},
};
const struct parity_suite parity_detector = PARITY_SUITE("FBRetainCycleDetectorTests", cases);

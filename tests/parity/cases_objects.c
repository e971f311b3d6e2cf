/*
 * FBObjectiveCObjectTests, FBRCDCollectionTests, FBObjectiveCNSCFTimerTests,
 * FBAssociationManagerTests and FBGraphEdgeFilterTests of FBRetainCycleDetector: 29 cases.
 */
#include "parity.h"

enum { RETAIN = 0x301, KEY = 0x7000 };
#define GARBAGE 0x5555555555555555u

/* ---- What one object holds ---- */

#define TEST_CLASS                                                                                 \
    "strong _someObject @; strong _someString @; weak _irrelevantObject @; strong _aCls @;"        \
    "strong _someTestClassInstance @"

static loupe_addr object_with_three(void) {
    loupe_addr object = holder(TEST_CLASS);
    drawn_set(&w, object, "_someObject", node());
    drawn_set(&w, object, "_someString", drawn_text(&w, "someString"));
    drawn_set(&w, object, "_irrelevantObject", node());
    drawn_set(&w, object, "_someTestClassInstance", drawn_object(&w, "Holder"));
    return object;
}

static loupe_addr array_of_three(void) {
    return drawn_array(&w, 3, drawn_text(&w, "someString"), node(), drawn_dictionary(&w, 0));
}

static loupe_addr dictionary_of_one(void) {
    return drawn_single_dictionary(&w, drawn_text(&w, "someString"), node());
}

static loupe_addr set_of_two(void) {
    return drawn_set_of(&w, 2, drawn_text(&w, "someString"), node());
}

static loupe_addr object_with_nil(void) {
    return holder(TEST_CLASS);
}

static loupe_addr object_of_a_subclass(void) {
    drawn_class(&w, "Base", "NSObject", TEST_CLASS);
    drawn_class(&w, "Derived", "Base", "");
    loupe_addr object = drawn_object(&w, "Derived");
    drawn_set(&w, object, "_someObject", node());
    drawn_set(&w, object, "_someString", drawn_text(&w, "someString"));
    drawn_set(&w, object, "_irrelevantObject", node());
    return object;
}

static loupe_addr object_with_a_class(void) {
    loupe_addr object = holder(TEST_CLASS);
    drawn_set(&w, object, "_aCls", drawn_framework_class(&w, "NSArray", "NSObject", 8)->address);
    return object;
}

static loupe_addr weak_hash_table(void) {
    return drawn_hash_table(&w, false, 3, node(), node(), node());
}

static loupe_addr strong_hash_table(void) {
    return drawn_hash_table(&w, true, 3, node(), node(), node());
}

static loupe_addr weak_map_table(void) {
    return drawn_map_table(&w, false, false, 1, node(), node());
}

static loupe_addr map_table_of_strong_values(void) {
    return drawn_map_table(&w, false, true, 1, node(), node());
}

static loupe_addr map_table_of_strong_keys(void) {
    return drawn_map_table(&w, true, false, 1, node(), node());
}

static loupe_addr strong_map_table(void) {
    return drawn_map_table(&w, true, true, 1, node(), node());
}

static loupe_addr bridged_dictionary(void) {
    return drawn_cf_dictionary(&w, 0, 0, 1, drawn_text(&w, "key"), (loupe_addr)5);
}

static loupe_addr freed_object(void) {
    loupe_addr object = node();
    drawn_put_word(&heap, object, GARBAGE);
    return object;
}

static loupe_addr word_on_the_stack(void) {
    return drawn_alloc(&heap, 16);
}

static loupe_addr freed_memory(void) {
    return 0xdead0000;
}

/* ---- Collections ---- */

/* Their collection changes its dictionary when it is asked for a value. */
static loupe_addr collection_that_changes(void) {
    drawn_framework_class(&w, "NSDictionary", "NSObject", 8);
    drawn_class(&w, "TestCollection", "NSDictionary", "strong _proxy @; none _currentIndex Q");
    loupe_addr collection = drawn_object(&w, "TestCollection");
    drawn_set(&w, collection, "_proxy",
              drawn_mutable_dictionary(&w, 2, drawn_text(&w, "a"), collection, drawn_text(&w, "b"),
                                       collection));
    return collection;
}

static loupe_addr map_table_of_numbers(void) {
    return drawn_map_table(&w, false, false, 1, (loupe_addr)1, (loupe_addr)1);
}

/* ---- Timers and associations ---- */

static loupe_addr timer_target(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_target_timer(&w, owner, 0));
    return owner;
}

/* object --association--> array --[0]--> object; the array is asked about. */
static loupe_addr associated_array(void) {
    loupe_addr object = node(), array = drawn_array(&w, 1, object);
    drawn_associate(&w, object, KEY, RETAIN, array);
    return array;
}

/* The isa still says that there are some, and the table has those of another object. */
static loupe_addr removed_association(void) {
    loupe_addr object = node(), array = drawn_array(&w, 1, object);
    uint64_t isa;
    drawn_associate(&w, node(), KEY, RETAIN, array);
    drawn_get(&heap, object, &isa, 8);
    drawn_put_word(&heap, object, isa | 2);
    return array;
}

static loupe_addr pair_by_associations(void) {
    loupe_addr left = node(), right = node();
    drawn_associate(&w, left, KEY, RETAIN, right);
    drawn_associate(&w, right, KEY, RETAIN, left);
    return left;
}

static loupe_addr associated_block(void) {
    loupe_addr host = node();
    drawn_associate(&w, host, KEY, RETAIN, drawn_block_of(&w, "s", host));
    return host;
}

/* ---- Filters: the standard ones, which name ivars of UITouch ---- */

static loupe_addr touch(const char *first, const char *second) {
    drawn_class(&w, "UITouch", "NSObject", "strong _view @; strong _window @; strong _other @");
    loupe_addr object = drawn_object(&w, "UITouch");
    drawn_set(&w, object, first, object);
    drawn_set(&w, object, second, object);
    return object;
}

static loupe_addr ivar_without_a_filter(void) {
    return touch("_other", "_other");
}

static loupe_addr ivar_with_a_filter(void) {
    return touch("_view", "_view");
}

static loupe_addr one_of_two_with_a_filter(void) {
    return touch("_view", "_other");
}

static loupe_addr both_with_a_filter(void) {
    return touch("_view", "_window");
}

static const char an_error[] = "Loupe says what is wrong with the address";

#define R PARITY_REFERENCES
static const struct parity_case cases[] = {
    {"testObjectsRetainedBySomeObjectWillBeFetched", PARITY_DRAWN(object_with_three), NULL, NULL, R,
     3, 3},
    {"testObjectsRetainedByArrayWillBeFetched", PARITY_DRAWN(array_of_three), NULL, NULL, R, 3, 3},
    {"testObjectsRetainedByDictionaryWillBeFetched", PARITY_DRAWN(dictionary_of_one), NULL, NULL, R,
     2, 2},
    {"testObjectsRetainedBySetWillBeFetched", PARITY_DRAWN(set_of_two), NULL, NULL, R, 2, 2},
    {"testThatIfObjectHasStrongPropertyWithNilThenItWontFetchIt", PARITY_DRAWN(object_with_nil),
     NULL, NULL, R, 0, 0},
    {"testObjectThatSubclassesFromObjectWithStrongPropertiesWillFetchPropertiesFromParentClass",
     PARITY_DRAWN(object_of_a_subclass), NULL, NULL, R, 2, 2},
    {"testObjectRetainingClassConformingToFastEnumerationWillNotCrash",
     PARITY_DRAWN(object_with_a_class), NULL, NULL, R, 1, 1},
    {"testHashTableWithWeakObjectsWillNotFetchThoseObjects", PARITY_DRAWN(weak_hash_table), NULL,
     NULL, R, 0, 0},
    {"testHashTableWithStrongObjectsWillFetchThoseObjects", PARITY_DRAWN(strong_hash_table), NULL,
     NULL, R, 3, 3},
    {"testMapTableWithWeakKeysAndValueWillNotFetchAnything", PARITY_DRAWN(weak_map_table), NULL,
     NULL, R, 0, 0},
    {"testMapTableWithWeakKeysAndStrongValuesWillFetchOnlyValues",
     PARITY_DRAWN(map_table_of_strong_values), NULL, NULL, R, 1, 1},
    {"testMapTableWithStrongKeysAndWeakValuesWillFetchOnlyKeys",
     PARITY_DRAWN(map_table_of_strong_keys), NULL, NULL, R, 1, 1},
    {"testMapTableWithStrongKeysAndStrongValuesWillFetchBothKeysAndValues",
     PARITY_DRAWN(strong_map_table), NULL, NULL, R, 2, 2},
    {"testTollFreeBridgedDictionaryWillNotCrash", PARITY_DRAWN(bridged_dictionary), NULL, NULL, R,
     0, 0},
    {"testAllRetainedObjectsReturnsNilForDeallocatedObject", PARITY_DRAWN(freed_object), NULL,
     an_error, PARITY_REFUSALS, 1, 1},
    {"testAllRetainedObjectsReturnsNilForInvalidUnsafeSwiftPointer",
     PARITY_DRAWN(word_on_the_stack), NULL, an_error, PARITY_REFUSALS, 1, 1},
    {"testAllRetainedObjectsReturnsNilForFreedUnsafeSwiftPointer", PARITY_DRAWN(freed_memory), NULL,
     an_error, PARITY_REFUSALS, 1, 1},

    {"testThatRetainCycleDetectorSkipsWhenCollectionIsMutatedWhileEnumeration",
     PARITY_DRAWN(collection_that_changes), NULL,
     "Loupe reads the collection's ivar and sends it no message, so nothing changes", PARITY_RINGS,
     0, 1},
    {"testNSMapTableWithOpaqueMemoryOption", PARITY_DRAWN(map_table_of_numbers), NULL, NULL,
     PARITY_RINGS, 0, 0},

    {"testThatNSTimerCreatesRetainCycleAndWillBeDetected", PARITY_DRAWN(timer_target),
     "timer_target", NULL, PARITY_RINGS, 1, 1},
    {"testThatNSTimerCreatesRetainCycleButWillBeSkippedIfDetectorIsConfiguredToSkip",
     PARITY_DRAWN(timer_target), "timer_target",
     "Loupe has no such switch: timers keep their targets alive", PARITY_RINGS, 0, 1},

    {"testIfRetainCycleWithAssociatedObjectStrongIsFound", PARITY_DRAWN(associated_array),
     "assoc_pair", NULL, PARITY_RINGS, 1, 1},
    {"testIfRetainCycleWithAssociatedObjectStrongIsAddedAndThenRemoved",
     PARITY_DRAWN(removed_association), "assoc_pair.guard", NULL, PARITY_RINGS, 0, 0},
    {"testThatChainedAssociatedObjectsCycleIsDetected", PARITY_DRAWN(pair_by_associations),
     "assoc_pair", NULL, PARITY_RINGS, 1, 1},
    {"testThatAssociatedBlockCapturingHostCycleIsDetected", PARITY_DRAWN(associated_block),
     "assoc_copy", NULL, PARITY_RINGS, PARITY_ANY, 1},

    {"testIfApplyingEmptyFilterWillNotAlterResults", PARITY_DRAWN(ivar_without_a_filter), NULL,
     NULL, PARITY_RINGS, 1, 1},
    {"testIfApplyingFilterForOnePropertyWillFilterOutThatProperty",
     PARITY_DRAWN(ivar_with_a_filter), NULL, NULL, PARITY_RINGS, 0, 0},
    {"testIfApplyingFilterToOnePropertyButSettingBothPropertiesWillStillYieldProperCycle",
     PARITY_DRAWN(one_of_two_with_a_filter), NULL, NULL, PARITY_RINGS, 1, 1},
    {"testIfApplyingFilterForBothPropertiesWillFilterOutBothProperties",
     PARITY_DRAWN(both_with_a_filter), NULL, NULL, PARITY_RINGS, 0, 0},
};
const struct parity_suite parity_objects =
    PARITY_SUITE("Objects, collections, timers, associations, filters", cases);

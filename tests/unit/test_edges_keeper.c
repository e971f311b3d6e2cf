/* What collections, timers and their like hold, under the names that a person would use. */
#include "check.h"
#include "drawn_collections.h"
#include "show_walk.h"

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr a, b, key, other_key;

/* Objects with names of their own, and two keys. */
static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "A", "NSObject", "");
    drawn_class(&w, "B", "NSObject", "");
    a = drawn_object(&w, "A");
    b = drawn_object(&w, "B");
    key = drawn_text(&w, "title");
    other_key = drawn_object(&w, "NSObject");
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

/* ---- Arrays ---- */

static void test_arrays_name_their_elements_by_index(void) {
    open_world();
    CHECK_WALK(&w, drawn_array(&w, 2, a, b),
               "__NSArrayI -- [0] --> A (element)\n__NSArrayI -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_transfer_array(&w, 2, a, b),
               "__NSArrayI_Transfer -- [0] --> A (element)\n"
               "__NSArrayI_Transfer -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_mutable_array(&w, 2, a, b),
               "__NSArrayM -- [0] --> A (element)\n__NSArrayM -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_single_array(&w, a), "__NSSingleObjectArrayI -- [0] --> A (element)\n");
    close_world();
}

static void test_array_that_wraps_around_its_buffer(void) {
    open_world();
    CHECK_WALK(&w, drawn_wrapped_array(&w, 4, a, b, b, a),
               "__NSArrayM -- [0] --> A (element)\n__NSArrayM -- [1] --> B (element)\n"
               "__NSArrayM -- [2] --> B (element)\n__NSArrayM -- [3] --> A (element)\n");
    close_world();
}

static void test_empty_collections_hold_nothing(void) {
    open_world();
    CHECK_WALK(&w, drawn_array(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_array(&w, 0), "");
    CHECK_WALK(&w, drawn_set_of(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_set(&w, 0), "");
    CHECK_WALK(&w, drawn_dictionary(&w, 0), "");
    CHECK_WALK(&w, drawn_mutable_dictionary(&w, 0), "");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 1, 0), "");
    drawn_framework_class(&w, "__NSArray0", "NSArray", 8);
    CHECK_WALK(&w, drawn_object(&w, "__NSArray0"), "");
    close_world();
}

/* ---- Sets and dictionaries ---- */

static void test_members_of_sets_have_no_number(void) {
    open_world();
    CHECK_WALK(&w, drawn_set_of(&w, 2, a, b),
               "__NSSetI -- [*] --> A (element)\n__NSSetI -- [*] --> B (element)\n");
    CHECK_WALK(&w, drawn_mutable_set(&w, 2, a, b),
               "__NSSetM -- [*] --> A (element)\n__NSSetM -- [*] --> B (element)\n");
    close_world();
}

static void test_values_are_named_by_keys_that_are_short_strings(void) {
    open_world();
    CHECK_WALK(&w, drawn_dictionary(&w, 2, key, a, other_key, b),
               "__NSDictionaryI -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSDictionaryI -- key --> NSObject (key)\n"
               "__NSDictionaryI -- [\"title\"] --> A (value)\n"
               "__NSDictionaryI -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_mutable_dictionary(&w, 2, key, a, other_key, b),
               "__NSDictionaryM -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSDictionaryM -- key --> NSObject (key)\n"
               "__NSDictionaryM -- [\"title\"] --> A (value)\n"
               "__NSDictionaryM -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_single_dictionary(&w, key, a),
               "__NSSingleEntryDictionaryI -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSSingleEntryDictionaryI -- [\"title\"] --> A (value)\n");
    close_world();
}

static void test_long_keys_are_cut(void) {
    open_world();
    loupe_addr text = drawn_text(&w, "a key that is much longer than what fits into a line");
    CHECK_WALK(&w, drawn_single_dictionary(&w, text, a),
               "__NSSingleEntryDictionaryI -- key \"a key that is much longer than what ...\" --> "
               "__NSCFConstantString (key)\n"
               "__NSSingleEntryDictionaryI -- [\"a key that is much longer than what ...\"] --> A "
               "(value)\n");
    close_world();
}

/* ---- Toll-free bridged ---- */

static void test_cf_arrays_own_by_their_callbacks(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_array(&w, false, 1, 2, a, b),
               "__NSCFArray -- [0] --> A (element)\n__NSCFArray -- [1] --> B (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, true, 1, 1, a), "__NSCFArray -- [0] --> A (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 3, 1, a), "__NSCFArray -- [0] --> A (element)\n");
    CHECK_WALK(&w, drawn_cf_array(&w, false, 0, 2, a, (loupe_addr)7), "");
    close_world();
}

static void test_cf_dictionaries_own_by_their_callbacks(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 3, 3, 1, key, a),
               "__NSCFDictionary -- key \"title\" --> __NSCFConstantString (key)\n"
               "__NSCFDictionary -- [\"title\"] --> A (value)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 6, 0, 1, key, (loupe_addr)42),
               "__NSCFDictionary -- key \"title\" --> __NSCFConstantString (key)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 0, 3, 1, (loupe_addr)42, a),
               "__NSCFDictionary -- [*] --> A (value)\n");
    CHECK_WALK(&w, drawn_cf_dictionary(&w, 0, 0, 1, (loupe_addr)42, (loupe_addr)44), "");
    close_world();
}

static void test_cf_sets_skip_members_that_were_removed(void) {
    open_world();
    CHECK_WALK(&w, drawn_cf_set(&w, 3, 2, a, b),
               "__NSCFSet -- [*] --> A (element)\n__NSCFSet -- [*] --> B (element)\n");
    CHECK_WALK(&w, drawn_cf_set(&w, 0, 2, a, b), "");
    close_world();
}

/* ---- Map tables and hash tables ---- */

static void test_map_tables_own_the_sides_that_are_strong(void) {
    open_world();
    CHECK_WALK(&w, drawn_map_table(&w, true, true, 1, a, b),
               "NSConcreteMapTable -- key --> A (key)\nNSConcreteMapTable -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_map_table(&w, false, true, 1, a, b),
               "NSConcreteMapTable -- [*] --> B (value)\n");
    CHECK_WALK(&w, drawn_map_table(&w, true, false, 1, a, b),
               "NSConcreteMapTable -- key --> A (key)\n");
    CHECK_WALK(&w, drawn_map_table(&w, false, false, 1, (loupe_addr)3, (loupe_addr)6), "");
    close_world();
}

static void test_hash_tables_own_if_they_are_strong(void) {
    open_world();
    CHECK_WALK(&w, drawn_hash_table(&w, true, 2, a, b),
               "NSConcreteHashTable -- [*] --> A (element)\n"
               "NSConcreteHashTable -- [*] --> B (element)\n");
    CHECK_WALK(&w, drawn_hash_table(&w, false, 2, a, b), "");
    close_world();
}

/* ---- Timers ---- */

static void test_timers_own_target_user_info_and_block(void) {
    open_world();
    CHECK_WALK(&w, drawn_target_timer(&w, a, b),
               "__NSCFTimer -- target --> A (target)\n"
               "__NSCFTimer -- userInfo --> B (user-info)\n");
    CHECK_WALK(&w, drawn_target_timer(&w, a, 0), "__NSCFTimer -- target --> A (target)\n");
    CHECK_WALK(&w, drawn_block_timer(&w, drawn_block_of(&w, "s", a)),
               "__NSCFTimer -- block --> __NSMallocBlock__ (target)\n"
               "__NSMallocBlock__ -- +0x20 --> A (capture)\n");
    close_world();
}

static void test_invalid_timer_holds_nothing(void) {
    open_world();
    CHECK_WALK(&w, drawn_block_timer(&w, 0), "");
    close_world();
}

static void test_timer_of_an_unknown_kind_holds_more_than_can_be_seen(void) {
    open_world();
    CHECK_WALK(&w, drawn_block_timer(&w, drawn_alloc(&heap, 32)),
               "! 1 object that holds more than Loupe can see\n");
    close_world();
}

/* ---- Dispatch sources ---- */

static void test_dispatch_source_owns_its_handlers(void) {
    open_world();
    loupe_addr block = drawn_block_of(&w, ""), refs = drawn_alloc(&heap, 64),
               continuation = drawn_alloc(&heap, 64);
    drawn_framework_class(&w, "OS_dispatch_source", "NSObject", 96);
    loupe_addr source = drawn_object(&w, "OS_dispatch_source");
    drawn_put_word(&heap, source + 88, refs);
    drawn_put_word(&heap, refs + 8, ~source);
    drawn_put_word(&heap, refs + 48, continuation);
    drawn_put_word(&heap, continuation + 40, block);
    CHECK_WALK(&w, source, "OS_dispatch_source -- cancel_handler --> __NSMallocBlock__ (target)\n");
    drawn_put_word(&heap, refs + 8, source); /* not the layout that is known */
    CHECK_WALK(&w, source, "! 1 object that holds more than Loupe can see\n");
    close_world();
}

/* ---- Layouts that are not the ones known ---- */

static void test_collections_of_another_layout_are_refused(void) {
    open_world();
    loupe_addr array = drawn_array(&w, 2, a, b);
    drawn_put_word(&heap, array + 24, 0); /* a hole */
    CHECK_WALK(&w, array, "! 1 collection of an unknown layout\n");
    drawn_put_word(&heap, array + 24, 0x1234567c); /* no object by its alignment */
    CHECK_WALK(&w, array, "! 1 collection of an unknown layout\n");
    drawn_put_word(&heap, array + 8, UINT64_MAX);
    CHECK_WALK(&w, array, "! 1 collection of an unknown layout\n");

    array = drawn_mutable_array(&w, 2, a, b);
    drawn_put_u32(&heap, array + 24, 1000); /* beyond the capacity */
    CHECK_WALK(&w, array, "! 1 collection of an unknown layout\n");

    loupe_addr set = drawn_mutable_set(&w, 2, a, b);
    drawn_put_u32(&heap, set + 28, 1 | 1 << 26); /* one member by its count, two there */
    CHECK_WALK(&w, set, "! 1 collection of an unknown layout\n");
    drawn_put_u32(&heap, set + 28, 2 | 63u << 26); /* no such capacity */
    CHECK_WALK(&w, set, "! 1 collection of an unknown layout\n");
    drawn_put_word(&heap, set + 16, 0xdead0000);
    drawn_put_u32(&heap, set + 28, 2 | 1 << 26);
    CHECK_WALK(&w, set, "! 1 collection of an unknown layout\n");
    close_world();
}

static void test_unknown_collection_class_is_counted(void) {
    open_world();
    drawn_framework_class(&w, "__NSFutureArray", "NSArray", 32);
    CHECK_WALK(&w, drawn_object(&w, "__NSFutureArray"), "! 1 collection of an unknown layout\n");
    close_world();
}

static void test_own_subclass_of_a_collection_is_followed_by_its_ivars(void) {
    open_world();
    drawn_framework_class(&w, "NSArray", "NSObject", 8);
    drawn_class(&w, "Playlist", "NSArray", "strong _songs @");
    loupe_addr playlist = drawn_object(&w, "Playlist");
    drawn_set(&w, playlist, "_songs", a);
    CHECK_WALK(&w, playlist, "Playlist -- _songs --> A (ivar)\n");
    close_world();
}

static void test_dynamic_subclass_of_a_known_collection_keeps_its_elements(void) {
    open_world();
    loupe_addr array = drawn_mutable_array(&w, 1, a);
    drawn_class(&w, "NSKVONotifying___NSArrayM", "__NSArrayM", "strong _observed @");
    loupe_addr observed = drawn_object(&w, "NSKVONotifying___NSArrayM");
    uint8_t bytes[32];
    drawn_get(&heap, array + 8, bytes, sizeof(bytes));
    drawn_put(&heap, observed + 8, bytes, sizeof(bytes));
    drawn_set(&w, observed, "_observed", b);
    CHECK_WALK(&w, observed,
               "NSKVONotifying___NSArrayM -- _observed --> B (ivar)\n"
               "NSKVONotifying___NSArrayM -- [0] --> A (element)\n");
    close_world();
}

static void test_layouts_are_not_taken_for_those_of_32_bits(void) {
    drawn_world_init(&w, &heap, DRAWN_32_BIT);
    drawn_framework_class(&w, "__NSArrayI", "NSArray", 8);
    CHECK_WALK(&w, drawn_object(&w, "__NSArrayI"), "! 1 collection of an unknown layout\n");
    close_world();
}

int main(void) {
    RUN(test_arrays_name_their_elements_by_index);
    RUN(test_array_that_wraps_around_its_buffer);
    RUN(test_empty_collections_hold_nothing);
    RUN(test_members_of_sets_have_no_number);
    RUN(test_values_are_named_by_keys_that_are_short_strings);
    RUN(test_long_keys_are_cut);
    RUN(test_cf_arrays_own_by_their_callbacks);
    RUN(test_cf_dictionaries_own_by_their_callbacks);
    RUN(test_cf_sets_skip_members_that_were_removed);
    RUN(test_map_tables_own_the_sides_that_are_strong);
    RUN(test_hash_tables_own_if_they_are_strong);
    RUN(test_timers_own_target_user_info_and_block);
    RUN(test_invalid_timer_holds_nothing);
    RUN(test_timer_of_an_unknown_kind_holds_more_than_can_be_seen);
    RUN(test_dispatch_source_owns_its_handlers);
    RUN(test_collections_of_another_layout_are_refused);
    RUN(test_unknown_collection_class_is_counted);
    RUN(test_own_subclass_of_a_collection_is_followed_by_its_ivars);
    RUN(test_dynamic_subclass_of_a_known_collection_keeps_its_elements);
    RUN(test_layouts_are_not_taken_for_those_of_32_bits);
    return check_report();
}

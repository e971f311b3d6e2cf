/* References in ivars: layouts, members, superclasses, manual retain/release, what cannot be read.
 */
#include "check.h"
#include "edges/kinds/own_destructor.h"
#include "show_walk.h"

#include <stdio.h>
#include <string.h>

static struct drawn_heap heap;
static struct drawn_world w;

/* The tests that every form of the runtime must pass. */
static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

static void test_strong_ivar_is_an_edge(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _other @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_other", drawn_object(&w, "NSObject"));
    CHECK_WALK(&w, owner, "Owner -- _other --> NSObject (ivar)\n");
    close_world();
}

static void test_weak_unretained_and_class_ivars_are_no_edges(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "weak _w @; none _u @; none _c #; none _p ^v");
    loupe_addr owner = drawn_object(&w, "Owner"), other = drawn_object(&w, "NSObject");
    drawn_set(&w, owner, "_w", other);
    drawn_set(&w, owner, "_u", other);
    drawn_set(&w, owner, "_c", drawn_class_named(&w, "NSObject")->address);
    CHECK_WALK(&w, owner, "");
    drawn_set(&w, owner, "_p", other);
    CHECK_WALK(&w, owner, "! 1 C pointers to an object\n");
    close_world();
}

static void show_member(void *ctx, const struct loupe_named_member *member) {
    char *text = ctx;
    snprintf(text + strlen(text), 256 - strlen(text), "%s%llu ", member->is_weak ? "weak " : "",
             (unsigned long long)member->offset);
}

static void check_destructor(const char *name, bool is_one, const char *members) {
    char text[256] = "";
    CHECK_EQ(loupe_destructor_members(name, show_member, text), is_one);
    if (is_one)
        CHECK_STR(text, members);
}

/* As clang names them. */
static void test_destructors_of_structs_list_their_members(void) {
    check_destructor("__destructor_8_s8_w16", true, "8 weak 16 ");
    check_destructor("__destructor_8_sb0_S_s8_sv16", true, "0 8 16 ");
    check_destructor("__destructor_8_AB8s16n3_s8_AE_w56", true, "8 24 40 weak 56 ");
    check_destructor("__destructor_8_AB8s16n3_AB8s8n2_s8_AE_AE", false, "");
    check_destructor("__destructor_8_s99999999999999999999", false, "");
    check_destructor("__destructor_8_AB0s8n99999_s0_AE", false, "");
    check_destructor("__destructor_8_x0", false, "");
    check_destructor("__copy_constructor_8_8_s0", false, "");
}

static void test_nil_is_no_edge(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _other @");
    CHECK_WALK(&w, drawn_object(&w, "Owner"), "");
    close_world();
}

static void test_parallel_edges_and_edges_to_itself_are_kept(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @; strong _b @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    drawn_set(&w, owner, "_b", owner);
    CHECK_WALK(&w, owner, "Owner -- _a --> Owner (ivar)\nOwner -- _b --> Owner (ivar)\n");
    close_world();
}

/* As processors with tagged memory have them, and Swift and others by themselves. */
static void test_tags_are_no_part_of_an_address(void) {
    const uint64_t tag = UINT64_C(0x0b) << 56, other_tag = UINT64_C(0x05) << 56;
    drawn_world_init(&w, &heap, DRAWN_ARM64E);
    drawn_class(&w, "Owner", "NSObject", "strong _a @; strong _b @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner | tag);
    drawn_set(&w, owner, "_b", owner | other_tag);
    CHECK_WALK(&w, owner, "Owner -- _a --> Owner (ivar)\nOwner -- _b --> Owner (ivar)\n");
    close_world();
}

static void test_ivars_of_superclasses_come_first(void) {
    open_world();
    drawn_class(&w, "Base", "NSObject", "strong _base @; none _c c");
    drawn_class(&w, "Middle", "Base", "");
    drawn_class(&w, "Derived", "Middle", "none _d c; strong _derived @");
    loupe_addr object = drawn_object(&w, "Derived");
    drawn_set(&w, object, "_base", object);
    drawn_set(&w, object, "_derived", object);
    CHECK_WALK(&w, object,
               "Derived -- _base --> Derived (ivar)\nDerived -- _derived --> Derived (ivar)\n");
    close_world();
}

static void test_members_of_structs_are_named(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject",
                "s.ws _st {S=\"o\"@\"n\"q\"w\"@\"in\"{T=\"o\"@}}; strong _end @");
    loupe_addr owner = drawn_object(&w, "Owner");
    for (unsigned i = 0; i < 4; i++)
        drawn_set_word(&w, owner, "_st", i, owner);
    drawn_set(&w, owner, "_end", owner);
    CHECK_WALK(&w, owner,
               "Owner -- _st.o --> Owner (ivar)\nOwner -- _st.in.o --> Owner (ivar)\n"
               "Owner -- _end --> Owner (ivar)\n");
    close_world();
}

/* Another type for the first ivar of a class. */
static void set_encoding(const char *class_name, const char *encoding) {
    enum { IVARS = 48, FIRST = 8, TYPE = 16 }; /* in class_ro, in the list, in an ivar */
    loupe_addr list = 0;
    drawn_get(&heap, drawn_class_named(&w, class_name)->ro + IVARS, &list, 8);
    drawn_put_word(&heap, list + FIRST + TYPE, drawn_string(&heap, encoding));
}

static void test_encoding_of_another_size_than_the_ivar_names_no_member(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "ss. _st {S=\"a\"@\"b\"@\"n\"q}");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set_word(&w, owner, "_st", 0, owner);
    drawn_set_word(&w, owner, "_st", 1, owner);
    set_encoding("Owner", "{S=\"b\"@\"a\"@}");
    CHECK_WALK(&w, owner, "Owner -- _st --> Owner (ivar)\nOwner -- _st+0x8 --> Owner (ivar)\n");
    close_world();
}

static void test_guesses_by_an_encoding_of_another_size_are_counted(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject", "none _st {S=\"n\"q\"a\"@}");
    loupe_addr owner = drawn_object(&w, "Owner");
    set_encoding("Owner", "{S=\"a\"@}");
    CHECK_WALK(&w, owner, "! 1 classes without a layout\n");
    close_world();
}

static void test_elements_of_arrays_are_named(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a [2@]; s.s. _b [2{S=\"o\"@\"n\"q}]");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set_word(&w, owner, "_a", 1, owner);
    drawn_set_word(&w, owner, "_b", 2, owner);
    CHECK_WALK(&w, owner, "Owner -- _a[1] --> Owner (ivar)\nOwner -- _b[1].o --> Owner (ivar)\n");
    close_world();
}

static void test_more_than_15_strong_words_in_a_row(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "none _skip [40q]; strong _a [20@]");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set_word(&w, owner, "_skip", 39, owner);
    drawn_set_word(&w, owner, "_a", 0, owner);
    drawn_set_word(&w, owner, "_a", 19, owner);
    CHECK_WALK(&w, owner, "Owner -- _a[0] --> Owner (ivar)\nOwner -- _a[19] --> Owner (ivar)\n");
    close_world();
}

static void test_strong_word_without_an_ivar_keeps_its_edge(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @; strong _b @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_b", owner);
    drawn_put_ro_word(&w, "Owner", 4, 0); /* no list of ivars */
    CHECK_WALK(&w, owner, "Owner -- +0x10 --> Owner (ivar)\n");
    close_world();
}

static void test_isa_that_a_root_class_declares_as_strong_is_no_edge(void) {
    open_world();
    drawn_class(&w, "Root", NULL, "strong isa @; strong _a @");
    loupe_addr root = drawn_object(&w, "Root");
    drawn_make_raw(&w, root);
    CHECK_WALK(&w, root, "");
    close_world();
}

static void test_tagged_pointer_is_a_leaf(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _number @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_number", 0x2a7);
    CHECK_WALK(&w, owner, "");
    close_world();
}

static void test_class_object_in_a_strong_ivar_is_a_leaf_with_an_edge(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _cls @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_cls", drawn_class_named(&w, "Owner")->address);
    CHECK_WALK(&w, owner, "Owner -- _cls --> Owner (ivar)\n");
    close_world();
}

static void test_invalid_object_in_a_strong_slot_is_counted(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @; strong _b @; strong _c @; strong _d @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", drawn_string(&heap, "no object at all"));
    drawn_set(&w, owner, "_b", 0xdead0000);         /* unreadable */
    drawn_set(&w, owner, "_c", owner + 4);          /* not aligned */
    drawn_set(&w, owner, "_d", 0x400000000000bad0); /* a store is under way */
    CHECK_WALK(&w, owner, "! 1 unreadable memory\n! 3 strong references without a valid object\n");
    close_world();
}

/* ---- Manual retain/release ---- */

static void test_objects_of_a_manual_class_are_assumed(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject", "none _a @; none _b @?; none _c #; none _s {S=\"o\"@}");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    drawn_set(&w, owner, "_b", drawn_block_of(&w, ""));
    drawn_set(&w, owner, "_c", owner);
    drawn_set(&w, owner, "_s", owner);
    CHECK_WALK(&w, owner,
               "Owner -- _a --> Owner (ivar, assumed)\n"
               "Owner -- _b --> __NSMallocBlock__ (ivar, assumed)\n"
               "Owner -- _s.o --> Owner (ivar, assumed)\n");
    close_world();
}

static void test_properties_of_a_manual_class_refine(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject",
                "none _r @; none _c @; none _assigned @; none _w @; none _readonly @");
    drawn_properties(&w, "Owner",
                     "r T@,&,N,V_r; c T@\"NSString\",C,N,V_c; assigned T@,N,V_assigned;"
                     "w T@,W,V_w; readonly T@,R,V_readonly");
    loupe_addr owner = drawn_object(&w, "Owner");
    const char *const names[] = {"_r", "_c", "_assigned", "_w", "_readonly"};
    for (unsigned i = 0; i < 5; i++)
        drawn_set(&w, owner, names[i], owner);
    CHECK_WALK(&w, owner,
               "Owner -- _r --> Owner (ivar, declared)\nOwner -- _c --> Owner (ivar, declared)\n"
               "Owner -- _readonly --> Owner (ivar, assumed)\n");
    close_world();
}

static void test_weak_ivar_of_a_manual_class_is_no_edge(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject", "weak _w @; none _a @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_w", owner);
    drawn_set(&w, owner, "_a", owner);
    CHECK_WALK(&w, owner, "Owner -- _a --> Owner (ivar, assumed)\n");
    close_world();
}

/* ---- C++ ---- */

static void test_object_in_a_cxx_base_class_is_assumed(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "..s _cxx {D=\"_vptr$B\"^^?\"base\"@\"own\"@}");
    drawn_put_ro_number(&w, "Owner", 0, 0x84); /* ARC, with C++ constructors */
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set_word(&w, owner, "_cxx", 1, owner);
    drawn_set_word(&w, owner, "_cxx", 2, owner);
    CHECK_WALK(&w, owner,
               "Owner -- _cxx.base --> Owner (ivar, assumed)\n"
               "Owner -- _cxx.own --> Owner (ivar)\n");
    close_world();
}

static void test_cxx_container_of_objects_is_counted(void) {
    open_world();
    drawn_class(
        &w, "Owner", "NSObject",
        "none _v {vector<id, std::allocator<id>>=\"b\"^@\"e\"^@}; none _n {vector<int>=^i}");
    CHECK_WALK(&w, drawn_object(&w, "Owner"), "! 1 C++ members\n");
    close_world();
}

static void test_swift_object_is_counted_and_its_superclasses_are_followed(void) {
    open_world();
    drawn_class(&w, "Base", "NSObject", "strong _base @");
    w.manual = true;
    loupe_addr cls = drawn_class(&w, "_TtC4Main5Model", "Base", "none model @")->address;
    uint64_t bits;
    drawn_get(&heap, cls + 32, &bits, 8);
    drawn_put_word(&heap, cls + 32, bits | 2);
    loupe_addr object = drawn_object(&w, "_TtC4Main5Model");
    drawn_set(&w, object, "_base", object);
    drawn_set(&w, object, "model", object);
    CHECK_WALK(&w, object,
               "_TtC4Main5Model -- _base --> _TtC4Main5Model (ivar)\n! 1 Swift objects\n");
    close_world();
}

/* ---- Damage ---- */

static void test_superclass_chain_that_loops_ends(void) {
    open_world();
    drawn_class(&w, "A", "NSObject", "strong _a @");
    drawn_class(&w, "B", "A", "strong _b @");
    loupe_addr a = drawn_class_named(&w, "A")->address, b = drawn_class_named(&w, "B")->address;
    drawn_put_word(&heap, a + 8, b);
    loupe_addr object = drawn_object(&w, "B");
    drawn_set(&w, object, "_a", object);
    CHECK_WALK(&w, object, "B -- _a --> B (ivar)\n! 1 classes without a layout\n");
    close_world();
}

static void test_impossible_count_of_ivars_leaves_the_layout(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    loupe_addr owner = drawn_object(&w, "Owner"), list;
    drawn_set(&w, owner, "_a", owner);
    drawn_get(&heap, drawn_class_named(&w, "Owner")->ro + 48, &list, 8);
    drawn_put_u32(&heap, list + 4, UINT32_MAX);
    CHECK_WALK(&w, owner, "Owner -- +0x8 --> Owner (ivar)\n! 1 classes without a layout\n");
    close_world();
}

static void test_layout_beyond_the_instance_is_cut(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    drawn_put_ro_word(&w, "Owner", 0, drawn_string(&heap, "\x0f"));
    CHECK_WALK(&w, owner, "Owner -- _a --> Owner (ivar)\n! 1 classes without a layout\n");
    close_world();
}

static void test_unreadable_part_of_an_instance_is_counted(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @; none _pad [1024q]; strong _b @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    drawn_set(&w, owner, "_b", owner);
    heap.bad_page = (owner + 16 + 8192) / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
    CHECK_WALK(&w, owner, "Owner -- _a --> Owner (ivar)\n! 1 unreadable memory\n");
    close_world();
}

int main(void) {
    RUN(test_strong_ivar_is_an_edge);
    RUN(test_weak_unretained_and_class_ivars_are_no_edges);
    RUN(test_nil_is_no_edge);
    RUN(test_parallel_edges_and_edges_to_itself_are_kept);
    RUN(test_tags_are_no_part_of_an_address);
    RUN(test_ivars_of_superclasses_come_first);
    RUN(test_members_of_structs_are_named);
    RUN(test_destructors_of_structs_list_their_members);
    RUN(test_encoding_of_another_size_than_the_ivar_names_no_member);
    RUN(test_guesses_by_an_encoding_of_another_size_are_counted);
    RUN(test_elements_of_arrays_are_named);
    RUN(test_more_than_15_strong_words_in_a_row);
    RUN(test_strong_word_without_an_ivar_keeps_its_edge);
    RUN(test_isa_that_a_root_class_declares_as_strong_is_no_edge);
    RUN(test_tagged_pointer_is_a_leaf);
    RUN(test_class_object_in_a_strong_ivar_is_a_leaf_with_an_edge);
    RUN(test_invalid_object_in_a_strong_slot_is_counted);
    RUN(test_objects_of_a_manual_class_are_assumed);
    RUN(test_properties_of_a_manual_class_refine);
    RUN(test_weak_ivar_of_a_manual_class_is_no_edge);
    RUN(test_object_in_a_cxx_base_class_is_assumed);
    RUN(test_cxx_container_of_objects_is_counted);
    RUN(test_swift_object_is_counted_and_its_superclasses_are_followed);
    RUN(test_superclass_chain_that_loops_ends);
    RUN(test_impossible_count_of_ivars_leaves_the_layout);
    RUN(test_layout_beyond_the_instance_is_cut);
    RUN(test_unreadable_part_of_an_instance_is_counted);
    return check_report();
}

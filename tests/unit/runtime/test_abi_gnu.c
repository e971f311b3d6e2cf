/* GCC's libobjc and GNUstep's libobjc2: classes, ivars, counts, associations. */
#include "check.h"
#include "objects/drawn_gnu.h"
#include "edges/details/describe.h"

#include <stdlib.h>

static const struct ivar two_objects[] = {{"_a", "@", 8, 8, STRONG}, {"_b", "@", 16, 8, WEAK}};

/* ---- Both ---- */

static const char *detected(void) {
    struct loupe_memory memory;
    struct loupe_target target;
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    const char *name = loupe_abi_detect(&target, NULL) ? "none" : target.abi->name;
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return name;
}

static void test_runtimes_are_told_apart(void) {
    gnu_open_heap(GCC);
    CHECK_STR(detected(), "gcc");
    gnu_close_heap();
    gnu_open_heap(GNUSTEP2); /* it exports GCC's function too */
    CHECK_STR(detected(), "gnustep2");
    drawn_symbol_add(&gnu_heap, "objc_debug_isa_class_mask", gnu_heap.next - 8);
    CHECK_STR(detected(), "apple");
    gnu_close_heap();
    drawn_heap_init(&gnu_heap, 8);
    CHECK_STR(detected(), "none");
    gnu_close_heap();
}

static enum loupe_retain_count count_of(loupe_addr address, uint64_t *ret) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    enum loupe_retain_count kind = LOUPE_COUNT_UNKNOWN;
    if (CHECK(!loupe_abi_detect(&target, NULL)) &&
        CHECK(!loupe_object_at(&target, address, &object, NULL)))
        kind = target.abi->retain_count(&target, &object, ret);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return kind;
}

static loupe_addr destructor_of(loupe_addr address) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    loupe_addr code = UINT64_MAX;
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    if (CHECK(!loupe_abi_detect(&target, NULL)) &&
        CHECK(!loupe_object_at(&target, address, &object, NULL)) &&
        CHECK(target.abi->ivar_destructor != NULL))
        code = target.abi->ivar_destructor(&target, object.cls);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return code;
}

static void test_destructor_of_ivars_is_a_word_of_libobjc2s_classes(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr object = gnu_put_object(cls, 24);
    CHECK_EQ(destructor_of(object), 0);
    drawn_put_word(&gnu_heap, cls + 8 * 11, 0x5550);
    CHECK_EQ(destructor_of(object), 0x5550);
    gnu_close_heap();
}

static void expect_count(loupe_addr object, uint64_t word_before, enum loupe_retain_count kind,
                         uint64_t count) {
    uint64_t got = 0;
    drawn_put_word(&gnu_heap, object - 8, word_before);
    CHECK_EQ(count_of(object, &got), kind);
    CHECK_EQ(got, count);
}

static void test_damaged_classes_are_refused(void) {
    static const struct {
        unsigned word;
        uint64_t value;
        const char *want;
    } damages[] = {
        {0, 0x10, "its isa does not point to a metaclass"},
        {2, 0x10, "it has no name"},
        {5, (uint64_t)1 << 40, "its instances have an impossible size"},
        {5, 4, "its instances have an impossible size"},
    };
    for (int of = GCC; of <= GNUSTEP2; of++) {
        for (unsigned i = 0; i < LENGTH(damages); i++) {
            char want[256];
            gnu_open_heap((enum gnu_runtime)of);
            loupe_addr cls = gnu_put_root(), object = gnu_put_object(cls, 8);
            drawn_put_word(&gnu_heap, cls + 8 * damages[i].word, damages[i].value);
            snprintf(want, sizeof(want),
                     "error: 0x%llx is not an object: isa 0x%llx: 0x%llx is not a class: %s\n",
                     (unsigned long long)object, (unsigned long long)cls, (unsigned long long)cls,
                     damages[i].want);
            CHECK_WALK(&gnu_world, object, want);
            gnu_close_heap();
        }
    }
}

static void test_root_class_without_ivars_is_a_class(void) {
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr cls = gnu_put_root();
        drawn_put_word(&gnu_heap, cls + 8 * 5, 0);
        CHECK_WALK(&gnu_world, gnu_put_object(cls, 8), "");
        gnu_close_heap();
    }
}

static void test_count_of_ivars_beyond_belief_is_a_finding(void) {
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects)), list;
        drawn_get(&gnu_heap, cls + 48, &list, 8);
        drawn_put_u32(&gnu_heap, list, UINT32_MAX);
        CHECK_WALK(&gnu_world, gnu_put_object(cls, 24), "! 1 classes without a layout\n");
        gnu_close_heap();
    }
}

/* ---- GCC ---- */

static void test_every_object_of_gcc_is_assumed(void) {
    static const struct ivar ivars[] = {
        {.name = "_a", .type = "@\"Owner\"", .offset = 8},
        {.name = "_n", .type = "i", .offset = 16},
        {.name = "_s", .type = "{?=\"x\"i\"y\"@}", .offset = 24},
        {.name = "_t", .type = "[2@]", .offset = 40},
        {.name = "_c", .type = "#", .offset = 56},
    };
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 64, IVARS(ivars));
    loupe_addr owner = gnu_put_object(cls, 64);
    for (unsigned at = 8; at < 64; at += 8)
        drawn_put_word(&gnu_heap, owner + at, owner);
    CHECK_WALK(&gnu_world, owner,
               "Owner -- _a --> Owner (ivar, assumed)\nOwner -- _s.y --> Owner (ivar, assumed)\n"
               "Owner -- _t[0] --> Owner (ivar, assumed)\n"
               "Owner -- _t[1] --> Owner (ivar, assumed)\n");
    gnu_close_heap();
}

/* What clang puts behind the words of GCC. */
static void describe_properties(loupe_addr cls, const struct ivar *ivars, unsigned count) {
    static const uint32_t bits[] = {0x518, 0x250c, 0x528}; /* retain, assign, copy */
    loupe_addr offsets = drawn_alloc(&gnu_heap, 8 * (size_t)count);
    loupe_addr list = drawn_alloc(&gnu_heap, 16 + 48 * (size_t)count);
    drawn_put_u32(&gnu_heap, list, count);
    for (unsigned i = 0; i < count; i++) {
        loupe_addr offset = drawn_alloc(&gnu_heap, 4);
        drawn_put_u32(&gnu_heap, offset, ivars[i].offset);
        drawn_put_word(&gnu_heap, offsets + 8 * i, offset);
        drawn_put_word(&gnu_heap, list + 16 + 48 * i, drawn_string(&gnu_heap, ivars[i].name + 1));
        drawn_put_u32(&gnu_heap, list + 24 + 48 * i, bits[i]);
    }
    drawn_put_word(&gnu_heap, cls + 8 * 13, 1);
    drawn_put_word(&gnu_heap, cls + 8 * 14, offsets);
    drawn_put_word(&gnu_heap, cls + 8 * 15, list);
}

static const struct ivar three_properties[] = {{.name = "_kept", .type = "@", .offset = 8},
                                               {.name = "_assigned", .type = "@", .offset = 16},
                                               {.name = "_copied", .type = "@", .offset = 24}};

static void test_properties_that_clang_describes_refine(void) {
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 32, IVARS(three_properties));
    loupe_addr owner = gnu_put_object(cls, 32);
    describe_properties(cls, IVARS(three_properties));
    for (unsigned at = 8; at < 32; at += 8)
        drawn_put_word(&gnu_heap, owner + at, owner);
    CHECK_WALK(&gnu_world, owner,
               "Owner -- _kept --> Owner (ivar, declared)\n"
               "Owner -- _copied --> Owner (ivar, declared)\n");
    gnu_close_heap();
}

static void test_what_follows_a_class_of_gcc_is_no_property(void) {
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 32, IVARS(three_properties));
    loupe_addr owner = gnu_put_object(cls, 32), offsets;
    describe_properties(cls, IVARS(three_properties));
    drawn_get(&gnu_heap, cls + 8 * 14, &offsets, 8);
    drawn_put_word(&gnu_heap, offsets + 8,
                   gnu_heap.next - 8); /* not the offset of the second ivar */
    drawn_put_word(&gnu_heap, owner + 16, owner);
    CHECK_WALK(&gnu_world, owner, "Owner -- _assigned --> Owner (ivar, assumed)\n");
    gnu_close_heap();
}

/* A window and a text view of gnustep-gui, and what inherits from them, on both runtimes. */
static void test_object_that_gives_retains_back_counts_nothing(void) {
    static const char *const names[] = {"NSWindow", "NSTextView"};
    for (unsigned i = 0; i < 2 * LENGTH(names); i++) {
        gnu_open_heap(i % 2 ? GCC : GNUSTEP2);
        loupe_addr super = gnu_put_class(names[i / 2], gnu_put_root(), 8, NULL, 0);
        expect_count(gnu_put_object(gnu_put_class("Mine", super, 8, NULL, 0), 8), 1,
                     LOUPE_COUNT_UNKNOWN, 0);
        expect_count(gnu_put_object(gnu_put_class("NSPanels", gnu_put_root(), 8, NULL, 0), 8), 1,
                     LOUPE_COUNT_KNOWN, 2);
        gnu_close_heap();
    }
}

/* A list of methods whose selectors have numbers. Returns the list. */
static loupe_addr put_methods(loupe_addr cls, const uint64_t *selectors, const char *const *types,
                              unsigned count) {
    loupe_addr list = drawn_alloc(&gnu_heap, 16 + 24 * (size_t)count);
    drawn_put_word(&gnu_heap, list + 8, count);
    for (unsigned i = 0; i < count; i++) {
        loupe_addr selector = drawn_alloc(&gnu_heap, 16), entry = list + 16 + 24 * (loupe_addr)i;
        drawn_put_word(&gnu_heap, selector, selectors[i]);
        drawn_put_word(&gnu_heap, entry, selector);
        drawn_put_word(&gnu_heap, entry + 8, drawn_string(&gnu_heap, types[i]));
    }
    drawn_put_word(&gnu_heap, cls + 56, list);
    return list;
}

static void test_class_with_a_release_of_its_own_counts_in_its_own_way(void) {
    static const char *const types[] = {"@16@0:8", "Vv16@0:8"}, *const other[] = {"v16@0:8"};
    static const uint64_t retain_and_release[] = {0x20001, 0x30001}, release[] = {0x30001},
                          none[] = {0x40001};
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root();
    loupe_addr list = put_methods(root, retain_and_release, types, 2);
    loupe_addr plain = gnu_put_class("Plain", root, 8, NULL, 0);
    loupe_addr single = gnu_put_class("Single", root, 8, NULL, 0);
    put_methods(plain, none, other, 1);
    put_methods(single, release, other, 1);
    expect_count(gnu_put_object(root, 8), 2, LOUPE_COUNT_KNOWN, 3);
    expect_count(gnu_put_object(plain, 8), 2, LOUPE_COUNT_KNOWN, 3);
    expect_count(gnu_put_object(single, 8), 2, LOUPE_COUNT_UNKNOWN, 0);
    expect_count(gnu_put_object(gnu_put_class("Heir", single, 8, NULL, 0), 8), 2,
                 LOUPE_COUNT_UNKNOWN, 0);
    drawn_put_word(&gnu_heap, list, list); /* lists that never end tell nothing */
    expect_count(gnu_put_object(plain, 8), 2, LOUPE_COUNT_KNOWN, 3);
    drawn_put_word(&gnu_heap, list + 8, UINT32_MAX);
    expect_count(gnu_put_object(single, 8), 2, LOUPE_COUNT_KNOWN, 3);
    gnu_close_heap();
}

/* What a window gave back when its context took hold of it is a retain all the same. */
static void test_window_with_a_context_counts_one_more(void) {
    static const struct ivar context[] = {
        {.name = "_context", .type = "@", .offset = 8, .size = 8}};
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr super = gnu_put_class("NSWindow", gnu_put_root(), 16, IVARS(context));
        loupe_addr window = gnu_put_object(gnu_put_class("Mine", super, 16, NULL, 0), 16);
        expect_count(window, 1, LOUPE_COUNT_KNOWN, 2);
        drawn_put_word(&gnu_heap, window + 8, window);
        expect_count(window, 1, LOUPE_COUNT_KNOWN, 3);
        gnu_close_heap();
    }
}

/* While it is open a window may be held by nothing but its own promise to go when it is closed. */
static void test_window_that_releases_itself_counts_once_it_is_closed(void) {
    static const struct ivar ivars[] = {{.name = "_context", .type = "@", .offset = 8, .size = 8},
                                        {.name = "_f", .type = "{?=}", .offset = 16, .size = 8}};
    enum { RELEASED_WHEN_CLOSED = 1 << 12, CLOSED = 1 << 18 };
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr cls = gnu_put_class("NSWindow", gnu_put_root(), 24, IVARS(ivars));
        loupe_addr window = gnu_put_object(cls, 24);
        expect_count(window, 1, LOUPE_COUNT_KNOWN, 2);
        drawn_put_word(&gnu_heap, window + 16, RELEASED_WHEN_CLOSED);
        expect_count(window, 1, LOUPE_COUNT_UNKNOWN, 0);
        drawn_put_word(&gnu_heap, window + 16, RELEASED_WHEN_CLOSED | CLOSED);
        expect_count(window, 1, LOUPE_COUNT_KNOWN, 2);
        gnu_close_heap();
    }
}

static void test_counts_of_gnustep_base(void) {
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root();
    loupe_addr object = gnu_put_object(gnu_put_class("Owner", root, 8, NULL, 0), 8);
    expect_count(object, 2, LOUPE_COUNT_KNOWN, 3);
    expect_count(object, 0, LOUPE_COUNT_KNOWN, 1);
    expect_count(object, (uint64_t)2 << 32, LOUPE_COUNT_KNOWN, 3); /* half a word, after padding */
    expect_count(object, 0x5555deadbeef, LOUPE_COUNT_IMPOSSIBLE, 0);
    expect_count(gnu_put_object(gnu_put_class("NSConstantString", root, 24, NULL, 0), 24), 7,
                 LOUPE_COUNT_IMMORTAL, 0);
    expect_count(gnu_put_object(gnu_put_class("Object", 0, 8, NULL, 0), 8), 7, LOUPE_COUNT_UNKNOWN,
                 0);
    loupe_addr proxy = gnu_put_object(gnu_put_class("NSProxy", 0, 16, NULL, 0), 16);
    expect_count(proxy, 4, LOUPE_COUNT_KNOWN, 5);
    drawn_put_word(&gnu_heap, proxy + 8, 4); /* as before it counted there */
    expect_count(proxy, 0, LOUPE_COUNT_KNOWN, 5);
    gnu_close_heap();
}

/* Debian's libBlocksRuntime: the class of a heap block is that of the stack, and is empty memory.
 */
static void test_block_of_debian_owns_blocks_but_no_objects(void) {
    gnu_open_heap(GCC);
    loupe_addr block = drawn_alloc(&gnu_heap, 48), isa = drawn_alloc(&gnu_heap, 256);
    loupe_addr descriptor = drawn_alloc(&gnu_heap, 48), helper = drawn_alloc(&gnu_heap, 16);
    loupe_addr object = gnu_put_object(gnu_put_root(), 8);
    drawn_symbol_add(&gnu_heap, "_NSConcreteStackBlock", isa);
    drawn_symbol_add(&gnu_heap, "__copy_helper_block_e8_32o40b", helper);
    drawn_put_word(&gnu_heap, descriptor + 8, 48);
    drawn_put_word(&gnu_heap, descriptor + 16, helper);
    drawn_put_word(&gnu_heap, descriptor + 24, helper);
    drawn_put_word(&gnu_heap, block, isa);
    drawn_put_u32(&gnu_heap, block + 8, 0xc3000003);
    drawn_put_word(&gnu_heap, block + 24, descriptor);
    drawn_put_word(&gnu_heap, block + 32, object);
    drawn_put_word(&gnu_heap, block + 40, block);
    CHECK_WALK(&gnu_world, block, "(block) -- +0x28 --> (block) (capture)\n");
    gnu_close_heap();
}

/* ---- libobjc2 ---- */

static void test_ownership_of_libobjc2(void) {
    static const struct ivar ivars[] = {
        {"_s", "@", 8, 8, STRONG},           {"_w", "@", 16, 8, WEAK},
        {"_u", "@", 24, 8, UNRETAINED},      {"_t", "[2@]", 32, 16, STRONG},
        {"_m", "{S=i@}", 48, 16, NONE},      {"_n", "q", 64, 8, NONE},
        {"_r", "[1[1{S=i@}]]", 72, 16, NONE}};
    gnu_open_heap(GNUSTEP2);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 88, IVARS(ivars));
    loupe_addr owner = gnu_put_object(cls, 88);
    for (unsigned at = 8; at < 88; at += 8)
        drawn_put_word(&gnu_heap, owner + at, owner);
    CHECK_WALK(&gnu_world, owner,
               "Owner -- _s --> Owner (ivar)\nOwner -- _t[0] --> Owner (ivar)\n"
               "Owner -- _t[1] --> Owner (ivar)\nOwner -- _m.1 --> Owner (ivar, assumed)\n"
               "Owner -- _r[0][0].1 --> Owner (ivar, assumed)\n");
    gnu_close_heap();
}

static void test_class_without_any_ownership_is_manual(void) {
    static const struct ivar ivars[] = {{"_a", "@", 8, 8, NONE}};
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner = gnu_put_object(gnu_put_class("Owner", gnu_put_root(), 16, IVARS(ivars)), 16);
    drawn_put_word(&gnu_heap, owner + 8, owner);
    CHECK_WALK(&gnu_world, owner, "Owner -- _a --> Owner (ivar, assumed)\n");
    gnu_close_heap();
}

static void test_ivar_that_was_added_without_a_size_has_its_name(void) {
    static const struct ivar ivars[] = {{"_a", "@", 8, 0, NONE}};
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner = gnu_put_object(gnu_put_class("Owner", gnu_put_root(), 16, IVARS(ivars)), 16);
    drawn_put_word(&gnu_heap, owner + 8, owner);
    CHECK_WALK(&gnu_world, owner, "Owner -- _a --> Owner (ivar, assumed)\n");
    gnu_close_heap();
}

static void test_small_objects_are_leaves(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner =
        gnu_put_object(gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects)), 24);
    drawn_put_word(&gnu_heap, owner + 8, 0x1239);
    CHECK_WALK(&gnu_world, owner, "");
    gnu_close_heap();
}

static void test_counts_of_libobjc2(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0),
               object = gnu_put_object(cls, 8);
    expect_count(object, 0x8000000000000001, LOUPE_COUNT_KNOWN, 2); /* referenced weakly */
    expect_count(object, 0, LOUPE_COUNT_KNOWN, 1);
    expect_count(object, 0x7fffffffffffffff, LOUPE_COUNT_KNOWN, 0); /* going */
    drawn_put_word(&gnu_heap, cls + 32, CLASS_2 | 1 << 14);
    expect_count(object, 0, LOUPE_COUNT_IMMORTAL, 0);
    drawn_put_word(&gnu_heap, cls + 32, CLASS_2 & ~(1 << 11));
    expect_count(object, 5, LOUPE_COUNT_UNKNOWN, 0);
    gnu_close_heap();
}

/* ---- Records of weak references, which only a weak slot holds ---- */

static const struct ivar with_members[] = {{"_a", "@", 8, 8, STRONG},
                                           {"_s", "{S=@@}", 16, 16, NONE}};

static loupe_addr put_weak_record(loupe_addr isa, loupe_addr object) {
    loupe_addr record = drawn_alloc(&gnu_heap, 24);
    drawn_put_word(&gnu_heap, record, isa);
    drawn_put_word(&gnu_heap, record + 8, object);
    drawn_put_word(&gnu_heap, record + 16, 1);
    if (object)
        drawn_put_word(&gnu_heap, object - 8, (uint64_t)1 << 63);
    return record;
}

/* An owner whose struct holds two words; the other object is there to be referenced. */
static loupe_addr put_members(loupe_addr *other_ret) {
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 32, IVARS(with_members));
    *other_ret = gnu_put_object(cls, 32);
    return gnu_put_object(cls, 32);
}

static void test_member_that_is_weak_is_no_edge(void) {
    loupe_addr other, isa;
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner = put_members(&other);
    isa = drawn_alloc(&gnu_heap, 8);
    drawn_put_word(&gnu_heap, owner + 16, put_weak_record(isa, other));
    drawn_put_word(&gnu_heap, owner + 24, put_weak_record(isa, 0)); /* its object is gone */
    CHECK_WALK(&gnu_world, owner, "");
    gnu_close_heap();
}

static void test_record_of_a_freed_object_is_told_by_the_symbol(void) {
    for (unsigned stripped = 0; stripped < 2; stripped++) {
        loupe_addr other, isa;
        gnu_open_heap(GNUSTEP2);
        loupe_addr owner = put_members(&other);
        isa = drawn_alloc(&gnu_heap, 8);
        if (!stripped)
            drawn_symbol_add(&gnu_heap, "_ZL13weakref_class", isa);
        drawn_put_word(&gnu_heap, owner + 16, put_weak_record(isa, 0));
        CHECK_WALK(&gnu_world, owner,
                   stripped ? "! 1 strong references without a valid object\n" : "");
        gnu_close_heap();
    }
}

static void test_what_looks_like_a_weak_record_is_none(void) {
    loupe_addr other, isa;
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner = put_members(&other);
    isa = drawn_alloc(&gnu_heap, 8);
    loupe_addr record = put_weak_record(isa, other);
    drawn_put_word(&gnu_heap, owner + 8, record); /* the slot is known to be strong */
    CHECK_WALK(&gnu_world, owner, "! 1 strong references without a valid object\n");
    drawn_put_word(&gnu_heap, owner + 8, 0);
    drawn_put_word(&gnu_heap, owner + 16, record);
    drawn_put_word(&gnu_heap, other - 8, 0); /* nobody referenced it weakly */
    CHECK_WALK(&gnu_world, owner, "! 1 strong references without a valid object\n");
    gnu_close_heap();
}

/* ---- How the code was compiled ---- */

static enum loupe_memory_mode mode_of(const struct ivar *ivars, unsigned count) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    enum loupe_memory_mode mode = LOUPE_MODE_UNKNOWN;
    gnu_open_heap(GNUSTEP2);
    loupe_addr owner = gnu_put_object(gnu_put_class("Owner", gnu_put_root(), 48, ivars, count), 48);
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    if (CHECK(!loupe_abi_detect(&target, NULL)) &&
        CHECK(!loupe_object_at(&target, owner, &object, NULL)))
        mode = loupe_class_mode(object.cls);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    gnu_close_heap();
    return mode;
}

static void test_class_without_objects_does_not_tell_how_it_was_compiled(void) {
    static const struct ivar function[] = {{"_f", "{function<void ()>=^v}", 8, 32, 0}};
    static const struct ivar number[] = {{"_n", "[4i]", 8, 16, 0}};
    static const struct ivar object[] = {{"_f", "{function<void ()>=^v}", 8, 32, 0},
                                         {"_o", "@\"Owner\"", 40, 8, 0}};
    static const struct ivar array[] = {{"_o", "[2@]", 8, 16, 0}};
    CHECK_EQ(mode_of(function, 1), LOUPE_MODE_UNKNOWN);
    CHECK_EQ(mode_of(number, 1), LOUPE_MODE_UNKNOWN);
    CHECK_EQ(mode_of(object, 2), LOUPE_MODE_MANUAL);
    CHECK_EQ(mode_of(array, 1), LOUPE_MODE_MANUAL);
    CHECK_EQ(mode_of(two_objects, 2), LOUPE_MODE_ARC);
}

/* ---- Associations ---- */

/* Gives an object its hidden class, with references at `first` bytes behind the structure. */
static loupe_addr associate(loupe_addr object, loupe_addr cls, unsigned first, uint64_t policy,
                            loupe_addr value) {
    loupe_addr meta;
    drawn_get(&gnu_heap, cls, &meta, 8);
    loupe_addr hidden = gnu_put_class_words("Owner", meta, cls, HIDDEN_2, 24, 0);
    loupe_addr entry = hidden + 8 * CLASS_WORDS + first;
    drawn_put_word(&gnu_heap, entry, 0x7000); /* its key: no symbol, no text */
    drawn_put_word(&gnu_heap, entry + 8, value);
    drawn_put_word(&gnu_heap, entry + 16, policy);
    drawn_put_word(&gnu_heap, object, hidden);
    return hidden;
}

static void test_associations_in_both_forms(void) {
    static const unsigned forms[] = {48, 56}; /* since and up to libobjc2 2.3 */
    for (unsigned i = 0; i < LENGTH(forms); i++) {
        gnu_open_heap(GNUSTEP2);
        gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
        loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
        loupe_addr owner = gnu_put_object(cls, 24), other = gnu_put_object(cls, 24);
        associate(owner, cls, forms[i], 0x301, other);
        drawn_put_word(&gnu_heap, owner + 8, other);
        CHECK_WALK(&gnu_world, owner,
                   "Owner -- _a --> Owner (ivar)\nOwner -- [key] --> Owner (association)\n");
        gnu_close_heap();
    }
}

/* An entry of a table: the next one, a class that is a key, and a value with the bit. */
static void test_no_hidden_class_is_what_only_has_its_bit(void) {
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr entry = gnu_put_class_words("value", cls, cls, HIDDEN_2, 24, 0);
    loupe_addr owner = gnu_put_object(cls, 24), bucket = gnu_put_object(entry, 24);
    drawn_put_word(&gnu_heap, owner + 8, bucket);
    CHECK_WALK(&gnu_world, owner, "! 1 strong references without a valid object\n");
    gnu_close_heap();
}

/* Objects that were met before their class says anything, and after. */
static void test_association_of_one_object_among_others_of_its_class(void) {
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr first = gnu_put_object(cls, 24), second = gnu_put_object(cls, 24),
               third = gnu_put_object(cls, 24), last = gnu_put_object(cls, 24);
    drawn_put_word(&gnu_heap, first + 8, second);
    drawn_put_word(&gnu_heap, second + 8, third);
    associate(third, cls, 48, 0x301, last);
    CHECK_WALK(&gnu_world, first,
               "Owner -- _a --> Owner (ivar)\nOwner -- _a --> Owner (ivar)\n"
               "Owner -- [key] --> Owner (association)\n");
    gnu_close_heap();
}

enum { MANY_CLASSES = 200 };

/*
 * How often the memory looked at moved elsewhere, in a walk over a chain far from its classes,
 * which take turns.
 */
static uint32_t moves_of_walk(unsigned count, unsigned class_count) {
    loupe_addr classes[MANY_CLASSES], first = 0;
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    struct loupe_graph graph;
    struct loupe_walk walk;
    gnu_open_heap(GNUSTEP2);
    for (unsigned i = 0; i < class_count; i++)
        classes[i] =
            gnu_put_class("Owner", i ? classes[0] : gnu_put_root(), 24, IVARS(two_objects));
    drawn_region_add(&gnu_heap, 0x40000000, 1 << 16);
    gnu_heap.next = 0x40000000;
    for (unsigned i = 0; i < count; i++) {
        loupe_addr next = first;
        first = gnu_put_object(classes[i % class_count], 24);
        drawn_put_word(&gnu_heap, first + 8, next);
    }
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    loupe_graph_init(&graph, &drawn_chunks, 0, &target.findings);
    loupe_walk_init(&walk, &target);
    struct loupe_expander expander = loupe_walk_expander(&walk);
    CHECK(!loupe_abi_detect(&target, NULL) && !loupe_object_at(&target, first, &object, NULL) &&
          !loupe_walk_seed(&walk, &graph, &object) &&
          !loupe_graph_build(&graph, &memory, &expander));
    CHECK_EQ(loupe_graph_node_count(&graph), count);
    loupe_graph_deinit(&graph);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    gnu_close_heap();
    return memory.moves;
}

static void test_class_is_not_looked_at_for_each_of_its_objects(void) {
    CHECK_EQ(moves_of_walk(1000, 1), moves_of_walk(100, 1));
    CHECK_EQ(moves_of_walk(1000, MANY_CLASSES), moves_of_walk(500, MANY_CLASSES));
}

static void test_assigned_association_is_no_edge(void) {
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr owner = gnu_put_object(cls, 24);
    associate(owner, cls, 48, 0, owner);
    CHECK_WALK(&gnu_world, owner, "");
    gnu_close_heap();
}

static void test_associations_of_unknown_form_are_counted(void) {
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr owner = gnu_put_object(cls, 24);
    loupe_addr hidden = associate(owner, cls, 48, 77, owner);
    drawn_put_word(&gnu_heap, hidden + 8 * CLASS_WORDS + 56 + 16, 77); /* the other form's policy */
    char *got = show_walk(&gnu_world, owner);
    CHECK(strncmp(got, "! 1 ", 4) == 0);
    free(got);
    gnu_close_heap();
}

static void test_associations_of_a_list_that_never_ends_are_counted(void) {
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects));
    loupe_addr owner = gnu_put_object(cls, 24), other = gnu_put_object(cls, 24);
    loupe_addr list = associate(owner, cls, 48, 0x301, other) + 8 * CLASS_WORDS;
    drawn_put_word(&gnu_heap, list, list);
    CHECK_WALK(&gnu_world, owner,
               "Owner -- [key] --> Owner (association)\n"
               "! 1 associated objects that cannot be read\n");
    gnu_close_heap();
}

/* An owner with lists of one object each. */
enum { LISTS = 200, LIST_WORDS = 1 + 5 + 10 * 3 };

static loupe_addr put_lists(loupe_addr cls) {
    loupe_addr owner = gnu_put_object(cls, 24);
    loupe_addr list = associate(owner, cls, 48, 0x301, owner) + 8 * CLASS_WORDS;
    for (int i = 1; i < LISTS; i++) {
        loupe_addr next = drawn_alloc(&gnu_heap, 8 * LIST_WORDS);
        drawn_put_word(&gnu_heap, list, next);
        drawn_put_word(&gnu_heap, next + 48, 0x7000);
        drawn_put_word(&gnu_heap, next + 56, owner);
        drawn_put_word(&gnu_heap, next + 64, 0x301);
        list = next;
    }
    return owner;
}

static void check_cursors(struct loupe_target *target, const struct loupe_object *object) {
    struct loupe_association association, again;
    uint64_t cursor = 0, early = 0, late = 0, found = 0;
    while (target->abi->next_association(target, object, &cursor, &association)) {
        found++;
        if (found == LISTS / 2)
            early = cursor;
    }
    CHECK_EQ(LISTS, found);
    late = (LISTS - 1) * 10;
    CHECK(target->abi->next_association(target, object, &late, &again));
    CHECK_EQ(association.slot, again.slot);
    CHECK(target->abi->next_association(target, object, &early, &again));
    CHECK(again.slot != association.slot);
}

static void test_cursors_among_many_lists_give_the_same_again(void) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    gnu_open_heap(GNUSTEP2);
    gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
    loupe_addr owner = put_lists(gnu_put_class("Owner", gnu_put_root(), 24, IVARS(two_objects)));
    drawn_memory(&gnu_heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    if (CHECK(!loupe_abi_detect(&target, NULL)) &&
        CHECK(!loupe_object_at(&target, owner, &object, NULL)))
        check_cursors(&target, &object);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    gnu_close_heap();
}

int main(void) {
    RUN(test_runtimes_are_told_apart);
    RUN(test_damaged_classes_are_refused);
    RUN(test_root_class_without_ivars_is_a_class);
    RUN(test_count_of_ivars_beyond_belief_is_a_finding);
    RUN(test_every_object_of_gcc_is_assumed);
    RUN(test_properties_that_clang_describes_refine);
    RUN(test_what_follows_a_class_of_gcc_is_no_property);
    RUN(test_class_with_a_release_of_its_own_counts_in_its_own_way);
    RUN(test_window_with_a_context_counts_one_more);
    RUN(test_window_that_releases_itself_counts_once_it_is_closed);
    RUN(test_counts_of_gnustep_base);
    RUN(test_object_that_gives_retains_back_counts_nothing);
    RUN(test_block_of_debian_owns_blocks_but_no_objects);
    RUN(test_ownership_of_libobjc2);
    RUN(test_class_without_any_ownership_is_manual);
    RUN(test_ivar_that_was_added_without_a_size_has_its_name);
    RUN(test_small_objects_are_leaves);
    RUN(test_destructor_of_ivars_is_a_word_of_libobjc2s_classes);
    RUN(test_counts_of_libobjc2);
    RUN(test_member_that_is_weak_is_no_edge);
    RUN(test_record_of_a_freed_object_is_told_by_the_symbol);
    RUN(test_what_looks_like_a_weak_record_is_none);
    RUN(test_class_without_objects_does_not_tell_how_it_was_compiled);
    RUN(test_associations_in_both_forms);
    RUN(test_no_hidden_class_is_what_only_has_its_bit);
    RUN(test_association_of_one_object_among_others_of_its_class);
    RUN(test_class_is_not_looked_at_for_each_of_its_objects);
    RUN(test_assigned_association_is_no_edge);
    RUN(test_associations_of_unknown_form_are_counted);
    RUN(test_associations_of_a_list_that_never_ends_are_counted);
    RUN(test_cursors_among_many_lists_give_the_same_again);
    return check_report();
}

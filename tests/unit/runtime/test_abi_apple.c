/* Apple's runtime: every form of the isa and of class data, what is no class, retain counts. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "runtime/object.h"

static struct drawn_heap heap;
static struct drawn_world w;
static struct loupe_memory memory;
static struct loupe_target target;
static struct loupe_error error;

static void start_question(void) {
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    memset(&error, 0, sizeof(error));
    CHECK_EQ(loupe_abi_detect(&target, &error), LOUPE_OK);
}

static void end_question(void) {
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
}

static void check_class_of(loupe_addr object, const char *want) {
    struct loupe_object found;
    start_question();
    if (CHECK_EQ(loupe_object_at(&target, object, &found, &error), LOUPE_OK))
        CHECK_STR(found.cls->name, want);
    else
        printf("    %s\n", error.message);
    end_question();
}

static void check_refused(loupe_addr object, const char *want) {
    struct loupe_object found;
    char reason[200];
    start_question();
    CHECK_EQ(loupe_object_at(&target, object, &found, &error), LOUPE_ENOTOBJECT);
    /* The reason is what follows the last colon. */
    const char *colon = error.message;
    for (const char *c = error.message; *c; c++) {
        if (c[0] == ':' && c[1] == ' ')
            colon = c + 2;
    }
    loupe_format(reason, sizeof(reason), "%s", colon);
    CHECK_STR(reason, want);
    CHECK_EQ(error.address, object);
    end_question();
}

static const char *count_text(loupe_addr object) {
    static char text[32];
    struct loupe_object found;
    uint64_t count = 0;
    start_question();
    CHECK_EQ(loupe_object_at(&target, object, &found, &error), LOUPE_OK);
    switch (target.abi->retain_count(&target, &found, &count)) {
    case LOUPE_COUNT_KNOWN:
        loupe_format(text, sizeof(text), "%llu", (unsigned long long)count);
        break;
    case LOUPE_COUNT_UNKNOWN:
    case LOUPE_COUNT_IMPOSSIBLE:
        loupe_format(text, sizeof(text), "unknown");
        break;
    case LOUPE_COUNT_IMMORTAL:
        loupe_format(text, sizeof(text), "immortal");
        break;
    }
    end_question();
    return text;
}

/* ---- Finding the class ---- */

static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_ARM64E, DRAWN_RAW_ISA,
                                        DRAWN_32_BIT};
static const enum drawn_class_form class_forms[] = {DRAWN_REALIZED, DRAWN_REALIZED_OLD,
                                                    DRAWN_EXTENDED, DRAWN_UNREALIZED};

static void test_class_is_found_in_every_form(void) {
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (unsigned j = 0; j < sizeof(class_forms) / sizeof(class_forms[0]); j++) {
            drawn_world_init(&w, &heap, forms[i]);
            w.class_form = class_forms[j];
            drawn_class(&w, "Owner", "NSObject", "strong _a @");
            loupe_addr owner = drawn_object(&w, "Owner");
            check_class_of(owner, "Owner");
            drawn_make_raw(&w, owner);
            check_class_of(owner, "Owner");
            drawn_world_deinit(&w);
        }
    }
}

/* As in a core file without the runtime's data. */
static void forget_symbols(void) {
    heap.symbol_count = 0;
    drawn_symbol_add(&heap, "_objc_empty_cache", 0x1000);
}

static void test_class_is_found_by_architecture_without_symbols(void) {
    static const enum drawn_form by_arch[] = {DRAWN_X86_64, DRAWN_ARM64E, DRAWN_32_BIT};
    for (unsigned i = 0; i < sizeof(by_arch) / sizeof(by_arch[0]); i++) {
        drawn_world_init(&w, &heap, by_arch[i]);
        loupe_addr object = drawn_object(&w, "NSObject");
        forget_symbols();
        check_class_of(object, "NSObject");
        drawn_world_deinit(&w);
    }
}

static void test_class_is_found_by_index_on_watches(void) {
    drawn_world_init(&w, &heap, DRAWN_32_BIT);
    static const struct {
        const char *name;
        uint32_t value;
    } constants[] = {{"objc_debug_indexed_isa_magic_mask", 0x001c0001},
                     {"objc_debug_indexed_isa_magic_value", 0x001c0001},
                     {"objc_debug_indexed_isa_index_mask", 0x0001fffc},
                     {"objc_debug_indexed_isa_index_shift", 2}};
    for (unsigned i = 0; i < 4; i++) {
        loupe_addr place = drawn_alloc(&heap, 4);
        drawn_put_u32(&heap, place, constants[i].value);
        drawn_symbol_add(&heap, constants[i].name, place);
    }
    loupe_addr table = drawn_alloc(&heap, 64), object = drawn_object(&w, "NSObject");
    drawn_symbol_add(&heap, "objc_indexed_classes", table);
    drawn_put_word(&heap, table + 7 * 4, drawn_class_named(&w, "NSObject")->address);
    drawn_put_word(&heap, object, 0x001c0001 | 7 << 2);
    check_class_of(object, "NSObject");
    drawn_world_deinit(&w);
}

static void test_target_without_the_runtimes_symbols_has_no_runtime(void) {
    drawn_heap_init(&heap, 8);
    drawn_symbol_add(&heap, "main", 0x10000);
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&target, &error), LOUPE_ENORUNTIME);
    CHECK(target.abi == NULL);
    end_question();
    drawn_heap_deinit(&heap);
}

/* ---- What is no object ---- */

static void test_garbage_is_refused_with_its_reason(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject");
    check_refused(object + 1, "it is a tagged pointer");
    check_refused(object + 4, "it is not aligned to 8 bytes");
    check_refused(drawn_alloc(&heap, 16), "nil is not a class");
    drawn_put_word(&heap, object, 0xdead0000);
    check_refused(object, "it cannot be read");
    drawn_put_word(&heap, object, drawn_alloc(&heap, 64));
    check_refused(object, "it has no metaclass");
    drawn_world_deinit(&w);
}

static void test_root_class_without_ivars_is_a_class(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Bare", NULL, "");
    drawn_class(&w, "Sub", "Bare", "");
    loupe_addr bare = drawn_object(&w, "NSObject"), sub = drawn_object(&w, "NSObject");
    drawn_put_word(&heap, bare, drawn_class_named(&w, "Bare")->address);
    drawn_put_word(&heap, sub, drawn_class_named(&w, "Sub")->address);
    for (unsigned number = 1; number <= 2; number++) {
        drawn_put_ro_number(&w, "Bare", number, 0);
        drawn_put_ro_number(&w, "Sub", number, 0);
    }
    check_class_of(bare, "Bare");
    check_class_of(sub, "Sub");
    drawn_world_deinit(&w);
}

static loupe_addr object_of_changed_class(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    return drawn_object(&w, "Owner");
}

static void test_damaged_class_is_refused_with_its_reason(void) {
    loupe_addr object = object_of_changed_class();
    drawn_put_word(&heap, drawn_class_named(&w, "Owner")->address + 32, 0);
    check_refused(object, "its data cannot be read");
    drawn_world_deinit(&w);

    object = object_of_changed_class();
    drawn_put_ro_number(&w, "Owner", 2, 4);
    check_refused(object, "its instances have an impossible size");
    drawn_world_deinit(&w);

    object = object_of_changed_class();
    drawn_put_ro_number(&w, "Owner", 2, LOUPE_MAX_INSTANCE + 1);
    check_refused(object, "its instances have an impossible size");
    drawn_world_deinit(&w);

    object = object_of_changed_class();
    drawn_put_ro_number(&w, "Owner", 1, 17);
    check_refused(object, "its ivars begin after the end of its instances");
    drawn_world_deinit(&w);

    object = object_of_changed_class();
    drawn_put_ro_word(&w, "Owner", 1, drawn_string(&heap, "\x01"));
    check_refused(object, "it has no name");
    drawn_world_deinit(&w);

    object = object_of_changed_class();
    drawn_put_word(&heap, drawn_class_named(&w, "Owner")->address,
                   drawn_class_named(&w, "NSObject")->address);
    check_refused(object, "its isa does not point to a metaclass");
    drawn_world_deinit(&w);
}

static void test_class_object_is_a_class_and_means_itself(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr cls = drawn_class(&w, "Owner", "NSObject", "")->address;
    struct loupe_object object;
    const struct loupe_class *meant;
    start_question();
    CHECK_EQ(loupe_object_at(&target, cls, &object, &error), LOUPE_OK);
    CHECK_EQ(loupe_object_kind(&object), LOUPE_NODE_CLASS);
    CHECK_EQ(loupe_object_meant_class(&target, &object, &meant, &error), LOUPE_OK);
    CHECK_EQ(meant->address, cls);
    CHECK_STR(meant->name, "Owner");
    end_question();
    drawn_world_deinit(&w);
}

static void test_subclass_of_a_block_class_is_a_block(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "__NSStrangeBlock__", "NSBlock", "");
    loupe_addr block = drawn_object(&w, "__NSStrangeBlock__");
    struct loupe_object object;
    start_question();
    CHECK_EQ(loupe_object_at(&target, block, &object, &error), LOUPE_OK);
    CHECK_EQ(loupe_object_kind(&object), LOUPE_NODE_BLOCK);
    end_question();
    drawn_world_deinit(&w);
}

static void test_block_class_that_nobody_filled_in_is_known_by_symbol(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr empty = drawn_alloc(&heap, 256), block = drawn_alloc(&heap, 32);
    for (unsigned i = 0; i < heap.symbol_count; i++) {
        if (strcmp(heap.symbols[i].name, "_NSConcreteGlobalBlock") == 0)
            heap.symbols[i].address = empty;
    }
    drawn_put_word(&heap, block, empty);
    struct loupe_object object;
    start_question();
    CHECK_EQ(loupe_object_at(&target, block, &object, &error), LOUPE_OK);
    CHECK_EQ(loupe_object_kind(&object), LOUPE_NODE_BLOCK);
    end_question();
    drawn_world_deinit(&w);
}

static void test_verdicts_on_classes_are_kept(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr good = drawn_object(&w, "NSObject"), bad = drawn_alloc(&heap, 16);
    struct loupe_object object;
    drawn_put_word(&heap, bad, drawn_string(&heap, "not a class at all, but some text"));
    start_question();
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(loupe_object_at(&target, good, &object, NULL), LOUPE_OK);
        CHECK_EQ(loupe_object_at(&target, bad, &object, NULL), LOUPE_ENOTOBJECT);
    }
    CHECK_EQ(loupe_class_count(&target), 2);
    end_question();
    drawn_world_deinit(&w);
}

/* ---- Retain counts ---- */

static void test_inline_count_includes_the_first_owner(void) {
    for (unsigned i = 0; i < 3; i++) {
        drawn_world_init(&w, &heap, forms[i]);
        loupe_addr object = drawn_object(&w, "NSObject");
        CHECK_STR(count_text(object), "1");
        drawn_set_count(&w, object, 5, 0);
        CHECK_STR(count_text(object), "5");
        drawn_world_deinit(&w);
    }
}

static void rename_symbol(const char *from, const char *to) {
    for (unsigned i = 0; i < heap.symbol_count; i++) {
        if (strcmp(heap.symbols[i].name, from) == 0)
            heap.symbols[i].name = to;
    }
}

static void test_inline_count_of_old_runtimes_leaves_out_the_first_owner(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject");
    drawn_set_count(&w, object, 2, 0);
    rename_symbol("objc_debug_autoreleasepoolpage_ptr_mask", "unrelated");
    rename_symbol("objc_debug_side_tables_map", "unrelated");
    CHECK_STR(count_text(object), "3");
    drawn_world_deinit(&w);
}

static void test_side_table_holds_what_does_not_fit(void) {
    for (unsigned i = 0; i < 3; i++) {
        drawn_world_init(&w, &heap, forms[i]);
        loupe_addr object = drawn_object(&w, "NSObject");
        drawn_set_count(&w, object, 128, 1000);
        CHECK_STR(count_text(object), "1128");
        drawn_world_deinit(&w);
    }
}

static void test_count_of_a_raw_isa_is_in_the_side_table(void) {
    drawn_world_init(&w, &heap, DRAWN_RAW_ISA);
    loupe_addr one = drawn_object(&w, "NSObject"), many = drawn_object(&w, "NSObject");
    drawn_set_count(&w, many, 0, 6);
    CHECK_STR(count_text(one), "1");
    CHECK_STR(count_text(many), "7");
    drawn_world_deinit(&w);
}

static void test_count_without_a_side_table_is_unknown(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject"), raw = drawn_object(&w, "NSObject");
    drawn_set_count(&w, object, 128, 1000);
    drawn_make_raw(&w, raw);
    rename_symbol("objc_debug_side_tables_map", "unrelated");
    CHECK_STR(count_text(object), "unknown");
    CHECK_STR(count_text(raw), "unknown");
    drawn_world_deinit(&w);
}

static void test_side_tables_of_old_runtimes_are_found_by_local_symbols(void) {
    static const char *const names[] = {"_ZN12_GLOBAL__N_113SideTablesMapE",
                                        "_ZN12_GLOBAL__N_112SideTableBufE"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        drawn_world_init(&w, &heap, DRAWN_X86_64);
        loupe_addr object = drawn_object(&w, "NSObject"), raw = drawn_object(&w, "NSObject");
        drawn_set_count(&w, object, 128, 1000);
        drawn_make_raw(&w, raw);
        rename_symbol("objc_debug_autoreleasepoolpage_ptr_mask", "unrelated");
        rename_symbol("objc_debug_side_tables_map", "unrelated");
        drawn_symbol_add(&heap, names[i], w.side_tables);
        CHECK_STR(count_text(object), "1129"); /* the count leaves out the first owner */
        CHECK_STR(count_text(raw), "1");
        drawn_world_deinit(&w);
    }
}

static void test_local_symbol_that_leads_to_other_tables_is_not_believed(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject");
    drawn_set_count(&w, object, 128, 1000);
    rename_symbol("objc_debug_side_tables_map", "unrelated");
    drawn_symbol_add(&heap, "_ZN12_GLOBAL__N_113SideTablesMapE", w.side_tables + 64);
    CHECK_STR(count_text(object), "unknown");
    drawn_world_deinit(&w);
}

static void test_count_with_a_damaged_side_table_is_unknown(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject");
    drawn_set_count(&w, object, 128, 1000);
    drawn_put_u32(&heap, w.side_tables + 8 + 16, 3); /* buckets are a power of two */
    CHECK_STR(count_text(object), "unknown");
    drawn_world_deinit(&w);
}

static void test_class_object_is_immortal(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    CHECK_STR(count_text(drawn_class_named(&w, "NSObject")->address), "immortal");
    drawn_world_deinit(&w);
}

static void test_core_foundation_counts_in_the_object(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "__NSCFType", "NSObject", "none _cf q");
    loupe_addr object = drawn_object(&w, "__NSCFType");
    drawn_make_raw(&w, object);
    drawn_put_u32(&heap, object + 12, 4);
    CHECK_STR(count_text(object), "4");
    drawn_put_u32(&heap, object + 12, 0);
    CHECK_STR(count_text(object), "immortal");
    drawn_world_deinit(&w);
}

/* Those of types that have their own functions for it count in a place of their own. */
static void test_core_foundation_object_that_counts_elsewhere_is_unknown(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "__NSCFType", "NSObject", "none _cf q");
    loupe_addr object = drawn_object(&w, "__NSCFType");
    drawn_make_raw(&w, object);
    drawn_put_u32(&heap, object + 8, 1 << 23 | 7 << 8);
    drawn_put_u32(&heap, object + 12, UINT32_MAX);
    CHECK_STR(count_text(object), "unknown");
    drawn_put_u32(&heap, object + 8, 1 << 22 | 7 << 8); /* in its dealloc */
    drawn_put_u32(&heap, object + 12, 1);
    CHECK_STR(count_text(object), "0");
    drawn_world_deinit(&w);
}

/* CFNetwork's names begin as CoreFoundation's; where the word of those would be they have ivars. */
static void test_tasks_of_cfnetwork_count_as_usual_objects(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "NSURLSessionTask", "NSObject", "none _id q; strong _delegate @");
    drawn_class(&w, "__NSCFLocalDataTask", "NSURLSessionTask", "none _n q");
    drawn_class(&w, "NSError", "NSObject", "none _reserved ^v; none _code q; none _domain @");
    drawn_class(&w, "__NSCFError", "NSError", "");
    loupe_addr task = drawn_object(&w, "__NSCFLocalDataTask"),
               failure = drawn_object(&w, "__NSCFError");
    drawn_set_count(&w, task, 3, 0);
    drawn_put_word(&heap, task + 8, UINT64_C(77) << 32);
    CHECK_STR(count_text(task), "3");
    drawn_make_raw(&w, failure);
    drawn_put_u32(&heap, failure + 12, 5);
    CHECK_STR(count_text(failure), "5");
    drawn_world_deinit(&w);
}

/* ---- Swift ---- */

static loupe_addr swift_object(uint64_t bit, uint32_t swift_flags) {
    loupe_addr cls = drawn_class(&w, "_TtC4Main5Model", "NSObject", "none model q")->address;
    uint64_t bits;
    drawn_get(&heap, cls + 32, &bits, 8);
    drawn_put_word(&heap, cls + 32, bits | bit);
    drawn_put_u32(&heap, cls + 40, swift_flags);
    return drawn_object(&w, "_TtC4Main5Model");
}

static uint32_t flags_of(loupe_addr object) {
    struct loupe_object found;
    uint32_t flags = 0;
    start_question();
    if (CHECK_EQ(loupe_object_at(&target, object, &found, &error), LOUPE_OK))
        flags = found.cls->flags;
    end_question();
    return flags;
}

static void test_swift_class_that_counts_by_itself(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = swift_object(2, 2);
    CHECK(flags_of(object) & LOUPE_CLASS_SWIFT);
    CHECK_STR(count_text(object), "unknown");
    drawn_world_deinit(&w);
}

static void test_swift_class_with_counts_of_this_runtime(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = swift_object(2, 0);
    CHECK(flags_of(object) & LOUPE_CLASS_SWIFT);
    CHECK_STR(count_text(object), "1");
    drawn_world_deinit(&w);
}

static void test_bit_of_default_methods_in_old_runtimes_is_not_swift(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = swift_object(2, 2);
    rename_symbol("objc_debug_swift_stable_abi_bit", "unrelated");
    CHECK(!(flags_of(object) & LOUPE_CLASS_SWIFT));
    drawn_world_deinit(&w);
}

static uint8_t kind_of(const char *class_name) {
    const struct loupe_class *cls;
    loupe_addr address = drawn_class_named(&w, class_name)->address;
    CHECK_EQ(loupe_class_at(&target, address, &cls, &error), LOUPE_OK);
    return cls->kind;
}

static void test_kind_of_a_class_does_not_depend_on_what_was_asked_before(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Odd", "NSBlock", "");
    loupe_addr odd = drawn_class_named(&w, "Odd")->address;
    drawn_put_word(&heap, drawn_class_named(&w, "NSBlock")->address + 8, odd); /* a loop */
    for (unsigned block_first = 0; block_first < 2; block_first++) {
        start_question();
        if (block_first)
            CHECK_EQ(kind_of("NSBlock"), LOUPE_INSTANCE_BLOCK);
        CHECK_EQ(kind_of("Odd"), LOUPE_INSTANCE_BLOCK);
        CHECK_EQ(kind_of("NSBlock"), LOUPE_INSTANCE_BLOCK);
        end_question();
    }
    drawn_world_deinit(&w);
}

/* More superclasses than are followed, a class of blocks at the end. */
static void test_kind_at_the_end_of_a_long_chain(void) {
    enum { LENGTH = 100, LEVELS = 2 * LENGTH };
    loupe_addr classes[LEVELS];
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    uint8_t words[40];
    loupe_addr first = drawn_class(&w, "Link", "NSBlock", "")->address;
    drawn_get(&heap, first, words, sizeof(words));
    for (unsigned i = 0; i < LEVELS; i++) {
        classes[i] = i == 0 ? first : drawn_bytes(&heap, words, sizeof(words));
        if (i > 0)
            drawn_put_word(&heap, classes[i] + 8, classes[i - 1]);
    }
    for (unsigned near_first = 0; near_first < 2; near_first++) {
        const struct loupe_class *near, *far;
        start_question();
        if (near_first)
            CHECK_EQ(loupe_class_at(&target, classes[LENGTH], &near, &error), LOUPE_OK);
        CHECK_EQ(loupe_class_at(&target, classes[LEVELS - 1], &far, &error), LOUPE_OK);
        CHECK_EQ(loupe_class_at(&target, classes[LENGTH], &near, &error), LOUPE_OK);
        CHECK_EQ(near->kind, LOUPE_INSTANCE_BLOCK);
        CHECK_EQ(far->kind, LOUPE_INSTANCE_OBJECT);
        end_question();
    }
    drawn_world_deinit(&w);
}

int main(void) {
    RUN(test_class_is_found_in_every_form);
    RUN(test_class_is_found_by_architecture_without_symbols);
    RUN(test_class_is_found_by_index_on_watches);
    RUN(test_target_without_the_runtimes_symbols_has_no_runtime);
    RUN(test_garbage_is_refused_with_its_reason);
    RUN(test_root_class_without_ivars_is_a_class);
    RUN(test_damaged_class_is_refused_with_its_reason);
    RUN(test_class_object_is_a_class_and_means_itself);
    RUN(test_subclass_of_a_block_class_is_a_block);
    RUN(test_block_class_that_nobody_filled_in_is_known_by_symbol);
    RUN(test_verdicts_on_classes_are_kept);
    RUN(test_inline_count_includes_the_first_owner);
    RUN(test_inline_count_of_old_runtimes_leaves_out_the_first_owner);
    RUN(test_side_table_holds_what_does_not_fit);
    RUN(test_count_of_a_raw_isa_is_in_the_side_table);
    RUN(test_count_without_a_side_table_is_unknown);
    RUN(test_side_tables_of_old_runtimes_are_found_by_local_symbols);
    RUN(test_local_symbol_that_leads_to_other_tables_is_not_believed);
    RUN(test_count_with_a_damaged_side_table_is_unknown);
    RUN(test_class_object_is_immortal);
    RUN(test_core_foundation_counts_in_the_object);
    RUN(test_core_foundation_object_that_counts_elsewhere_is_unknown);
    RUN(test_tasks_of_cfnetwork_count_as_usual_objects);
    RUN(test_swift_class_that_counts_by_itself);
    RUN(test_swift_class_with_counts_of_this_runtime);
    RUN(test_bit_of_default_methods_in_old_runtimes_is_not_swift);
    RUN(test_kind_of_a_class_does_not_depend_on_what_was_asked_before);
    RUN(test_kind_at_the_end_of_a_long_chain);
    return check_report();
}

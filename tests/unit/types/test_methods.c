/* Whose method an address of code is: lists of every runtime, classes by their links, bad tables.
 */
#include "check.h"
#include "objects/drawn_gnu.h"
#include "objects/drawn_objects.h"
#include "runtime/methods.h"
#include "runtime/object.h"

enum { RO_METHODS = 2, CODE = 0x5000 };

static struct drawn_heap heap;
static struct drawn_world w;

/* ---- Asking ---- */

static struct loupe_memory memory;
static struct loupe_target target;

static void open_target(struct drawn_heap *of, loupe_addr seed) {
    struct loupe_object object;
    drawn_memory(of, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    if (seed)
        CHECK_EQ(loupe_object_at(&target, seed, &object, NULL), LOUPE_OK);
}

static void close_target(void) {
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
}

/* "-[A b] +4 -[A c]": the method before, how far, the one behind; "?" for one without a name. */
static const char *around(struct drawn_heap *of, loupe_addr seed, loupe_addr address) {
    static char text[512];
    char before[LOUPE_MAX_METHOD_NAME], behind[LOUPE_MAX_METHOD_NAME];
    struct loupe_code_place place = {.address = address};
    open_target(of, seed);
    CHECK_EQ(loupe_methods_around(&target, &place, 1), LOUPE_OK);
    bool named = loupe_method_name(&target, &place.before, before, sizeof(before));
    bool next = loupe_method_name(&target, &place.behind, behind, sizeof(behind));
    snprintf(text, sizeof(text), "%.120s +%llu %.120s", named || !place.before.cls ? before : "?",
             (unsigned long long)(place.before.cls ? address - place.before.code : 0),
             next || !place.behind.cls ? behind : "?");
    close_target();
    return text;
}

/* "-[A b] 0x5000", or how many methods without a name were passed over: "none, 2 nameless". */
static const char *answering(struct drawn_heap *of, loupe_addr object, bool of_class,
                             const char *selector) {
    static char text[512];
    char name[LOUPE_MAX_METHOD_NAME];
    const struct loupe_class *cls;
    struct loupe_object found;
    struct loupe_answering_method answer;
    open_target(of, object);
    CHECK_EQ(loupe_object_at(&target, object, &found, NULL), LOUPE_OK);
    cls = found.cls;
    if (of_class)
        CHECK_EQ(loupe_class_at(&target, found.cls->isa, &cls, NULL), LOUPE_OK);
    CHECK_EQ(loupe_method_answering(&target, cls, selector, &answer), LOUPE_OK);
    if (loupe_method_name(&target, &answer.method, name, sizeof(name)))
        snprintf(text, sizeof(text), "%.120s 0x%llx", name, (unsigned long long)answer.method.code);
    else
        snprintf(text, sizeof(text), "none, %u nameless", answer.nameless);
    close_target();
    return text;
}

/* ---- Apple ---- */

static loupe_addr put_list(const char *const *names, unsigned count, loupe_addr code) {
    loupe_addr list = drawn_alloc(&heap, 8 + 24 * (size_t)count);
    drawn_put_u32(&heap, list, 24);
    drawn_put_u32(&heap, list + 4, count);
    for (unsigned i = 0; i < count; i++) {
        drawn_put_word(&heap, list + 8 + 24 * i, drawn_string(&heap, names[i]));
        drawn_put_word(&heap, list + 8 + 24 * i + 16, code + 0x10 * i);
    }
    return list;
}

static loupe_addr put_relative(const char *name, uint32_t flags, loupe_addr code) {
    loupe_addr list = drawn_alloc(&heap, 8 + 12), selector = drawn_alloc(&heap, 8);
    drawn_put_word(&heap, selector, drawn_string(&heap, name));
    drawn_put_u32(&heap, list, 12 | UINT32_C(1) << 31 | flags);
    drawn_put_u32(&heap, list + 4, 1);
    drawn_put_u32(&heap, list + 8, (uint32_t)(selector - (list + 8)));
    drawn_put_u32(&heap, list + 16, (uint32_t)(code - (list + 16)));
    return list;
}

/* A list of lists, as the shared cache has. */
static loupe_addr put_lists(const loupe_addr *lists, unsigned count) {
    loupe_addr nested = drawn_alloc(&heap, 8 + 8 * (size_t)count);
    drawn_put_u32(&heap, nested, 8);
    drawn_put_u32(&heap, nested + 4, count);
    for (unsigned i = 0; i < count; i++) {
        loupe_addr place = nested + 8 + 8 * i;
        drawn_put_word(&heap, place, (lists[i] - place) << 16 | 7);
    }
    return nested | 1;
}

static const char *const two[] = {"load", "setURL:timeout:"};
static loupe_addr owner;

static void open_apple(enum drawn_class_form form) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    w.class_form = form;
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    owner = drawn_object(&w, "Owner");
}

static const char *around_in_apple(uint64_t methods, loupe_addr address) {
    drawn_put_ro_word(&w, "Owner", RO_METHODS, methods);
    return around(&heap, owner, address);
}

static void test_methods_of_apple(void) {
    open_apple(DRAWN_REALIZED);
    loupe_addr list = put_list(two, 2, CODE);
    CHECK_STR(around_in_apple(list, CODE), "-[Owner load] +0 -[Owner setURL:timeout:]");
    CHECK_STR(around_in_apple(list, CODE + 0xf), "-[Owner load] +15 -[Owner setURL:timeout:]");
    CHECK_STR(around_in_apple(list, CODE + 0x11), "-[Owner setURL:timeout:] +1 ");
    CHECK_STR(around_in_apple(list, CODE - 1), " +0 -[Owner load]");
    drawn_world_deinit(&w);
}

static void test_distances_and_lists_of_lists(void) {
    open_apple(DRAWN_REALIZED);
    loupe_addr lists[] = {put_list(two, 1, CODE), put_relative("stop", 0, CODE + 0x100)};
    CHECK_STR(around_in_apple(lists[1], CODE + 0x100), "-[Owner stop] +0 ");
    CHECK_STR(around_in_apple(put_lists(lists, 2), CODE + 8), "-[Owner load] +8 -[Owner stop]");
    loupe_addr in_cache = put_relative("stop", UINT32_C(1) << 30, CODE);
    CHECK_STR(around_in_apple(in_cache, CODE + 8), "? +8 "); /* it is one, but nameless */
    drawn_world_deinit(&w);
}

/* An array, newest first, that class_rw_ext has once a category was attached. */
static void test_methods_of_categories(void) {
    open_apple(DRAWN_EXTENDED);
    loupe_addr old = put_list(two, 1, CODE), category = put_list(two + 1, 1, CODE + 0x100), rw, ext;
    loupe_addr array = drawn_alloc(&heap, 24), cls = drawn_class_named(&w, "Owner")->address;
    drawn_put_u32(&heap, array, 2);
    drawn_put_word(&heap, array + 8, category);
    drawn_put_word(&heap, array + 16, old);
    drawn_get(&heap, cls + 32, &rw, 8);
    rw &= 0x00007ffffffffff8;
    drawn_get(&heap, rw + 8, &ext, 8);
    drawn_put_word(&heap, (ext & ~(loupe_addr)1) + 8, array | 1);
    CHECK_STR(around_in_apple(old, CODE + 0x100), "-[Owner setURL:timeout:] +0 ");
    drawn_put_u32(&heap, array, UINT32_MAX); /* then the class's own are left */
    CHECK_STR(around_in_apple(old, CODE + 0x100), "-[Owner load] +256 ");
    drawn_world_deinit(&w);
}

/* A class that no object leads to, by the links of class_rw from the root on. */
static void test_classes_are_found_by_links(void) {
    for (int has_ext = 0; has_ext < 2; has_ext++) {
        loupe_addr version, rw;
        open_apple(DRAWN_REALIZED);
        version = drawn_alloc(&heap, 4);
        drawn_put_u32(&heap, version, (uint32_t)has_ext);
        drawn_symbol_add(&heap, "objc_class_abi_version", version);
        struct drawn_class *other = drawn_class(&w, "Other", "NSObject", "");
        drawn_put_ro_word(&w, "Other", RO_METHODS, put_list(two, 2, CODE));
        CHECK_STR(around(&heap, owner, CODE), " +0 ");
        drawn_get(&heap, drawn_class_named(&w, "NSObject")->address + 32, &rw, 8);
        rw &= 0x00007ffffffffff8;
        drawn_put_word(&heap, rw + (has_ext ? 16 : 40), other->address);
        CHECK_STR(around(&heap, owner, CODE), "-[Other load] +0 -[Other setURL:timeout:]");
        drawn_world_deinit(&w);
    }
}

static void test_methods_of_a_class_itself_have_a_plus(void) {
    uint64_t bits, ro;
    open_apple(DRAWN_UNREALIZED);
    drawn_get(&heap, drawn_class_named(&w, "Owner")->metaclass + 32, &bits, 8);
    ro = bits & 0x00007ffffffffff8;
    drawn_put_word(&heap, ro + 32, put_list(two, 1, CODE));
    CHECK_STR(around(&heap, owner, CODE), "+[Owner load] +0 ");
    drawn_world_deinit(&w);
}

static void test_one_code_of_several_methods_is_counted(void) {
    struct loupe_code_place place = {.address = CODE};
    open_apple(DRAWN_REALIZED);
    loupe_addr list = put_list(two, 2, CODE);
    drawn_put_word(&heap, list + 8 + 24 + 16, CODE);
    drawn_put_ro_word(&w, "Owner", RO_METHODS, list);
    open_target(&heap, owner);
    CHECK_EQ(loupe_methods_around(&target, &place, 1), LOUPE_OK);
    CHECK_EQ(place.same, 1);
    close_target();
    drawn_world_deinit(&w);
}

/* The class's own before its superclass's; of a class itself in the end the root's instances'. */
static void test_the_method_that_runs_is_found_by_its_name(void) {
    open_apple(DRAWN_REALIZED);
    drawn_put_ro_word(&w, "NSObject", RO_METHODS, put_list(two, 2, CODE));
    CHECK_STR(answering(&heap, owner, false, "load"), "-[NSObject load] 0x5000");
    CHECK_STR(answering(&heap, owner, true, "load"), "-[NSObject load] 0x5000");
    drawn_put_ro_word(&w, "Owner", RO_METHODS, put_relative("load", 0, CODE + 0x100));
    CHECK_STR(answering(&heap, owner, false, "load"), "-[Owner load] 0x5100");
    CHECK_STR(answering(&heap, owner, false, "setURL:timeout:"),
              "-[NSObject setURL:timeout:] 0x5010");
    CHECK_STR(answering(&heap, owner, false, "setURL"), "none, 0 nameless");
    drawn_put_ro_word(&w, "Owner", RO_METHODS, put_relative("load", UINT32_C(1) << 30, CODE));
    CHECK_STR(answering(&heap, owner, false, "stop"), "none, 1 nameless");
    drawn_world_deinit(&w);
}

static void test_damaged_lists_are_counted(void) {
    struct loupe_code_place place = {.address = CODE};
    open_apple(DRAWN_REALIZED);
    drawn_put_ro_word(&w, "Owner", RO_METHODS, 0x123456789000);
    open_target(&heap, owner);
    CHECK_EQ(loupe_methods_around(&target, &place, 1), LOUPE_OK);
    CHECK(!place.before.cls);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_UNREADABLE].count, 1);
    close_target();
    CHECK_STR(around_in_apple(put_lists(&(loupe_addr){0x123456789000}, 1), CODE), " +0 ");
    loupe_addr list = put_list(two, 2, CODE);
    drawn_put_u32(&heap, list + 4, UINT32_MAX);
    CHECK_STR(around_in_apple(list, CODE), " +0 ");
    drawn_put_u32(&heap, list + 4, 2);
    drawn_put_word(&heap, list + 8, drawn_string(&heap, "no\033[31mname"));
    CHECK_STR(around_in_apple(list, CODE), "? +0 -[Owner setURL:timeout:]");
    drawn_world_deinit(&w);
}

/* ---- GCC ---- */

enum { SELECTORS = 70, BUCKET = 32 };

static loupe_addr selector_number(unsigned number) {
    return number / BUCKET | (loupe_addr)(number % BUCKET) << 32;
}

/* The table of names, some words behind the variable with the highest number. */
static void put_names_of_gcc(unsigned words_behind) {
    loupe_addr place = drawn_alloc(&gnu_heap, 1024) + 512, array = drawn_alloc(&gnu_heap, 48);
    loupe_addr buckets = drawn_alloc(&gnu_heap, 8 * 4);
    drawn_symbol_add(&gnu_heap, "__objc_selector_max_index", place);
    drawn_put_u32(&gnu_heap, place, SELECTORS);
    drawn_put_word(&gnu_heap, place + 8 * words_behind, array);
    drawn_put_word(&gnu_heap, array, buckets);
    drawn_put_word(&gnu_heap, array + 40, 4 * BUCKET);
    for (unsigned i = 0; i < 4; i++)
        drawn_put_word(&gnu_heap, buckets + 8 * i, drawn_alloc(&gnu_heap, 8 * BUCKET));
    for (unsigned i = 1; i <= SELECTORS; i++) {
        loupe_addr bucket;
        char name[16];
        snprintf(name, sizeof(name), "name%u:", i);
        drawn_get(&gnu_heap, buckets + 8 * (i / BUCKET), &bucket, 8);
        drawn_put_word(&gnu_heap, bucket + 8 * (i % BUCKET), drawn_string(&gnu_heap, name));
    }
}

static loupe_addr put_selector(uint64_t word) {
    loupe_addr selector = drawn_alloc(&gnu_heap, 16);
    drawn_put_word(&gnu_heap, selector, word);
    return selector;
}

/* One method in a list behind the class's newest. */
static void put_method(enum gnu_runtime of, loupe_addr cls, loupe_addr selector, loupe_addr code) {
    loupe_addr list = drawn_alloc(&gnu_heap, 64), empty = drawn_alloc(&gnu_heap, 64);
    drawn_put_word(&gnu_heap, empty, list);
    drawn_put_u32(&gnu_heap, list + 8, 1);
    if (of == GNUSTEP2) {
        drawn_put_word(&gnu_heap, empty + 16, 24);
        drawn_put_word(&gnu_heap, list + 16, 24);
        drawn_put_word(&gnu_heap, list + 24, code);
        drawn_put_word(&gnu_heap, list + 32, selector);
    } else {
        drawn_put_word(&gnu_heap, list + 16, selector);
        drawn_put_word(&gnu_heap, list + 32, code);
    }
    drawn_put_word(&gnu_heap, cls + 56, empty);
}

static void test_methods_of_gcc(void) {
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root(), cls = gnu_put_class("Owner", root, 8, NULL, 0);
    loupe_addr object = gnu_put_object(cls, 8), selector = put_selector(selector_number(67));
    put_method(GCC, cls, selector, CODE);
    CHECK_STR(around(&gnu_heap, object, CODE), "? +0 "); /* without the table */
    put_names_of_gcc(3);
    CHECK_STR(around(&gnu_heap, object, CODE), "-[Owner name67:] +0 ");
    CHECK_STR(answering(&gnu_heap, object, false, "name67:"), "-[Owner name67:] 0x5000");
    CHECK_STR(answering(&gnu_heap, object, false, "name67"), "none, 0 nameless");
    drawn_put_word(&gnu_heap, selector, selector_number(127)); /* nobody has it */
    CHECK_STR(around(&gnu_heap, object, CODE), "? +0 ");
    drawn_put_word(&gnu_heap, selector, UINT64_MAX);
    CHECK_STR(around(&gnu_heap, object, CODE), "? +0 ");
    gnu_close_heap();
}

static void test_other_arrays_of_gcc_are_no_names(void) {
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0), array;
    put_method(GCC, cls, put_selector(selector_number(67)), CODE);
    put_names_of_gcc(3);
    loupe_addr place = gnu_heap.symbols[gnu_heap.symbol_count - 1].address, bucket, buckets;
    drawn_get(&gnu_heap, place + 24, &array, 8);
    drawn_get(&gnu_heap, array, &buckets, 8);
    drawn_get(&gnu_heap, buckets, &bucket, 8);
    drawn_put_word(&gnu_heap, bucket + 8, drawn_string(&gnu_heap, "\xf3\x0f\x1e"));
    CHECK_STR(around(&gnu_heap, gnu_put_object(cls, 8), CODE), "? +0 ");
    gnu_close_heap();
}

/* libobjc's table of classes: chains of entries, behind a variable that has a symbol. */
static void test_classes_in_the_table_of_gcc(void) {
    gnu_open_heap(GCC);
    loupe_addr place = drawn_alloc(&gnu_heap, 16 + 8 * 1024 + 1024);
    loupe_addr node = drawn_alloc(&gnu_heap, 32), second = drawn_alloc(&gnu_heap, 32);
    loupe_addr root = gnu_put_root(), cls = gnu_put_class("Owner", root, 8, NULL, 0);
    drawn_symbol_add(&gnu_heap, "_objc_lookup_class", place);
    put_names_of_gcc(3);
    put_method(GCC, cls, put_selector(selector_number(1)), CODE);
    CHECK_STR(around(&gnu_heap, 0, CODE), " +0 ");
    drawn_put_word(&gnu_heap, place + 24 + 8 * 1000, node);
    drawn_put_word(&gnu_heap, node, second);
    drawn_put_u32(&gnu_heap, node + 16, 8);
    drawn_put_word(&gnu_heap, node + 24, root);
    drawn_put_word(&gnu_heap, second, node);  /* a ring */
    drawn_put_u32(&gnu_heap, second + 16, 4); /* Owner has 5 letters */
    drawn_put_word(&gnu_heap, second + 24, cls);
    CHECK_STR(around(&gnu_heap, 0, CODE), " +0 ");
    drawn_put_u32(&gnu_heap, second + 16, 5);
    CHECK_STR(around(&gnu_heap, 0, CODE), "-[Owner name1:] +0 ");
    gnu_close_heap();
}

/* ---- libobjc2 ---- */

static void test_methods_of_libobjc2(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0);
    loupe_addr object = gnu_put_object(cls, 8), selector = put_selector(2);
    loupe_addr variable = drawn_alloc(&gnu_heap, 8), vector = drawn_alloc(&gnu_heap, 24);
    loupe_addr lists = drawn_alloc(&gnu_heap, 24), node = drawn_alloc(&gnu_heap, 16);
    put_method(GNUSTEP2, cls, selector, CODE);
    CHECK_STR(around(&gnu_heap, object, CODE), "? +0 ");
    drawn_symbol_add(&gnu_heap, "_ZN12_GLOBAL__N_113selector_listE", variable);
    drawn_put_word(&gnu_heap, variable, vector);
    drawn_put_word(&gnu_heap, vector, lists);
    drawn_put_word(&gnu_heap, vector + 8, lists + 24);
    drawn_put_word(&gnu_heap, lists + 16, node);
    drawn_put_word(&gnu_heap, node + 8, drawn_string(&gnu_heap, "close"));
    CHECK_STR(around(&gnu_heap, object, CODE), "-[Owner close] +0 ");
    CHECK_STR(answering(&gnu_heap, object, false, "close"), "-[Owner close] 0x5000");
    drawn_put_word(&gnu_heap, selector, 3); /* behind the end */
    CHECK_STR(answering(&gnu_heap, object, false, "close"), "none, 1 nameless");
    CHECK_STR(around(&gnu_heap, object, CODE), "? +0 ");
    gnu_close_heap();
}

/* Nothing leads to the table but the code of the function that names selectors. */
static void test_selectors_of_a_stripped_libobjc2(void) {
    static const uint8_t load[] = {0x48, 0x8b, 0x05}, leave[] = {0xc3};
    enum { NAMES = 16 };
    for (unsigned named = NAMES - 1; named <= NAMES; named++) {
        gnu_open_heap(GNUSTEP2);
        gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
        loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0);
        loupe_addr variable = drawn_alloc(&gnu_heap, 8), vector = drawn_alloc(&gnu_heap, 24);
        loupe_addr lists = drawn_alloc(&gnu_heap, 8 * NAMES), code = drawn_alloc(&gnu_heap, 64);
        put_method(GNUSTEP2, cls, put_selector(2), CODE);
        drawn_symbol_add(&gnu_heap, "sel_getName", code);
        drawn_put(&gnu_heap, code, load, sizeof(load));
        drawn_put_u32(&gnu_heap, code + 3, (uint32_t)(variable - (code + 7)));
        drawn_put(&gnu_heap, code + 7, leave, sizeof(leave));
        drawn_put_word(&gnu_heap, variable, vector);
        drawn_put_word(&gnu_heap, vector, lists);
        drawn_put_word(&gnu_heap, vector + 8, lists + 8 * NAMES);
        for (unsigned i = 0; i < named; i++) {
            loupe_addr node = drawn_alloc(&gnu_heap, 16);
            drawn_put_word(&gnu_heap, lists + 8 * i, node);
            drawn_put_word(&gnu_heap, node + 8, drawn_string(&gnu_heap, "close"));
        }
        CHECK_STR(around(&gnu_heap, gnu_put_object(cls, 8), CODE),
                  named == NAMES ? "-[Owner close] +0 " : "? +0 ");
        gnu_close_heap();
    }
}

/* libobjc2's table of classes behind a lock of so many bytes; one entry, in its last cell. */
static void put_table_of_classes(loupe_addr variable, unsigned lock, uint32_t cells,
                                 loupe_addr cls) {
    loupe_addr table = drawn_alloc(&gnu_heap, 128), first = drawn_alloc(&gnu_heap, 16 * cells);
    drawn_put_word(&gnu_heap, variable, table);
    drawn_put_u32(&gnu_heap, table + lock, cells);
    drawn_put_u32(&gnu_heap, table + lock + 4, 1);
    drawn_put_word(&gnu_heap, table + (lock + 12 + 7) / 8 * 8 + 8, first);
    drawn_put_word(&gnu_heap, first + 16 * (cells - 1) + 8, cls);
}

/* A class that nothing links to, by a table with a symbol, or one that only code refers to. */
static void test_classes_in_the_table_of_libobjc2(void) {
    static const uint8_t load[] = {0x48, 0x8b, 0x05}, leave[] = {0xc3};
    static const unsigned locks[] = {24, 40, 48};
    for (unsigned i = 0; i < 2 * sizeof(locks) / sizeof(locks[0]); i++) {
        gnu_open_heap(GNUSTEP2);
        gnu_heap.machine.arch = LOUPE_ARCH_X86_64;
        loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0);
        loupe_addr variable = drawn_alloc(&gnu_heap, 8), code = drawn_alloc(&gnu_heap, 64);
        put_method(GNUSTEP2, cls, put_selector(2), CODE);
        put_table_of_classes(variable, locks[i / 2], 16, cls);
        CHECK_STR(around(&gnu_heap, 0, CODE), " +0 ");
        drawn_symbol_add(&gnu_heap, i % 2 ? "class_table" : "objc_getClassList",
                         i % 2 ? variable : code);
        drawn_put(&gnu_heap, code, load, sizeof(load));
        drawn_put_u32(&gnu_heap, code + 3, (uint32_t)(variable - (code + 7)));
        drawn_put(&gnu_heap, code + 7, leave, sizeof(leave));
        CHECK_STR(around(&gnu_heap, 0, CODE), "? +0 ");
        put_table_of_classes(variable, locks[i / 2], 16, variable); /* no class */
        CHECK_STR(around(&gnu_heap, 0, CODE), " +0 ");
        put_table_of_classes(variable, locks[i / 2], 24, cls); /* no table */
        CHECK_STR(around(&gnu_heap, 0, CODE), " +0 ");
        gnu_close_heap();
    }
}

/* ---- Links of both ---- */

static void test_siblings_in_a_ring_end(void) {
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr root = gnu_put_root(), cls = gnu_put_class("Owner", root, 8, NULL, 0);
        loupe_addr other = gnu_put_class("Other", root, 8, NULL, 0);
        unsigned sibling = of == GCC ? 80 : 96;
        put_method((enum gnu_runtime)of, other, put_selector(1), CODE);
        drawn_put_word(&gnu_heap, root + 72, cls);
        drawn_put_word(&gnu_heap, cls + sibling, other);
        drawn_put_word(&gnu_heap, other + sibling, cls);
        CHECK_STR(around(&gnu_heap, gnu_put_object(root, 8), CODE), "? +0 ");
        gnu_close_heap();
    }
}

static void test_lists_in_a_ring_end(void) {
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0), list;
    put_method(GCC, cls, put_selector(1), CODE);
    drawn_get(&gnu_heap, cls + 56, &list, 8);
    drawn_put_word(&gnu_heap, list, list);
    CHECK_STR(around(&gnu_heap, gnu_put_object(cls, 8), CODE), " +0 ");
    gnu_close_heap();
}

int main(void) {
    RUN(test_methods_of_apple);
    RUN(test_distances_and_lists_of_lists);
    RUN(test_methods_of_categories);
    RUN(test_classes_are_found_by_links);
    RUN(test_methods_of_a_class_itself_have_a_plus);
    RUN(test_one_code_of_several_methods_is_counted);
    RUN(test_the_method_that_runs_is_found_by_its_name);
    RUN(test_damaged_lists_are_counted);
    RUN(test_methods_of_gcc);
    RUN(test_other_arrays_of_gcc_are_no_names);
    RUN(test_classes_in_the_table_of_gcc);
    RUN(test_methods_of_libobjc2);
    RUN(test_selectors_of_a_stripped_libobjc2);
    RUN(test_classes_in_the_table_of_libobjc2);
    RUN(test_siblings_in_a_ring_end);
    RUN(test_lists_in_a_ring_end);
    return check_report();
}

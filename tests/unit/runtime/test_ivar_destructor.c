/* Where .cxx_destruct is: Apple's lists of methods in every form, and libobjc2's word for it. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "runtime/object.h"

enum {
    RO_METHODS = 2,
    RELATIVE = INT32_MIN, /* of the list's first number */
    SELECTORS_IN_CACHE = 1 << 30,
    FIXED_UP = 3, /* of the runtime's own */
    CODE = 0x5550 /* of the method; those of others are other */
};

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr owner;
static const char *const methods[] = {"init", ".cxx_construct", ".cxx_destruct", "dealloc"};
enum { METHODS = 4, WANTED = 2 };

static loupe_addr code_of(unsigned method) {
    return CODE + 0x10 * ((loupe_addr)method - WANTED);
}

static uint8_t word_size(void) {
    return heap.machine.pointer_size;
}

static loupe_addr draw_methods(uint32_t flags) {
    loupe_addr list = drawn_alloc(&heap, 8 + METHODS * 3 * (size_t)word_size());
    drawn_put_u32(&heap, list, 3u * word_size() | flags);
    drawn_put_u32(&heap, list + 4, METHODS);
    for (unsigned i = 0; i < METHODS; i++) {
        loupe_addr entry = list + 8 + 3 * (loupe_addr)i * word_size();
        drawn_put_word(&heap, entry, drawn_string(&heap, methods[i]));
        drawn_put_word(&heap, entry + 2 * (loupe_addr)word_size(), code_of(i));
    }
    return list;
}

static void put_distance(loupe_addr place, loupe_addr to) {
    drawn_put_u32(&heap, place, (uint32_t)(to - place));
}

static loupe_addr draw_relative_methods(uint32_t flags) {
    loupe_addr list = drawn_alloc(&heap, 8 + METHODS * 12);
    drawn_put_u32(&heap, list, 12 | (uint32_t)RELATIVE | flags);
    drawn_put_u32(&heap, list + 4, METHODS);
    for (unsigned i = 0; i < METHODS; i++) {
        loupe_addr entry = list + 8 + 12 * (loupe_addr)i, selector = drawn_alloc(&heap, 8);
        drawn_put_word(&heap, selector, drawn_string(&heap, methods[i]));
        put_distance(entry, selector);
        put_distance(entry + 8, code_of(i));
    }
    return list;
}

static void begin(enum drawn_form form) {
    drawn_world_init(&w, &heap, form);
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    owner = drawn_object(&w, "Owner");
}

static loupe_addr destructor_of(loupe_addr object) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_error error;
    struct loupe_object found;
    loupe_addr code = UINT64_MAX;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    if (CHECK_EQ(loupe_abi_detect(&target, &error), LOUPE_OK) &&
        CHECK_EQ(loupe_object_at(&target, object, &found, &error), LOUPE_OK))
        code = target.abi->ivar_destructor(&target, found.cls);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return code;
}

static loupe_addr destructor_in(loupe_addr list) {
    drawn_put_ro_word(&w, "Owner", RO_METHODS, list);
    return destructor_of(owner);
}

static void test_method_is_found_in_lists_of_pointers(void) {
    static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_32_BIT};
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        begin(forms[i]);
        CHECK_EQ(destructor_in(draw_methods(0)), CODE);
        CHECK_EQ(destructor_in(draw_methods(FIXED_UP)), CODE);
        drawn_world_deinit(&w);
    }
}

static void test_method_is_found_in_lists_of_distances(void) {
    begin(DRAWN_ARM64);
    CHECK_EQ(destructor_in(draw_relative_methods(0)), CODE);
    CHECK_EQ(destructor_in(draw_relative_methods(FIXED_UP)), CODE);
    drawn_world_deinit(&w);
}

static void test_lists_of_the_shared_cache_are_left_alone(void) {
    begin(DRAWN_ARM64);
    CHECK_EQ(destructor_in(draw_relative_methods(SELECTORS_IN_CACHE)), 0);
    CHECK_EQ(destructor_in(draw_methods(0) | 1), 0);
    drawn_world_deinit(&w);
}

static void test_class_without_the_method_has_none(void) {
    begin(DRAWN_X86_64);
    loupe_addr list = draw_methods(0);
    CHECK_EQ(destructor_in(0), 0);
    drawn_put_word(&heap, list + 8 + 24 * WANTED, drawn_string(&heap, ".cxx_destructor"));
    CHECK_EQ(destructor_in(list), 0);
    drawn_world_deinit(&w);
}

static void test_damaged_lists_have_none(void) {
    begin(DRAWN_X86_64);
    loupe_addr list = draw_methods(0);
    drawn_put_u32(&heap, list, 16);
    CHECK_EQ(destructor_in(list), 0);
    drawn_put_u32(&heap, list, 24);
    drawn_put_u32(&heap, list + 4, UINT32_MAX);
    CHECK_EQ(destructor_in(list), 0);
    drawn_put_u32(&heap, list + 4, METHODS);
    drawn_put_word(&heap, list + 8, 0x123456789000); /* one name that cannot be read */
    CHECK_EQ(destructor_in(list), CODE);
    CHECK_EQ(destructor_in(0x123456789000), 0);
    drawn_world_deinit(&w);
}

int main(void) {
    RUN(test_method_is_found_in_lists_of_pointers);
    RUN(test_method_is_found_in_lists_of_distances);
    RUN(test_lists_of_the_shared_cache_are_left_alone);
    RUN(test_class_without_the_method_has_none);
    RUN(test_damaged_lists_have_none);
    return check_report();
}

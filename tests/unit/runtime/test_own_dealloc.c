/* What -dealloc tells of the ivars of a drawn class of Apple's runtime: by its code's bytes. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "edges/kinds/own_dealloc.h"
#include "runtime/object.h"

#include <string.h>

enum { RO_METHODS = 2, RO_IVARS = 4 };
enum { MAX_CODE = 64, FIRST = 8, DELEGATE = 16, OTHER = 24 }; /* offsets */

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr object, code, helper;

struct method {
    const char *name;
    loupe_addr code;
};

static void put_methods(const struct method *methods, unsigned count) {
    loupe_addr list = drawn_alloc(&heap, 8 + 24 * (size_t)count);
    drawn_put_u32(&heap, list, 24);
    drawn_put_u32(&heap, list + 4, count);
    for (unsigned i = 0; i < count; i++) {
        drawn_put_word(&heap, list + 8 + 24 * i, drawn_string(&heap, methods[i].name));
        drawn_put_word(&heap, list + 8 + 24 * i + 16, methods[i].code);
    }
    drawn_put_ro_word(&w, "Child", RO_METHODS, list);
}

static void begin(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    heap.machine.arch = LOUPE_ARCH_X86_64;
    w.manual = true;
    drawn_class(&w, "Child", "NSObject", "none _first @; none _delegate @; none _other @");
    drawn_class(&w, "Grandchild", "Child", "none _more @");
    object = drawn_object(&w, "Grandchild");
    code = drawn_alloc(&heap, MAX_CODE);
    helper = drawn_alloc(&heap, MAX_CODE);
    put_methods((struct method[]){{"init", helper}, {"dealloc", code}, {"forget", helper}}, 3);
}

#define PUT(place, ...)                                                                            \
    drawn_put(&heap, place, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* mov rax, [rip + distance] at the place; its end. */
static loupe_addr put_load(loupe_addr place, loupe_addr of) {
    PUT(place, 0x48, 0x8b, 0x05);
    drawn_put_u32(&heap, place + 3, (uint32_t)(of - (place + 7)));
    return place + 7;
}

static loupe_addr put_selector(const char *name) {
    loupe_addr variable = drawn_alloc(&heap, 8);
    drawn_put_word(&heap, variable, drawn_string(&heap, name));
    return variable;
}

/* The variable with the offset of an ivar, by its number in the class. */
static loupe_addr variable_of(unsigned number) {
    loupe_addr list, variable;
    drawn_get(&heap, drawn_class_named(&w, "Child")->ro + 48, &list, 8);
    drawn_get(&heap, list + 8 + 32 * (loupe_addr)number, &variable, 8);
    return variable;
}

static enum loupe_dealloc_says says(uint32_t offset) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object found;
    struct loupe_walk walk;
    enum loupe_dealloc_says ret = LOUPE_DEALLOC_SAYS_NOTHING;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    if (CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK) &&
        CHECK_EQ(loupe_object_at(&target, object, &found, NULL), LOUPE_OK)) {
        loupe_walk_init(&walk, &target);
        ret = loupe_own_dealloc_says(&walk, found.cls, offset);
        CHECK_EQ(loupe_own_dealloc_says(&walk, found.cls, offset), ret); /* from what is kept */
    }
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return ret;
}

static void check(enum loupe_dealloc_says delegate, enum loupe_dealloc_says other) {
    CHECK_EQ(says(DELEGATE), delegate);
    CHECK_EQ(says(OTHER), other);
}

#define UNTOUCHED LOUPE_DEALLOC_AND_NAME_SPEAK, LOUPE_DEALLOC_NEVER_TOUCHES
#define TOUCHED   LOUPE_DEALLOC_SAYS_NOTHING, LOUPE_DEALLOC_NEVER_TOUCHES
#define NOT_KNOWN LOUPE_DEALLOC_SAYS_NOTHING, LOUPE_DEALLOC_SAYS_NOTHING

static void test_code_that_touches_nothing(void) {
    begin();
    PUT(code, 0xc3);
    check(UNTOUCHED);
    drawn_world_deinit(&w);
}

static void test_offsets_in_code(void) {
    begin();
    PUT(code, 0x48, 0x8b, 0x47, FIRST, 0xc3);
    check(UNTOUCHED);
    PUT(code, 0x48, 0x8b, 0x47, DELEGATE, 0xc3);
    check(TOUCHED);
    drawn_world_deinit(&w);
}

static void test_offsets_in_variables(void) {
    begin();
    PUT(put_load(code, variable_of(0)), 0x48, 0x8b, 0x04, 0x07, 0xc3); /* mov rax, [rdi+rax] */
    check(UNTOUCHED);
    PUT(put_load(code, variable_of(1)), 0x48, 0x8b, 0x04, 0x07, 0xc3);
    check(TOUCHED);
    loupe_addr slot = drawn_alloc(&heap, 8); /* of the linker's table */
    drawn_put_word(&heap, slot, variable_of(1));
    PUT(put_load(code, slot), 0xc3);
    check(TOUCHED);
    drawn_world_deinit(&w);
}

static void test_methods_of_the_class_are_followed(void) {
    begin();
    PUT(helper, 0x48, 0x89, 0x77, DELEGATE, 0xc3);
    PUT(put_load(code, put_selector("release")), 0xff, 0xd0, 0xc3);
    check(UNTOUCHED);
    PUT(put_load(code, put_selector("forget")), 0xff, 0xd0, 0xc3);
    check(TOUCHED);
    drawn_world_deinit(&w);
}

static void test_what_cannot_be_followed_tells_nothing(void) {
    begin();
    PUT(put_load(code, put_selector("setValue:forKey:")), 0xff, 0xd0, 0xc3);
    check(NOT_KNOWN);
    PUT(code, 0x0f, 0x05, 0xc3);
    check(NOT_KNOWN);
    put_methods((struct method[]){{"dealloc", 0x123456789000}}, 1);
    check(NOT_KNOWN);
    put_methods((struct method[]){{"deallocate", code}}, 1);
    check(NOT_KNOWN);
    drawn_world_deinit(&w);
}

/* The class that declares the ivar is asked, whatever its subclass has. */
static void test_ivars_of_a_class_without_dealloc_are_not_known(void) {
    begin();
    PUT(code, 0xc3);
    CHECK_EQ(says(OTHER + 8), LOUPE_DEALLOC_SAYS_NOTHING);
    CHECK_EQ(says(OTHER + 4), LOUPE_DEALLOC_SAYS_NOTHING); /* no ivar */
    drawn_world_deinit(&w);
}

static void test_names(void) {
    static const struct {
        const char *name;
        enum loupe_dealloc_says says;
    } names[] = {{"_windowController", LOUPE_DEALLOC_AND_NAME_SPEAK},
                 {"parentView", LOUPE_DEALLOC_AND_NAME_SPEAK},
                 {"_Owner", LOUPE_DEALLOC_AND_NAME_SPEAK},
                 {"__target", LOUPE_DEALLOC_AND_NAME_SPEAK},
                 {"_ownership", LOUPE_DEALLOC_NEVER_TOUCHES},
                 {"_managers", LOUPE_DEALLOC_NEVER_TOUCHES},
                 {"_apparent", LOUPE_DEALLOC_NEVER_TOUCHES},
                 {"_", LOUPE_DEALLOC_NEVER_TOUCHES}};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        loupe_addr list;
        begin();
        PUT(code, 0xc3);
        drawn_get(&heap, drawn_class_named(&w, "Child")->ro + 48, &list, 8);
        drawn_put_word(&heap, list + 8 + 32 + 8, drawn_string(&heap, names[i].name));
        CHECK_EQ(says(DELEGATE), names[i].says);
        drawn_world_deinit(&w);
    }
}

int main(void) {
    RUN(test_code_that_touches_nothing);
    RUN(test_offsets_in_code);
    RUN(test_offsets_in_variables);
    RUN(test_methods_of_the_class_are_followed);
    RUN(test_what_cannot_be_followed_tells_nothing);
    RUN(test_ivars_of_a_class_without_dealloc_are_not_known);
    RUN(test_names);
    return check_report();
}

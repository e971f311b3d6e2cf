/* Associated objects: read from the runtime's table, every policy, keys by their symbols. */
#include "check.h"
#include "memory/drawn_process.h"
#include "show_walk.h"

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr host, a, b;

enum { ASSIGN = 0, RETAIN_NONATOMIC = 1, COPY_NONATOMIC = 3, RETAIN = 0x301, COPY = 0x303 };

static void open_world(enum drawn_form form) {
    drawn_world_init(&w, &heap, form);
    drawn_class(&w, "Host", "NSObject", "");
    drawn_class(&w, "A", "NSObject", "");
    drawn_class(&w, "B", "NSObject", "");
    host = drawn_object(&w, "Host");
    a = drawn_object(&w, "A");
    b = drawn_object(&w, "B");
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

static loupe_addr key_named(const char *name) {
    loupe_addr key = drawn_alloc(&heap, 1);
    drawn_symbol_add(&heap, name, key);
    return key;
}

static void test_retained_and_copied_associations_are_edges(void) {
    static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_ARM64E, DRAWN_RAW_ISA,
                                            DRAWN_32_BIT};
    static const uint64_t owning[] = {RETAIN_NONATOMIC, COPY_NONATOMIC, RETAIN, COPY, 0x10301};
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        for (unsigned j = 0; j < sizeof(owning) / sizeof(owning[0]); j++) {
            open_world(forms[i]);
            drawn_associate(&w, host, key_named("kKey"), owning[j], a);
            CHECK_WALK(&w, host, "Host -- [kKey] --> A (association)\n");
            close_world();
        }
    }
}

static void test_assigned_association_is_no_edge(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kKey"), ASSIGN, a);
    CHECK_WALK(&w, host, "");
    close_world();
}

static void test_object_without_associations_among_those_that_have_some(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kKey"), RETAIN, a);
    CHECK_WALK(&w, b, "");
    close_world();
}

static void test_bit_of_the_isa_without_an_entry_is_no_edge(void) {
    open_world(DRAWN_X86_64);
    uint64_t isa;
    drawn_get(&heap, b, &isa, 8);
    drawn_put_word(&heap, b, isa | 2); /* the association was removed again */
    drawn_associate(&w, host, key_named("kKey"), RETAIN, a);
    CHECK_WALK(&w, b, "");
    close_world();
}

static void test_several_associations_in_the_order_of_the_table(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kFirst"), RETAIN, a);
    drawn_associate(&w, a, key_named("kBack"), COPY, host);
    drawn_associate(&w, host, key_named("kSecond"), RETAIN, b);
    drawn_associate(&w, host, key_named("kTagged"), RETAIN, 0x2a7);
    CHECK_WALK(&w, host,
               "Host -- [kFirst] --> A (association)\nHost -- [kSecond] --> B (association)\n"
               "A -- [kBack] --> Host (association)\n");
    close_world();
}

static void test_keys_without_a_symbol(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, drawn_string(&heap, "setDelegate:"), RETAIN, a);
    drawn_associate(&w, host, drawn_alloc(&heap, 16), RETAIN, b);
    drawn_associate(&w, host, 0, RETAIN, host);
    CHECK_WALK(&w, host,
               "Host -- [\"setDelegate:\"] --> A (association)\n"
               "Host -- [key] --> B (association)\nHost -- [key] --> Host (association)\n");
    close_world();
}

static void test_blocks_and_classes_have_associations_too(void) {
    open_world(DRAWN_X86_64);
    loupe_addr block = drawn_block_of(&w, ""), cls = drawn_class_named(&w, "Host")->address;
    drawn_associate(&w, block, key_named("kKey"), RETAIN, cls);
    w.association_count++; /* a class has no bit in its isa */
    w.associations[1].object = cls;
    w.associations[1].key = key_named("kOther");
    w.associations[1].policy = RETAIN;
    w.associations[1].value = a;
    drawn_associate(&w, host, key_named("kThird"), RETAIN, b);
    CHECK_WALK(&w, block,
               "__NSMallocBlock__ -- [kKey] --> Host (association)\n"
               "Host -- [kOther] --> A (association)\n");
    close_world();
}

static void test_invalid_value_is_counted(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kKey"), RETAIN, drawn_alloc(&heap, 16));
    CHECK_WALK(&w, host, "! 1 strong references without a valid object\n");
    close_world();
}

static void test_table_that_cannot_be_found_is_counted_once_per_object(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kKey"), RETAIN, a);
    for (unsigned i = 0; i < heap.symbol_count; i++) {
        if (heap.symbols[i].address == w.association_table)
            heap.symbols[i].name = "unrelated";
    }
    CHECK_WALK(&w, host, "! 1 associated objects that cannot be read\n");
    CHECK_WALK(&w, a, "");
    close_world();
}

/* As inside of a Mac's process, whose shared cache has no local symbols in memory. */
static void test_table_without_a_symbol_is_found_in_the_runtimes_data(void) {
    static const enum drawn_form packed[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_ARM64E};
    for (unsigned i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
        open_world(packed[i]);
        drawn_associate(&w, host, key_named("kKey"), RETAIN, a);
        for (unsigned j = 0; j < heap.symbol_count; j++)
            if (heap.symbols[j].address == w.association_table)
                heap.symbols[j].name = "unrelated";
        drawn_process_init(&heap);
        drawn_process_image("/usr/lib/libother.dylib");
        drawn_process_section("__DATA,__bss", w.association_table, 32, true);
        CHECK_WALK(&w, host, "! 1 associated objects that cannot be read\n");
        drawn_process_image("/usr/lib/libobjc.A.dylib");
        drawn_process_section("__TEXT,__text", host, 64, false);
        drawn_process_section("__DATA,__data", host, 16, true); /* no table */
        drawn_process_section("__DATA,__bss", w.association_table - 16, 48, true);
        CHECK_WALK(&w, host, "Host -- [kKey] --> A (association)\n");
        close_world();
    }
}

static void test_table_that_is_none_is_counted(void) {
    open_world(DRAWN_X86_64);
    drawn_associate(&w, host, key_named("kKey"), RETAIN, a);
    drawn_put_u32(&heap, w.association_table + 16, 5); /* buckets are a power of two */
    CHECK_WALK(&w, host, "! 1 associated objects that cannot be read\n");
    close_world();
}

int main(void) {
    RUN(test_retained_and_copied_associations_are_edges);
    RUN(test_assigned_association_is_no_edge);
    RUN(test_object_without_associations_among_those_that_have_some);
    RUN(test_bit_of_the_isa_without_an_entry_is_no_edge);
    RUN(test_several_associations_in_the_order_of_the_table);
    RUN(test_keys_without_a_symbol);
    RUN(test_blocks_and_classes_have_associations_too);
    RUN(test_invalid_value_is_counted);
    RUN(test_table_that_cannot_be_found_is_counted_once_per_object);
    RUN(test_table_without_a_symbol_is_found_in_the_runtimes_data);
    RUN(test_table_that_is_none_is_counted);
    return check_report();
}

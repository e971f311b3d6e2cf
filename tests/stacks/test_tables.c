/* Unwind tables of any bytes: they say nothing, or something, and that they say soon. */
#include "check.h"
#include "tables/unwind_rules.h"

#include <stdlib.h>
#include <string.h>

enum { START = 0x10000, SIZE = 2048, TIMES = 60000 };

static uint8_t bytes[SIZE];

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx;
    if (addr < START || addr - START > SIZE || len > SIZE - (addr - START))
        return LOUPE_EFAULT;
    memcpy(dst, bytes + (addr - START), len);
    return LOUPE_OK;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    (void)ctx;
    *ret = (struct loupe_window){.start = START, .end = START + SIZE, .bytes = bytes};
    return addr >= START && addr < START + SIZE;
}

static bool no_region(void *ctx, loupe_addr addr, loupe_addr *start, loupe_addr *end) {
    (void)ctx;
    (void)addr;
    (void)start;
    (void)end;
    return false;
}

static const struct loupe_reader_ops ops = {
    .read = read_bytes, .window = open_window, .region = no_region};
static const struct loupe_machine machine = {.pointer_size = 8, .arch = LOUPE_ARCH_X86_64};
static const struct loupe_unwind_tables tables = {
    .code = {0, UINT64_MAX}, .index = {START, START + 64}, .frames = {START + 64, START + SIZE}};

static void put(unsigned at, uint64_t value, unsigned size) {
    memcpy(bytes + at, &value, size);
}

/* One function at 0x40000, of 256 bytes, whose program is what random bytes say. */
static void draw(unsigned program_size) {
    static const uint8_t common[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, 8, 0x90, 1};
    put(0, 0x3b031b01, 4);
    put(4, 64 - 4, 4); /* where .eh_frame is */
    put(8, 1, 4);
    put(12, 0x40000 - START, 4);
    put(16, 128, 4);
    put(64, 4 + sizeof(common), 4);
    put(68, 0, 4);
    memcpy(bytes + 72, common, sizeof(common));
    put(128, 4 + 8 + 8 + 1 + program_size, 4);
    put(132, 132 - 64, 4);
    put(136, 0x40000, 8);
    put(144, 0x100, 8);
    bytes[152] = 0;
}

static bool find(loupe_addr place, struct loupe_unwind_rules *ret) {
    struct loupe_memory memory;
    loupe_memory_init(&memory, &ops, NULL, machine, NULL);
    return loupe_unwind_rules_find(&memory, &tables, place, ret);
}

static void test_what_a_compiler_writes(void) {
    static const uint8_t program[] = {0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06};
    struct loupe_unwind_rules rules;
    draw(sizeof(program));
    memcpy(bytes + 153, program, sizeof(program));
    if (CHECK(find(0x40000, &rules))) {
        CHECK_EQ(rules.frame.base, LOUPE_X86_64_SP);
        CHECK_EQ(rules.frame.value, 8);
        CHECK_EQ(rules.registers[LOUPE_X86_64_PC].kind, LOUPE_RESTORE_AT);
        CHECK_EQ(rules.registers[LOUPE_X86_64_PC].value, -8);
        CHECK_EQ(rules.registers[LOUPE_X86_64_BP].kind, LOUPE_RESTORE_NONE);
    }
    if (CHECK(find(0x40001, &rules))) {
        CHECK_EQ(rules.frame.value, 16);
        CHECK_EQ(rules.registers[LOUPE_X86_64_BP].value, -16);
    }
    if (CHECK(find(0x40004, &rules)))
        CHECK_EQ(rules.frame.base, LOUPE_X86_64_BP);
    CHECK_EQ(rules.code.start, 0x40000);
    CHECK(!find(0x40100, &rules));
    CHECK(!find(0x3ffff, &rules));
}

static void test_random_programs(void) {
    struct loupe_unwind_rules rules;
    unsigned found = 0;
    srand(7);
    for (unsigned i = 0; i < TIMES; i++) {
        draw(200);
        for (unsigned at = 153; at < 400; at++)
            bytes[at] = (uint8_t)(rand() >> 7);
        found += find(0x40000 + (unsigned)rand() % 0x110, &rules);
    }
    CHECK(found > 100 && found < TIMES);
}

static void test_random_tables(void) {
    struct loupe_unwind_rules rules;
    struct loupe_memory memory;
    struct loupe_frame frame = {.known = UINT64_MAX >> 29};
    uint64_t result;
    unsigned found = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        draw(200);
        for (unsigned times = 0; times < 12; times++)
            bytes[(unsigned)rand() % 400] = (uint8_t)(rand() >> 7);
        found += find(0x40000 + (unsigned)rand() % 0x110, &rules);
        loupe_memory_init(&memory, &ops, NULL, machine, NULL);
        loupe_expression_evaluate(&memory, &memory, &frame,
                                  (struct loupe_range){START + 153, START + 300}, NULL, &result);
    }
    CHECK(found < TIMES);
}

int main(void) {
    RUN(test_what_a_compiler_writes);
    RUN(test_random_programs);
    RUN(test_random_tables);
    return check_report();
}

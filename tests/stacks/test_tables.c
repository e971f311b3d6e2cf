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

static const struct loupe_reader_ops ops = {
    .read = read_bytes, .window = open_window, .region = loupe_no_region};
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

/* ---- Compact unwind ---- */

enum { IMAGE = 0x40000, SECTION = 256, OTHER_PAGE = 512 };

static const struct loupe_unwind_tables compact_tables = {
    .code = {IMAGE, IMAGE + 0x10000},
    .frames = {START + 1024, START + SIZE},
    .compact = {START + SECTION, START + 1024}};

static bool find_compact(enum loupe_arch arch, loupe_addr place, struct loupe_unwind_rules *ret) {
    struct loupe_memory memory;
    loupe_memory_init(&memory, &ops, NULL, (struct loupe_machine){.pointer_size = 8, .arch = arch},
                      NULL);
    return loupe_unwind_rules_find(&memory, &compact_tables, place, ret);
}

/* Functions at 0x1000, 0x1100, ... of the image, the first ones in a page of pairs, the others in a
 * packed one with an encoding that is common and one of the page's own. */
static void draw_compact(uint32_t first, uint32_t second, uint32_t common, uint32_t own) {
    const uint32_t header[] = {1,   28, 1,      32,  0, 32,     3, common, 0x1000,
                               128, 0,  0x1200, 256, 0, 0x1400, 0, 0};
    const uint32_t pairs[] = {2, 8 | 2 << 16, 0x1000, first, 0x1100, second};
    const uint32_t packed[] = {3, 12 | 2 << 16, 20 | 1 << 16, 0x000000, 0x01000100, own};
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes + SECTION, header, sizeof(header));
    memcpy(bytes + SECTION + 128, pairs, sizeof(pairs));
    memcpy(bytes + OTHER_PAGE, packed, sizeof(packed));
}

static void check_base(loupe_addr place, unsigned base, int64_t value) {
    struct loupe_unwind_rules rules;
    if (CHECK(find_compact(LOUPE_ARCH_X86_64, IMAGE + place, &rules))) {
        CHECK_EQ(rules.frame.base, base);
        CHECK_EQ(rules.frame.value, value);
        CHECK(rules.is_of_body);
        CHECK_EQ(rules.code.start, IMAGE + (place & ~0xffu));
        CHECK_EQ(rules.code.end, IMAGE + (place & ~0xffu) + 0x100);
    }
}

static void test_pages_of_both_kinds(void) {
    struct loupe_unwind_rules rules;
    draw_compact(0x01000000, 0x02030000, 0x02040000, 0x02050000);
    check_base(0x1000, LOUPE_X86_64_BP, 16);
    check_base(0x10ff, LOUPE_X86_64_BP, 16);
    check_base(0x1100, LOUPE_X86_64_SP, 24);
    check_base(0x1200, LOUPE_X86_64_SP, 32);
    check_base(0x13ff, LOUPE_X86_64_SP, 40);
    CHECK(!find_compact(LOUPE_ARCH_X86_64, IMAGE + 0xfff, &rules));
    CHECK(!find_compact(LOUPE_ARCH_X86_64, IMAGE + 0x1400, &rules));
    CHECK(!find_compact(LOUPE_ARCH_X86_64, IMAGE - 1, &rules));
}

/* Registers that a frame pointer's function saved: three bits each, from the deepest place up. */
static void test_registers_below_a_frame_pointer(void) {
    struct loupe_unwind_rules rules;
    draw_compact(0x01000000 | 3 << 16 | 1 | 4 << 3 | 5 << 6, 0x01000007, 0, 0);
    if (CHECK(find_compact(LOUPE_ARCH_X86_64, IMAGE + 0x1000, &rules))) {
        CHECK_EQ(rules.registers[LOUPE_X86_64_BX].value, -40);
        CHECK_EQ(rules.registers[14].value, -32);
        CHECK_EQ(rules.registers[15].value, -24);
        CHECK_EQ(rules.registers[LOUPE_X86_64_BP].value, -16);
        CHECK_EQ(rules.registers[12].kind, LOUPE_RESTORE_NONE);
    }
    CHECK(!find_compact(LOUPE_ARCH_X86_64, IMAGE + 0x1100, &rules));
}

/* As a compiler numbers an order of registers, each of 1 to 6. */
static uint32_t number_of_order(const unsigned *order, unsigned count) {
    uint32_t number = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned digit = order[i] - 1;
        for (unsigned j = 0; j < i; j++)
            digit -= order[j] < order[i];
        number = number * (6 - i) + digit;
    }
    return number;
}

static void check_order(const unsigned *order, unsigned count) {
    static const uint8_t numbers[] = {0, LOUPE_X86_64_BX, 12, 13, 14, 15, LOUPE_X86_64_BP};
    struct loupe_unwind_rules rules;
    draw_compact(0x02000000 | 9 << 16 | count << 10 | number_of_order(order, count), 0, 0, 0);
    if (!CHECK(find_compact(LOUPE_ARCH_X86_64, IMAGE + 0x1000, &rules)))
        return;
    CHECK_EQ(rules.frame.value, 72);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(rules.registers[numbers[order[i]]].value, -8 * (int64_t)(count - i) - 8);
}

static void test_every_order_of_saved_registers(void) {
    unsigned order[6], orders = 0;
    for (unsigned code = 0; code < 7 * 7 * 7 * 7 * 7 * 7; code++) {
        unsigned left = code, count = 0, seen = 0;
        bool is_order = true;
        for (; left % 7; left /= 7, count++) {
            is_order &= !(seen >> left % 7 & 1);
            seen |= 1u << left % 7;
            order[count] = left % 7;
        }
        if (!is_order || left)
            continue;
        check_order(order, count);
        orders++;
    }
    CHECK_EQ(orders, 1 + 6 + 30 + 120 + 360 + 720 + 720);
}

/* A stack too large for the encoding: the function subtracts its size, at an offset that is told.
 */
static void test_stack_whose_size_is_in_the_code(void) {
    static const struct loupe_unwind_tables near = {.code = {START + 0x500 - 0x1000, START + SIZE},
                                                    .compact = {START + SECTION, START + 1024}};
    struct loupe_memory memory;
    struct loupe_unwind_rules rules;
    draw_compact(0x03000000 | 3 << 16 | 1 << 13, 0, 0, 0);
    put(0x503, 0x1230, 4);
    loupe_memory_init(&memory, &ops, NULL, machine, NULL);
    if (CHECK(loupe_unwind_rules_find(&memory, &near, START + 0x540, &rules)))
        CHECK_EQ(rules.frame.value, 0x1238);
}

static void test_compact_of_arm64(void) {
    struct loupe_unwind_rules rules;
    draw_compact(0x04000000 | 1 | 8, 0x02003000, 0x02003000 | 1, 0);
    if (CHECK(find_compact(LOUPE_ARCH_ARM64, IMAGE + 0x1000, &rules))) {
        CHECK_EQ(rules.frame.base, LOUPE_ARM64_FP);
        CHECK_EQ(rules.registers[LOUPE_ARM64_LR].value, -8);
        CHECK_EQ(rules.registers[LOUPE_ARM64_FP].value, -16);
        CHECK_EQ(rules.registers[19].value, -24);
        CHECK_EQ(rules.registers[20].value, -32);
        CHECK_EQ(rules.registers[25].value, -40);
        CHECK_EQ(rules.registers[26].value, -48);
        CHECK_EQ(rules.return_address, LOUPE_ARM64_LR);
    }
    if (CHECK(find_compact(LOUPE_ARCH_ARM64, IMAGE + 0x1100, &rules))) {
        CHECK_EQ(rules.frame.base, LOUPE_ARM64_SP);
        CHECK_EQ(rules.frame.value, 48);
        CHECK_EQ(rules.registers[LOUPE_ARM64_LR].kind, LOUPE_RESTORE_NONE);
    }
    if (CHECK(find_compact(LOUPE_ARCH_ARM64, IMAGE + 0x1200, &rules)))
        CHECK_EQ(rules.registers[19].value, -8);
}

static void test_random_compact_tables(void) {
    struct loupe_unwind_rules rules;
    unsigned found = 0;
    srand(11);
    for (unsigned i = 0; i < TIMES; i++) {
        draw_compact((uint32_t)rand() << 1, (uint32_t)rand() << 1, (uint32_t)rand() << 1,
                     (uint32_t)rand() << 1);
        for (unsigned times = (unsigned)rand() % 6; times; times--)
            bytes[SECTION + (unsigned)rand() % 300] = (uint8_t)(rand() >> 7);
        found += find_compact(i % 2 ? LOUPE_ARCH_ARM64 : LOUPE_ARCH_X86_64,
                              IMAGE + 0xf00 + (unsigned)rand() % 0x600, &rules);
    }
    CHECK(found > 100 && found < TIMES);
}

int main(void) {
    RUN(test_pages_of_both_kinds);
    RUN(test_registers_below_a_frame_pointer);
    RUN(test_every_order_of_saved_registers);
    RUN(test_stack_whose_size_is_in_the_code);
    RUN(test_compact_of_arm64);
    RUN(test_random_compact_tables);
    RUN(test_what_a_compiler_writes);
    RUN(test_random_programs);
    RUN(test_random_tables);
    return check_report();
}

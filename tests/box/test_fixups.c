/*
 * test_fixups.c - the loader's fixups of every published form, on drawn images: chains of arm64e
 * and of others with their three forms of imports, and the older opcodes; and damaged ones, which
 * are refused with a sentence. Words are drawn by the bit fields of mach-o/fixup-chains.h.
 */
#include "check.h"
#include "loader/binding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 512, ADDRESS = 0x40000, MOST_BYTES = 1 << 19, FIRST = 8 /* word with a fixup */ };

static _Alignas(16) uint64_t memory[WORDS];
static uint8_t bytes[MOST_BYTES]; /* of the link-edit segment */
static size_t size;
static struct box_image image;
static struct macho_segment segment;
static char refused[256];
static jmp_buf refusal;

/* ---- What the loader asks of its other parts ---- */

void box_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refused, sizeof(refused), format, arguments);
    va_end(arguments);
    longjmp(refusal, 1);
}

void *box_image_at(const struct box_image *of, uint64_t address) {
    return (void *)(uintptr_t)(address + (uint64_t)of->slide);
}

bool box_image_holds(const struct box_image *of, uint64_t address) {
    return address >= of->start && address < of->end;
}

const uint8_t *box_image_linkedit(const struct box_image *of, uint64_t offset, uint64_t length) {
    if (offset > size || length > size - offset)
        box_fail("%s has no bytes there", of->path);
    return bytes + offset;
}

/* A place that tells name and library apart: "_a" of library 1 is at 0xa1000. */
uint64_t box_resolve(struct box_image *of, const struct box_import *import) {
    (void)of;
    if (strcmp(import->name, "_missing") == 0)
        return 0;
    return (uint64_t)(uint8_t)import->name[1] << 12 | (uint64_t)(import->ordinal & 0xfff) << 20;
}

static uint64_t place_of(char name, int ordinal) {
    return (uint64_t)(uint8_t)name << 12 | (uint64_t)(ordinal & 0xfff) << 20;
}

/* ---- Drawing ---- */

static void draw_image(void) {
    memset(memory, 0, sizeof(memory));
    memset(bytes, 0, sizeof(bytes));
    size = 0;
    segment = (struct macho_segment){.address = ADDRESS, .memory_size = sizeof(memory)};
    image = (struct box_image){.path = "drawn",
                               .header = (struct macho_header *)(void *)memory,
                               .start = (uintptr_t)memory,
                               .end = (uintptr_t)memory + sizeof(memory),
                               .slide = (intptr_t)((uintptr_t)memory - ADDRESS),
                               .segments = {&segment},
                               .segment_count = 1};
}

static size_t put(const void *from, size_t length) {
    size_t at = size;
    memcpy(bytes + at, from, length);
    size += length;
    return at;
}

static void put_32(uint32_t number) {
    put(&number, sizeof(number));
}

static void put_64(uint64_t number) {
    put(&number, sizeof(number));
}

static struct macho_chains *chains_header(void) {
    return (struct macho_chains *)(void *)bytes;
}

static struct macho_chain_segment *chains_segment(void) {
    return (struct macho_chain_segment *)(void *)(bytes + 40);
}

/* One page with a chain that begins at word FIRST; imports and names follow. */
static void draw_chains(unsigned form, unsigned import_form, uint32_t imports) {
    const uint16_t page_start = FIRST * sizeof(uint64_t);
    draw_image();
    put(&(struct macho_chains){.starts = 28}, 28);
    put_32(1);
    put_32(12);
    size = 36;
    put_32(0);
    put(
        &(struct macho_chain_segment){
            .size = 24, .page_size = 4096, .pointer_format = (uint16_t)form, .page_count = 1},
        22);
    put(&page_start, sizeof(page_start));
    chains_header()->import_format = import_form;
    chains_header()->import_count = imports;
    chains_header()->imports = (uint32_t)size;
}

/* Names begin where imports end. */
static void names(void) {
    chains_header()->symbols = (uint32_t)size;
    put("_a\0_b\0_missing", 15);
}

enum { A = 0, B = 3, MISSING = 6 };

/* The bytes are all drawn: the loader does its work. False: it refused. */
static bool fix_chains(void) {
    image.chains = (struct box_part){bytes, size};
    *refused = '\0';
    if (setjmp(refusal))
        return false;
    box_fix_chains(&image);
    return true;
}

static uint64_t in_image(uint64_t offset) {
    return (uintptr_t)memory + offset;
}

/* ---- Words of arm64e: 51 next (by 8), 62 bind, 63 signed ---- */

enum { NEXT = 51 };
#define BIND   (UINT64_C(1) << 62)
#define SIGNED (UINT64_C(1) << 63)

static void draw_imports(void) {
    put_32(1 | A << 9);    /* library 1 */
    put_32(0xfe | B << 9); /* -2: flat */
    put_32(2 | 1 << 8 | MISSING << 9);
    names();
}

static void test_arm64e(void) {
    for (unsigned form = 1; form <= 12; form += form == 1 ? 8 : 3) {
        bool by_offset = form != 1;
        draw_chains(form, 1, 3);
        draw_imports();
        uint64_t target = by_offset ? 0x60 : ADDRESS + 0x60;
        memory[FIRST] = target | UINT64_C(0xa5) << 43 | UINT64_C(2) << NEXT;
        memory[FIRST + 2] = SIGNED | 0x88 | UINT64_C(0xbeef) << 32 | UINT64_C(1) << NEXT;
        memory[FIRST + 3] = BIND | 1 | UINT64_C(0x7fff8) << 32 | UINT64_C(1) << NEXT; /* -8 */
        memory[FIRST + 4] = BIND | SIGNED | 0 | UINT64_C(0xbeef) << 32 | UINT64_C(3) << NEXT;
        memory[FIRST + 7] = BIND | 2 | UINT64_C(5) << 32;
        memory[FIRST + 8] = 0x1234; /* behind the last one */
        CHECK(fix_chains());
        CHECK_EQ(memory[FIRST], in_image(0x60) | UINT64_C(0xa5) << 56);
        CHECK_EQ(memory[FIRST + 2], in_image(0x88));
        CHECK_EQ(memory[FIRST + 3], place_of('b', -2) - 8);
        CHECK_EQ(memory[FIRST + 4], place_of('a', 1));
        CHECK_EQ(memory[FIRST + 7], 0); /* it may be missing, whatever is added */
        CHECK_EQ(memory[FIRST + 8], 0x1234);
    }
}

static void test_imports_beyond_16_bits(void) {
    const uint32_t count = 0x10002;
    draw_chains(12, 1, count);
    for (uint32_t i = 0; i < count; i++)
        put_32((uint32_t)(i == 0x10001 ? B : A) << 9 | 3);
    names();
    memory[FIRST] = BIND | 0x10001 | UINT64_C(1) << NEXT;
    memory[FIRST + 1] = BIND | 1;
    CHECK(fix_chains());
    CHECK_EQ(memory[FIRST], place_of('b', 3));
    CHECK_EQ(memory[FIRST + 1], place_of('a', 3));
}

/* ---- Words of others: 51 next (by 4), 63 bind ---- */

static void test_plain_pointers(void) {
    for (unsigned form = 2; form <= 6; form += 4) {
        draw_chains(form, 1, 3);
        draw_imports();
        memory[FIRST] =
            (form == 6 ? 0x60u : ADDRESS + 0x60u) | UINT64_C(0x7f) << 36 | UINT64_C(2) << NEXT;
        memory[FIRST + 1] = SIGNED | 1 | UINT64_C(200) << 24;
        CHECK(fix_chains());
        CHECK_EQ(memory[FIRST], in_image(0x60) | UINT64_C(0x7f) << 56);
        CHECK_EQ(memory[FIRST + 1], place_of('b', -2) + 200);
    }
}

static void test_imports_with_addends(void) {
    draw_chains(6, 2, 2);
    put_32(1 | A << 9);
    put_32((uint32_t)-16);
    put_32(0xfd | B << 9); /* -3: of all images */
    put_32(0x7fffffff);
    names();
    memory[FIRST] = SIGNED | 0 | UINT64_C(2) << NEXT;
    memory[FIRST + 1] = SIGNED | 1 | UINT64_C(1) << 24;
    CHECK(fix_chains());
    CHECK_EQ(memory[FIRST], place_of('a', 1) - 16);
    CHECK_EQ(memory[FIRST + 1], place_of('b', -3) + 0x80000000u);
}

static void test_imports_with_wide_addends(void) {
    draw_chains(9, 3, 3);
    put_64(0x123 | (uint64_t)A << 32); /* a library beyond 8 bits */
    put_64(UINT64_C(0x123456789abcdef0));
    put_64(0xffff | (uint64_t)B << 32); /* -1: the program */
    put_64((uint64_t)-32);
    put_64(1 | 1 << 16 | (uint64_t)MISSING << 32);
    put_64(77);
    names();
    memory[FIRST] = BIND | 0 | UINT64_C(1) << NEXT;
    memory[FIRST + 1] = BIND | 1 | UINT64_C(4) << 32 | UINT64_C(1) << NEXT;
    memory[FIRST + 2] = BIND | 2;
    CHECK(fix_chains());
    CHECK_EQ(memory[FIRST], place_of('a', 0x123) + UINT64_C(0x123456789abcdef0));
    CHECK_EQ(memory[FIRST + 1], place_of('b', -1) - 32 + 4);
    CHECK_EQ(memory[FIRST + 2], 0);
}

/* ---- Chains that are refused ---- */

static void draw_right(void) {
    draw_chains(9, 1, 3);
    draw_imports();
    memory[FIRST] = BIND | 1;
}

#define CHECK_REFUSED(call, sentence) CHECK(!(call) && strstr(refused, sentence))

static void test_damaged_chains_are_refused(void) {
    draw_right();
    CHECK(fix_chains());
    draw_right();
    chains_segment()->pointer_format = 7;
    CHECK_REFUSED(fix_chains(), "pointers of form 7");
    for (unsigned form = 0; form <= 4; form += 4) {
        draw_right();
        chains_header()->import_format = form;
        CHECK_REFUSED(fix_chains(), "imports of form");
    }
    draw_right();
    memory[FIRST] = BIND | 3;
    CHECK_REFUSED(fix_chains(), "import 3 is not there");
    draw_right();
    chains_header()->import_count = 0xffff;
    memory[FIRST] = BIND | 0xfffe;
    CHECK_REFUSED(fix_chains(), "leave their bytes");
    draw_right();
    chains_header()->symbols = 1u << 20;
    CHECK_REFUSED(fix_chains(), "leave their bytes");
    draw_right();
    memory[FIRST] = BIND | 2;
    size--; /* the end of its name */
    CHECK_REFUSED(fix_chains(), "does not end");
    draw_right();
    chains_header()->symbol_format = 1;
    CHECK_REFUSED(fix_chains(), "packed names");
}

static void test_chains_that_lead_elsewhere_are_refused(void) {
    draw_right();
    memory[FIRST] = UINT64_C(0x7ff) << NEXT;
    CHECK_REFUSED(fix_chains(), "leaves the image");
    draw_right();
    chains_segment()->segment_offset = sizeof(memory) - 4;
    CHECK_REFUSED(fix_chains(), "leaves the image");
    draw_right();
    chains_segment()->page_start[0] = 0x8001;
    CHECK_REFUSED(fix_chains(), "several chains");
    draw_right();
    chains_segment()->page_count = 0xffff;
    CHECK_REFUSED(fix_chains(), "leave their bytes");
    static const uint32_t starts[] = {1u << 20, UINT32_MAX, 0};
    for (unsigned i = 0; i < 3; i++) {
        draw_right();
        chains_header()->starts = starts[i];
        if (!starts[i]) /* the header itself: two numbers that are none */
            chains_header()->version = UINT32_MAX;
        CHECK_REFUSED(fix_chains(), "leave their bytes");
    }
    draw_right();
    size = 12;
    CHECK_REFUSED(fix_chains(), "leave their bytes");
}

/* ---- Opcodes ---- */

static struct macho_dyld_info info;

static bool fix_by_opcodes(void) {
    image.opcodes = &info;
    *refused = '\0';
    if (setjmp(refusal))
        return false;
    box_fix_by_opcodes(&image);
    return true;
}

static void begin_opcodes(void) {
    draw_image();
    put("unused", 7); /* offset 0 of a file is its header */
    info = (struct macho_dyld_info){0};
}

/* A program of so many bytes, whose places go to two members of info. */
#define PROGRAM(member, ...)                                                                       \
    do {                                                                                           \
        static const uint8_t opcodes[] = {__VA_ARGS__};                                            \
        info.member##_size = sizeof(opcodes);                                                      \
        info.member = (uint32_t)put(opcodes, sizeof(opcodes));                                     \
    } while (0)

static void test_rebase_opcodes(void) {
    begin_opcodes();
    for (unsigned i = 0; i < WORDS; i++)
        memory[i] = ADDRESS + i;
    PROGRAM(rebase, 0x11, 0x20, 0x10 /* word 2 */, 0x52 /* 2, 3 */, 0x41 /* skips 4 */, 0x60,
            0x02 /* 5, 6 */, 0x30, 0x80, 0x01 /* + 128: 23 */, 0x70, 0x08 /* 23, then 25 */, 0x80,
            0x02, 0x10 /* 25, 28 */, 0x00, 0xf0 /* behind the end */);
    CHECK(fix_by_opcodes());
    for (unsigned i = 0; i < WORDS; i++) {
        bool is_moved = i == 2 || i == 3 || i == 5 || i == 6 || i == 23 || i == 25 || i == 28;
        CHECK_EQ(memory[i], (is_moved ? in_image(0) : ADDRESS) + i);
    }
}

static void test_bind_opcodes(void) {
    begin_opcodes();
    PROGRAM(bind, 0x11 /* library 1 */, 0x51, 0x40, '_', 'a', 0, 0x70, 0x08 /* word 1 */, 0x90,
            0x20, 0x85, 0x02 /* library 261 */, 0x60, 0x70 /* -16 */, 0x90 /* 2 */, 0x3e /* -2 */,
            0x80, 0x08 /* skips 3 */, 0xa0, 0x10 /* 4, then 7 */, 0x60, 0x00, 0xb1 /* 7, then 9 */,
            0xc0, 0x02, 0x08 /* 9, 11 */, 0x41, '_', 'm', 'i', 's', 's', 'i', 'n', 'g', 0,
            0x90 /* 13 */, 0x00, 0xf0);
    memory[13] = 99;
    CHECK(fix_by_opcodes());
    CHECK_EQ(memory[1], place_of('a', 1));
    CHECK_EQ(memory[2], place_of('a', 261) - 16);
    CHECK_EQ(memory[3], 0);
    CHECK_EQ(memory[4], place_of('a', -2) - 16);
    CHECK_EQ(memory[7], place_of('a', -2));
    CHECK_EQ(memory[9], place_of('a', -2));
    CHECK_EQ(memory[11], place_of('a', -2));
    CHECK_EQ(memory[10], 0);
    CHECK_EQ(memory[13], 0);
}

static void test_weak_and_lazy_opcodes(void) {
    begin_opcodes();
    PROGRAM(weak_bind, 0x40, '_', 'a', 0, 0x51, 0x70, 0x08, 0x90, 0x00);
    PROGRAM(lazy_bind, 0x70, 0x10, 0x12, 0x40, '_', 'a', 0, 0x90, 0x00 /* of this function */, 0x70,
            0x18, 0x13, 0x40, '_', 'b', 0, 0x90, 0x00, 0x00, 0x00);
    CHECK(fix_by_opcodes());
    CHECK_EQ(memory[1], place_of('a', -3));
    CHECK_EQ(memory[2], place_of('a', 2));
    CHECK_EQ(memory[3], place_of('b', 3));
}

#define CHECK_REBASE_REFUSED(sentence, ...)                                                        \
    do {                                                                                           \
        begin_opcodes();                                                                           \
        PROGRAM(rebase, __VA_ARGS__);                                                              \
        CHECK_REFUSED(fix_by_opcodes(), sentence);                                                 \
    } while (0)
#define CHECK_BIND_REFUSED(sentence, ...)                                                          \
    do {                                                                                           \
        begin_opcodes();                                                                           \
        PROGRAM(bind, __VA_ARGS__);                                                                \
        CHECK_REFUSED(fix_by_opcodes(), sentence);                                                 \
    } while (0)

static void test_damaged_opcodes_are_refused(void) {
    CHECK_REBASE_REFUSED("no pointer", 0x12);
    CHECK_REBASE_REFUSED("segment 1", 0x21, 0x00);
    CHECK_REBASE_REFUSED("opcode 0x90", 0x90);
    CHECK_REBASE_REFUSED("does not end", 0x20, 0x80);
    CHECK_REBASE_REFUSED("outside of its segment", 0x51);
    CHECK_REBASE_REFUSED("outside of its segment", 0x20, 0xf9, 0x1f, 0x51); /* 4 of its bytes */
    CHECK_REBASE_REFUSED("outside of its segment", 0x20, 0x00, 0x60, 0x81, 0x04);
    CHECK_BIND_REFUSED("no pointer", 0x52);
    CHECK_BIND_REFUSED("opcode 0xd0", 0xd0);
    CHECK_BIND_REFUSED("segment 3", 0x73, 0x00);
    CHECK_BIND_REFUSED("without a name", 0x70, 0x00, 0x90);
    CHECK_BIND_REFUSED("name of an import does not end", 0x40, '_', 'a');
    CHECK_BIND_REFUSED("a number in a table does not end", 0x60, 0x80);
    CHECK_BIND_REFUSED("outside of its segment", 0x40, '_', 'a', 0, 0x90);
    begin_opcodes();
    info.bind = 1u << 20;
    info.bind_size = 8;
    CHECK_REFUSED(fix_by_opcodes(), "no bytes there");
}

int main(void) {
    RUN(test_arm64e);
    RUN(test_imports_beyond_16_bits);
    RUN(test_plain_pointers);
    RUN(test_imports_with_addends);
    RUN(test_imports_with_wide_addends);
    RUN(test_damaged_chains_are_refused);
    RUN(test_chains_that_lead_elsewhere_are_refused);
    RUN(test_rebase_opcodes);
    RUN(test_bind_opcodes);
    RUN(test_weak_and_lazy_opcodes);
    RUN(test_damaged_opcodes_are_refused);
    return check_report();
}

/* What code gives up of an instance: destructors as clang makes them, with symbols or before their
 * functions were looked up, and code that is none. */
#include "check.h"
#include "code/following.h"
#include "memory/drawn_heap.h"

#include <stdlib.h>
#include <string.h>

static struct drawn_heap heap;
static struct loupe_memory memory;
static char given_up[256];
enum { RELEASE = 0x5551000, STORE_STRONG = 0x5552000, DESTROY_WEAK = 0x5553000 };

static void begin(void) {
    drawn_heap_init(&heap, 8);
    heap.machine.arch = LOUPE_ARCH_X86_64;
    drawn_symbol_add(&heap, "objc_release", RELEASE);
    drawn_symbol_add(&heap, "objc_storeStrong", STORE_STRONG);
    drawn_symbol_add(&heap, "objc_destroyWeak", DESTROY_WEAK);
    drawn_memory(&heap, &memory);
    given_up[0] = '\0';
}

static void end(void) {
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static uint8_t byte_of(const char *digits) {
    const char text[] = {digits[0], digits[1], '\0'};
    return (uint8_t)strtoul(text, NULL, 16);
}

/* Bytes in hexadecimal digits; "S", "R", "W": the distance to a function of the runtime. */
static void put_code(loupe_addr code, const char *text) {
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        loupe_addr function = *at == 'S' ? STORE_STRONG : *at == 'R' ? RELEASE : DESTROY_WEAK;
        uint8_t byte = byte_of(at);
        if (strchr("SRW", *at)) {
            drawn_put_u32(&heap, code, (uint32_t)(function - (code + 4)));
            code += 4;
            at++;
        } else {
            drawn_put(&heap, code++, &byte, 1);
            at += 2;
        }
    }
}

static void note(void *ctx, uint64_t offset, bool is_weak) {
    (void)ctx;
    size_t length = strlen(given_up);
    snprintf(given_up + length, sizeof(given_up) - length, "%s%u ", is_weak ? "weak " : "",
             (unsigned)offset);
}

static bool follow(const char *text) {
    loupe_addr code = drawn_alloc(&heap, 512);
    put_code(code, text);
    given_up[0] = '\0';
    return loupe_code_gives_up(&memory, code, note, NULL);
}

/* Once what it reads has changed. */
static bool follow_again(loupe_addr code) {
    loupe_memory_deinit(&memory);
    drawn_memory(&heap, &memory);
    return loupe_code_gives_up(&memory, code, note, NULL);
}

static void check(const char *text, const char *expected) {
    begin();
    CHECK(follow(text));
    CHECK_STR(given_up, expected);
    end();
}

static void refuse(const char *text) {
    begin();
    CHECK(!follow(text));
    end();
}

/* At -O0: by the frame, one after the other. */
static void test_members_one_by_one(void) {
    check("55 48 89 e5 48 83 ec 10 48 89 7d f8 48 8b 7d f8" /* [rbp-8] = rdi; rdi = [rbp-8] */
          "48 89 7d f0 48 83 c7 08 31 c0 89 c6 e8 S"        /* storeStrong(self + 8, nil) */
          "48 8b 7d f0 48 83 c7 18 31 c0 89 c6 e8 S"        /* storeStrong(self + 24, nil) */
          "48 8b 7d f0 48 83 c7 20 e8 W"                    /* destroyWeak(self + 32) */
          "48 83 c4 10 5d c3",
          "8 24 weak 32 ");
}

/* At -O2: released as they are loaded, the last by a jump; the offset stands in a variable. */
static void test_words_that_are_loaded(void) {
    begin();
    loupe_addr code = drawn_alloc(&heap, 64), variable = drawn_alloc(&heap, 8);
    put_code(code, "53 48 89 fb 8b 05 00 00 00 00 48 8b 7c 03 08 e8 R 48 8b 7b 10 5b e9 R");
    drawn_put_u32(&heap, variable, 32);
    drawn_put_u32(&heap, code + 6, (uint32_t)(variable - (code + 10)));
    CHECK(loupe_code_gives_up(&memory, code, note, NULL));
    CHECK_STR(given_up, "40 16 ");
    end();
}

/* Elements of an array, from self + 16 to self + 64. */
static void test_loop_through_an_array(void) {
    check("41 56 53 48 8d 5f 10 4c 8d 73 30" /* rbx = self + 16; r14 = rbx + 48 */
          "48 89 df 31 f6 e8 S 48 83 c3 10"  /* storeStrong(rbx, nil); rbx += 16 */
          "4c 39 f3 75 ed 5b 41 5e c3",      /* until rbx == r14 */
          "16 32 48 ");
}

static void test_nothing_is_given_up(void) {
    check("f3 0f 1e fa 66 0f 1f 44 00 00 c3", "");
    check("31 ff e9 R", ""); /* nil */
}

/* A stub that goes to the linker with its number and what is known of the image. */
static void test_function_that_was_not_looked_up(void) {
    enum { LINKER = 0x5559000, NUMBER = 2, DYNAMIC_ENTRIES = 5 };
    begin();
    loupe_addr code = drawn_alloc(&heap, 64), image = drawn_alloc(&heap, 64);
    loupe_addr dynamic = drawn_alloc(&heap, 16 * DYNAMIC_ENTRIES), table = drawn_alloc(&heap, 96);
    loupe_addr symbols = drawn_alloc(&heap, 256), names = drawn_string(&heap, "objc_destroyWeak");
    loupe_addr places = drawn_alloc(&heap, 16);
    const uint64_t entries[] = {5, names, 6, symbols, 23, table, 2, 72, 0, 0};
    for (unsigned i = 0; i < 2 * DYNAMIC_ENTRIES; i++)
        drawn_put_word(&heap, dynamic + 8 * (loupe_addr)i, entries[i]);
    drawn_put_word(&heap, image + 16, dynamic);
    drawn_put_word(&heap, table + 24 * NUMBER + 8, UINT64_C(7) << 32); /* the seventh symbol */
    drawn_put_word(&heap, places, image);
    drawn_put_word(&heap, places + 8, LINKER);
    put_code(code, "48 83 c7 08 e8 01 00 00 00 c3 68 02 00 00 00 ff 35 00 00 00 00 ff 25");
    drawn_put_u32(&heap, code + 17, (uint32_t)(places - (code + 21)));
    drawn_put_u32(&heap, code + 23, (uint32_t)(places + 8 - (code + 27)));
    CHECK(loupe_code_gives_up(&memory, code, note, NULL));
    CHECK_STR(given_up, "weak 8 ");
    drawn_put_word(&heap, table + 24 * NUMBER + 8, UINT64_MAX);
    CHECK(!follow_again(code));
    drawn_put_word(&heap, image + 16, 0x123456789000);
    CHECK(!follow_again(code));
    end();
}

static void test_what_is_not_understood(void) {
    refuse("");
    refuse("cc");
    refuse("eb fe");                         /* for ever */
    refuse("e8 fb ff ff ff");                /* deeper for ever */
    refuse("48 8b 07 48 85 c0 74 00 c3");    /* if (self->_a) */
    refuse("48 89 3f c3");                   /* it writes into the instance */
    refuse("48 83 c7 08 e9 R");              /* release(self + 8): of an address */
    refuse("be 01 00 00 00 e9 S");           /* storeStrong(self, something) */
    refuse("48 83 ec 08 48 8b 44 24 40 c3"); /* a word of its caller */
    refuse("ff 27");                         /* jump by a word of the instance */
    refuse("66 89 07 c3");
}

static void test_other_machines_are_not_followed(void) {
    begin();
    heap.machine.arch = LOUPE_ARCH_ARM64;
    loupe_memory_deinit(&memory);
    drawn_memory(&heap, &memory);
    CHECK(!follow("c0 03 5f d6"));
    end();
}

/* Any bytes: it ends. */
static void test_any_bytes(void) {
    uint64_t random = 88172645463325252u;
    begin();
    loupe_addr code = drawn_alloc(&heap, 64);
    for (unsigned i = 0; i < 20000; i++) {
        for (unsigned word = 0; word < 8; word++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            drawn_put_word(&heap, code + 8 * (loupe_addr)word, random);
        }
        loupe_code_gives_up(&memory, code, note, NULL);
        given_up[0] = '\0';
    }
    CHECK(true);
    end();
}

int main(void) {
    RUN(test_members_one_by_one);
    RUN(test_words_that_are_loaded);
    RUN(test_loop_through_an_array);
    RUN(test_nothing_is_given_up);
    RUN(test_function_that_was_not_looked_up);
    RUN(test_what_is_not_understood);
    RUN(test_other_machines_are_not_followed);
    RUN(test_any_bytes);
    return check_report();
}

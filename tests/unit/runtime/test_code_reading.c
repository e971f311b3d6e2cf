/* Which offsets code may touch: instructions of both machines, ways through it, bad code. */
#include "check.h"
#include "code/instruction.h"
#include "code/reading.h"
#include "memory/drawn_heap.h"

#include <stdlib.h>
#include <string.h>

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_code_reading reading;

static void begin(enum loupe_arch arch) {
    drawn_heap_init(&heap, 8);
    heap.machine.arch = arch;
    drawn_memory(&heap, &memory);
    loupe_code_reading_init(&reading, &memory, &drawn_chunks);
}

static void end(void) {
    loupe_code_reading_deinit(&reading);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

static size_t put_code(loupe_addr code, const char *hex) {
    size_t size = 0;
    for (const char *at = hex; *at; size++) {
        char *behind;
        uint8_t byte = (uint8_t)strtoul(at, &behind, 16);
        drawn_put(&heap, code + size, &byte, 1);
        at = behind + strspn(behind, " ");
    }
    return size;
}

static loupe_addr follow(const char *hex) {
    loupe_addr code = drawn_alloc(&heap, 256);
    put_code(code, hex);
    CHECK_EQ(loupe_code_reading_follow(&reading, code), LOUPE_OK);
    return code;
}

static bool refers_to(loupe_addr place) {
    uint32_t ignored;
    return loupe_map_find(&reading.referred, place, &ignored);
}

/* Whether code may touch eight bytes at offset 32. */
static bool touches(enum loupe_arch arch, const char *hex) {
    begin(arch);
    follow(hex);
    bool ret = loupe_code_reading_may_touch(&reading, 32, 8, false);
    end();
    return ret;
}

#define X86(hex) touches(LOUPE_ARCH_X86_64, hex)
#define ARM(hex) touches(LOUPE_ARCH_ARM64, hex)

static void test_accesses_of_x86_64(void) {
    CHECK(X86("48 8b 47 20 c3"));                 /* mov rax, [rdi+32] */
    CHECK(X86("48 8b 83 20 00 00 00 c3"));        /* mov rax, [rbx+32] */
    CHECK(X86("0f 11 43 18 c3"));                 /* movups [rbx+24], xmm0: 16 bytes */
    CHECK(X86("41 c7 44 24 24 00 00 00 00 c3"));  /* mov dword [r12+36], 0 */
    CHECK(X86("c5 fe 7f 43 10 c3"));              /* vmovdqu [rbx+16], ymm0 */
    CHECK(X86("48 8d 43 18 c3"));                 /* lea rax, [rbx+24]: who gets it may go on */
    CHECK(X86("48 83 c3 20 c3"));                 /* add rbx, 32 */
    CHECK(X86("be 20 00 00 00 c3"));              /* mov esi, 32: an offset that is handed on */
    CHECK(X86("48 8b 04 03 c3"));                 /* mov rax, [rbx+rax] */
    CHECK(!X86("48 8b 47 28 48 8b 47 18 c3"));    /* its neighbours */
    CHECK(!X86("48 8b 44 24 20 48 83 ec 20 c3")); /* the stack */
    CHECK(!X86("64 48 8b 04 25 20 00 00 00 c3")); /* a thread's own memory */
    CHECK(!X86("f3 0f 1e fa 0f 1f 84 00 20 00 00 00 c3")); /* nothing at all */
    CHECK(!X86("48 8d 43 28 c3"));                         /* lea rax, [rbx+40]: behind it */
    /* lea rax, [rip]; mov rax, [rax+32]: a variable, as where the superclass stands in a class */
    CHECK(!X86("48 8d 05 00 00 00 00 48 8b 40 20 c3"));
    CHECK(X86("48 8d 05 00 00 00 00 48 8b 43 20 c3"));          /* [rbx+32] */
    CHECK(X86("48 8d 05 00 00 00 00 48 89 f8 48 8b 40 20 c3")); /* mov rax, rdi between them */
    CHECK(!X86("4c 8d 05 00 00 00 00 49 8b 40 20 c3"));         /* r8 */
    CHECK(X86("4c 8d 05 00 00 00 00 48 8b 40 20 c3"));          /* r8, and [rax+32] */
}

static uint32_t number_of(const char *hex) {
    return (uint32_t)strtoul(hex, NULL, 16);
}

/* Words as disassemblers write them. */
static bool arm(const char *words) {
    char hex[256] = "";
    for (const char *at = words; *at; at += strspn(at, " ")) {
        uint32_t word = number_of(at);
        size_t used = strlen(hex);
        snprintf(hex + used, sizeof(hex) - used, "%02x %02x %02x %02x ", word & 0xff,
                 word >> 8 & 0xff, word >> 16 & 0xff, word >> 24);
        at += 8;
    }
    return ARM(hex);
}

static void test_accesses_of_arm64(void) {
    CHECK(arm("f9401260 d65f03c0"));                   /* ldr x0, [x19, #32] */
    CHECK(arm("a9417a61 a9017a61 d65f03c0") == false); /* ldp x1, x30, [x19, #16] */
    CHECK(arm("a941fa61 d65f03c0"));                   /* ldp x1, x30, [x19, #24] */
    CHECK(arm("ad000261 d65f03c0") == false);          /* stp q1, q0, [x19]: 32 bytes */
    CHECK(arm("ad008261 d65f03c0"));                   /* stp q1, q0, [x19, #16] */
    CHECK(arm("f8420260 d65f03c0"));                   /* ldur x0, [x19, #32] */
    CHECK(arm("91008260 d65f03c0"));                   /* add x0, x19, #32 */
    CHECK(arm("52800401 d65f03c0"));                   /* mov w1, #32 */
    CHECK(arm("f8606a60 d65f03c0"));                   /* ldr x0, [x19, x0] */
    CHECK(arm("f94013e0 910083ff d65f03c0") == false); /* ldr x0, [sp, #32]; add sp, sp, #32 */
    CHECK(arm("f9401660 f9400e60 d65f03c0") == false); /* its neighbours */
}

static void test_ways_are_followed(void) {
    CHECK(X86("74 01 c3 48 8b 47 20 c3"));             /* je +1; ret */
    CHECK(X86("eb 01 cc 48 8b 47 20 c3"));             /* jmp over a trap */
    CHECK(X86("e8 01 00 00 00 c3 48 8b 47 20 c3"));    /* call */
    CHECK(!X86("c3 48 8b 47 20 c3"));                  /* behind the end */
    CHECK(!X86("eb fe"));                              /* a loop of one */
    CHECK(!X86("ff d0 ff 25 00 00 00 00"));            /* call rax; jmp [rip]: to others */
    CHECK(arm("b4000040 d65f03c0 f9401260 d65f03c0")); /* cbz x0, +8 */
    CHECK(arm("94000002 d65f03c0 f9401260 d65f03c0")); /* bl +8 */
    CHECK(arm("d63f0100 d61f0200 f9401260") == false); /* blr x8; br x16 */
}

static void test_what_is_not_known_may_touch_all(void) {
    CHECK(X86("0f 05 c3"));             /* syscall */
    CHECK(X86("cc c3"));                /* perhaps a breakpoint */
    CHECK(X86("f3 48 ab c3"));          /* rep stosq */
    CHECK(X86("ff 24 c5 00 10 00 00")); /* jmp [rax*8+table] */
    CHECK(X86("ff 50 08 c3"));          /* call [rax+8]: of a table of functions */
    CHECK(X86("48 63 04 82 ff e0"));    /* movslq rax, [rdx+rax*4]; jmp rax */
    CHECK(X86("06 c3"));                /* no instruction */
    CHECK(arm("d4200000 d65f03c0"));    /* brk #0: perhaps a breakpoint */
    CHECK(arm("b8607820 d61f0000"));    /* ldr w0, [x1, x0, lsl #2]; br x0 */
    CHECK(touches(LOUPE_ARCH_OTHER, "c3"));
    begin(LOUPE_ARCH_X86_64);
    CHECK_EQ(loupe_code_reading_follow(&reading, 0x123456789000), LOUPE_OK);
    CHECK(loupe_code_reading_may_touch(&reading, 32, 8, false));
    end();
}

static void test_long_code_is_given_up(void) {
    begin(LOUPE_ARCH_X86_64);
    loupe_addr code = drawn_alloc(&heap, LOUPE_MOST_INSTRUCTIONS + 16);
    for (unsigned i = 0; i < LOUPE_MOST_INSTRUCTIONS + 8; i++)
        put_code(code + i, "90");
    put_code(code + LOUPE_MOST_INSTRUCTIONS + 8, "c3");
    CHECK_EQ(loupe_code_reading_follow(&reading, code), LOUPE_OK);
    CHECK(loupe_code_reading_may_touch(&reading, 32, 8, false));
    end();
}

static void test_places_that_code_tells(void) {
    begin(LOUPE_ARCH_X86_64);
    loupe_addr code = follow("48 8d 35 10 00 00 00 48 83 c6 40 be 00 10 40 00 c3");
    CHECK(refers_to(code + 7 + 0x10));
    CHECK(refers_to(code + 7 + 0x10 + 0x40)); /* in two steps */
    CHECK(refers_to(0x401000));
    CHECK(!refers_to(code + 7));
    end();
    begin(LOUPE_ARCH_ARM64); /* adrp x8, +0x1000; ldr x1, [x8, #32]; ret */
    code = follow("08 00 00 b0 01 11 40 f9 c0 03 5f d6");
    CHECK(refers_to((code & ~(loupe_addr)0xfff) + 0x1000 + 32));
    CHECK(!loupe_code_reading_may_touch(&reading, 32, 8, false)); /* no structure's, then */
    end();
    begin(LOUPE_ARCH_ARM64); /* adrp x8; ldr x8, [x8]; ldr x1, [x8, #32]: now it is one */
    follow("08 00 00 b0 08 01 40 f9 01 11 40 f9 c0 03 5f d6");
    CHECK(loupe_code_reading_may_touch(&reading, 32, 8, false));
    end();
}

static void test_offsets_in_variables(void) {
    begin(LOUPE_ARCH_X86_64); /* mov rax, [rip+..]; mov rax, [rbx+rax] */
    follow("48 8b 05 10 00 00 00 48 8b 04 03 c3");
    CHECK(loupe_code_reading_may_touch(&reading, 32, 8, false));
    CHECK(!loupe_code_reading_may_touch(&reading, 32, 8, true));
    end();
}

static void test_any_bytes_are_survived(void) {
    uint64_t state = 88172645463325252u;
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[LOUPE_LONGEST_INSTRUCTION];
        struct loupe_instruction seen;
        for (unsigned i = 0; i < sizeof(bytes); i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes[i] = (uint8_t)state;
        }
        for (size_t size = 0; size <= sizeof(bytes); size++) {
            if (loupe_decode_x86_64(bytes, size, 0x1000, &seen))
                CHECK(seen.length && seen.length <= size);
            if (loupe_decode_arm64(bytes, size, 0x1000, &seen))
                CHECK_EQ(seen.length, 4);
        }
    }
}

static bool loads(const char *hex) {
    begin(LOUPE_ARCH_X86_64);
    follow(hex);
    bool ret = loupe_code_reading_has_access(&reading, 8, 8);
    end();
    return ret;
}

/* As where a member of a struct is loaded to be released. */
static void test_an_access_to_just_these_bytes(void) {
    CHECK(loads("4a 8b 7c 37 08 c3"));  /* mov rdi, [rdi+r14+8] */
    CHECK(!loads("4a 8b 7c 37 10 c3")); /* mov rdi, [rdi+r14+16] */
    CHECK(!loads("0f 10 43 08 c3"));    /* movups xmm0, [rbx+8]: 16 bytes */
    CHECK(!loads("48 8d 7b 08 c3"));    /* lea rdi, [rbx+8] */
    CHECK(!loads("48 83 c7 08 c3"));    /* add rdi, 8 */
    CHECK(!loads("48 8b 7c 24 08 c3")); /* mov rdi, [rsp+8] */
}

int main(void) {
    RUN(test_accesses_of_x86_64);
    RUN(test_an_access_to_just_these_bytes);
    RUN(test_accesses_of_arm64);
    RUN(test_ways_are_followed);
    RUN(test_what_is_not_known_may_touch_all);
    RUN(test_long_code_is_given_up);
    RUN(test_places_that_code_tells);
    RUN(test_offsets_in_variables);
    RUN(test_any_bytes_are_survived);
    return check_report();
}

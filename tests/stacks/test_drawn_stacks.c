/*
 * Stacks that are drawn word by word: return addresses with signatures, frame pointers that Swift
 * marked, leaf functions of arm64, and stacks that no program has.
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "unwind/step.h"

enum { DEPTH = 16, CODE_SIZE = 0x10000, STACK_SIZE = 0x10000 };

static const loupe_addr code = 0x100000000, stack = 0x16f000000;
static const uint64_t signature = UINT64_C(0x00a5) << 47, mark = UINT64_C(1) << 60;

enum { /* instructions of arm64 */
       CALL = 0x94000010,
       CALL_SIGNED = 0xd73f0811,
       RETURN = 0xd65f03c0,
       NOP = 0xd503201f,
       PUSH_RECORD = 0xa9bf7bfd,
       LOAD_LINK = 0xa8c17bfd,
       JUMP = 0xd61f0120
};

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_reader_ops ops;
static uint64_t frames[DEPTH];
static enum loupe_step end;

static loupe_addr strip(void *ctx, loupe_addr addr) {
    (void)ctx;
    return addr & UINT64_C(0x00007fffffffffff);
}

static void begin(enum loupe_arch arch) {
    drawn_heap_init(&heap, 8);
    heap.machine.arch = arch;
    drawn_region_add(&heap, code, CODE_SIZE);
    drawn_region_add(&heap, stack, STACK_SIZE);
    for (loupe_addr at = code; at < code + 0x1000; at += 4)
        drawn_put_u32(&heap, at, NOP);
}

static bool no_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    (void)ctx;
    (void)place;
    (void)ret;
    return false;
}

/* Walks by frame pointers and code alone; how many addresses there are. */
static size_t walk(const struct loupe_frame *from) {
    struct loupe_frame frame = *from;
    size_t count = 0;
    drawn_memory(&heap, &memory);
    ops = *memory.ops;
    if (heap.machine.arch == LOUPE_ARCH_ARM64)
        ops.strip = strip;
    memory.ops = &ops;
    struct loupe_unwinder unwinder = {.stack = &memory,
                                      .images = &memory,
                                      .machine = loupe_frame_machine_of(heap.machine.arch),
                                      .find_tables = no_tables};
    end = LOUPE_STEP_DONE;
    while (end == LOUPE_STEP_DONE && count < DEPTH) {
        frames[count++] = frame.registers[unwinder.machine->pc];
        end = loupe_step(&unwinder, &frame);
    }
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
    return count;
}

static struct loupe_frame arm64_frame(loupe_addr pc, uint64_t fp, uint64_t sp, uint64_t link) {
    struct loupe_frame frame = {.is_interrupted = true};
    loupe_frame_set(&frame, LOUPE_ARM64_PC, pc);
    loupe_frame_set(&frame, LOUPE_ARM64_FP, fp);
    loupe_frame_set(&frame, LOUPE_ARM64_SP, sp);
    loupe_frame_set(&frame, LOUPE_ARM64_LR, link);
    return frame;
}

/* Three functions, each called by the next one, from code + 0x200 on. */
static void draw_records(uint64_t signed_with, uint64_t marked_with) {
    static const unsigned calls[] = {CALL, CALL_SIGNED, CALL};
    for (unsigned i = 0; i < 3; i++) {
        loupe_addr record = stack + 0x100 + 0x40 * (loupe_addr)i;
        drawn_put_u32(&heap, code + 0x200 + 0x100 * (loupe_addr)i, calls[i]);
        drawn_put_word(&heap, record, i < 2 ? (record + 0x40) | marked_with : 0);
        drawn_put_word(&heap, record + 8, (code + 0x204 + 0x100 * (loupe_addr)i) | signed_with);
    }
}

static void check_records(size_t count) {
    CHECK_EQ(count, 4);
    CHECK_EQ(end, LOUPE_STEP_OUTERMOST);
    for (size_t i = 1; i < count; i++)
        CHECK_EQ(frames[i], code + 0x104 + 0x100 * i);
}

/* The innermost function neither returns soon nor makes a record: it has one. */
static loupe_addr put_body(void) {
    drawn_put_u32(&heap, code + 0x104, JUMP);
    return code + 0x100;
}

static void test_signatures_are_removed(void) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(signature, 0);
    struct loupe_frame frame = arm64_frame(put_body(), stack + 0x100, stack + 0x80, 0);
    check_records(walk(&frame));
}

static void test_marks_of_swift_are_removed(void) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(0, mark);
    struct loupe_frame frame = arm64_frame(put_body(), stack + 0x100, stack + 0x80, 0);
    check_records(walk(&frame));
    begin(LOUPE_ARCH_ARM64);
    draw_records(signature, mark);
    frame = arm64_frame(put_body(), stack + 0x100, stack + 0x80, 0);
    check_records(walk(&frame));
}

/* A leaf function has no record; its caller's is the one at the frame pointer. */
static void test_link_register_counts_in_leaf_functions(void) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(0, 0);
    drawn_put_u32(&heap, code + 0x108, RETURN);
    drawn_put_u32(&heap, code + 0x180, CALL);
    struct loupe_frame frame =
        arm64_frame(code + 0x100, stack + 0x100, stack + 0x80, (code + 0x184) | signature);
    CHECK_EQ(walk(&frame), 5);
    CHECK_EQ(frames[1], code + 0x184);
    CHECK_EQ(frames[2], code + 0x204);
    CHECK_EQ(end, LOUPE_STEP_OUTERMOST);
}

static void test_link_register_counts_before_it_is_saved(void) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(0, 0);
    drawn_put_u32(&heap, code + 0x100, PUSH_RECORD);
    drawn_put_u32(&heap, code + 0x180, CALL);
    struct loupe_frame frame = arm64_frame(code + 0x100, stack + 0x100, stack + 0x80, code + 0x184);
    CHECK_EQ(walk(&frame), 5);
    CHECK_EQ(frames[1], code + 0x184);
}

/* What is left in it where a function has called another one is no frame: not twice, not wrong. */
static void test_link_register_counts_nowhere_else(void) {
    static const uint32_t then[] = {JUMP, LOAD_LINK, CALL};
    for (unsigned i = 0; i < 3; i++) {
        begin(LOUPE_ARCH_ARM64);
        draw_records(0, 0);
        drawn_put_u32(&heap, code + 0x104, then[i]);
        drawn_put_u32(&heap, code + 0x108, RETURN);
        struct loupe_frame frame =
            arm64_frame(code + 0x100, stack + 0x100, stack + 0x80, code + 0x204);
        check_records(walk(&frame));
    }
}

/* ---- Stubs of linkers, for which there are no tables ---- */

/* Wherever the stub was interrupted its caller is the function that called it. */
static void test_stubs_of_arm64(void) {
    static const uint32_t stubs[][6] = {
        {0x90000010, 0xf9400211, 0x91000210, 0xd61f0220},             /* LLVM's and GNU's */
        {0xd503245f, 0x90000010, 0xf9400211, 0x91000210, 0xd61f0220}, /* with a landing pad */
        {0xa9bf7bf0, 0x90000010, 0xf9400211, 0x91000210, 0xd61f0220}, /* of those looked up late */
        {0x90000010, 0xf9400210, 0xd61f0200},                         /* Apple's */
        {0x90000011, 0x91000231, 0xf9400230, 0xd71f0a11},             /* with signatures */
    };
    for (unsigned i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
        for (unsigned at = 0; at < 6 && stubs[i][at]; at++) {
            begin(LOUPE_ARCH_ARM64);
            draw_records(0, 0);
            for (unsigned j = 0; j < 6 && stubs[i][j]; j++)
                drawn_put_u32(&heap, code + 0x800 + 4 * j, stubs[i][j]);
            drawn_put_u32(&heap, code + 0x180, CALL);
            bool is_saved = stubs[i][0] == 0xa9bf7bf0 && at > 0;
            struct loupe_frame frame =
                arm64_frame(code + 0x800 + 4 * at, stack + 0x100,
                            stack + 0x80 - (is_saved ? 16 : 0), code + 0x184);
            CHECK_EQ(walk(&frame), 5);
            CHECK_EQ(frames[1], code + 0x184);
            CHECK_EQ(frames[2], code + 0x204);
            CHECK_EQ(end, LOUPE_STEP_OUTERMOST);
        }
    }
}

/* A jump to what a register holds is none of a stub unless that was just loaded for it. */
static void test_jumps_that_are_no_stubs(void) {
    static const uint32_t before[] = {NOP, CALL, 0x91000210};
    for (unsigned i = 0; i < 3; i++) {
        begin(LOUPE_ARCH_ARM64);
        draw_records(0, 0);
        drawn_put_u32(&heap, code + 0x0fc, before[i]);
        drawn_put_u32(&heap, code + 0x100, 0xd61f0200);
        struct loupe_frame frame =
            arm64_frame(code + 0x100, stack + 0x100, stack + 0x80, code + 0x204);
        check_records(walk(&frame));
    }
}

struct place_in_stub {
    unsigned at, pushed;
};

static void check_x86_64(const uint8_t *bytes, size_t size, struct place_in_stub place,
                         uint64_t result, size_t count) {
    begin(LOUPE_ARCH_X86_64);
    drawn_put(&heap, code + 0x800, bytes, size);
    for (unsigned i = 0; i < 3; i++)
        drawn_put(&heap, code + 0x1fb + 0x100 * (loupe_addr)i, "\xe8", 1);
    loupe_addr sp = stack + 0x80;
    drawn_put_word(&heap, sp, code + 0x200);
    for (unsigned i = 0; i < 2; i++) {
        drawn_put_word(&heap, stack + 0x100 + 0x40 * (loupe_addr)i, i ? 0 : stack + 0x140);
        drawn_put_word(&heap, stack + 0x108 + 0x40 * (loupe_addr)i,
                       code + 0x300 + 0x100 * (loupe_addr)i);
    }
    struct loupe_frame frame = {.is_interrupted = true};
    loupe_frame_set(&frame, LOUPE_X86_64_PC, code + 0x800 + place.at);
    loupe_frame_set(&frame, LOUPE_X86_64_SP, sp - 8 * (uint64_t)place.pushed);
    loupe_frame_set(&frame, LOUPE_X86_64_BP, stack + 0x100);
    loupe_frame_set(&frame, 0, result);
    CHECK_EQ(walk(&frame), count);
    CHECK_EQ(end, LOUPE_STEP_OUTERMOST);
    if (count > 1) {
        CHECK_EQ(frames[1], code + 0x200);
        CHECK_EQ(frames[2], code + 0x300);
    }
}

static void test_stubs_of_x86_64(void) {
    static const uint8_t lookup[] = {0xff, 0x35, 1, 2, 3, 4, 0xff, 0x25, 5, 6, 7, 8};
    static const uint8_t stub[] = {0xff, 0x25, 1, 2, 3, 4, 0x68, 5, 0, 0, 0, 0xe9, 6, 7, 8, 9};
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4};
    check_x86_64(lookup, sizeof(lookup), (struct place_in_stub){0, 1}, 1, 4);
    check_x86_64(lookup, sizeof(lookup), (struct place_in_stub){6, 2}, 1, 4);
    check_x86_64(stub, sizeof(stub), (struct place_in_stub){0, 0}, 1, 4);
    check_x86_64(stub, sizeof(stub), (struct place_in_stub){6, 0}, 1, 4);
    check_x86_64(stub, sizeof(stub), (struct place_in_stub){11, 1}, 1, 4);
    check_x86_64(landing, sizeof(landing), (struct place_in_stub){0, 0}, 1, 4);
    check_x86_64(landing, sizeof(landing), (struct place_in_stub){4, 0}, 1, 4);
}

/* clone() returns in two threads, one of which has no caller. */
static void test_thread_that_makes_another_one(void) {
    static const uint8_t bytes[] = {0x0f, 0x05, 0x48, 0x85, 0xc0, 0x0f, 0x8c,
                                    1,    2,    3,    4,    0x74, 1,    0xc3};
    static const unsigned places[] = {0, 2, 5, 11, 13};
    for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        check_x86_64(bytes, sizeof(bytes), (struct place_in_stub){places[i], 0}, 4711, 4);
    for (unsigned i = 1; i < 4; i++)
        check_x86_64(bytes, sizeof(bytes), (struct place_in_stub){places[i], 0}, 0, 1);
}

/* ---- Stacks that no program has ---- */

static size_t walk_record(uint64_t next, uint64_t address) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(0, 0);
    drawn_put_word(&heap, stack + 0x140, next);
    drawn_put_word(&heap, stack + 0x148, address);
    struct loupe_frame frame = arm64_frame(put_body(), stack + 0x100, stack + 0x80, 0);
    return walk(&frame);
}

static void test_what_cannot_be_ends_the_stack(void) {
    CHECK_EQ(walk_record(stack + 0x100, code + 0x304), 2); /* downwards */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 0x140, code + 0x304), 2); /* to itself */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 0x180, code + 0x324), 2); /* behind no call */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 0x180, stack + 0x304), 2); /* no code */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 0x183, code + 0x304), 3); /* no place for a record */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 2 * STACK_SIZE, code + 0x304), 3); /* not mapped */
    CHECK_EQ(end, LOUPE_STEP_LOST);
    CHECK_EQ(walk_record(stack + 0x180, 0), 2);
    CHECK_EQ(end, LOUPE_STEP_OUTERMOST);
}

static void test_frame_pointer_below_the_stack(void) {
    begin(LOUPE_ARCH_ARM64);
    draw_records(0, 0);
    struct loupe_frame frame = arm64_frame(put_body(), stack + 0x100, stack + 0x108, 0);
    CHECK_EQ(walk(&frame), 1);
    CHECK_EQ(end, LOUPE_STEP_LOST);
}

int main(void) {
    RUN(test_signatures_are_removed);
    RUN(test_marks_of_swift_are_removed);
    RUN(test_link_register_counts_in_leaf_functions);
    RUN(test_link_register_counts_before_it_is_saved);
    RUN(test_link_register_counts_nowhere_else);
    RUN(test_stubs_of_arm64);
    RUN(test_jumps_that_are_no_stubs);
    RUN(test_stubs_of_x86_64);
    RUN(test_thread_that_makes_another_one);
    RUN(test_what_cannot_be_ends_the_stack);
    RUN(test_frame_pointer_below_the_stack);
    return check_report();
}

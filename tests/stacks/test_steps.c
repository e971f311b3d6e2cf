/*
 * A child is stepped through functions instruction by instruction; at each its stack is told from
 * its registers. It has to lead back to the function that was called first, and on as that one's
 * stack does: in every prologue and epilogue, with and without frame pointers, in the C library.
 *
 * The child is a fork: the images stand at the same places, only its stack is another one.
 */
#include "check.h"
#include "memory/machine.h"
#include "unwind/own_images.h"
#include "unwind/own_memory.h"
#include "unwind/step.h"
#include "unwind/unwind.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 64, MOST_STEPS = 60000 };

/* ---- What is stepped through ---- */

__attribute__((noinline, optimize("O0", "no-omit-frame-pointer"))) static int plain(int value) {
    int half = value / 2;
    return half > 3 ? plain(half) + 1 : half;
}

__attribute__((noinline, optimize("O2", "omit-frame-pointer"))) static int
many_registers(int a, int b, int c, int d, int e, int f, int g) {
    volatile int values[50];
    for (int i = 0; i < 5; i++)
        values[i] = plain(a + i) * b + plain(c) * d - plain(e) * f + g;
    return values[a & 3];
}

__attribute__((noinline, optimize("O2", "no-omit-frame-pointer"))) static int framed(int value) {
    return many_registers(value, 1, 2, 3, 4, 5, 6) + 1;
}

__attribute__((noinline)) static int unknown_size(int value) {
    volatile char *room = __builtin_alloca((size_t)value * 24);
    room[0] = 1;
    return framed(value) + room[0];
}

__attribute__((noinline)) static int aligned(int value) {
    _Alignas(64) volatile char room[64] = {1};
    return unknown_size(value) + room[value & 1];
}

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) static int all(int value) {
    int values[] = {5, 2, 9, value};
    qsort(values, 4, sizeof(values[0]), compare);
    char *text = malloc((size_t)value + 100);
    text[0] = (char)value;
    int sum = aligned(value) + values[1] + strchr("xyz", 'z')[0];
    free(text);
    return sum;
}

/* ---- Its stack ---- */

static pid_t child;

static enum loupe_status read_child(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx;
    struct iovec to = {dst, len}, from = {(void *)(uintptr_t)addr, len};
    return process_vm_readv(child, &to, 1, &from, 1, 0) == (ssize_t)len ? LOUPE_OK : LOUPE_EFAULT;
}

static bool any_region(void *ctx, loupe_addr addr, loupe_addr *start, loupe_addr *end) {
    (void)ctx;
    *start = addr / 4096 * 4096;
    *end = *start + 4096;
    return true;
}

static bool no_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    static uint8_t piece[256];
    loupe_addr start = addr / sizeof(piece) * sizeof(piece);
    *ret = (struct loupe_window){.start = start, .end = start + sizeof(piece), .bytes = piece};
    return !read_child(ctx, start, piece, sizeof(piece));
}

static const struct loupe_reader_ops child_ops = {
    .read = read_child, .window = no_window, .region = any_region};

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    (void)ctx;
    return loupe_own_images_find(place, ret);
}

static size_t walk(const struct user_regs_struct *registers, uint64_t *ret, bool *is_whole_ret) {
    struct loupe_memory memory;
    struct loupe_frame frame = {.is_interrupted = true};
    const uint64_t values[] = {registers->rax, registers->rdx, registers->rcx, registers->rbx,
                               registers->rsi, registers->rdi, registers->rbp, registers->rsp,
                               registers->r8,  registers->r9,  registers->r10, registers->r11,
                               registers->r12, registers->r13, registers->r14, registers->r15,
                               registers->rip};
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        loupe_frame_set(&frame, i, values[i]);
    loupe_memory_init(&memory, &child_ops, NULL, loupe_own_machine, NULL);
    struct loupe_unwinder unwinder = {.stack = &memory,
                                      .images = &memory,
                                      .machine = loupe_frame_machine_of(LOUPE_ARCH_X86_64),
                                      .find_tables = find_tables};
    enum loupe_step step = LOUPE_STEP_DONE;
    size_t count = 0;
    while (step == LOUPE_STEP_DONE && count < DEPTH) {
        ret[count++] = frame.registers[LOUPE_X86_64_PC];
        step = loupe_step(&unwinder, &frame);
    }
    *is_whole_ret = step == LOUPE_STEP_OUTERMOST;
    return count;
}

/* ---- Steps ---- */

static void be_stepped(void) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(all(40) & 1);
}

static bool step_once(struct user_regs_struct *registers) {
    int status;
    return !ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) && waitpid(child, &status, 0) == child &&
           WIFSTOPPED(status) && !ptrace(PTRACE_GETREGS, child, NULL, registers);
}

static void test_every_instruction(void) {
    struct user_regs_struct registers;
    uint64_t base[DEPTH], frames[DEPTH];
    size_t base_count = 0, count;
    unsigned steps = 0, wrong = 0;
    bool is_whole;
    if (!(child = fork()))
        be_stepped();
    waitpid(child, NULL, 0);
    ptrace(PTRACE_GETREGS, child, NULL, &registers);
    while (registers.rip != (uintptr_t)all)
        if (!CHECK(step_once(&registers)))
            return;
    base_count = walk(&registers, base, &is_whole);
    CHECK(is_whole);
    CHECK(base_count > 3);
    for (; steps < MOST_STEPS && registers.rip != base[1] && step_once(&registers); steps++) {
        count = walk(&registers, frames, &is_whole);
        /* The last step is behind the call, in its caller. */
        size_t callers = registers.rip == base[1] ? base_count - 2 : base_count - 1;
        bool is_right = is_whole && count > callers &&
                        memcmp(frames + count - callers, base + base_count - callers,
                               callers * sizeof(*frames)) == 0;
        if (!is_right && wrong++ < 10)
            printf("at %#llx, step %u: %zu frames, whole %d\n", registers.rip, steps, count,
                   is_whole);
    }
    CHECK_EQ(registers.rip, base[1]);
    CHECK(steps > 500);
    CHECK_EQ(wrong, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void) {
    all(40); /* binds what is bound at the first call */
    RUN(test_every_instruction);
    return check_report();
}

#include "memory/own_stack.h"

#include "kernel/kernel.h"
#include "memory/pages.h"

#include <stdint.h>

/* Room for the program's code too: a probe calls it, and signal handlers run wherever they come.
 * Only what is used becomes memory. */
enum { STACK_SIZE = 512 << 10, GUARD_SIZE = 64 << 10 };

struct task {
    void (*run)(void *ctx);
    void *ctx;
};

/* What the instructions below call by its name: a pointer to it could be a signed one. */
void loupe_own_stack_enter(const struct task *task);

__attribute__((used, visibility("hidden"))) void loupe_own_stack_enter(const struct task *task) {
    task->run(task->ctx);
}

#define TEXT_OF(word) #word
#define TEXT(macro)   TEXT_OF(macro)
#define ENTER         TEXT(__USER_LABEL_PREFIX__) "loupe_own_stack_enter"

/* The frame's address is asked for so that the function keeps a frame pointer: debuggers find its
 * caller by that while the stack is another one. */
#if defined(__x86_64__)
static void switch_stacks(void *top, const struct task *task) {
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[top], %%rsp\n\t"
                     "call " ENTER "\n\t"
                     "movq %%rbx, %%rsp"
                     : "+D"(task)
                     : [top] "r"(top), "r"(__builtin_frame_address(0))
                     : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1",
                       "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}
#elif defined(__aarch64__)
static void switch_stacks(void *top, const struct task *task) {
    register const struct task *argument __asm__("x0") = task;
    __asm__ volatile("mov x19, sp\n\t"
                     "mov sp, %[top]\n\t"
                     "bl " ENTER "\n\t"
                     "mov sp, x19"
                     : "+r"(argument)
                     : [top] "r"(top), "r"(__builtin_frame_address(0))
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x19", "x30", "v0", "v1", "v2", "v3",
                       "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
                       "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
                       "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}
#else
static void switch_stacks(void *top, const struct task *task) {
    (void)top;
    loupe_own_stack_enter(task);
}
#endif

/* The lowest address that a stack may use; NULL when there is no memory. */
static uint8_t *get_stack(void) {
    uint8_t *guarded = loupe_pages_map(GUARD_SIZE + STACK_SIZE);
    if (!guarded)
        return NULL;
    if (!loupe_kernel_protect(guarded, GUARD_SIZE) ||
        !loupe_pages_adopt(guarded, GUARD_SIZE + STACK_SIZE)) {
        loupe_pages_unmap(guarded, GUARD_SIZE + STACK_SIZE);
        return NULL;
    }
    return guarded + GUARD_SIZE;
}

void loupe_run_on_own_stack(void (*run)(void *ctx), void *ctx) {
    struct task task = {.run = run, .ctx = ctx};
    uint8_t *stack = get_stack();
    if (stack)
        switch_stacks(stack + STACK_SIZE, &task);
    else
        loupe_own_stack_enter(&task);
}

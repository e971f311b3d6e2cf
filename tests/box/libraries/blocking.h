/*
 * blocking.h - calls in which a thread may wait: while it does, it stands in the system's library,
 * as where a call of the kernel is made there. What it does further down is the box's own, which a
 * Mac has not. The call is told by the registers as they are where it is made.
 */
#ifndef LOUPE_BOX_BLOCKING_H
#define LOUPE_BOX_BLOCKING_H

#include <stdint.h>

/* Program counter, stack and frame pointer; then those that calls keep: rbx, r12 to r15. */
struct box_place {
    uint64_t registers[8];
    uint64_t may_wait; /* a thread that stands there is told as one that waits */
};

void host_box_enter_call(const struct box_place *place);
void host_box_leave_call(void);

#if defined(__x86_64__)
#define TELL_PLACE(place)                                                                          \
    __asm__ volatile("leaq 0(%%rip), %%rax\n movq %%rax, 0(%0)\n movq %%rsp, 8(%0)\n"              \
                     "movq %%rbp, 16(%0)\n movq %%rbx, 24(%0)\n movq %%r12, 32(%0)\n"              \
                     "movq %%r13, 40(%0)\n movq %%r14, 48(%0)\n movq %%r15, 56(%0)"                \
                     :                                                                             \
                     : "r"((place)->registers)                                                     \
                     : "rax", "memory");                                                           \
    host_box_enter_call(place)
#else /* nothing is told there yet */
#define TELL_PLACE(place) host_box_leave_call()
#endif

/* A function of this name and these parameters that calls host_NAME with these arguments. */
#define CALLING(name, parameters, arguments, waits)                                                \
    int host_##name parameters;                                                                    \
    int name parameters {                                                                          \
        struct box_place place = {.may_wait = waits};                                              \
        TELL_PLACE(&place);                                                                        \
        int result = host_##name arguments;                                                        \
        host_box_leave_call();                                                                     \
        return result;                                                                             \
    }
#define BLOCKING(name, parameters, arguments) CALLING(name, parameters, arguments, 1)
#define PASSING(name, parameters, arguments)  CALLING(name, parameters, arguments, 0)

#endif

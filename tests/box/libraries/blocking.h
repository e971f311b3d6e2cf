/*
 * blocking.h - calls in which a thread may wait: while it does, it stands in the system's library,
 * as where a call of the kernel is made there. What it does further down is the box's own, which a
 * Mac has not. The call is told by the registers as they are where it is made.
 */
#ifndef LOUPE_BOX_BLOCKING_H
#define LOUPE_BOX_BLOCKING_H

#include <stdint.h>

#if defined(__x86_64__)
enum { BOX_PLACE_REGISTERS = 8 };
#else
enum { BOX_PLACE_REGISTERS = 13 };
#endif

/* Program counter, stack and frame pointer; then those that calls keep: rbx, r12 to r15, or x19 to
 * x28. */
struct box_place {
    uint64_t registers[BOX_PLACE_REGISTERS];
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
#else
#define TELL_PLACE(place)                                                                          \
    __asm__ volatile("adr x9, .\n mov x10, sp\n stp x9, x10, [%0]\n stp x29, x19, [%0, #16]\n"     \
                     "stp x20, x21, [%0, #32]\n stp x22, x23, [%0, #48]\n"                         \
                     "stp x24, x25, [%0, #64]\n stp x26, x27, [%0, #80]\n str x28, [%0, #96]"      \
                     :                                                                             \
                     : "r"((place)->registers)                                                     \
                     : "x9", "x10", "memory");                                                     \
    host_box_enter_call(place)
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

/*
 * unwind.h - stacks of this process from inside: of the thread that asks, and of another one that
 * stands still.
 *
 * Safe wherever it is called: in signal handlers, in malloc, while other threads are stopped, in
 * any number of threads at once. Nothing is allocated (but pages from the kernel for the list of
 * images, when one was loaded), no lock is taken, no errno is changed, nothing outside the C
 * library's getauxval() is called. It needs 4 KB of stack.
 *
 * Frames are found by .eh_frame and compact unwind of the loaded images, without them by frame
 * pointers. What was learned of a place in the code is kept, so that later
 * stacks through it cost some nanoseconds a frame. Addresses are exact: of the innermost function
 * and of one that a signal interrupted the instruction that comes next, of others the one that the
 * call returns to, without signature bits. To name the latter, look one byte before.
 */
#ifndef LOUPE_STACKS_UNWIND_H
#define LOUPE_STACKS_UNWIND_H

#include "tables/frame.h"

enum loupe_unwind_end {
    LOUPE_UNWIND_OUTERMOST, /* the last address is of the function that the thread began with */
    LOUPE_UNWIND_FULL,      /* the room is used up: there may be more */
    LOUPE_UNWIND_LOST       /* who called the last one cannot be told */
};

struct loupe_unwound {
    size_t count;
    enum loupe_unwind_end end;
};

/* ---- The registers to begin with ---- */

/*
 * Those of the function that this is inlined into, at this place. The function must not return
 * before its stack was walked.
 */
__attribute__((always_inline)) static inline void loupe_frame_capture(struct loupe_frame *ret) {
    uint64_t *registers = ret->registers;
#if defined(__x86_64__)
    __asm__ volatile("movq %%rbx, 24(%1)\n\t"
                     "movq %%rbp, 48(%1)\n\t"
                     "movq %%rsp, 56(%1)\n\t"
                     "movq %%r12, 96(%1)\n\t"
                     "movq %%r13, 104(%1)\n\t"
                     "movq %%r14, 112(%1)\n\t"
                     "movq %%r15, 120(%1)\n\t"
                     "leaq 0(%%rip), %0"
                     : "=&r"(registers[LOUPE_X86_64_PC])
                     : "r"(registers)
                     : "memory");
    ret->known = 0x1f0c8;
#elif defined(__aarch64__)
    __asm__ volatile("stp x19, x20, [%1, #152]\n\t"
                     "stp x21, x22, [%1, #168]\n\t"
                     "stp x23, x24, [%1, #184]\n\t"
                     "stp x25, x26, [%1, #200]\n\t"
                     "stp x27, x28, [%1, #216]\n\t"
                     "stp x29, x30, [%1, #232]\n\t"
                     "mov %0, sp\n\t"
                     "str %0, [%1, #248]\n\t"
                     "adr %0, ."
                     : "=&r"(registers[LOUPE_ARM64_PC])
                     : "r"(registers)
                     : "memory");
    ret->known = 0x1fff80000;
#else
    (void)registers;
    ret->known = 0;
#endif
    ret->is_interrupted = true;
}

/* Those of the code that a signal handler interrupted, from its third argument. False: the machine
 * is none that is known. */
bool loupe_frame_of_context(const void *ucontext, struct loupe_frame *ret);

/* Makes of a captured frame its caller's, with what that had in its registers. False: it cannot be
 * told, and the frame is as it was. */
bool loupe_unwind_caller(struct loupe_frame *frame);

/* ---- Stacks ---- */

/*
 * The thread's own stack, from the frame on, innermost first; that frame's own address is the first
 * one. skip leaves out so many.
 *
 * proved is what is known to be readable of this stack: a variable of the thread, at first empty.
 * It spares later calls system calls, and changes when the thread is found on another stack. NULL:
 * it is found out each time.
 */
struct loupe_unwound loupe_unwind_own(const struct loupe_frame *from, struct loupe_range *proved,
                                      size_t skip, uint64_t *ret, size_t cap);

/*
 * That of another thread of this process, which stands still with those registers; also the own one
 * where a debugger says them. interrupted_ret, unless NULL, tells by a byte for each address
 * whether it is of an instruction that comes next, and not where a call returns to. Needs 4 KB
 * more.
 */
struct loupe_unwound loupe_unwind_other(const struct loupe_frame *from, uint64_t *ret,
                                        uint8_t *interrupted_ret, size_t cap);

/*
 * To be called when an image was unloaded: other code may come to stand at its places. Loading one
 * needs no call, unless code that no image had (of a JIT compiler) stood there before.
 */
void loupe_unwind_forget(void);

#endif

/*
 * frame.h - the registers of one function on a stack, as far as they are known.
 *
 * Registers have their DWARF numbers, so that the tables of compilers can be read without another
 * table. A register that no rule restores is not known any more in the frames outside: it is never
 * taken for what it was inside.
 */
#ifndef LOUPE_STACKS_FRAME_H
#define LOUPE_STACKS_FRAME_H

#include "base/target/memory.h"

enum {
    LOUPE_FRAME_REGISTERS = 35,

    LOUPE_X86_64_BX = 3,
    LOUPE_X86_64_BP = 6,
    LOUPE_X86_64_SP = 7,
    LOUPE_X86_64_PC = 16,

    LOUPE_ARM64_FP = 29,
    LOUPE_ARM64_LR = 30,
    LOUPE_ARM64_SP = 31,
    LOUPE_ARM64_PC = 32,
    LOUPE_ARM64_SIGNED = 34, /* whether the return address is signed; bit 0 */
};

/* Where the registers of a machine are among them. */
struct loupe_frame_machine {
    uint8_t pc, sp, fp;
    uint8_t link; /* the return address of a function that saved none; UINT8_MAX: on the stack */
    uint64_t preserved; /* set of 1 << register: what functions leave as it was */
};

/* NULL for a machine whose stacks are not known. Static storage. */
const struct loupe_frame_machine *loupe_frame_machine_of(enum loupe_arch arch);

/* The number of a register by the name that LLDB has for it on x86_64 or arm64. -1: it plays no
 * part in stacks. */
int loupe_frame_register_named(enum loupe_arch arch, const char *name);

struct loupe_frame {
    uint64_t registers[LOUPE_FRAME_REGISTERS];
    uint64_t known; /* set of 1 << register */
    /*
     * The instruction at pc has not run: of the innermost function, or one that a signal
     * interrupted. Else pc is where a call returns to, perhaps behind the end of its function.
     */
    bool is_interrupted;
};

static inline bool loupe_frame_knows(const struct loupe_frame *frame, unsigned number) {
    return number < LOUPE_FRAME_REGISTERS && frame->known >> number & 1;
}

static inline void loupe_frame_set(struct loupe_frame *frame, unsigned number, uint64_t value) {
    frame->registers[number] = value;
    frame->known |= UINT64_C(1) << number;
}

/* The address that tables and symbols are asked about: inside the call, or the instruction itself.
 */
static inline loupe_addr loupe_frame_place(const struct loupe_frame *frame, loupe_addr pc) {
    return pc - (frame->is_interrupted || !pc ? 0 : 1);
}

#endif

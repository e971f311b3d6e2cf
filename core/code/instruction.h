/*
 * instruction.h - what one instruction of the target does, as far as it matters to which memory its
 * code touches: where it goes on, what it reads or writes by a register and a displacement, which
 * addresses it refers to.
 *
 * Decoders are conservative: an instruction that they do not know is refused, and so is all that
 * can be read of its code.
 */
#ifndef LOUPE_INSTRUCTION_H
#define LOUPE_INSTRUCTION_H

#include "base/status.h"

enum loupe_flow {
    LOUPE_FLOW_NEXT,   /* on; calls by a register, too */
    LOUPE_FLOW_BRANCH, /* on, or to target */
    LOUPE_FLOW_JUMP,   /* to target */
    LOUPE_FLOW_CALL,   /* to target, and back */
    LOUPE_FLOW_LEAVE,  /* away: it returns, or jumps by a register or a variable */
    LOUPE_FLOW_LOST    /* somewhere that the code alone does not tell, and back or not */
};

enum { LOUPE_LONGEST_INSTRUCTION = 15 };

struct loupe_instruction {
    uint8_t length, flow;
    loupe_addr target;

    /* Memory at a register and a displacement. Not set for the stack, nor for other segments. */
    bool has_memory;
    bool takes_address; /* it is not accessed: its address is formed */
    bool has_index;     /* and another register */
    bool is_scaled;     /* which counts larger things than bytes */
    uint8_t base;
    int64_t displacement;
    uint32_t width; /* bytes, at most */

    bool has_immediate;
    int64_t immediate;

    bool refers; /* to a place that the instruction itself tells */
    loupe_addr reference;

    /* arm64 forms addresses in two steps. */
    bool sets_page;    /* of base, to reference; the rest of the address comes later */
    uint32_t clobbers; /* set of 1 << register: what may be another thing from now on */

    bool holds_reference; /* x86-64: a register is the reference, where the next one begins */
    uint8_t holder;
};

/*
 * The instruction that begins with the bytes, size of them. False: it is not known, or they end
 * within it.
 */
bool loupe_decode_x86_64(const uint8_t *bytes, size_t size, loupe_addr address,
                         struct loupe_instruction *ret);
bool loupe_decode_arm64(const uint8_t *bytes, size_t size, loupe_addr address,
                        struct loupe_instruction *ret);

#endif

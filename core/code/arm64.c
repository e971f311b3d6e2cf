/* arm64: loads, stores, branches and what forms addresses; the rest touches no memory. */
#include "code/instruction.h"

#include <string.h>

enum { SP = 31, WORD = 4 };
static const uint32_t all_registers = UINT32_MAX; /* a call's callee may use them */

static uint32_t bits(uint32_t word, unsigned from, unsigned count) {
    return word >> from & ((UINT32_C(1) << count) - 1);
}

static int64_t signed_bits(uint32_t word, unsigned from, unsigned count) {
    uint64_t value = bits(word, from, count), sign = UINT64_C(1) << (count - 1);
    return (int64_t)((value ^ sign) - sign);
}

static void set_memory(struct loupe_instruction *ret, uint32_t word, int64_t displacement,
                       uint32_t width) {
    ret->base = (uint8_t)bits(word, 5, 5);
    ret->has_memory = ret->base != SP;
    ret->displacement = displacement;
    ret->width = width;
}

/* ---- Branches ---- */

static void set_target(struct loupe_instruction *ret, enum loupe_flow flow, loupe_addr address,
                       int64_t words) {
    ret->flow = (uint8_t)flow;
    ret->target = address + (uint64_t)words * WORD;
}

/* BR, BLR and RET, with and without signatures. */
static bool decode_by_register(uint32_t word, struct loupe_instruction *ret) {
    enum { BR, BLR, RET };
    uint32_t kind = bits(word, 21, 2);
    if (bits(word, 23, 1) || kind > RET)
        return false;
    ret->flow = kind == BLR ? LOUPE_FLOW_NEXT : LOUPE_FLOW_LEAVE;
    return true;
}

/* Branches, traps, system instructions. */
static bool decode_branch(uint32_t word, loupe_addr address, struct loupe_instruction *ret) {
    if (bits(word, 26, 5) == 0x05)
        set_target(ret, word >> 31 ? LOUPE_FLOW_CALL : LOUPE_FLOW_JUMP, address,
                   signed_bits(word, 0, 26));
    else if (bits(word, 25, 6) == 0x1a || word >> 24 == 0x54)
        set_target(ret, LOUPE_FLOW_BRANCH, address, signed_bits(word, 5, 19));
    else if (bits(word, 25, 6) == 0x1b)
        set_target(ret, LOUPE_FLOW_BRANCH, address, signed_bits(word, 5, 14));
    else if (word >> 25 == 0x6b)
        return decode_by_register(word, ret);
    else if (word >> 21 == 0x6a1 && bits(word, 5, 16))
        ret->flow = LOUPE_FLOW_LEAVE; /* BRK; not 0, which debuggers put in the place of code */
    else
        return word >> 22 == 0x354; /* hints, barriers, system registers */
    return true;
}

/* ---- Loads and stores ---- */

static uint32_t width_of(uint32_t word) {
    bool is_vector = bits(word, 26, 1), is_widest = is_vector && bits(word, 23, 1);
    return is_widest ? 16 : UINT32_C(1) << bits(word, 30, 2);
}

static bool decode_single(uint32_t word, struct loupe_instruction *ret) {
    uint32_t width = width_of(word), kind = bits(word, 10, 2);
    if (bits(word, 24, 1)) {
        set_memory(ret, word, (int64_t)bits(word, 10, 12) * width, width);
    } else if (!bits(word, 21, 1)) {
        set_memory(ret, word, signed_bits(word, 12, 9), width);
    } else if (kind == 2) { /* by a register */
        set_memory(ret, word, 0, width);
        ret->has_memory = ret->has_index = true;
        ret->is_scaled = bits(word, 12, 1);
    } else if (kind == 0) { /* atomic */
        set_memory(ret, word, 0, width);
    } else {
        return false;
    }
    return true;
}

static bool decode_load(uint32_t word, loupe_addr address, struct loupe_instruction *ret) {
    enum { EXCLUSIVE = 1, LITERAL = 3, PAIR = 5, SINGLE = 7, LARGEST = 64 };
    bool is_vector = bits(word, 26, 1);
    switch (bits(word, 27, 3)) {
    case EXCLUSIVE:
        if (bits(word, 24, 2) > 1)
            return false;
        set_memory(ret, word, 0, LARGEST);
        return true;
    case LITERAL:
        if (bits(word, 24, 2))
            return false;
        ret->refers = true;
        ret->reference = address + (uint64_t)(signed_bits(word, 5, 19) * WORD);
        return true;
    case PAIR: {
        uint32_t width = is_vector ? (uint32_t)WORD << bits(word, 30, 2) : word >> 31 ? 8 : WORD;
        set_memory(ret, word, signed_bits(word, 15, 7) * width, 2 * width);
        return bits(word, 30, 2) != 3;
    }
    case SINGLE:
        return !bits(word, 25, 1) && decode_single(word, ret);
    default:
        return false;
    }
}

/* ---- Numbers and addresses ---- */

static void decode_immediate(uint32_t word, loupe_addr address, struct loupe_instruction *ret) {
    enum { ADD_OR_SUBTRACT = 0x22, MOVE = 0x25, ZEROING = 2, PAGE = 12 };
    uint32_t kind = bits(word, 23, 6);
    if (bits(word, 24, 5) == 0x10) { /* ADR and ADRP */
        uint64_t distance = (uint64_t)signed_bits(word, 5, 19) << 2 | bits(word, 29, 2);
        ret->sets_page = word >> 31;
        ret->refers = !ret->sets_page;
        ret->base = (uint8_t)bits(word, 0, 5);
        ret->reference =
            ret->sets_page ? (address >> PAGE << PAGE) + (distance << PAGE) : address + distance;
    } else if (kind == ADD_OR_SUBTRACT && word >> 31 && !bits(word, 29, 1)) {
        int64_t number = (int64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? PAGE : 0);
        set_memory(ret, word, bits(word, 30, 1) ? -number : number, 1);
        ret->takes_address = true;
    } else if (kind == MOVE && bits(word, 29, 2) == ZEROING) {
        ret->has_immediate = true;
        ret->immediate = (int64_t)((uint64_t)bits(word, 5, 16) << 16 * bits(word, 21, 2));
    }
}

bool loupe_decode_arm64(const uint8_t *bytes, size_t size, loupe_addr address,
                        struct loupe_instruction *ret) {
    uint32_t word;
    if (size < WORD)
        return false;
    memcpy(&word, bytes, WORD);
    *ret = (struct loupe_instruction){.length = WORD, .flow = LOUPE_FLOW_NEXT};
    ret->clobbers = UINT32_C(1) << bits(word, 0, 5) | UINT32_C(1) << bits(word, 10, 5) |
                    UINT32_C(1) << bits(word, 16, 5);
    uint32_t group = bits(word, 25, 4);
    if (!(word >> 16)) {
        ret->flow = LOUPE_FLOW_LEAVE; /* a trap */
        return true;
    }
    if ((group & 0xe) == 0xa) {
        ret->clobbers = all_registers;
        return decode_branch(word, address, ret);
    }
    if ((group & 5) == 4)
        return decode_load(word, address, ret);
    if ((group & 0xe) == 8)
        decode_immediate(word, address, ret);
    return (group & 0xc) != 0;
}

/* What moves the stack pointer by a number, and what saves registers relative to it; instructions
 * that have nothing to do with stack, frame pointer and link register are passed over. */
#include "unwind/edges.h"

enum { MOST_STEPS = 96, SP = 31, WORD = 8, FARTHEST_RECORD = 1 << 16 };

struct instruction {
    enum { OTHER, KEEP, MOVE, SAVE, RESTORE, SET_RECORD, LEAVE_FUNCTION } kind;
    int64_t before, after, offset; /* of the stack pointer; of the place from it, between the two */
    uint8_t first, second;         /* registers; SP: none */
};

static int64_t sign_extended(uint32_t value, unsigned bits) {
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* stp, ldp, str and ldr of 64-bit registers at [sp]; those of vectors move the pointer all the
 * same. False: it is none. */
static bool read_access(uint32_t code, struct instruction *ret) {
    bool is_pair = (code & 0x3a000000) == 0x28000000;
    bool is_single = (code & 0xfb200000) == 0xf8000000 && (code & 0xc00) != 0x800;
    bool is_unsigned = (code & 0xfb000000) == 0xf9000000;
    bool is_vector = code & 0x04000000, is_load = code & 0x00400000;
    unsigned how;
    if ((code >> 5 & 31) != SP || (!is_pair && !is_single && !is_unsigned))
        return false;
    *ret = (struct instruction){.kind = is_load ? RESTORE : SAVE,
                                .first = code & 31,
                                .second = is_pair ? code >> 10 & 31 : SP};
    if (is_pair) {
        unsigned scale = is_vector ? 4u << (code >> 30) : code >> 31 ? 8 : 4;
        ret->offset = sign_extended(code >> 15 & 0x7f, 7) * (int64_t)scale;
        how = code >> 23 & 3;
    } else if (is_unsigned) {
        ret->offset = (int64_t)(code >> 10 & 0xfff) * WORD;
        how = 2;
    } else {
        ret->offset = sign_extended(code >> 12 & 0x1ff, 9);
        how = (code >> 10 & 3) == 0 ? 2 : code >> 10 & 3;
    }
    if (how == 3)
        ret->before = ret->offset;
    else if (how == 1)
        ret->after = ret->offset;
    if (how == 1 || how == 3)
        ret->offset = 0;
    if (is_vector || (is_pair && !(code >> 31)))
        ret->first = ret->second = SP;
    return true;
}

static bool is_out(const struct loupe_half_frame *edge, loupe_addr target) {
    return target <= edge->function.start || target >= edge->function.end;
}

/* What gives the stack pointer another value, frame pointer or link register any. */
static bool touches(uint32_t code) {
    unsigned target = code & 31, base = code >> 5 & 31;
    bool sets_flags = code & 0x20000000;
    bool is_sum = (code & 0x1f000000) == 0x11000000 || (code & 0x1fe00000) == 0x0b200000;
    bool is_logical = (code & 0x1f800000) == 0x12000000 && (code & 0x60000000) != 0x60000000;
    bool is_access_that_moves = (code & 0x3b200400) == 0x38000400;
    return target == LOUPE_ARM64_LR || target == LOUPE_ARM64_FP ||
           (target == SP && ((is_sum && !sets_flags) || is_logical)) ||
           (base == SP && is_access_that_moves);
}

static struct instruction read(const struct loupe_half_frame *edge, loupe_addr at) {
    struct instruction ret = {.kind = OTHER, .first = SP, .second = SP};
    uint32_t code;
    if (loupe_memory_read(edge->code, at, &code, sizeof(code)) || !code)
        return ret;
    bool is_return = code == 0xd65f03c0 || (code & 0xfffffbff) == 0xd65f0bff; /* also signed */
    bool is_jump = (code & 0xfc000000) == 0x14000000;
    bool is_hint = (code & 0xfffff01f) == 0xd503201f;
    bool is_branch = (code & 0x1c000000) == 0x14000000; /* calls and system instructions, too */
    if (is_return ||
        (is_jump && is_out(edge, at + (uint64_t)sign_extended(code & 0x3ffffff, 26) * 4)))
        ret.kind = LEAVE_FUNCTION;
    else if (is_hint)
        ret.kind = KEEP;
    else if (is_branch)
        return ret;
    else if ((code & 0xffc003ff) == 0x910003fd) /* add x29, sp, #n */
        ret.kind = SET_RECORD;
    else if ((code & 0xbf8003ff) == 0x910003ff) { /* add or sub sp, sp, #n */
        int64_t amount = (int64_t)(code >> 10 & 0xfff) << (code & 0x00400000 ? 12 : 0);
        ret.kind = MOVE;
        ret.after = code & 0x40000000 ? -amount : amount;
    } else if (!read_access(code, &ret)) {
        ret.kind = touches(code) ? OTHER : KEEP;
    }
    return ret;
}

/* Of what is saved twice the first counts, of what is loaded twice the last. */
static void note(struct loupe_half_frame *edge, const struct instruction *found, int64_t sp,
                 bool first_counts) {
    const uint8_t registers[] = {found->first, found->second};
    for (unsigned i = 0; i < sizeof(registers); i++)
        if (registers[i] != SP && !(first_counts && edge->saved >> registers[i] & 1))
            loupe_half_frame_save(edge, registers[i], sp + found->offset + (int64_t)i * WORD);
}

/* Places count from the frame's address on the way, which is the stack pointer at the beginning. */
static bool begins(struct loupe_half_frame *edge) {
    loupe_addr at = edge->function.start;
    int64_t sp = 0;
    /* Cap: the function is in its body then, or the stack ends as lost. */
    for (unsigned i = 0; i < MOST_STEPS && at < edge->pc; i++, at += 4) {
        struct instruction found = read(edge, at);
        if (found.kind == OTHER || found.kind == LEAVE_FUNCTION ||
            (found.kind == RESTORE && (found.before || found.after)))
            return false;
        sp += found.before;
        if (found.kind == SAVE)
            note(edge, &found, sp, true);
        sp += found.after;
        if (sp > 0)
            return false;
    }
    edge->size = -sp;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++)
        edge->places[i] += edge->size;
    return at == edge->pc;
}

static bool ends(struct loupe_half_frame *edge) {
    loupe_addr at = edge->pc;
    /* Cap: the function is in its body then, or the stack ends as lost. */
    for (unsigned i = 0; i < MOST_STEPS; i++, at += 4) {
        struct instruction found = read(edge, at);
        if (found.kind == LEAVE_FUNCTION)
            return edge->size >= 0;
        if (found.kind == OTHER || found.kind == SET_RECORD ||
            (found.kind == SAVE && (found.before || found.after)))
            return false;
        edge->size += found.before;
        if (found.kind == RESTORE)
            note(edge, &found, edge->size, false);
        edge->size += found.after;
    }
    return false;
}

static bool has_record(const struct loupe_half_frame *edge) {
    loupe_addr at = edge->function.start;
    if (edge->pc - at > FARTHEST_RECORD)
        return true;
    for (; at < edge->pc; at += 4)
        if (read(edge, at).kind == SET_RECORD)
            return true;
    return false;
}

const struct loupe_half_frame_ops loupe_half_frame_arm64 = {
    .begins = begins, .ends = ends, .has_record = has_record};

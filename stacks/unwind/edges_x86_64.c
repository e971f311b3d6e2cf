/* Pushes, pops, and what moves the stack pointer by a number: nothing else is understood. */
#include "unwind/edges.h"

enum { WORD = 8, LONGEST = 8 /* bytes of an instruction that is understood */ };
enum { MOST_STEPS = 24, FARTHEST_RECORD = 1 << 16 };

/* As instructions number registers. */
static const uint8_t numbers[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

struct instruction {
    enum { OTHER, PUSH, POP, GROW, SHRINK, KEEP, LEAVE_FUNCTION } kind;
    unsigned length, reg;
    int64_t amount;
};

static int64_t signed_at(const uint8_t *bytes, unsigned size) {
    int32_t value = 0;
    if (size == 1)
        return (int8_t)bytes[0];
    memcpy(&value, bytes, sizeof(value));
    return value;
}

/* A jump that leaves the function is a call that does not come back here. */
static bool is_jump_out(const struct loupe_half_frame *edge, loupe_addr at, const uint8_t *code) {
    enum { JUMP = 0xe9, SHORT_JUMP = 0xeb };
    loupe_addr target;
    if (code[0] == JUMP)
        target = at + 5 + (uint64_t)signed_at(code + 1, 4);
    else if (code[0] == SHORT_JUMP)
        target = at + 2 + (uint64_t)signed_at(code + 1, 1);
    else
        return false;
    return target < edge->function.start || target >= edge->function.end ||
           target == edge->function.start;
}

static struct instruction read(const struct loupe_half_frame *edge, loupe_addr at) {
    uint8_t code[LONGEST] = {0};
    struct instruction other = {.kind = OTHER};
    /* Less may stand there, at the end of the code. */
    for (size_t size = LONGEST; size && loupe_memory_read(edge->code, at, code, size); size--)
        memset(code, 0, sizeof(code));
    unsigned prefix = code[0] == 0x41;
    const uint8_t *op = code + prefix;
    if (op[0] >= 0x50 && op[0] <= 0x5f)
        return (struct instruction){.kind = op[0] < 0x58 ? PUSH : POP,
                                    .length = 1 + prefix,
                                    .reg = numbers[(op[0] & 7) + 8 * prefix]};
    if (code[0] == 0xc3 || (code[0] == 0xf3 && code[1] == 0xc3) || is_jump_out(edge, at, code))
        return (struct instruction){.kind = LEAVE_FUNCTION};
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        return (struct instruction){.kind = KEEP, .length = 4};
    if (memcmp(code, "\x48\x89\xe5", 3) == 0)
        return (struct instruction){.kind = KEEP, .length = 3};
    if (code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) &&
        (code[2] == 0xec || code[2] == 0xc4)) {
        unsigned size = code[1] == 0x83 ? 1 : 4;
        return (struct instruction){.kind = code[2] == 0xec ? GROW : SHRINK,
                                    .length = 3 + size,
                                    .amount = signed_at(code + 3, size)};
    }
    return other;
}

static bool begins(struct loupe_half_frame *edge) {
    loupe_addr at = edge->function.start;
    edge->size = WORD;
    /* Cap: the function is in its body then, or the stack ends as lost. */
    for (unsigned i = 0; i < MOST_STEPS && at < edge->pc; i++) {
        struct instruction found = read(edge, at);
        if (found.kind == PUSH) {
            edge->size += WORD;
            if (!(edge->saved >> found.reg & 1))
                loupe_half_frame_save(edge, found.reg, -edge->size);
        } else if (found.kind == GROW && found.amount >= 0) {
            edge->size += found.amount;
        } else if (found.kind != KEEP) {
            return false;
        }
        at += found.length;
    }
    /* Places were counted from the frame's address. */
    /* Cap: all of a table. */
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++)
        edge->places[i] += edge->size;
    loupe_half_frame_save(edge, LOUPE_X86_64_PC, edge->size - WORD);
    return at == edge->pc;
}

static bool ends(struct loupe_half_frame *edge) {
    loupe_addr at = edge->pc;
    /* Cap: the function is in its body then, or the stack ends as lost. */
    for (unsigned i = 0; i < MOST_STEPS; i++) {
        struct instruction found = read(edge, at);
        if (found.kind == POP) {
            loupe_half_frame_save(edge, found.reg, edge->size);
            edge->size += WORD;
        } else if (found.kind == SHRINK && found.amount >= 0) {
            edge->size += found.amount;
        } else if (found.kind == LEAVE_FUNCTION) {
            loupe_half_frame_save(edge, LOUPE_X86_64_PC, edge->size);
            edge->size += WORD;
            return true;
        } else {
            return false;
        }
        at += found.length;
    }
    return false;
}

/* push rbp; mov rbp, rsp: also where it is not the first that the function does. */
static bool has_record(const struct loupe_half_frame *edge) {
    static const uint8_t record[] = {0x55, 0x48, 0x89, 0xe5};
    loupe_addr at = edge->function.start;
    if (edge->pc - at > FARTHEST_RECORD)
        return true;
    for (; at + sizeof(record) <= edge->pc; at++) {
        uint8_t code[sizeof(record)];
        if (loupe_memory_read(edge->code, at, code, sizeof(code)))
            return false;
        if (memcmp(code, record, sizeof(code)) == 0)
            return true;
    }
    return false;
}

const struct loupe_half_frame_ops loupe_half_frame_x86_64 = {
    .begins = begins, .ends = ends, .has_record = has_record};

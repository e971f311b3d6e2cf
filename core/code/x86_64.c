/* x86-64: the lengths of all that compilers make of Objective-C and C, by opcode maps. */
#include "code/instruction.h"

#include <string.h>

enum map { ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };
enum { RSP = 4, NO_INDEX = 4, PLAIN = 8, VECTOR = 16, WIDEST = 64 };

struct cursor {
    const uint8_t *bytes;
    size_t size, at;
    bool failed;
};

struct prefixes {
    bool operand_16, wide, other_segment, is_vex;
    uint8_t rex; /* its four bits */
    enum map map;
};

static uint64_t take(struct cursor *cursor, size_t count) {
    uint64_t value = 0;
    if (count > cursor->size - cursor->at) {
        cursor->failed = true;
        return 0;
    }
    memcpy(&value, cursor->bytes + cursor->at, count);
    cursor->at += count;
    return value;
}

static int64_t take_signed(struct cursor *cursor, size_t count) {
    unsigned unused = 64 - 8 * (unsigned)count;
    return count ? (int64_t)(take(cursor, count) << unused) >> unused : 0;
}

/* ---- Prefixes ---- */

/* In the place of prefixes and escapes. Registers above 7 have their bits inverted. */
static void take_vex(struct cursor *cursor, uint8_t first, struct prefixes *ret) {
    enum { TWO_BYTES = 0xc5, MAP_BITS = 0x1f };
    uint8_t bits = (uint8_t)take(cursor, 1);
    ret->is_vex = true;
    ret->map = MAP_0F;
    ret->rex = (uint8_t)(~bits >> 5 & 4);
    if (first == TWO_BYTES)
        return;
    ret->rex = (uint8_t)(~bits >> 5 & 7);
    ret->map = (enum map)(bits & MAP_BITS);
    if (!(bits & MAP_BITS) || (bits & MAP_BITS) > MAP_0F3A)
        cursor->failed = true;
    take(cursor, 1);
}

/* Returns the opcode. */
static uint8_t take_prefixes(struct cursor *cursor, struct prefixes *ret) {
    *ret = (struct prefixes){.rex = 0};
    uint8_t byte = (uint8_t)take(cursor, 1);
    for (; memchr("\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0", byte, 11) && !cursor->failed;
         byte = (uint8_t)take(cursor, 1)) {
        ret->operand_16 |= byte == 0x66;
        ret->other_segment |= byte == 0x64 || byte == 0x65;
    }
    if (byte == 0xc4 || byte == 0xc5) {
        take_vex(cursor, byte, ret);
        return (uint8_t)take(cursor, 1);
    }
    if ((byte & 0xf0) == 0x40) {
        ret->rex = byte & 0xf;
        ret->wide = byte & 8;
        byte = (uint8_t)take(cursor, 1);
    }
    if (byte != 0x0f)
        return byte;
    byte = (uint8_t)take(cursor, 1);
    ret->map = byte == 0x38 ? MAP_0F38 : byte == 0x3a ? MAP_0F3A : MAP_0F;
    return ret->map == MAP_0F ? byte : (uint8_t)take(cursor, 1);
}

/* ---- What an opcode takes ---- */

struct form {
    bool known, modrm;
    uint8_t immediate; /* bytes */
    bool relative;     /* the immediate is a distance */
    uint8_t flow;
};

static const struct form unknown_form, plain_form = {.known = true},
                                       modrm_form = {.known = true, .modrm = true};

static struct form with_immediate(struct form form, uint8_t bytes) {
    form.immediate = bytes;
    return form;
}

static struct form jump(uint8_t bytes, enum loupe_flow flow) {
    return (struct form){
        .known = true, .immediate = bytes, .relative = true, .flow = (uint8_t)flow};
}

static struct form leave(uint8_t bytes) {
    return (struct form){.known = true, .immediate = bytes, .flow = LOUPE_FLOW_LEAVE};
}

/* Whether the opcode is one of a list of first and last ones, in pairs. */
static bool is_among(uint8_t opcode, const uint8_t *pairs, size_t count) {
    for (size_t i = 0; i < count; i += 2) {
        if (opcode >= pairs[i] && opcode <= pairs[i + 1])
            return true;
    }
    return false;
}
#define IS_AMONG(opcode, ...)                                                                      \
    is_among(opcode, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Arithmetic: six forms of each of eight operations. */
static struct form arithmetic(uint8_t opcode, uint8_t full) {
    switch (opcode & 7) {
    case 4:
        return with_immediate(plain_form, 1);
    case 5:
        return with_immediate(plain_form, full);
    case 6:
    case 7:
        return unknown_form;
    default:
        return modrm_form;
    }
}

static struct form form_of_one_byte(uint8_t opcode, const struct prefixes *prefixes, uint8_t next) {
    uint8_t full = prefixes->operand_16 ? 2 : 4, field = next >> 3 & 7;
    if (opcode < 0x40)
        return arithmetic(opcode, full);
    if (IS_AMONG(opcode, 0x63, 0x63, 0x84, 0x8b, 0x8d, 0x8d, 0x8f, 0x8f, 0xd0, 0xd3, 0xd8, 0xdf,
                 0xfe, 0xff))
        return modrm_form;
    if (IS_AMONG(opcode, 0x50, 0x5f, 0x90, 0x99, 0xc9, 0xc9))
        return plain_form;
    if (IS_AMONG(opcode, 0x6b, 0x6b, 0x80, 0x80, 0x83, 0x83, 0xc0, 0xc1, 0xc6, 0xc6))
        return with_immediate(modrm_form, 1);
    if (IS_AMONG(opcode, 0x69, 0x69, 0x81, 0x81, 0xc7, 0xc7))
        return with_immediate(modrm_form, full);
    if (IS_AMONG(opcode, 0x6a, 0x6a, 0xa8, 0xa8, 0xb0, 0xb7))
        return with_immediate(plain_form, 1);
    if (IS_AMONG(opcode, 0x68, 0x68, 0xa9, 0xa9))
        return with_immediate(plain_form, full);
    if (IS_AMONG(opcode, 0xb8, 0xbf))
        return with_immediate(plain_form, prefixes->wide ? 8 : full);
    if (IS_AMONG(opcode, 0x70, 0x7f, 0xe0, 0xe3))
        return jump(1, LOUPE_FLOW_BRANCH);
    switch (opcode) {
    case 0xf6:
        return with_immediate(modrm_form, field < 2 ? 1 : 0);
    case 0xf7:
        return with_immediate(modrm_form, field < 2 ? full : 0);
    case 0xe8:
        return jump(4, LOUPE_FLOW_CALL);
    case 0xe9:
        return jump(4, LOUPE_FLOW_JUMP);
    case 0xeb:
        return jump(1, LOUPE_FLOW_JUMP);
    case 0xc2:
        return leave(2);
    case 0xc3:
    case 0xf4: /* a trap; not 0xcc, which debuggers put in the place of code */
        return leave(0);
    default:
        return unknown_form;
    }
}

static struct form form_of_0f(uint8_t opcode, const struct prefixes *prefixes) {
    if (opcode == 0x0b)
        return leave(0); /* a trap */
    if (opcode == 0x77 && prefixes->is_vex)
        return plain_form;
    if (IS_AMONG(opcode, 0x80, 0x8f) && !prefixes->is_vex)
        return jump(4, LOUPE_FLOW_BRANCH);
    if (IS_AMONG(opcode, 0xa2, 0xa2, 0xc8, 0xcf))
        return plain_form;
    if (IS_AMONG(opcode, 0x70, 0x73, 0xa4, 0xa4, 0xac, 0xac, 0xba, 0xba, 0xc2, 0xc2, 0xc4, 0xc6))
        return with_immediate(modrm_form, 1);
    if (IS_AMONG(opcode, 0x0d, 0x0d, 0x10, 0x1f, 0x28, 0x2f, 0x40, 0x6f, 0x74, 0x76, 0x7c, 0x7f,
                 0x90, 0x9f, 0xa3, 0xa3, 0xa5, 0xa5, 0xab, 0xab, 0xad, 0xb1, 0xb3, 0xb3, 0xb6, 0xb8,
                 0xbb, 0xc1, 0xc3, 0xc3, 0xc7, 0xc7, 0xd0, 0xfe))
        return modrm_form;
    return unknown_form;
}

static struct form form_of(uint8_t opcode, const struct prefixes *prefixes, uint8_t next) {
    switch (prefixes->map) {
    case ONE_BYTE:
        return form_of_one_byte(opcode, prefixes, next);
    case MAP_0F:
        return form_of_0f(opcode, prefixes);
    case MAP_0F38:
        return modrm_form;
    case MAP_0F3A:
        return with_immediate(modrm_form, 1);
    }
    return unknown_form;
}

/* ---- Operands in memory ---- */

struct memory_operand {
    bool is_memory, is_relative, has_base, has_index, is_scaled;
    uint8_t base;
    int64_t displacement;
};

static void take_sib(struct cursor *cursor, uint8_t mode, const struct prefixes *prefixes,
                     struct memory_operand *ret) {
    uint8_t sib = (uint8_t)take(cursor, 1);
    uint8_t index = (uint8_t)((sib >> 3 & 7) | (prefixes->rex & 2 ? 8 : 0));
    ret->has_base = mode != 0 || (sib & 7) != 5;
    ret->base = (uint8_t)((sib & 7) | (prefixes->rex & 1 ? 8 : 0));
    ret->has_index = index != NO_INDEX;
    ret->is_scaled = ret->has_index && sib >> 6;
}

static struct memory_operand take_operand(struct cursor *cursor, uint8_t modrm,
                                          const struct prefixes *prefixes) {
    struct memory_operand ret = {.is_memory = modrm >> 6 != 3};
    uint8_t mode = modrm >> 6, low = modrm & 7;
    if (!ret.is_memory)
        return ret;
    if (low == RSP) {
        take_sib(cursor, mode, prefixes, &ret);
    } else {
        ret.is_relative = mode == 0 && low == 5;
        ret.has_base = !ret.is_relative;
        ret.base = (uint8_t)(low | (prefixes->rex & 1 ? 8 : 0));
    }
    bool long_displacement = mode == 2 || (mode == 0 && !ret.has_base);
    ret.displacement = take_signed(cursor, long_displacement ? 4 : mode == 1);
    return ret;
}

/* ---- One instruction ---- */

static void describe_operand(const struct memory_operand *operand, const struct prefixes *prefixes,
                             uint8_t opcode, loupe_addr end, struct loupe_instruction *ret) {
    bool is_hint = prefixes->map == MAP_0F && IS_AMONG(opcode, 0x18, 0x1f); /* nop, endbr64 */
    if (!operand->is_memory || prefixes->other_segment || is_hint)
        return;
    if (operand->is_relative || (!operand->has_base && !operand->has_index)) {
        ret->refers = true;
        ret->reference = (uint64_t)operand->displacement + (operand->is_relative ? end : 0);
        return;
    }
    ret->is_scaled = operand->is_scaled;
    if (operand->has_base && operand->base == RSP && !operand->has_index)
        return;
    ret->has_memory = true;
    ret->has_index = operand->has_index;
    ret->base = operand->base;
    ret->displacement = operand->displacement;
    ret->takes_address = prefixes->map == ONE_BYTE && opcode == 0x8d;
    ret->width = prefixes->is_vex ? WIDEST : prefixes->map == ONE_BYTE ? PLAIN : VECTOR;
}

/* FF: the field of the second byte tells what it does. */
static uint8_t flow_of_ff(uint8_t modrm, const struct memory_operand *operand) {
    enum { CALL = 2, FAR_CALL, JUMP, FAR_JUMP };
    uint8_t field = modrm >> 3 & 7;
    bool tells = !operand->is_memory || operand->is_relative;
    if (field == FAR_CALL || field == FAR_JUMP || ((field == CALL || field == JUMP) && !tells))
        return LOUPE_FLOW_LOST;
    return field == JUMP ? LOUPE_FLOW_LEAVE : LOUPE_FLOW_NEXT;
}

/* Room for local variables is no offset of an ivar. */
static bool is_of_stack_pointer(uint8_t opcode, uint8_t modrm, const struct prefixes *prefixes) {
    return (opcode == 0x81 || opcode == 0x83) && modrm >> 6 == 3 && (modrm & 7) == RSP &&
           !(prefixes->rex & 1);
}

bool loupe_decode_x86_64(const uint8_t *bytes, size_t size, loupe_addr address,
                         struct loupe_instruction *ret) {
    struct cursor cursor = {.bytes = bytes,
                            .size = size < LOUPE_LONGEST_INSTRUCTION ? size
                                                                     : LOUPE_LONGEST_INSTRUCTION};
    struct prefixes prefixes;
    uint8_t opcode = take_prefixes(&cursor, &prefixes);
    uint8_t modrm = cursor.at < cursor.size ? bytes[cursor.at] : 0;
    struct form form = form_of(opcode, &prefixes, modrm);
    struct memory_operand operand = {.is_memory = false};
    if (!form.known || cursor.failed)
        return false;
    if (form.modrm) {
        take(&cursor, 1);
        operand = take_operand(&cursor, modrm, &prefixes);
    }
    int64_t immediate = take_signed(&cursor, form.immediate);
    if (cursor.failed)
        return false;
    loupe_addr end = address + cursor.at;
    *ret = (struct loupe_instruction){.length = (uint8_t)cursor.at, .flow = form.flow};
    describe_operand(&operand, &prefixes, opcode, end, ret);
    ret->clobbers = UINT32_MAX; /* which registers it sets is not decoded */
    ret->holds_reference = prefixes.map == ONE_BYTE && opcode == 0x8d && operand.is_relative;
    ret->holder = (uint8_t)((modrm >> 3 & 7) | (prefixes.rex & 4 ? 8 : 0));
    if (prefixes.map == ONE_BYTE && opcode == 0xff)
        ret->flow = flow_of_ff(modrm, &operand);
    if (form.relative) {
        ret->target = end + (uint64_t)immediate;
    } else if (form.immediate &&
               !(prefixes.map == ONE_BYTE && is_of_stack_pointer(opcode, modrm, &prefixes))) {
        ret->has_immediate = true;
        ret->immediate = immediate;
    }
    return true;
}

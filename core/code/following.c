/* x86-64 code of destructors, followed with an instance that stands nowhere. */
#include "code/following.h"

#include "code/instruction.h"
#include "code/lazy_function.h"

#include <string.h>

enum { MOST_STEPS = 1 << 13, LARGEST_INSTANCE = 1 << 20 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, REGISTERS = 16 };
enum { FRAME_WORDS = 128, WORD = 8 };

/* A number, an address in the instance or in the frames, or the word that stands in the instance.
 */
enum kind { UNKNOWN, NUMBER, INSTANCE, FRAME, CONTENT };

struct value {
    enum kind kind;
    uint64_t number; /* from the start of the instance, from the end of the frames */
};

/* The functions of the runtime by which a destructor gives something up. */
enum giver { NO_GIVER, RELEASE, STORE_STRONG, DESTROY_WEAK, GIVERS };
static const char *const giver_names[GIVERS] = {
    [RELEASE] = "objc_release",
    [STORE_STRONG] = "objc_storeStrong",
    [DESTROY_WEAK] = "objc_destroyWeak",
};

struct machine {
    struct loupe_memory *memory;
    loupe_addr givers[GIVERS];
    loupe_given_up_visit *visit;
    void *ctx;
    struct value registers[REGISTERS], frame[FRAME_WORDS];
    bool has_flags, is_zero;
    loupe_addr at;
    bool has_ended;
};

/* One instruction's bytes. */
struct bytes {
    uint8_t byte[LOUPE_LONGEST_INSTRUCTION];
    size_t size, taken;
    bool ended_early;
    bool wide, half; /* of 8 bytes, of 2: which only what does nothing may be */
    uint8_t reg_bit, index_bit, base_bit; /* 8: of the registers above 7 */
};

/* A register or memory. */
struct operand {
    bool is_register;
    uint8_t number;
    struct value address;
};

/* ---- Values ---- */

static struct value number(uint64_t value) {
    return (struct value){.kind = NUMBER, .number = value};
}

static struct value narrow(struct value value, bool wide) {
    if (wide)
        return value;
    return value.kind == NUMBER ? number((uint32_t)value.number) : (struct value){UNKNOWN, 0};
}

static bool has_place(struct value value) {
    return value.kind == INSTANCE || value.kind == FRAME;
}

static struct value add(struct value a, struct value b) {
    if (b.kind == NUMBER && (a.kind == NUMBER || has_place(a)))
        return (struct value){a.kind, a.number + b.number};
    if (a.kind == NUMBER && has_place(b))
        return (struct value){b.kind, a.number + b.number};
    return (struct value){UNKNOWN, 0};
}

static struct value subtract(struct value a, struct value b) {
    if (b.kind == NUMBER)
        return add(a, number(-b.number));
    bool is_distance = has_place(a) && a.kind == b.kind;
    return is_distance ? number(a.number - b.number) : (struct value){UNKNOWN, 0};
}

/* ---- Memory ---- */

static struct value *frame_word(struct machine *machine, struct value address) {
    uint64_t below = -address.number;
    bool is_word =
        address.kind == FRAME && address.number % WORD == 0 && below && below / WORD <= FRAME_WORDS;
    return is_word ? &machine->frame[below / WORD - 1] : NULL;
}

static bool load(struct machine *machine, struct value address, bool wide, struct value *ret) {
    struct value *word = frame_word(machine, address);
    uint32_t half;
    *ret = (struct value){UNKNOWN, 0};
    if (word) {
        *ret = narrow(*word, wide);
    } else if (address.kind == INSTANCE && wide) {
        *ret = (struct value){CONTENT, address.number};
    } else if (address.kind == NUMBER && wide) {
        *ret = (struct value){NUMBER, 0};
        return !loupe_memory_read_word(machine->memory, address.number, &ret->number);
    } else if (address.kind == NUMBER) {
        if (loupe_memory_read_u32(machine->memory, address.number, &half))
            return false;
        *ret = number(half);
    }
    return address.kind != FRAME || word;
}

/* What is written elsewhere may be what is read later. */
static bool store(struct machine *machine, struct value address, bool wide, struct value value) {
    struct value *word = frame_word(machine, address);
    if (word)
        *word = narrow(value, wide);
    return word != NULL;
}

static bool push(struct machine *machine, struct value value) {
    struct value *stack = &machine->registers[RSP];
    *stack = subtract(*stack, number(WORD));
    return store(machine, *stack, true, value);
}

static bool pop(struct machine *machine, struct value *ret) {
    struct value *stack = &machine->registers[RSP];
    bool is_there = load(machine, *stack, true, ret);
    *stack = add(*stack, number(WORD));
    return is_there;
}

/* ---- Operands ---- */

static uint64_t take(struct bytes *bytes, size_t count) {
    uint64_t value = 0;
    if (count > bytes->size - bytes->taken) {
        bytes->ended_early = true;
        return 0;
    }
    memcpy(&value, bytes->byte + bytes->taken, count);
    bytes->taken += count;
    return value;
}

static uint64_t take_signed(struct bytes *bytes, size_t count) {
    unsigned unused = 64 - 8 * (unsigned)count;
    return (uint64_t)((int64_t)(take(bytes, count) << unused) >> unused);
}

static struct value index_of(const struct machine *machine, const struct bytes *bytes,
                             uint8_t sib) {
    uint8_t index = (uint8_t)((sib >> 3 & 7) | bytes->index_bit);
    struct value value = machine->registers[index];
    if (index == RSP)
        return number(0);
    if (sib >> 6 && value.kind != NUMBER)
        return (struct value){UNKNOWN, 0};
    value.number <<= sib >> 6;
    return value;
}

/* behind: bytes of the instruction after the operand, from whose end relative addresses count. */
static struct operand take_operand(struct machine *machine, struct bytes *bytes, uint8_t modrm,
                                   size_t behind) {
    uint8_t mode = modrm >> 6, low = modrm & 7;
    struct operand ret = {.is_register = mode == 3, .number = (uint8_t)(low | bytes->base_bit)};
    if (ret.is_register)
        return ret;
    uint8_t sib = low == RSP ? (uint8_t)take(bytes, 1) : 0;
    uint8_t base = (uint8_t)((low == RSP ? sib & 7 : low) | bytes->base_bit);
    bool has_base = mode || (base & 7) != RBP;
    uint64_t displacement = mode == 1                ? take_signed(bytes, 1)
                            : mode == 2 || !has_base ? take_signed(bytes, 4)
                                                     : 0;
    ret.address = has_base ? machine->registers[base] : number(0);
    if (low == RSP)
        ret.address = add(ret.address, index_of(machine, bytes, sib));
    else if (!has_base)
        ret.address = number(machine->at + bytes->taken + behind);
    ret.address = add(ret.address, number(displacement));
    return ret;
}

static bool read_operand(struct machine *machine, const struct operand *operand, bool wide,
                         struct value *ret) {
    if (!operand->is_register)
        return load(machine, operand->address, wide, ret);
    *ret = narrow(machine->registers[operand->number], wide);
    return true;
}

static bool write_operand(struct machine *machine, const struct operand *operand, bool wide,
                          struct value value) {
    if (!operand->is_register)
        return store(machine, operand->address, wide, value);
    machine->registers[operand->number] = narrow(value, wide);
    return true;
}

/* ---- Calls ---- */

static bool give_up(struct machine *machine, struct value what, enum kind wanted, bool is_weak) {
    if (what.kind == NUMBER && !what.number)
        return true;
    if (what.kind != wanted || what.number >= LARGEST_INSTANCE)
        return false;
    machine->visit(machine->ctx, what.number, is_weak);
    return true;
}

static bool leave(struct machine *machine) {
    struct value back;
    if (!pop(machine, &back) || back.kind != NUMBER)
        return false;
    machine->has_ended = !back.number;
    machine->at = back.number;
    return true;
}

/* Such a function is not followed: it returns, and leaves what its caller may not expect. */
static bool call_giver(struct machine *machine, enum giver giver) {
    static const uint8_t lost[] = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11};
    struct value what = machine->registers[RDI], instead = machine->registers[RSI];
    for (size_t i = 0; i < sizeof(lost); i++)
        machine->registers[lost[i]] = (struct value){UNKNOWN, 0};
    if (giver == STORE_STRONG && (instead.kind != NUMBER || instead.number))
        return false;
    return give_up(machine, what, giver == RELEASE ? CONTENT : INSTANCE, giver == DESTROY_WEAK) &&
           leave(machine);
}

static enum giver giver_named(const char *name) {
    unsigned giver = NO_GIVER + 1;
    /* Cap: all that there are. */
    while (giver < GIVERS && strcmp(name, giver_names[giver]) != 0)
        giver++;
    return giver < GIVERS ? (enum giver)giver : NO_GIVER;
}

/* The linker's, which looks a function up: what its stubs pushed says which one. */
static enum giver take_lazy_function(struct machine *machine) {
    enum { LONGEST_NAME = 32 };
    char name[LONGEST_NAME];
    struct machine before = *machine;
    struct value image, wanted;
    if (pop(machine, &image) && pop(machine, &wanted) && image.kind == NUMBER &&
        wanted.kind == NUMBER &&
        loupe_lazy_function_name(machine->memory, image.number, wanted.number, name,
                                 sizeof(name)) &&
        giver_named(name))
        return giver_named(name);
    machine->registers[RSP] = before.registers[RSP];
    return NO_GIVER;
}

/* The return address is pushed already where it is a call. */
static bool go_to(struct machine *machine, struct value target, bool by_variable) {
    if (target.kind != NUMBER)
        return false;
    machine->at = target.number;
    /* Cap: all that there are. */
    for (unsigned giver = NO_GIVER + 1; giver < GIVERS; giver++)
        if (target.number && target.number == machine->givers[giver])
            return call_giver(machine, (enum giver)giver);
    enum giver lazy = by_variable ? take_lazy_function(machine) : NO_GIVER;
    return lazy == NO_GIVER || call_giver(machine, lazy);
}

static bool call(struct machine *machine, struct value target, bool by_variable) {
    return push(machine, number(machine->at)) && go_to(machine, target, by_variable);
}

/* ---- Instructions ---- */

static void compare(struct machine *machine, struct value a, struct value b) {
    struct value difference = subtract(a, b);
    machine->has_flags = difference.kind == NUMBER;
    machine->is_zero = !difference.number;
}

/* The field of the second byte: add, subtract, compare. */
static bool calculate(struct machine *machine, const struct operand *operand, bool wide,
                      uint8_t field, struct value right) {
    enum { ADD = 0, SUBTRACT = 5, EXCLUSIVE_OR = 6, COMPARE = 7 };
    struct value left, result;
    if (!read_operand(machine, operand, wide, &left))
        return false;
    compare(machine, left, right);
    if (field == COMPARE)
        return true;
    bool is_same = left.kind == right.kind && left.kind && left.number == right.number;
    result = field == ADD                       ? add(left, right)
             : field == SUBTRACT                ? subtract(left, right)
             : field == EXCLUSIVE_OR && is_same ? number(0)
                                                : (struct value){UNKNOWN, 0};
    result = narrow(result, wide);
    machine->has_flags = result.kind == NUMBER;
    machine->is_zero = !result.number;
    return (field == ADD || field == SUBTRACT || field == EXCLUSIVE_OR) &&
           write_operand(machine, operand, wide, result);
}

/* The two operands of most instructions. */
struct pair {
    struct operand to, from;
};

static struct pair take_pair(struct machine *machine, struct bytes *bytes, bool to_register) {
    uint8_t modrm = (uint8_t)take(bytes, 1);
    struct operand reg = {.is_register = true,
                          .number = (uint8_t)((modrm >> 3 & 7) | bytes->reg_bit)};
    struct operand other = take_operand(machine, bytes, modrm, 0);
    return to_register ? (struct pair){reg, other} : (struct pair){other, reg};
}

static bool clear_or_calculate(struct machine *machine, struct bytes *bytes, uint8_t opcode) {
    struct pair pair = take_pair(machine, bytes, opcode & 2);
    bool is_clear = (opcode & 0x38) == 0x30 && pair.from.is_register && pair.to.is_register &&
                    pair.from.number == pair.to.number;
    struct value right;
    if (is_clear) {
        machine->registers[pair.to.number] = number(0);
        return true;
    }
    return read_operand(machine, &pair.from, bytes->wide, &right) &&
           calculate(machine, &pair.to, bytes->wide, opcode >> 3 & 7, right);
}

static bool move(struct machine *machine, struct bytes *bytes, uint8_t opcode) {
    enum { LOAD_ADDRESS = 0x8d, SIGN_EXTENDED = 0x63 };
    bool is_extended = opcode == SIGN_EXTENDED;
    struct pair pair = take_pair(machine, bytes, (opcode & 2) || opcode == LOAD_ADDRESS);
    struct value value = pair.from.address;
    if (opcode != LOAD_ADDRESS &&
        !read_operand(machine, &pair.from, bytes->wide && !is_extended, &value))
        return false;
    if (is_extended && value.kind == NUMBER)
        value.number = (uint64_t)(int32_t)value.number;
    return write_operand(machine, &pair.to, bytes->wide, value);
}

static bool with_immediate(struct machine *machine, struct bytes *bytes, uint8_t opcode) {
    size_t size = opcode == 0x83 ? 1 : 4;
    uint8_t modrm = (uint8_t)take(bytes, 1);
    struct operand operand = take_operand(machine, bytes, modrm, size);
    struct value value = narrow(number(take_signed(bytes, size)), bytes->wide);
    if (opcode == 0xc7)
        return write_operand(machine, &operand, bytes->wide, value);
    return calculate(machine, &operand, bytes->wide, modrm >> 3 & 7, value);
}

static bool branch(struct machine *machine, struct bytes *bytes, bool if_zero, size_t size) {
    uint64_t distance = take_signed(bytes, size);
    machine->at += bytes->taken + (machine->is_zero == if_zero ? distance : 0);
    return machine->has_flags;
}

static bool jump_or_call(struct machine *machine, struct bytes *bytes, uint8_t opcode) {
    uint64_t distance = take_signed(bytes, opcode == 0xeb ? 1 : 4);
    machine->at += bytes->taken;
    struct value target = number(machine->at + distance);
    return opcode == 0xe8 ? call(machine, target, false) : go_to(machine, target, false);
}

/* A register, or a variable that has the address. */
static bool jump_call_or_push(struct machine *machine, struct bytes *bytes) {
    enum { CALL = 2, JUMP = 4, PUSH = 6 };
    uint8_t modrm = (uint8_t)take(bytes, 1), field = modrm >> 3 & 7;
    struct operand operand = take_operand(machine, bytes, modrm, 0);
    struct value target;
    machine->at += bytes->taken;
    if (!read_operand(machine, &operand, true, &target))
        return false;
    if (field == PUSH)
        return push(machine, target);
    return field == CALL   ? call(machine, target, !operand.is_register)
           : field == JUMP ? go_to(machine, target, !operand.is_register)
                           : false;
}

static bool step_of_two_bytes(struct machine *machine, struct bytes *bytes) {
    uint8_t opcode = (uint8_t)take(bytes, 1);
    if (opcode == 0x84 || opcode == 0x85)
        return branch(machine, bytes, opcode == 0x84, 4);
    if (opcode != 0x1e && opcode != 0x1f) /* endbr64, nop */
        return false;
    take_operand(machine, bytes, (uint8_t)take(bytes, 1), 0);
    machine->at += bytes->taken;
    return true;
}

static bool step_on(struct machine *machine, struct bytes *bytes, uint8_t opcode) {
    uint8_t low = (uint8_t)((opcode & 7) | bytes->base_bit);
    bool is_known = true;
    if ((opcode & 0xf8) == 0x50) {
        is_known = push(machine, machine->registers[low]);
    } else if ((opcode & 0xf8) == 0x58) {
        is_known = pop(machine, &machine->registers[low]);
    } else if ((opcode & 0xf8) == 0xb8) {
        machine->registers[low] = number(take(bytes, bytes->wide ? 8 : 4));
    } else if (opcode == 0x68 || opcode == 0x6a) {
        is_known = push(machine, number(take_signed(bytes, opcode == 0x68 ? 4 : 1)));
    } else if (opcode < 0x40 && (opcode & 7) < 4 && (opcode & 1)) {
        is_known = clear_or_calculate(machine, bytes, opcode);
    } else if (opcode == 0x89 || opcode == 0x8b || opcode == 0x8d || opcode == 0x63) {
        is_known = move(machine, bytes, opcode);
    } else if (opcode == 0x81 || opcode == 0x83 || opcode == 0xc7) {
        is_known = with_immediate(machine, bytes, opcode);
    } else if (opcode == 0xc9) {
        machine->registers[RSP] = machine->registers[RBP];
        is_known = pop(machine, &machine->registers[RBP]);
    } else {
        is_known = opcode == 0x90;
    }
    machine->at += bytes->taken;
    return is_known;
}

static void take_prefixes(struct bytes *bytes, uint8_t *opcode) {
    for (*opcode = (uint8_t)take(bytes, 1);
         !bytes->ended_early &&
         (*opcode == 0x66 || *opcode == 0x2e || *opcode == 0xf2 || *opcode == 0xf3);
         *opcode = (uint8_t)take(bytes, 1))
        bytes->half |= *opcode == 0x66;
    if ((*opcode & 0xf0) != 0x40)
        return;
    bytes->wide = *opcode & 8;
    bytes->reg_bit = *opcode & 4 ? 8 : 0;
    bytes->index_bit = *opcode & 2 ? 8 : 0;
    bytes->base_bit = *opcode & 1 ? 8 : 0;
    *opcode = (uint8_t)take(bytes, 1);
}

static bool step(struct machine *machine) {
    struct bytes bytes = {.size = LOUPE_LONGEST_INSTRUCTION};
    uint8_t opcode;
    while (bytes.size && loupe_memory_read(machine->memory, machine->at, bytes.byte, bytes.size))
        bytes.size--;
    take_prefixes(&bytes, &opcode);
    bool is_known = opcode == 0x0f   ? step_of_two_bytes(machine, &bytes)
                    : opcode == 0xc3 ? leave(machine)
                    : opcode == 0xff ? jump_call_or_push(machine, &bytes)
                    : opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb
                        ? jump_or_call(machine, &bytes, opcode)
                    : opcode == 0x74 || opcode == 0x75 ? branch(machine, &bytes, opcode == 0x74, 1)
                                                       : step_on(machine, &bytes, opcode);
    return is_known && !bytes.ended_early && (!bytes.half || opcode == 0x0f || opcode == 0x90);
}

static loupe_addr find(struct loupe_memory *memory, const char *name) {
    loupe_addr address;
    return loupe_memory_find_symbol(memory, name, &address) ? 0 : address;
}

bool loupe_code_gives_up(struct loupe_memory *memory, loupe_addr method,
                         loupe_given_up_visit *visit, void *ctx) {
    struct machine machine = {.memory = memory, .visit = visit, .ctx = ctx, .at = method};
    if (memory->machine.arch != LOUPE_ARCH_X86_64)
        return false;
    /* Cap: all that there are. */
    for (unsigned giver = NO_GIVER + 1; giver < GIVERS; giver++)
        machine.givers[giver] = find(memory, giver_names[giver]);
    machine.registers[RSP] = (struct value){FRAME, 0};
    machine.registers[RDI] = (struct value){INSTANCE, 0};
    if (!push(&machine, number(0))) /* where the method returns to */
        return false;
    /* Cap: code that long is not understood, and members are assumed. */
    for (unsigned i = 0; i < MOST_STEPS && !machine.has_ended; i++)
        if (!step(&machine))
            return false;
    return machine.has_ended;
}

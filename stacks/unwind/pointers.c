/* Where no table tells: the frame pointer, the code at the pc, frames that the kernel made. */
#include "unwind/step.h"

enum { WORD = 8 };

static bool read_words(struct loupe_memory *memory, loupe_addr addr, uint64_t *ret,
                       unsigned count) {
    return addr % WORD == 0 && !loupe_memory_read(memory, addr, ret, count * sizeof(*ret));
}

static uint32_t code_at(struct loupe_unwinder *unwinder, loupe_addr addr) {
    uint32_t code = 0;
    return loupe_memory_read(unwinder->images, addr, &code, sizeof(code)) ? 0 : code;
}

/* ---- What stands before a place that a call returns to ---- */

static bool is_behind_call_x86_64(struct loupe_unwinder *unwinder, loupe_addr addr) {
    uint8_t code[7];
    if (loupe_memory_read(unwinder->images, addr - sizeof(code), code, sizeof(code)))
        return false;
    if (code[2] == 0xe8)
        return true;
    /* ff /2 with operands of 0, 1, 4 and 5 bytes */
    for (unsigned at = 0; at + 1 < sizeof(code); at++) {
        unsigned mode = code[at + 1] >> 6, what = code[at + 1] >> 3 & 7, base = code[at + 1] & 7;
        unsigned displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
        unsigned length = 2u + displacement + (mode != 3 && base == 4);
        if (mode == 0 && base == 4 && at + 2 < sizeof(code) && (code[at + 2] & 7) == 5)
            length += 4;
        if (code[at] == 0xff && what == 2 && at + length == sizeof(code))
            return true;
    }
    return false;
}

static bool is_behind_call_arm64(struct loupe_unwinder *unwinder, loupe_addr addr) {
    uint32_t code = code_at(unwinder, addr - 4);
    return (code & 0xfc000000) == 0x94000000 || /* bl */
           (code & 0xfffffc1f) == 0xd63f0000 || /* blr */
           (code & 0xfefff800) == 0xd63f0800;   /* blraa and the like */
}

bool loupe_is_behind_call(struct loupe_unwinder *unwinder, loupe_addr addr) {
    return unwinder->machine->link == UINT8_MAX ? is_behind_call_x86_64(unwinder, addr)
                                                : is_behind_call_arm64(unwinder, addr);
}

/* ---- Frames that the kernel made for a signal handler ---- */

struct context {
    uint16_t offset; /* from the stack pointer of the code that returns from it */
    uint8_t count;
    const uint8_t *registers; /* in order of their places */
};

static bool restore_context(struct loupe_unwinder *unwinder, const struct context *context,
                            struct loupe_frame *frame) {
    uint64_t values[LOUPE_FRAME_REGISTERS];
    loupe_addr at = frame->registers[unwinder->machine->sp] + context->offset;
    if (!read_words(unwinder->stack, at, values, context->count))
        return false;
    struct loupe_frame caller = {.is_interrupted = true};
    for (unsigned i = 0; i < context->count; i++)
        loupe_frame_set(&caller, context->registers[i], values[i]);
    *frame = caller;
    return true;
}

static bool is_signal_return_x86_64(struct loupe_unwinder *unwinder, loupe_addr pc) {
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    uint8_t found[sizeof(code)];
    return !loupe_memory_read(unwinder->images, pc, found, sizeof(found)) &&
           memcmp(found, code, sizeof(code)) == 0;
}

static bool is_signal_return_arm64(struct loupe_unwinder *unwinder, loupe_addr pc) {
    return code_at(unwinder, pc) == 0xd2801168 && code_at(unwinder, pc + 4) == 0xd4000001;
}

static bool step_over_signal(struct loupe_unwinder *unwinder, struct loupe_frame *frame) {
    /* As struct sigcontext of Linux has them, in struct rt_sigframe. */
    static const uint8_t x86_64_order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5,
                                           4, 6, 3,  1,  0,  2,  7,  16};
    static const uint8_t arm64_order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                          22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
    static const struct context x86_64_context = {40, sizeof(x86_64_order), x86_64_order};
    static const struct context arm64_context = {312, sizeof(arm64_order), arm64_order};
    loupe_addr pc = frame->registers[unwinder->machine->pc];
    if (unwinder->machine->link == UINT8_MAX)
        return is_signal_return_x86_64(unwinder, pc) &&
               restore_context(unwinder, &x86_64_context, frame);
    return is_signal_return_arm64(unwinder, pc) && restore_context(unwinder, &arm64_context, frame);
}

/* ---- Frame records: the caller's frame pointer and the return address ---- */

static enum loupe_step go_to(struct loupe_unwinder *unwinder, struct loupe_frame *frame,
                             uint64_t pc, uint64_t sp, const uint64_t *fp) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    pc = loupe_memory_strip(unwinder->stack, pc);
    if (!pc)
        return LOUPE_STEP_OUTERMOST;
    if (!loupe_is_behind_call(unwinder, pc))
        return LOUPE_STEP_LOST;
    uint64_t kept = loupe_frame_knows(frame, machine->fp) ? frame->registers[machine->fp] : 0;
    bool knows_fp = fp || loupe_frame_knows(frame, machine->fp);
    /* Other registers may have been saved and changed, nobody says. */
    frame->known = 0;
    loupe_frame_set(frame, machine->pc, pc);
    loupe_frame_set(frame, machine->sp, sp);
    if (knows_fp)
        loupe_frame_set(frame, machine->fp, fp ? loupe_memory_strip(unwinder->stack, *fp) : kept);
    frame->is_interrupted = false;
    return LOUPE_STEP_DONE;
}

static enum loupe_step step_by_record(struct loupe_unwinder *unwinder, struct loupe_frame *frame) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    uint64_t record[2], sp = frame->registers[machine->sp], fp = frame->registers[machine->fp];
    if (!loupe_frame_knows(frame, machine->fp))
        return LOUPE_STEP_LOST;
    if (!fp)
        return LOUPE_STEP_OUTERMOST;
    if (fp < sp || !read_words(unwinder->stack, fp, record, 2))
        return LOUPE_STEP_LOST;
    if (record[0] && loupe_memory_strip(unwinder->stack, record[0]) <= fp)
        return LOUPE_STEP_LOST;
    return go_to(unwinder, frame, record[1], fp + sizeof(record), &record[0]);
}

/* ---- Functions that have made no record yet, or none any more: only where their code shows it
 * ---- */

/* What stands before pc and from it on, as far as it can be read, for patterns. */
enum { BEFORE = 8, AFTER = 24 };

struct code_around {
    uint8_t bytes[BEFORE + AFTER];
};

static struct code_around code_around(struct loupe_unwinder *unwinder, loupe_addr pc) {
    struct code_around ret = {{0}};
    for (size_t size = AFTER;
         size && loupe_memory_read(unwinder->images, pc, ret.bytes + BEFORE, size) != LOUPE_OK;
         size--)
        memset(ret.bytes, 0, sizeof(ret.bytes));
    if (loupe_memory_read(unwinder->images, pc - BEFORE, ret.bytes, BEFORE))
        memset(ret.bytes, 0, BEFORE);
    return ret;
}

/* Stubs by which code calls functions of other images, and the one that has them looked up:
 * linkers write no tables for them, at least LLVM's. How many words were pushed; -1: it is none. */
static int pushed_by_stub(const struct code_around *code) {
    enum { PUSH_NUMBER = 0x68, PUSH_OR_JUMP = 0xff, PUSH_FROM = 0x35, JUMP_TO = 0x25, JUMP = 0xe9 };
    const uint8_t *at = code->bytes + BEFORE;
    bool is_jump = at[0] == PUSH_OR_JUMP && at[1] == JUMP_TO;
    if (is_jump)
        return at[-6] == PUSH_OR_JUMP && at[-5] == PUSH_FROM ? 2 : 0;
    if (at[0] == PUSH_OR_JUMP && at[1] == PUSH_FROM && at[6] == PUSH_OR_JUMP && at[7] == JUMP_TO)
        return 1;
    if (at[0] == PUSH_NUMBER && at[5] == JUMP)
        return 0;
    return at[0] == JUMP && at[-5] == PUSH_NUMBER ? 1 : -1;
}

/*
 * Where a thread is made: the call of the system, and what tells the thread that made the new one
 * from that, up to the return. Tables of the C library leave it out, because it is in two threads.
 */
static bool is_making_thread(const struct code_around *code) {
    const uint8_t *at = code->bytes + BEFORE;
    unsigned parts = 0;
    if (at[0] == 0x0f && at[1] == 0x05 && ++parts) /* syscall */
        at += 2;
    if (memcmp(at, "\x48\x85\xc0", 3) == 0 && ++parts) /* test rax, rax */
        at += 3;
    if (at[0] == 0x0f && at[1] == 0x8c && ++parts) /* jl */
        at += 6;
    else if (at[0] == 0x7c && ++parts)
        at += 2;
    if (at[0] == 0x74 && ++parts) /* jz */
        at += 2;
    return parts && at[0] == 0xc3;
}

static enum loupe_step step_by_code_x86_64(struct loupe_unwinder *unwinder,
                                           struct loupe_frame *frame, bool *is_told_ret) {
    enum { PUSH_FP = 0x55, RETURN = 0xc3, BRANCH_END = 0xfa1e0ff3, FP_IS_SP = 0xe58948 };
    enum { RESULT = 0 }; /* rax */
    loupe_addr pc = frame->registers[LOUPE_X86_64_PC], sp = frame->registers[LOUPE_X86_64_SP];
    uint32_t code = code_at(unwinder, pc), before = code_at(unwinder, pc - 4);
    struct code_around around = code_around(unwinder, pc);
    uint64_t words[3];
    int pushed = pushed_by_stub(&around);
    bool is_making = is_making_thread(&around);
    bool is_record = (code & 0xffffff) == FP_IS_SP && before >> 24 == PUSH_FP;
    if ((code & 0xff) == PUSH_FP || code == (uint32_t)BRANCH_END || (code & 0xff) == RETURN ||
        is_making)
        pushed = 0;
    if (is_record)
        pushed = 1;
    *is_told_ret = pushed >= 0;
    /* The new thread has no caller yet. */
    if (is_making && (code & 0xffff) != 0x050f && loupe_frame_knows(frame, RESULT) &&
        !frame->registers[RESULT])
        return LOUPE_STEP_OUTERMOST;
    if (pushed < 0 || !read_words(unwinder->stack, sp, words, (unsigned)pushed + 1))
        return LOUPE_STEP_LOST;
    return go_to(unwinder, frame, words[pushed], sp + (uint64_t)(pushed + 1) * WORD,
                 is_record ? &words[0] : NULL);
}

/* Whether the code from pc on returns by the link register without loading it. */
static bool returns_by_link(struct loupe_unwinder *unwinder, loupe_addr pc) {
    enum { FAR_ENOUGH = 64 };
    /* Cap: the link register is not believed. */
    for (unsigned i = 0; i < FAR_ENOUGH; i++, pc += 4) {
        uint32_t code = code_at(unwinder, pc);
        if (code == 0xd65f03c0 || (code & 0xfffffbff) == 0xd65f0bff) /* ret, retaa, retab */
            return true;
        bool is_call = (code & 0xfc000000) == 0x94000000 || (code & 0xfe000000) == 0xd6000000;
        bool is_branch = (code & 0x7c000000) == 0x14000000 || (code & 0x7e000000) == 0x34000000 ||
                         (code & 0x7e000000) == 0x36000000 || (code & 0xff000010) == 0x54000000;
        bool is_pair = (code & 0x3a000000) == 0x28000000;
        bool touches_link =
            (code & 0x1f) == LOUPE_ARM64_LR || (is_pair && (code >> 10 & 0x1f) == LOUPE_ARM64_LR);
        if (!code || is_call || is_branch || touches_link)
            return false;
    }
    return false;
}

/*
 * The stubs of linkers here: what they jump to is loaded into x16 or x17, in which no function
 * expects anything. The one that has functions looked up saves the link register first.
 */
enum { SAVE_FOR_LOOKUP = 0xa9bf7bf0 }; /* stp x16, x30, [sp, #-16]! */

static bool is_jump_of_stub(uint32_t code) {
    return (code & 0xffffffdf) == 0xd61f0200 || /* br x16, br x17 */
           code == 0xd71f0a11;                  /* braa x16, x17 */
}

static bool is_load_of_stub(uint32_t code) {
    return (code & 0xffc003df) == 0xf9400210 || /* ldr x16, [x16, #n] or [x17, #n] */
           (code & 0xffc003ff) == 0xf9400211;   /* ldr x17, [x16, #n] */
}

static bool is_part_of_stub(uint32_t code) {
    return is_load_of_stub(code) || (code & 0x9f00001e) == 0x90000010 || /* adrp x16 or x17 */
           (code & 0xffc003ff) == 0x91000210 ||                          /* add x16, x16, #n */
           (code & 0xffc003ff) == 0x91000231 ||                          /* add x17, x17, #n */
           (code & 0xfffff01f) == 0xd503201f;                            /* hints */
}

/* *is_saved_ret: the link register was saved. */
static bool is_in_stub_arm64(struct loupe_unwinder *unwinder, loupe_addr pc, bool *is_saved_ret) {
    enum { LONGEST = 6 };
    bool is_loaded = false, is_jump = false;
    *is_saved_ret = false;
    for (loupe_addr at = pc; at < pc + 4 * LONGEST && !is_jump; at += 4) {
        uint32_t code = code_at(unwinder, at);
        is_jump = is_jump_of_stub(code);
        is_loaded |= is_load_of_stub(code);
        if (!is_jump && !is_part_of_stub(code) && !(at == pc && code == (uint32_t)SAVE_FOR_LOOKUP))
            return false;
    }
    for (loupe_addr at = pc - 4; at > pc - 4 * LONGEST && !*is_saved_ret; at -= 4) {
        uint32_t code = code_at(unwinder, at);
        is_loaded |= is_load_of_stub(code);
        *is_saved_ret = code == (uint32_t)SAVE_FOR_LOOKUP;
        if (!is_part_of_stub(code))
            break;
    }
    return is_jump && is_loaded;
}

static enum loupe_step step_by_code_arm64(struct loupe_unwinder *unwinder,
                                          struct loupe_frame *frame, bool *is_told_ret) {
    loupe_addr pc = frame->registers[LOUPE_ARM64_PC], sp = frame->registers[LOUPE_ARM64_SP];
    uint32_t code = code_at(unwinder, pc);
    bool is_saved = false, saves = (code & 0xffc07fff) == 0xa9807bfd; /* stp x29, x30, [sp, #n]! */
    bool is_link =
        saves || returns_by_link(unwinder, pc) || is_in_stub_arm64(unwinder, pc, &is_saved);
    *is_told_ret = is_link && loupe_frame_knows(frame, LOUPE_ARM64_LR);
    if (!*is_told_ret)
        return LOUPE_STEP_LOST;
    return go_to(unwinder, frame, frame->registers[LOUPE_ARM64_LR], sp + (is_saved ? 2 * WORD : 0),
                 NULL);
}

enum loupe_step loupe_step_by_pointers(struct loupe_unwinder *unwinder, struct loupe_frame *frame) {
    bool is_told = false;
    enum loupe_step step = LOUPE_STEP_LOST;
    if (step_over_signal(unwinder, frame))
        return LOUPE_STEP_DONE;
    if (frame->is_interrupted)
        step = unwinder->machine->link == UINT8_MAX ? step_by_code_x86_64(unwinder, frame, &is_told)
                                                    : step_by_code_arm64(unwinder, frame, &is_told);
    return is_told ? step : step_by_record(unwinder, frame);
}

#include "unwind/unwind.h"

#include "memory/machine.h"
#include "kernel/system.h"
#include "unwind/own_images.h"
#include "unwind/own_memory.h"
#include "unwind/step.h"

#if defined(__linux__)
#include <ucontext.h>
#endif

/* ---- Registers ---- */

bool loupe_frame_of_context(const void *ucontext, struct loupe_frame *ret) {
#if defined(__linux__) && defined(__x86_64__)
    static const uint8_t order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                    REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    const ucontext_t *context = ucontext;
    for (unsigned i = 0; i < sizeof(order); i++)
        ret->registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    ret->known = (UINT64_C(1) << sizeof(order)) - 1;
#elif defined(__linux__) && defined(__aarch64__)
    const ucontext_t *context = ucontext;
    /* Cap: all of a table. */
    for (unsigned i = 0; i <= LOUPE_ARM64_LR; i++)
        ret->registers[i] = context->uc_mcontext.regs[i];
    ret->registers[LOUPE_ARM64_SP] = context->uc_mcontext.sp;
    ret->registers[LOUPE_ARM64_PC] = context->uc_mcontext.pc;
    ret->known = (UINT64_C(1) << (LOUPE_ARM64_PC + 1)) - 1;
#else
    (void)ucontext;
    return false;
#endif
    ret->is_interrupted = true;
    return true;
}

/* ---- The unwinder over this process ---- */

struct own_unwinder {
    struct loupe_unwinder unwinder;
    struct loupe_own_memory stack, images;
    uint8_t images_piece[LOUPE_OWN_MEMORY_PIECE];
};

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    (void)ctx;
    return loupe_own_images_find(place, ret);
}

/* False: stacks of this machine are not known. */
static bool init(struct own_unwinder *own, uint8_t *piece, size_t piece_size) {
    loupe_own_memory_init(&own->stack, piece, piece_size);
    loupe_own_memory_init(&own->images, own->images_piece, sizeof(own->images_piece));
    own->unwinder =
        (struct loupe_unwinder){.stack = &own->stack.memory,
                                .images = &own->images.memory,
                                .machine = loupe_frame_machine_of(loupe_own_machine.arch),
                                .find_tables = find_tables,
                                .keeps_rows = true};
    return own->unwinder.machine != NULL;
}

/*
 * A place on the stack that comes back means that the stack is a ring, which only a damaged one
 * is: the watch is on one place for twice as many frames as the one before.
 */
struct ring_watch {
    loupe_addr pc, sp;
    size_t frames, until;
};

static bool is_ring(struct ring_watch *watch, loupe_addr pc, loupe_addr sp) {
    if (watch->frames && pc == watch->pc && sp == watch->sp)
        return true;
    if (watch->frames++ == watch->until) {
        watch->until = 2 * watch->until + 1;
        watch->pc = pc;
        watch->sp = sp;
    }
    return false;
}

struct output {
    uint64_t *addresses;
    uint8_t *interrupted; /* NULL: not wanted */
    size_t skip, cap;
};

static void put(struct output *output, struct loupe_unwound *found, const struct loupe_frame *frame,
                loupe_addr pc) {
    if (output->skip) {
        output->skip--;
        return;
    }
    if (found->count == output->cap)
        return;
    if (output->interrupted)
        output->interrupted[found->count] = frame->is_interrupted;
    output->addresses[found->count++] = pc;
}

static struct loupe_unwound walk(struct loupe_unwinder *unwinder, const struct loupe_frame *from,
                                 struct output *output) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    struct loupe_frame frame = *from;
    struct ring_watch watch = {0};
    struct loupe_unwound found = {.count = 0, .end = LOUPE_UNWIND_LOST};
    if (!loupe_frame_knows(&frame, machine->pc) || !loupe_frame_knows(&frame, machine->sp))
        return found;
    for (;;) {
        loupe_addr pc = frame.registers[machine->pc];
        if (is_ring(&watch, pc, frame.registers[machine->sp]))
            return found;
        put(output, &found, &frame, pc);
        if (found.count == output->cap) {
            found.end = LOUPE_UNWIND_FULL;
            return found;
        }
        enum loupe_step step = loupe_step(unwinder, &frame);
        if (step != LOUPE_STEP_DONE) {
            found.end = step == LOUPE_STEP_OUTERMOST ? LOUPE_UNWIND_OUTERMOST : LOUPE_UNWIND_LOST;
            return found;
        }
    }
}

bool loupe_unwind_caller(struct loupe_frame *frame) {
    struct own_unwinder own;
    uint8_t piece[LOUPE_OWN_MEMORY_PIECE];
    return init(&own, piece, sizeof(piece)) && loupe_frame_knows(frame, own.unwinder.machine->pc) &&
           loupe_frame_knows(frame, own.unwinder.machine->sp) &&
           loupe_step(&own.unwinder, frame) == LOUPE_STEP_DONE;
}

struct loupe_unwound loupe_unwind_own(const struct loupe_frame *from, struct loupe_range *proved,
                                      size_t skip, uint64_t *ret, size_t cap) {
    struct own_unwinder own;
    uint8_t piece[LOUPE_OWN_MEMORY_PIECE];
    struct loupe_range known = proved ? *proved : (struct loupe_range){0};
    struct output output = {.addresses = ret, .skip = skip, .cap = cap};
    if (!init(&own, piece, sizeof(piece)) || !loupe_frame_knows(from, own.unwinder.machine->sp))
        return (struct loupe_unwound){.end = LOUPE_UNWIND_LOST};
    loupe_own_memory_use_stack(&own.stack, from->registers[own.unwinder.machine->sp], known);
    struct loupe_unwound found = walk(&own.unwinder, from, &output);
    if (proved)
        *proved = own.stack.stack;
    return found;
}

struct loupe_unwound loupe_unwind_other(const struct loupe_frame *from, uint64_t *ret,
                                        uint8_t *interrupted_ret, size_t cap) {
    enum { LARGE_PIECE = 4096 };
    struct own_unwinder own;
    uint8_t piece[LARGE_PIECE];
    struct output output = {.addresses = ret, .interrupted = interrupted_ret, .cap = cap};
    if (!init(&own, piece, sizeof(piece)))
        return (struct loupe_unwound){.end = LOUPE_UNWIND_LOST};
    return walk(&own.unwinder, from, &output);
}

void loupe_unwind_forget(void) {
    loupe_rows_forget();
}

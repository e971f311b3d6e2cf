#include "unwind/edges.h"

/* Of the functions that one entry of the table is about, that which holds the place. */
static struct loupe_range function_of(struct loupe_unwinder *unwinder,
                                      const struct loupe_unwind_tables *tables,
                                      const struct loupe_unwind_rules *rules, loupe_addr pc) {
    struct loupe_range function = rules->code;
    loupe_addr start;
    if (loupe_function_starts_find(unwinder->images, tables->functions, tables->code.start, pc,
                                   &start) &&
        start > function.start)
        function.start = start;
    return function;
}

static void use(const struct loupe_half_frame *edge, const struct loupe_frame_machine *machine,
                struct loupe_unwind_rules *rules) {
    rules->frame.base = machine->sp;
    rules->frame.value = edge->size;
    uint64_t counts = machine->preserved | UINT64_C(1) << machine->pc;
    if (machine->link != UINT8_MAX)
        counts |= UINT64_C(1) << machine->link;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++) {
        bool is_saved = edge->saved & counts & UINT64_C(1) << i;
        rules->registers[i] =
            (struct loupe_restore){.kind = is_saved ? LOUPE_RESTORE_AT : LOUPE_RESTORE_NONE,
                                   .value = is_saved ? edge->places[i] - edge->size : 0};
    }
}

/* Registers that were not pushed yet, or were popped again, still have their values. */
static void drop_unsaved(const struct loupe_frame *frame, const struct loupe_frame_machine *machine,
                         struct loupe_unwind_rules *rules) {
    loupe_addr address = frame->registers[rules->frame.base] + (uint64_t)rules->frame.value;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++)
        if (rules->registers[i].kind == LOUPE_RESTORE_AT && machine->preserved >> i & 1 &&
            address + (uint64_t)rules->registers[i].value < frame->registers[machine->sp])
            rules->registers[i].kind = LOUPE_RESTORE_NONE;
}

/* Whether the function would return to behind a call, were it so. */
static bool is_likely(struct loupe_unwinder *unwinder, const struct loupe_frame *frame,
                      const struct loupe_half_frame *edge) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    unsigned number = machine->link == UINT8_MAX ? machine->pc : machine->link;
    uint64_t address = frame->registers[number];
    loupe_addr at = frame->registers[machine->sp] + (uint64_t)edge->places[number];
    if (edge->saved >> number & 1
            ? loupe_memory_read(unwinder->stack, at, &address, sizeof(address)) != LOUPE_OK
            : !loupe_frame_knows(frame, number))
        return false;
    return loupe_is_behind_call(unwinder, loupe_memory_strip(unwinder->stack, address));
}

/* A function that has made no frame yet, though it does not begin with that. */
static void set_no_frame(const struct loupe_frame_machine *machine, struct loupe_half_frame *edge) {
    if (machine->link != UINT8_MAX)
        return;
    edge->size = sizeof(uint64_t);
    loupe_half_frame_save(edge, machine->pc, 0);
}

void loupe_edges_adjust(struct loupe_unwinder *unwinder, const struct loupe_unwind_tables *tables,
                        const struct loupe_frame *frame, struct loupe_unwind_rules *rules) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    const struct loupe_half_frame_ops *ops =
        machine->link == UINT8_MAX ? &loupe_half_frame_x86_64 : &loupe_half_frame_arm64;
    loupe_addr pc = frame->registers[machine->pc];
    const struct loupe_half_frame none = {
        .code = unwinder->images, .pc = pc, .function = function_of(unwinder, tables, rules, pc)};
    struct loupe_half_frame edge = none;
    if (ops->ends(&edge) && is_likely(unwinder, frame, &edge)) {
        use(&edge, machine, rules);
        return;
    }
    edge = none;
    if (ops->begins(&edge) && is_likely(unwinder, frame, &edge)) {
        use(&edge, machine, rules);
        return;
    }
    edge = none;
    if (rules->frame.base == machine->fp && !ops->has_record(&edge)) {
        set_no_frame(machine, &edge);
        use(&edge, machine, rules);
        return;
    }
    drop_unsaved(frame, machine, rules);
}

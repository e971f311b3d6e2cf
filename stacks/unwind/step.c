#include "unwind/step.h"

#include "unwind/edges.h"

enum { WORD = 8 };

static bool read_word(struct loupe_memory *memory, loupe_addr addr, uint64_t *ret) {
    const uint8_t *bytes = loupe_memory_peek(memory, addr, WORD);
    if (!bytes)
        return !loupe_memory_read(memory, addr, ret, WORD);
    memcpy(ret, bytes, WORD);
    return true;
}

/* ---- Where the tables are simple ---- */

/*
 * Stacks grow down: the caller's part begins above. Only a function that has nothing on the stack,
 * which calls no other, ends where its caller's part does.
 */
static bool is_above(const struct loupe_unwinder *unwinder, const struct loupe_frame *frame,
                     loupe_addr caller) {
    loupe_addr sp = frame->registers[unwinder->machine->sp];
    return caller > sp || (caller == sp && frame->is_interrupted);
}

/* Frame pointers of asynchronous functions of Swift have a mark where they are saved. */
static uint64_t without_marks(const struct loupe_unwinder *unwinder, unsigned number,
                              uint64_t value) {
    return number == unwinder->machine->fp && unwinder->machine->link != UINT8_MAX
               ? loupe_memory_strip(unwinder->stack, value)
               : value;
}

static enum loupe_step step_by_row(struct loupe_unwinder *unwinder, const struct loupe_row *row,
                                   struct loupe_frame *frame) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    unsigned count;
    const uint8_t *registers = loupe_row_registers(machine, &count);
    uint64_t saved[LOUPE_ROW_SAVED], pc, are_saved = 0;
    if (!loupe_frame_knows(frame, row->base))
        return LOUPE_STEP_LOST;
    loupe_addr address = frame->registers[row->base] + (uint64_t)(int64_t)row->offset;
    if (!is_above(unwinder, frame, address))
        return LOUPE_STEP_LOST;
    if (row->return_address) {
        if (!read_word(unwinder->stack, address + (uint64_t)(row->return_address * WORD), &pc))
            return LOUPE_STEP_LOST;
    } else if (loupe_frame_knows(frame, machine->link) && frame->is_interrupted) {
        pc = frame->registers[machine->link];
    } else {
        return LOUPE_STEP_LOST;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!row->saved[i])
            continue;
        if (!read_word(unwinder->stack, address + (uint64_t)(row->saved[i] * WORD), &saved[i]))
            return LOUPE_STEP_LOST;
        are_saved |= UINT64_C(1) << i;
    }
    pc = loupe_memory_strip(unwinder->stack, pc);
    if (!pc)
        return LOUPE_STEP_OUTERMOST;
    frame->known &= machine->preserved;
    for (unsigned i = 0; i < count; i++)
        if (are_saved >> i & 1)
            loupe_frame_set(frame, registers[i], without_marks(unwinder, registers[i], saved[i]));
    loupe_frame_set(frame, machine->sp, address);
    loupe_frame_set(frame, machine->pc, pc);
    frame->is_interrupted = false;
    return LOUPE_STEP_DONE;
}

/* ---- Where they say more ---- */

static bool evaluate(struct loupe_unwinder *unwinder, const struct loupe_frame *frame,
                     int64_t start, uint16_t size, const uint64_t *first, uint64_t *ret) {
    struct loupe_range expression = {.start = (uint64_t)start, .end = (uint64_t)start + size};
    return loupe_expression_evaluate(unwinder->images, unwinder->stack, frame, expression, first,
                                     ret);
}

static bool frame_address(struct loupe_unwinder *unwinder, const struct loupe_unwind_rules *rules,
                          const struct loupe_frame *frame, loupe_addr *ret) {
    if (rules->frame.is_expression)
        return evaluate(unwinder, frame, rules->frame.value, rules->frame.size, NULL, ret);
    *ret = frame->registers[rules->frame.base] + (uint64_t)rules->frame.value;
    return loupe_frame_knows(frame, rules->frame.base);
}

/* The caller's value of a register. False: it is not known. */
static bool apply(struct loupe_unwinder *unwinder, const struct loupe_restore *rule,
                  unsigned number, const struct loupe_frame *frame, loupe_addr address,
                  uint64_t *ret) {
    switch ((enum loupe_restore_kind)rule->kind) {
    case LOUPE_RESTORE_NONE:
        *ret = frame->registers[number];
        return loupe_frame_knows(frame, number) && unwinder->machine->preserved >> number & 1;
    case LOUPE_RESTORE_SAME:
        *ret = frame->registers[number];
        return loupe_frame_knows(frame, number);
    case LOUPE_RESTORE_AT:
        return read_word(unwinder->stack, address + (uint64_t)rule->value, ret);
    case LOUPE_RESTORE_IS:
        *ret = address + (uint64_t)rule->value;
        return true;
    case LOUPE_RESTORE_REGISTER:
        if (rule->value < 0 || rule->value >= LOUPE_FRAME_REGISTERS ||
            !loupe_frame_knows(frame, (unsigned)rule->value))
            return false;
        *ret = frame->registers[rule->value];
        return true;
    case LOUPE_RESTORE_AT_RESULT:
        return evaluate(unwinder, frame, rule->value, rule->size, &address, ret) &&
               read_word(unwinder->stack, *ret, ret);
    case LOUPE_RESTORE_IS_RESULT:
        return evaluate(unwinder, frame, rule->value, rule->size, &address, ret);
    case LOUPE_RESTORE_UNDEFINED:
        break;
    }
    return false;
}

/* Where the caller goes on: by the rule of the return address, which is in the link register of a
 * function that saved none. */
static bool find_return(struct loupe_unwinder *unwinder, const struct loupe_unwind_rules *rules,
                        const struct loupe_frame *frame, loupe_addr address, uint64_t *ret) {
    const struct loupe_restore *rule = &rules->registers[rules->return_address];
    if (rule->kind != LOUPE_RESTORE_NONE && rule->kind != LOUPE_RESTORE_SAME)
        return apply(unwinder, rule, rules->return_address, frame, address, ret);
    *ret = frame->registers[rules->return_address];
    return rules->return_address == unwinder->machine->link && frame->is_interrupted &&
           loupe_frame_knows(frame, rules->return_address);
}

__attribute__((noinline)) static enum loupe_step
step_by_rules(struct loupe_unwinder *unwinder, const struct loupe_unwind_rules *rules,
              struct loupe_frame *frame) {
    const struct loupe_frame_machine *machine = unwinder->machine;
    struct loupe_frame caller = {.is_interrupted = rules->is_signal_frame};
    loupe_addr address;
    uint64_t value;
    if (rules->registers[rules->return_address].kind == LOUPE_RESTORE_UNDEFINED)
        return LOUPE_STEP_OUTERMOST;
    if (!frame_address(unwinder, rules, frame, &address) ||
        (!rules->is_signal_frame && !is_above(unwinder, frame, address)) ||
        !find_return(unwinder, rules, frame, address, &value))
        return LOUPE_STEP_LOST;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++) {
        uint64_t restored;
        if (apply(unwinder, &rules->registers[i], i, frame, address, &restored))
            loupe_frame_set(&caller, i, without_marks(unwinder, i, restored));
    }
    if (rules->registers[machine->sp].kind == LOUPE_RESTORE_NONE)
        loupe_frame_set(&caller, machine->sp, address);
    value = loupe_memory_strip(unwinder->stack, value);
    /* A rule of its own for the stack pointer may say anything. */
    if (value && !rules->is_signal_frame &&
        !is_above(unwinder, frame, caller.registers[machine->sp]))
        return LOUPE_STEP_LOST;
    if (!value || !loupe_frame_knows(&caller, machine->sp))
        return value ? LOUPE_STEP_LOST : LOUPE_STEP_OUTERMOST;
    loupe_frame_set(&caller, machine->pc, value);
    *frame = caller;
    return LOUPE_STEP_DONE;
}

/* By tables that do not tell where a function makes its frame: its code does, and that who is
 * called so made a call. */
__attribute__((noinline)) static enum loupe_step
step_from_body(struct loupe_unwinder *unwinder, const struct loupe_unwind_tables *tables,
               struct loupe_unwind_rules *rules, struct loupe_frame *frame) {
    struct loupe_frame caller = *frame;
    loupe_edges_adjust(unwinder, tables, frame, rules);
    enum loupe_step step = step_by_rules(unwinder, rules, &caller);
    if (step != LOUPE_STEP_DONE)
        return step;
    if (!loupe_is_behind_call(unwinder, caller.registers[unwinder->machine->pc]))
        return LOUPE_STEP_LOST;
    *frame = caller;
    return LOUPE_STEP_DONE;
}

/* ---- Both ---- */

__attribute__((noinline)) static enum loupe_step step_by_tables(struct loupe_unwinder *unwinder,
                                                                loupe_addr place,
                                                                struct loupe_frame *frame,
                                                                struct loupe_row *row_ret) {
    struct loupe_unwind_tables tables;
    struct loupe_unwind_rules rules;
    *row_ret = (struct loupe_row){.kind = LOUPE_ROW_NONE};
    if (unwinder->find_tables(unwinder->ctx, place, &tables) &&
        loupe_unwind_rules_find(unwinder->images, &tables, place, &rules))
        *row_ret = rules.is_of_body && frame->is_interrupted
                       ? (struct loupe_row){.kind = LOUPE_ROW_OTHER}
                       : loupe_row_of(unwinder->machine, &rules);
    if (unwinder->keeps_rows)
        loupe_row_remember(place, row_ret);
    if (row_ret->kind != LOUPE_ROW_OTHER)
        return LOUPE_STEP_LOST;
    return rules.is_of_body && frame->is_interrupted
               ? step_from_body(unwinder, &tables, &rules, frame)
               : step_by_rules(unwinder, &rules, frame);
}

enum loupe_step loupe_step(struct loupe_unwinder *unwinder, struct loupe_frame *frame) {
    struct loupe_row row;
    loupe_addr place = loupe_frame_place(frame, frame->registers[unwinder->machine->pc]);
    if (!unwinder->keeps_rows || !loupe_row_recall(place, &row) || row.kind == LOUPE_ROW_OTHER) {
        enum loupe_step step = step_by_tables(unwinder, place, frame, &row);
        if (row.kind == LOUPE_ROW_OTHER)
            return step;
    }
    if (row.kind == LOUPE_ROW_USUAL)
        return step_by_row(unwinder, &row, frame);
    return row.kind == LOUPE_ROW_OUTERMOST ? LOUPE_STEP_OUTERMOST
                                           : loupe_step_by_pointers(unwinder, frame);
}

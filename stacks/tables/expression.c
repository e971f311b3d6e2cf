/* Expressions of DWARF, as far as call frame information uses them. */
#include "image/dwarf/dwarf_constants.h"
#include "tables/dwarf_cursor.h"
#include "tables/unwind_rules.h"

enum { DEPTH = 32, MOST_STEPS = 512 };

struct evaluation {
    struct loupe_dwarf_cursor cursor;
    loupe_addr start;
    struct loupe_memory *memory;
    const struct loupe_frame *frame;
    uint64_t stack[DEPTH];
    unsigned depth;
    bool is_bad;
};

static void push(struct evaluation *state, uint64_t value) {
    if (state->depth == DEPTH)
        state->is_bad = true;
    else
        state->stack[state->depth++] = value;
}

static uint64_t pop(struct evaluation *state) {
    if (!state->depth) {
        state->is_bad = true;
        return 0;
    }
    return state->stack[--state->depth];
}

static void pick(struct evaluation *state, uint64_t index) {
    if (index >= state->depth)
        state->is_bad = true;
    else
        push(state, state->stack[state->depth - 1 - index]);
}

static void push_register(struct evaluation *state, uint64_t number) {
    int64_t offset = loupe_dwarf_sleb(&state->cursor);
    if (number >= LOUPE_FRAME_REGISTERS || !loupe_frame_knows(state->frame, (unsigned)number))
        state->is_bad = true;
    else
        push(state, state->frame->registers[number] + (uint64_t)offset);
}

static void dereference(struct evaluation *state, uint64_t size) {
    loupe_addr address = pop(state);
    uint64_t value = 0;
    if (size == 0 || size > sizeof(value) ||
        loupe_memory_read(state->memory, address, &value, size))
        state->is_bad = true;
    else
        push(state, value);
}

/* Unsigned and signed ones, of 1, 2, 4 and 8 bytes, in turn. */
static void push_constant(struct evaluation *state, unsigned code) {
    unsigned size = 1u << (code - DW_OP_const1u) / 2;
    uint64_t value = loupe_dwarf_number(&state->cursor, size);
    uint64_t sign = UINT64_C(1) << (size * 8 - 1);
    push(state, (code - DW_OP_const1u) % 2 ? (value ^ sign) - sign : value);
}

/* Both ends are inside of the expression; steps are counted, so that loops end. */
static void branch(struct evaluation *state, bool taken) {
    int64_t distance = (int16_t)loupe_dwarf_number(&state->cursor, 2);
    loupe_addr target = state->cursor.at + (uint64_t)distance;
    if (!taken)
        return;
    if (target < state->start || target > state->cursor.end)
        state->is_bad = true;
    else
        state->cursor.at = target;
}

static bool compute_2(unsigned code, uint64_t a, uint64_t b, uint64_t *ret) {
    int64_t left = (int64_t)a, right = (int64_t)b;
    bool is_overflow = b == 0 || (a == (uint64_t)INT64_MIN && b == UINT64_MAX);
    switch (code) {
    case DW_OP_and:
        *ret = a & b;
        return true;
    case DW_OP_or:
        *ret = a | b;
        return true;
    case DW_OP_xor:
        *ret = a ^ b;
        return true;
    case DW_OP_plus:
        *ret = a + b;
        return true;
    case DW_OP_minus:
        *ret = a - b;
        return true;
    case DW_OP_mul:
        *ret = a * b;
        return true;
    case DW_OP_div:
        *ret = is_overflow ? 0 : (uint64_t)(left / right);
        return !is_overflow;
    case DW_OP_mod:
        *ret = b ? a % b : 0;
        return b != 0;
    case DW_OP_shl:
        *ret = b < 64 ? a << b : 0;
        return true;
    case DW_OP_shr:
        *ret = b < 64 ? a >> b : 0;
        return true;
    case DW_OP_shra:
        *ret = (uint64_t)(left >> (b < 64 ? b : 63));
        return true;
    case DW_OP_eq:
        *ret = a == b;
        return true;
    case DW_OP_ne:
        *ret = a != b;
        return true;
    case DW_OP_gt:
        *ret = left > right;
        return true;
    case DW_OP_ge:
        *ret = left >= right;
        return true;
    case DW_OP_lt:
        *ret = left < right;
        return true;
    case DW_OP_le:
        *ret = left <= right;
        return true;
    default:
        return false;
    }
}

static void run_arithmetic(struct evaluation *state, unsigned code) {
    uint64_t value;
    switch (code) {
    case DW_OP_neg:
        push(state, 0 - pop(state));
        return;
    case DW_OP_not:
        push(state, ~pop(state));
        return;
    case DW_OP_abs:
        value = pop(state);
        push(state, value >> 63 ? 0 - value : value);
        return;
    case DW_OP_plus_uconst:
        push(state, pop(state) + loupe_dwarf_uleb(&state->cursor));
        return;
    default: {
        uint64_t b = pop(state), a = pop(state), result = 0;
        if (!compute_2(code, a, b, &result))
            state->is_bad = true;
        push(state, result);
    }
    }
}

static void run_on_stack(struct evaluation *state, unsigned code) {
    unsigned depth = state->depth;
    uint64_t *top = state->stack + depth;
    if (code == DW_OP_dup)
        pick(state, 0);
    else if (code == DW_OP_over)
        pick(state, 1);
    else if (code == DW_OP_pick)
        pick(state, loupe_dwarf_number(&state->cursor, 1));
    else if (code == DW_OP_drop)
        pop(state);
    else if (code == DW_OP_swap && depth >= 2) {
        uint64_t last = top[-1];
        top[-1] = top[-2];
        top[-2] = last;
    } else if (code == DW_OP_rot && depth >= 3) {
        uint64_t last = top[-1];
        top[-1] = top[-2];
        top[-2] = top[-3];
        top[-3] = last;
    } else
        state->is_bad = true;
}

static void run_operation(struct evaluation *state, unsigned code) {
    struct loupe_dwarf_cursor *cursor = &state->cursor;
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
        push(state, code - DW_OP_lit0);
    else if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
        push_register(state, code - DW_OP_breg0);
    else if (code == DW_OP_bregx)
        push_register(state, loupe_dwarf_uleb(cursor));
    else if (code == DW_OP_addr)
        push(state, loupe_dwarf_number(cursor, cursor->memory->machine.pointer_size));
    else if (code >= DW_OP_const1u && code <= DW_OP_const8s)
        push_constant(state, code);
    else if (code == DW_OP_constu)
        push(state, loupe_dwarf_uleb(cursor));
    else if (code == DW_OP_consts)
        push(state, (uint64_t)loupe_dwarf_sleb(cursor));
    else if (code == DW_OP_deref)
        dereference(state, cursor->memory->machine.pointer_size);
    else if (code == DW_OP_deref_size)
        dereference(state, loupe_dwarf_number(cursor, 1));
    else if (code == DW_OP_bra)
        branch(state, pop(state) != 0);
    else if (code == DW_OP_skip)
        branch(state, true);
    else if (code >= DW_OP_dup && code <= DW_OP_rot)
        run_on_stack(state, code);
    else if (code >= DW_OP_abs && code <= DW_OP_ne)
        run_arithmetic(state, code);
    else if (code != DW_OP_nop)
        state->is_bad = true;
}

bool loupe_expression_evaluate(struct loupe_memory *tables, struct loupe_memory *stack,
                               const struct loupe_frame *frame, struct loupe_range expression,
                               const uint64_t *first, uint64_t *ret) {
    struct evaluation state = {
        .cursor = {.memory = tables, .at = expression.start, .end = expression.end},
        .memory = stack,
        .start = expression.start,
        .frame = frame};
    unsigned steps = 0;
    if (first)
        push(&state, *first);
    /* Cap: no result: the stack ends as lost. */
    while (loupe_dwarf_has_more(&state.cursor) && !state.is_bad && steps++ < MOST_STEPS)
        run_operation(&state, (unsigned)loupe_dwarf_number(&state.cursor, 1));
    if (state.is_bad || state.cursor.is_bad || state.cursor.at < state.cursor.end || !state.depth)
        return false;
    *ret = state.stack[state.depth - 1];
    return true;
}

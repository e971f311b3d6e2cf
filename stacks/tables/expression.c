/* Expressions of DWARF, as far as call frame information uses them. */
#include "tables/dwarf_cursor.h"
#include "tables/unwind_rules.h"

enum { DEPTH = 32, MOST_STEPS = 512 };

enum {
    ADDRESS = 0x03,
    DEREFERENCE = 0x06,
    CONSTANT_1 = 0x08, /* unsigned and signed, of 1, 2, 4 and 8 bytes, in turn */
    CONSTANT_8_SIGNED = 0x0f,
    CONSTANT_U = 0x10,
    CONSTANT_S = 0x11,
    DUPLICATE = 0x12,
    DROP = 0x13,
    OVER = 0x14,
    PICK = 0x15,
    SWAP = 0x16,
    ROTATE = 0x17,
    ABSOLUTE = 0x19,
    AND = 0x1a,
    DIVIDE = 0x1b,
    MINUS = 0x1c,
    MODULO = 0x1d,
    MULTIPLY = 0x1e,
    NEGATE = 0x1f,
    NOT = 0x20,
    OR = 0x21,
    PLUS = 0x22,
    PLUS_CONSTANT = 0x23,
    SHIFT_LEFT = 0x24,
    SHIFT_RIGHT = 0x25,
    SHIFT_RIGHT_SIGNED = 0x26,
    XOR = 0x27,
    BRANCH = 0x28,
    EQUAL = 0x29,
    GREATER_OR_EQUAL = 0x2a,
    GREATER = 0x2b,
    LESS_OR_EQUAL = 0x2c,
    LESS = 0x2d,
    NOT_EQUAL = 0x2e,
    SKIP = 0x2f,
    LITERAL = 0x30,
    LAST_LITERAL = 0x4f,
    REGISTER_OFFSET = 0x70,
    LAST_REGISTER_OFFSET = 0x8f,
    REGISTER_OFFSET_LONG = 0x92,
    DEREFERENCE_SIZE = 0x94,
    NO_OPERATION = 0x96
};

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

static void push_constant(struct evaluation *state, unsigned code) {
    unsigned size = 1u << (code - CONSTANT_1) / 2;
    uint64_t value = loupe_dwarf_number(&state->cursor, size);
    uint64_t sign = UINT64_C(1) << (size * 8 - 1);
    push(state, (code - CONSTANT_1) % 2 ? (value ^ sign) - sign : value);
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
    case AND:
        *ret = a & b;
        return true;
    case OR:
        *ret = a | b;
        return true;
    case XOR:
        *ret = a ^ b;
        return true;
    case PLUS:
        *ret = a + b;
        return true;
    case MINUS:
        *ret = a - b;
        return true;
    case MULTIPLY:
        *ret = a * b;
        return true;
    case DIVIDE:
        *ret = is_overflow ? 0 : (uint64_t)(left / right);
        return !is_overflow;
    case MODULO:
        *ret = b ? a % b : 0;
        return b != 0;
    case SHIFT_LEFT:
        *ret = b < 64 ? a << b : 0;
        return true;
    case SHIFT_RIGHT:
        *ret = b < 64 ? a >> b : 0;
        return true;
    case SHIFT_RIGHT_SIGNED:
        *ret = (uint64_t)(left >> (b < 64 ? b : 63));
        return true;
    case EQUAL:
        *ret = a == b;
        return true;
    case NOT_EQUAL:
        *ret = a != b;
        return true;
    case GREATER:
        *ret = left > right;
        return true;
    case GREATER_OR_EQUAL:
        *ret = left >= right;
        return true;
    case LESS:
        *ret = left < right;
        return true;
    case LESS_OR_EQUAL:
        *ret = left <= right;
        return true;
    default:
        return false;
    }
}

static void run_1(struct evaluation *state, unsigned code) {
    uint64_t value;
    switch (code) {
    case NEGATE:
        push(state, 0 - pop(state));
        return;
    case NOT:
        push(state, ~pop(state));
        return;
    case ABSOLUTE:
        value = pop(state);
        push(state, value >> 63 ? 0 - value : value);
        return;
    case PLUS_CONSTANT:
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
    if (code == DUPLICATE)
        pick(state, 0);
    else if (code == OVER)
        pick(state, 1);
    else if (code == PICK)
        pick(state, loupe_dwarf_number(&state->cursor, 1));
    else if (code == DROP)
        pop(state);
    else if (code == SWAP && depth >= 2) {
        uint64_t last = top[-1];
        top[-1] = top[-2];
        top[-2] = last;
    } else if (code == ROTATE && depth >= 3) {
        uint64_t last = top[-1];
        top[-1] = top[-2];
        top[-2] = top[-3];
        top[-3] = last;
    } else
        state->is_bad = true;
}

static void run(struct evaluation *state, unsigned code) {
    struct loupe_dwarf_cursor *cursor = &state->cursor;
    if (code >= LITERAL && code <= LAST_LITERAL)
        push(state, code - LITERAL);
    else if (code >= REGISTER_OFFSET && code <= LAST_REGISTER_OFFSET)
        push_register(state, code - REGISTER_OFFSET);
    else if (code == REGISTER_OFFSET_LONG)
        push_register(state, loupe_dwarf_uleb(cursor));
    else if (code == ADDRESS)
        push(state, loupe_dwarf_number(cursor, cursor->memory->machine.pointer_size));
    else if (code >= CONSTANT_1 && code <= CONSTANT_8_SIGNED)
        push_constant(state, code);
    else if (code == CONSTANT_U)
        push(state, loupe_dwarf_uleb(cursor));
    else if (code == CONSTANT_S)
        push(state, (uint64_t)loupe_dwarf_sleb(cursor));
    else if (code == DEREFERENCE)
        dereference(state, cursor->memory->machine.pointer_size);
    else if (code == DEREFERENCE_SIZE)
        dereference(state, loupe_dwarf_number(cursor, 1));
    else if (code == BRANCH)
        branch(state, pop(state) != 0);
    else if (code == SKIP)
        branch(state, true);
    else if (code >= DUPLICATE && code <= ROTATE)
        run_on_stack(state, code);
    else if (code >= ABSOLUTE && code <= NOT_EQUAL)
        run_1(state, code);
    else if (code != NO_OPERATION)
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
    while (loupe_dwarf_has_more(&state.cursor) && !state.is_bad && steps++ < MOST_STEPS)
        run(&state, (unsigned)loupe_dwarf_number(&state.cursor, 1));
    if (state.is_bad || state.cursor.is_bad || state.cursor.at < state.cursor.end || !state.depth)
        return false;
    *ret = state.stack[state.depth - 1];
    return true;
}

#include "types/encoding_parse.h"

#include <string.h>

/* ---- Numbers ---- */

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply_saturated(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* ---- Text ---- */

enum { COMPLEX = 1, ATOMIC = 2 };

/* What is being parsed, from the outside in. */
struct level {
    char close; /* the bracket that ends it; 0: a pointer, which ends behind what it points to */
    bool named; /* members have names */
    bool has_member;
    uint32_t start;      /* position of the type, with its qualifiers */
    uint32_t contents;   /* position of the first member */
    unsigned qualifiers; /* those that matter */
    enum loupe_type_kind kind;
    uint64_t count; /* elements of an array; size of a vector */
    uint64_t vector_alignment;
    uint64_t leaves, objects;
    unsigned guesses;
    struct loupe_record record; /* of a union: bits of its largest member */
    struct loupe_type element;
};

struct parser {
    const char *text;
    uint32_t at, end;
    const struct loupe_encoding_rules *rules;
    bool outer_named;    /* the whole type stands among named members */
    bool may_be_empty;   /* a type without an encoding is possible here */
    bool member_unnamed; /* the member that is being parsed has an empty name */
    bool complete;       /* value holds a whole type */
    struct loupe_parsed value;
    unsigned depth;
    struct level levels[LOUPE_ENCODING_MAX_DEPTH];
};

static struct level *innermost(struct parser *p) {
    return p->depth ? &p->levels[p->depth - 1] : NULL;
}

/* The character at the cursor plus ahead; NUL, which is no type, behind the end. */
static char peek(const struct parser *p, uint32_t ahead) {
    return ahead < p->end - p->at ? p->text[p->at + ahead] : '\0';
}

static bool at_end(const struct parser *p) {
    return p->at >= p->end;
}

static enum loupe_encoding_status unexpected(const struct parser *p) {
    return at_end(p) ? LOUPE_ENCODING_UNENDED : LOUPE_ENCODING_MALFORMED;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool one_of(char c, const char *set) {
    return c && memchr(set, c, strlen(set));
}

static enum loupe_encoding_status take_number(struct parser *p, uint64_t max, uint64_t *ret) {
    const char *cursor = p->text + p->at;
    if (!is_digit(peek(p, 0)))
        return unexpected(p);
    if (!loupe_parse_decimal(&cursor, p->text + p->end, max, ret))
        return LOUPE_ENCODING_LARGE;
    p->at = (uint32_t)(cursor - p->text);
    return LOUPE_ENCODING_OK;
}

bool loupe_encoding_take_name(struct loupe_span text, uint32_t *at, struct loupe_span *ret) {
    *ret = (struct loupe_span){.bytes = text.bytes + *at, .length = 0};
    if (*at >= text.length || text.bytes[*at] != '"')
        return false;
    const char *start = text.bytes + *at + 1;
    const char *quote = memchr(start, '"', text.length - *at - 1);
    if (!quote)
        return false;
    *ret = (struct loupe_span){.bytes = start, .length = (size_t)(quote - start)};
    *at = (uint32_t)(quote + 1 - text.bytes);
    return true;
}

static struct loupe_span whole_text(const struct parser *p) {
    return (struct loupe_span){.bytes = p->text, .length = p->end};
}

static unsigned take_qualifiers(struct parser *p) {
    unsigned qualifiers = 0;
    for (; one_of(peek(p, 0), "rnNoORVAj|"); p->at++) {
        if (peek(p, 0) == 'j')
            qualifiers |= COMPLEX;
        else if (peek(p, 0) == 'A')
            qualifiers |= ATOMIC;
    }
    return qualifiers;
}

/*
 * The tag of a struct, up to the '=' or bracket that ends it. Template arguments may hold both, and
 * characters in quotes.
 */
static enum loupe_encoding_status skip_tag(struct parser *p, char close) {
    unsigned angles = 0;
    for (; !at_end(p); p->at++) {
        char c = peek(p, 0);
        if (angles == 0 && (c == '=' || c == close))
            return LOUPE_ENCODING_OK;
        if (c == '<')
            angles++;
        else if (c == '>' && angles)
            angles--;
        else if (c == '\'' && angles && peek(p, 1) != '\0' && peek(p, 2) == '\'')
            p->at += 2;
    }
    return LOUPE_ENCODING_UNENDED;
}

/* ---- Types that are one piece ---- */

static void complete_type(struct parser *p, struct loupe_type type, uint32_t start,
                          unsigned qualifiers) {
    if (qualifiers & COMPLEX)
        type.size *= 2;
    /* Small atomics are made a power of two, so that the machine can load them at once. */
    if (qualifiers & ATOMIC && type.size && type.size <= 2u * p->rules->pointer_size) {
        uint64_t whole = 1;
        while (whole < type.size)
            whole *= 2;
        type.size = type.alignment = whole;
    }
    type.text = (struct loupe_span){.bytes = p->text + start, .length = p->at - start};
    p->value = (struct loupe_parsed){.type = type};
    p->complete = true;
}

static struct loupe_type pointer_type(const struct parser *p) {
    return loupe_scalar_type(LOUPE_TYPE_POINTER, p->rules->pointer_size, p->rules->pointer_size);
}

/*
 * Behind an @ stands a class name, or, inside a struct with member names, the next member's name:
 * that one has a type behind it, a class name has a name or a closing bracket.
 */
static enum loupe_encoding_status skip_class_name(struct parser *p) {
    const struct level *level = innermost(p);
    uint32_t at = p->at;
    struct loupe_span name;
    if (peek(p, 0) != '"')
        return LOUPE_ENCODING_OK;
    if (!loupe_encoding_take_name(whole_text(p), &at, &name)) {
        p->at = p->end;
        return LOUPE_ENCODING_UNENDED;
    }
    bool named = level ? level->named : p->outer_named;
    if (!named || at >= p->end || one_of(p->text[at], "\"})]"))
        p->at = at;
    return LOUPE_ENCODING_OK;
}

static bool is_gnu_bit_field(const struct parser *p) {
    uint32_t ahead = 0;
    while (is_digit(peek(p, ahead)))
        ahead++;
    return one_of(peek(p, ahead), "cCsSiIlLqQtTB") && is_digit(peek(p, ahead + 1));
}

/* Behind the b: 3, the width, or, from GCC and for GNUstep, 64i3: position, type, width. Qualifiers
 * mean nothing here. */
static enum loupe_encoding_status take_bit_field(struct parser *p, uint32_t start) {
    struct loupe_type type;
    uint64_t position = 0, width;
    bool placed = is_gnu_bit_field(p);
    if (placed) {
        enum loupe_encoding_status status = take_number(p, LOUPE_ENCODING_MAX_SIZE, &position);
        if (status)
            return status;
        loupe_letter_type(p->text[p->at++], p->rules, &type);
    }
    enum loupe_encoding_status status = take_number(p, 128, &width);
    if (status)
        return status;
    if (!placed) {
        uint64_t unit = width <= p->rules->bit_unit * 8u ? p->rules->bit_unit
                        : width <= 64                    ? 8
                                                         : 16;
        type =
            loupe_scalar_type(LOUPE_TYPE_BITS, unit, unit == 8 ? p->rules->wide_alignment : unit);
        type.trust = LOUPE_TRUST_ASSUMED; /* as a member of a struct it is judged by its place */
        type.guesses = LOUPE_GUESS_BITS;
    }
    type.kind = LOUPE_TYPE_BITS;
    type.leaf_count = width > 0;
    complete_type(p, type, start, 0);
    p->value.bit_width = (uint32_t)width;
    p->value.bit_placed = placed;
    p->value.bit_position = position;
    return LOUPE_ENCODING_OK;
}

/* ---- Closing ---- */

static struct loupe_type record_type(const struct parser *p, const struct level *level) {
    struct loupe_type type = {.kind = level->kind,
                              .alignment = level->record.alignment,
                              .leaf_count = level->leaves,
                              .object_count = level->objects,
                              .trust = loupe_record_trust(&level->record),
                              .guesses = level->guesses};
    type.size = loupe_record_size(&level->record);
    if (!level->has_member) {
        type.size = p->rules->empty_size;
        type.trust = LOUPE_TRUST_ASSUMED;
        type.guesses = LOUPE_GUESS_EMPTY;
    }
    if (type.trust == LOUPE_TRUST_UNKNOWN)
        type.size = 0;
    return type;
}

static struct loupe_type array_type(const struct level *level) {
    struct loupe_type type = level->element;
    type.kind = LOUPE_TYPE_ARRAY;
    type.size = multiply_saturated(level->element.size, level->count);
    type.leaf_count = multiply_saturated(level->element.leaf_count, level->count);
    type.object_count = multiply_saturated(level->element.object_count, level->count);
    return type;
}

/* The innermost level is complete and becomes a type. */
static enum loupe_encoding_status close_level(struct parser *p) {
    const struct level *level = &p->levels[--p->depth];
    struct loupe_type type;
    switch (level->kind) {
    case LOUPE_TYPE_ARRAY:
        type = array_type(level);
        break;
    case LOUPE_TYPE_VECTOR:
        type = loupe_scalar_type(LOUPE_TYPE_VECTOR, level->count, level->vector_alignment);
        break;
    case LOUPE_TYPE_BLOCK:
        type = pointer_type(p);
        type.kind = LOUPE_TYPE_BLOCK;
        type.object_count = 1;
        break;
    case LOUPE_TYPE_POINTER:
        type = pointer_type(p);
        break;
    default:
        type = record_type(p, level);
    }
    if (type.size > LOUPE_ENCODING_MAX_SIZE)
        return LOUPE_ENCODING_LARGE;
    complete_type(p, type, level->start, level->qualifiers);
    p->value.contents = level->contents;
    p->value.named = level->named;
    p->value.count = level->count;
    p->value.stride = level->element.size;
    return LOUPE_ENCODING_OK;
}

static void add_member(struct parser *p, struct level *level) {
    const struct loupe_parsed *member = &p->value;
    level->leaves = add_saturated(level->leaves, member->type.leaf_count);
    level->objects = add_saturated(level->objects, member->type.object_count);
    level->guesses |= member->type.guesses;
    if (level->kind == LOUPE_TYPE_STRUCT) {
        loupe_record_add(&level->record, member, p->member_unnamed, p->rules);
    } else {
        struct loupe_record alone = level->record;
        alone.bits = alone.least_bits = alone.most_bits = 0;
        loupe_record_add(&alone, member, p->member_unnamed, p->rules);
        if (alone.bits < level->record.bits)
            alone.bits = alone.least_bits = alone.most_bits = level->record.bits;
        level->record = alone;
    }
}

/* Between two types: the innermost level ends here, or its next member begins. */
static enum loupe_encoding_status continue_level(struct parser *p) {
    struct level *level = innermost(p);
    struct loupe_span name = {0};
    p->complete = false;
    p->member_unnamed = false;
    p->may_be_empty = false;
    if (at_end(p))
        return LOUPE_ENCODING_UNENDED;
    if (peek(p, 0) == level->close) {
        p->at++;
        return close_level(p);
    }
    if (level->kind == LOUPE_TYPE_ARRAY || level->kind == LOUPE_TYPE_VECTOR) {
        return level->has_member ? LOUPE_ENCODING_MALFORMED : LOUPE_ENCODING_OK;
    }
    if (level->named && peek(p, 0) == '"') {
        if (!loupe_encoding_take_name(whole_text(p), &p->at, &name)) {
            p->at = p->end;
            return LOUPE_ENCODING_UNENDED;
        }
        p->member_unnamed = name.length == 0;
        p->may_be_empty = true;
    }
    return LOUPE_ENCODING_OK;
}

/* ---- Types with types inside ---- */

static enum loupe_encoding_status push(struct parser *p, struct level level) {
    if (p->depth == LOUPE_ENCODING_MAX_DEPTH)
        return LOUPE_ENCODING_DEEP;
    level.record = loupe_record_begin(LOUPE_TRUST_EXACT);
    level.contents = p->at;
    p->levels[p->depth++] = level;
    return level.kind == LOUPE_TYPE_POINTER ? LOUPE_ENCODING_OK : continue_level(p);
}

static enum loupe_encoding_status begin_record(struct parser *p, uint32_t start,
                                               unsigned qualifiers) {
    bool is_struct = p->text[p->at++] == '{';
    char close = is_struct ? '}' : ')';
    enum loupe_encoding_status status = skip_tag(p, close);
    if (status)
        return status;
    bool opaque = p->text[p->at++] == close;
    if (opaque) {
        complete_type(p, loupe_unknown_type(p->rules), start, qualifiers);
        return LOUPE_ENCODING_OK;
    }
    return push(p, (struct level){.close = close,
                                  .kind = is_struct ? LOUPE_TYPE_STRUCT : LOUPE_TYPE_UNION,
                                  .named = peek(p, 0) == '"',
                                  .start = start,
                                  .qualifiers = qualifiers});
}

static enum loupe_encoding_status begin_array(struct parser *p, uint32_t start,
                                              unsigned qualifiers) {
    const struct level *outer = innermost(p);
    struct level level = {.close = ']',
                          .kind = LOUPE_TYPE_ARRAY,
                          .named = outer ? outer->named : p->outer_named,
                          .start = start,
                          .qualifiers = qualifiers,
                          .element = loupe_unknown_type(p->rules)};
    p->at++;
    enum loupe_encoding_status status = take_number(p, LOUPE_ENCODING_MAX_SIZE, &level.count);
    return status ? status : push(p, level);
}

/* ![16,16f]: size and alignment in bytes, type of an element. */
static enum loupe_encoding_status begin_vector(struct parser *p, uint32_t start,
                                               unsigned qualifiers) {
    struct level level = {
        .close = ']', .kind = LOUPE_TYPE_VECTOR, .start = start, .qualifiers = qualifiers};
    if (p->at++, peek(p, 0) != '[')
        return unexpected(p);
    p->at++;
    enum loupe_encoding_status status = take_number(p, LOUPE_ENCODING_MAX_SIZE, &level.count);
    if (!status && peek(p, 0) != ',')
        status = unexpected(p);
    p->at += !status;
    if (!status)
        status = take_number(p, 4096, &level.vector_alignment);
    if (!status && level.vector_alignment == 0)
        status = LOUPE_ENCODING_MALFORMED;
    return status ? status : push(p, level);
}

static enum loupe_encoding_status begin_pointer(struct parser *p, uint32_t start,
                                                unsigned qualifiers) {
    const struct level *outer = innermost(p);
    do {
        p->at++;
        take_qualifiers(p);
    } while (peek(p, 0) == '^');
    p->may_be_empty = true;
    return push(p, (struct level){.kind = LOUPE_TYPE_POINTER,
                                  .named = outer ? outer->named : p->outer_named,
                                  .start = start,
                                  .qualifiers = qualifiers});
}

static enum loupe_encoding_status begin_object(struct parser *p, uint32_t start,
                                               unsigned qualifiers) {
    struct loupe_type type =
        loupe_scalar_type(LOUPE_TYPE_OBJECT, p->rules->pointer_size, p->rules->pointer_size);
    p->at++;
    if (peek(p, 0) == '?') {
        p->at++;
        type.kind = LOUPE_TYPE_BLOCK;
        if (peek(p, 0) == '<') {
            p->at++;
            return push(p, (struct level){.close = '>',
                                          .kind = LOUPE_TYPE_BLOCK,
                                          .start = start,
                                          .qualifiers = qualifiers});
        }
    } else {
        enum loupe_encoding_status status = skip_class_name(p);
        if (status)
            return status;
    }
    type.object_count = 1;
    complete_type(p, type, start, qualifiers);
    return LOUPE_ENCODING_OK;
}

/* At the first character of a type: takes it whole, or up to its first member. */
static enum loupe_encoding_status begin_type(struct parser *p) {
    uint32_t start = p->at;
    bool may_be_empty = p->may_be_empty;
    p->may_be_empty = false;
    unsigned qualifiers = take_qualifiers(p);
    struct loupe_type type;
    char c = peek(p, 0);
    switch (c) {
    case '{':
    case '(':
        return begin_record(p, start, qualifiers);
    case '[':
        return begin_array(p, start, qualifiers);
    case '!':
        return begin_vector(p, start, qualifiers);
    case '^':
        return begin_pointer(p, start, qualifiers);
    case '@':
        return begin_object(p, start, qualifiers);
    case 'b':
        p->at++;
        return take_bit_field(p, start);
    default:
        if (loupe_letter_type(c, p->rules, &type))
            p->at++;
        else if ((may_be_empty || p->at > start) && (at_end(p) || one_of(c, "\"})]>,+-0123456789")))
            type = loupe_unknown_type(p->rules);
        else
            return unexpected(p);
        complete_type(p, type, start, qualifiers);
        return LOUPE_ENCODING_OK;
    }
}

/* ---- The whole ---- */

/* A type is complete: it belongs to the innermost level. */
static enum loupe_encoding_status take_member(struct parser *p) {
    struct level *level = innermost(p);
    level->has_member = true;
    switch (level->kind) {
    case LOUPE_TYPE_POINTER:
        return close_level(p);
    case LOUPE_TYPE_BLOCK: /* its arguments may carry frame offsets */
        while (is_digit(peek(p, 0)))
            p->at++;
        break;
    case LOUPE_TYPE_ARRAY:
        level->element = p->value.type;
        break;
    case LOUPE_TYPE_VECTOR:
        break;
    default:
        add_member(p, level);
        if (level->record.bits / 8 > LOUPE_ENCODING_MAX_SIZE)
            return LOUPE_ENCODING_LARGE;
    }
    return continue_level(p);
}

enum loupe_encoding_status loupe_encoding_parse(struct loupe_span text, uint32_t at, bool named,
                                                const struct loupe_encoding_rules *rules,
                                                struct loupe_parsed *ret, uint32_t *end_ret) {
    struct parser p;
    bool cut = text.length - at > LOUPE_ENCODING_MAX_LENGTH;
    p.text = text.bytes;
    p.at = at;
    p.end = cut ? at + LOUPE_ENCODING_MAX_LENGTH : (uint32_t)text.length;
    p.rules = rules;
    p.outer_named = named;
    p.may_be_empty = true;
    p.member_unnamed = false;
    p.complete = false;
    p.depth = 0;
    enum loupe_encoding_status status = begin_type(&p);
    while (!status && !(p.complete && p.depth == 0)) {
        if (p.complete)
            status = take_member(&p);
        else
            status = begin_type(&p);
    }
    *end_ret = p.at;
    if (status == LOUPE_ENCODING_UNENDED && cut)
        return LOUPE_ENCODING_LARGE;
    if (!status)
        *ret = p.value;
    return status;
}

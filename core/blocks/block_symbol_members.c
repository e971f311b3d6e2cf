/* Members of captured structs in those names. */
#include "blocks/symbol_parser.h"

/* An array of members: its elements' members are written once. */
struct repetition {
    const char *body;
    uint32_t element_size;
    uint32_t left;  /* elements still to come */
    uint32_t shift; /* of the elements around it */
};

struct member_parser {
    struct symbol_parser *parser;
    struct cursor cursor;
    uint32_t shift; /* from where the name says to the element that is read now */
    struct repetition open[LOUPE_SYMBOL_MAX_DEPTH];
    unsigned depth;
};

/* ["v"] OFFSET */
static bool take_member_offset(struct member_parser *members, uint32_t *ret) {
    uint32_t offset;
    take(&members->cursor, 'v');
    if (!take_number(&members->cursor, LOUPE_SYMBOL_MAX_OFFSET, &offset) ||
        offset + members->shift > LOUPE_SYMBOL_MAX_OFFSET)
        return false;
    *ret = offset + members->shift;
    return true;
}

static bool parse_word_member(struct member_parser *members, enum loupe_capture_kind kind) {
    uint32_t offset;
    return take_member_offset(members, &offset) &&
           loupe_symbol_add_word(members->parser, offset, kind);
}

/* "v" BITS-BEFORE "w" BITS, or OFFSET "w" SIZE */
static bool parse_plain_member(struct member_parser *members) {
    struct cursor *cursor = &members->cursor;
    bool in_bits = take(cursor, 'v');
    uint32_t start, length;
    if (!take_number(cursor, in_bits ? LOUPE_SYMBOL_MAX_BITS : LOUPE_SYMBOL_MAX_OFFSET, &start) ||
        !take(cursor, 'w') ||
        !take_number(cursor, in_bits ? LOUPE_SYMBOL_MAX_BITS : LOUPE_SYMBOL_MAX_OFFSET, &length))
        return false;
    if (in_bits) {
        length = (start % 8 + length + 7) / 8;
        start /= 8;
    }
    return loupe_symbol_add_data(members->parser, start + members->shift, length);
}

/* KEY "_" DISCRIMINATOR "_" ["anv_"] OFFSET: a signed pointer, no object */
static bool parse_signed_member(struct member_parser *members) {
    struct cursor *cursor = &members->cursor;
    uint32_t number, offset;
    if (!take_number(cursor, INT32_MAX, &number) || !take(cursor, '_') ||
        !take_number(cursor, INT32_MAX, &number) || !take(cursor, '_'))
        return false;
    take_text(cursor, "anv_");
    return take_member_offset(members, &offset) &&
           loupe_symbol_add_data(members->parser, offset, members->parser->context->pointer_size);
}

/* OFFSET "s" ELEMENT-SIZE "n" COUNT */
static bool begin_array(struct member_parser *members) {
    struct cursor *cursor = &members->cursor;
    uint32_t offset, element_size, count;
    if (members->depth == LOUPE_SYMBOL_MAX_DEPTH)
        return loupe_symbol_fail(members->parser, LOUPE_ELIMIT);
    if (!take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &offset) || !take(cursor, 's') ||
        !take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &element_size) || !take(cursor, 'n') ||
        !take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &count) || count == 0)
        return false;
    members->open[members->depth++] = (struct repetition){.body = cursor->at,
                                                          .element_size = element_size,
                                                          .left = count - 1,
                                                          .shift = members->shift};
    return true;
}

/* The end of an element: once more for the next one, or on behind the array. */
static bool end_element(struct member_parser *members) {
    if (members->depth == 0)
        return false;
    struct repetition *array = &members->open[members->depth - 1];
    if (array->left == 0) {
        members->shift = array->shift;
        members->depth--;
        return true;
    }
    array->left--;
    members->shift += array->element_size;
    members->cursor.at = array->body;
    return members->shift <= LOUPE_SYMBOL_MAX_OFFSET;
}

static bool parse_member(struct member_parser *members) {
    struct cursor *cursor = &members->cursor;
    if (!loupe_symbol_step(members->parser) || !take(cursor, '_'))
        return false;
    if (take(cursor, 's'))
        return parse_word_member(members,
                                 take(cursor, 'b') ? LOUPE_CAPTURE_BLOCK : LOUPE_CAPTURE_STRONG);
    if (take(cursor, 'w'))
        return parse_word_member(members, LOUPE_CAPTURE_WEAK);
    if (take(cursor, 't'))
        return parse_plain_member(members);
    if (take_text(cursor, "AB"))
        return begin_array(members);
    if (take_text(cursor, "AE"))
        return end_element(members);
    if (take_text(cursor, "pa"))
        return parse_signed_member(members);
    return take(cursor, 'S'); /* a struct inside: its members follow, at offsets in the outer one */
}

bool loupe_symbol_parse_members(struct symbol_parser *parser, struct cursor text, uint32_t offset) {
    struct member_parser members = {.parser = parser, .cursor = text, .shift = offset};
    uint32_t alignment;
    if (!take_number(&members.cursor, LOUPE_SYMBOL_MAX_OFFSET, &alignment))
        return false;
    struct cursor second = members.cursor;
    if (take(&second, '_') && take_number(&second, LOUPE_SYMBOL_MAX_OFFSET, &alignment))
        members.cursor = second;
    bool ok = true;
    while (ok && !at_end(&members.cursor))
        ok = parse_member(&members);
    if (!ok)
        parser->stuck = members.cursor.at;
    return ok && members.depth == 0;
}

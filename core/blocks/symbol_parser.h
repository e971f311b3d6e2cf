/*
 * symbol_parser.h - what the two halves of the parser of block symbols share; inside the core only.
 */
#ifndef LOUPE_SYMBOL_PARSER_H
#define LOUPE_SYMBOL_PARSER_H

#include "blocks/block_symbol.h"

#include <string.h>

enum { LOUPE_SYMBOL_MAX_OFFSET = 1 << 24, LOUPE_SYMBOL_MAX_BITS = 1 << 27 };

/* The part of a name that is still to be read. */
struct cursor {
    const char *at;
    const char *end;
};

struct symbol_parser {
    struct loupe_arena *arena;
    const struct loupe_symbol_context *context;
    struct loupe_block_symbol symbol;
    uint32_t capacity;         /* of symbol.captures */
    uint32_t steps;            /* captures and members seen, repeated ones each time */
    uint32_t last_offset;      /* of the capture before */
    bool any_capture;          /* there was one before */
    const char *stuck;         /* as far as any attempt came */
    enum loupe_status failure; /* what failed where it is not the name */
};

static inline bool at_end(const struct cursor *cursor) {
    return cursor->at == cursor->end;
}

static inline bool at_digit(const struct cursor *cursor) {
    return !at_end(cursor) && *cursor->at >= '0' && *cursor->at <= '9';
}

static inline bool take(struct cursor *cursor, char character) {
    if (at_end(cursor) || *cursor->at != character)
        return false;
    cursor->at++;
    return true;
}

static inline bool take_text(struct cursor *cursor, const char *text) {
    size_t length = strlen(text);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, text, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

static inline bool take_number(struct cursor *cursor, uint32_t max, uint32_t *ret) {
    uint64_t number;
    if (!loupe_parse_decimal(&cursor->at, cursor->end, max, &number))
        return false;
    *ret = (uint32_t)number;
    return true;
}

/* LENGTH [separator] and as many bytes. */
static inline bool take_counted(struct cursor *cursor, char separator, struct cursor *ret) {
    uint32_t length;
    if (!take_number(cursor, INT32_MAX, &length) || (separator && !take(cursor, separator)) ||
        (size_t)(cursor->end - cursor->at) < length)
        return false;
    *ret = (struct cursor){.at = cursor->at, .end = cursor->at + length};
    cursor->at += length;
    return true;
}

/* Each returns false when the name is to be given up; failure then says why if it is not the name.
 */
bool loupe_symbol_fail(struct symbol_parser *parser, enum loupe_status failure);
/* To be called once per capture and member: bounds the work that a name can cause. */
bool loupe_symbol_step(struct symbol_parser *parser);
bool loupe_symbol_add(struct symbol_parser *parser, struct loupe_symbol_capture capture);
bool loupe_symbol_add_word(struct symbol_parser *parser, uint32_t offset,
                           enum loupe_capture_kind kind);
bool loupe_symbol_add_data(struct symbol_parser *parser, uint32_t offset, uint32_t size);

/* ALIGNMENT ["_" ALIGNMENT] member*, of the C struct at offset in the block. text is all of it. */
bool loupe_symbol_parse_members(struct symbol_parser *parser, struct cursor text, uint32_t offset);

#endif

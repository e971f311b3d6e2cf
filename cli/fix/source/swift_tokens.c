/* Sources of Swift as tokens. */
#include "fix/source/swift_tokens.h"

#include "fix/source/letters.h"

#include <string.h>

struct reader {
    struct loupe_span text;
    size_t at;
    uint32_t conditions;
    struct loupe_arena *arena;
    struct fix_source *source;
};

static char at(const struct reader *reader, size_t ahead) {
    size_t index = reader->at + ahead;
    return index < reader->text.length ? reader->text.bytes[index] : '\0';
}

static bool is_done(const struct reader *reader) {
    return reader->at >= reader->text.length;
}

/* Comments may stand in each other. */
static enum loupe_status skip_comment(struct reader *reader) {
    uint32_t depth = 0;
    while (!is_done(reader)) {
        bool opens = at(reader, 0) == '/' && at(reader, 1) == '*';
        bool closes = at(reader, 0) == '*' && at(reader, 1) == '/';
        reader->at += opens || closes ? 2 : 1;
        depth += opens;
        depth -= closes;
        if (!depth)
            return LOUPE_OK;
    }
    return LOUPE_EUSAGE;
}

static enum loupe_status skip_blanks(struct reader *reader) {
    enum loupe_status status = LOUPE_OK;
    while (!status && !is_done(reader)) {
        if (at(reader, 0) == '/' && at(reader, 1) == '*') {
            status = skip_comment(reader);
        } else if (at(reader, 0) == '/' && at(reader, 1) == '/') {
            while (!is_done(reader) && at(reader, 0) != '\n')
                reader->at++;
        } else if (at(reader, 0) == ' ' || (at(reader, 0) >= '\t' && at(reader, 0) <= '\r')) {
            reader->at++;
        } else {
            break;
        }
    }
    return status;
}

static enum loupe_status add_token(struct reader *reader, enum fix_token_kind kind, size_t start) {
    struct fix_source *source = reader->source;
    source->tokens = loupe_arena_grow(reader->arena, source->tokens, source->count,
                                      &source->capacity, sizeof(*source->tokens));
    if (!source->tokens)
        return LOUPE_ENOMEM;
    source->tokens[source->count++] = (struct fix_token){.kind = kind,
                                                         .offset = (uint32_t)start,
                                                         .length = (uint32_t)(reader->at - start),
                                                         .conditions = reader->conditions};
    return LOUPE_OK;
}

/* Code in a text may have no text of its own. */
static enum loupe_status skip_code_in_text(struct reader *reader) {
    uint32_t depth = 0;
    for (; !is_done(reader) && at(reader, 0) != '"' && at(reader, 0) != '\n'; reader->at++) {
        depth += at(reader, 0) == '(';
        if (at(reader, 0) == ')' && --depth == 0)
            return LOUPE_OK;
    }
    return LOUPE_EUSAGE;
}

static enum loupe_status skip_text(struct reader *reader) {
    if (at(reader, 1) == '"' && at(reader, 2) == '"')
        return LOUPE_EUSAGE; /* one of several lines */
    for (reader->at++; !is_done(reader) && at(reader, 0) != '\n'; reader->at++) {
        bool is_escaped = at(reader, 0) == '\\';
        reader->at += is_escaped;
        if (is_escaped && at(reader, 0) == '(' && skip_code_in_text(reader))
            return LOUPE_EUSAGE;
        if (!is_escaped && at(reader, 0) == '"') {
            reader->at++;
            return LOUPE_OK;
        }
    }
    return LOUPE_EUSAGE;
}

static void skip_word(struct reader *reader) {
    while (fix_is_letter(at(reader, 0)) || fix_is_digit(at(reader, 0)))
        reader->at++;
}

/* "#if", "#endif"; any other is left to what follows it. */
static enum loupe_status take_directive(struct reader *reader, size_t start) {
    reader->at++;
    if (at(reader, 0) == '"' || at(reader, 0) == '/' || at(reader, 0) == '#')
        return LOUPE_EUSAGE; /* a raw text or expression */
    size_t name = reader->at;
    skip_word(reader);
    struct loupe_span word = {reader->text.bytes + name, reader->at - name};
    reader->conditions += loupe_span_equals(word, "if");
    if (loupe_span_equals(word, "endif") && reader->conditions-- == 0)
        return LOUPE_EUSAGE;
    return add_token(reader, FIX_MARK, start);
}

/* A slash where a value is expected begins a regular expression, which may hold anything. */
static bool may_begin_expression(const struct fix_source *source) {
    uint32_t last = source->count - 1;
    struct loupe_span text = fix_token_text(source, last);
    return !source->count || fix_token_is(source, last, "return") ||
           fix_token_is(source, last, "in") ||
           (text.length == 1 && strchr("=(,:[{}!&|;?", text.bytes[0]));
}

static enum loupe_status take_token(struct reader *reader) {
    size_t start = reader->at;
    char c = at(reader, 0);
    if (c == '#')
        return take_directive(reader, start);
    if (c == '/' && may_begin_expression(reader->source))
        return LOUPE_EUSAGE;
    if (c == '"') {
        enum loupe_status status = skip_text(reader);
        return status ? status : add_token(reader, FIX_LITERAL, start);
    }
    if (fix_is_letter(c) || (c == '@' && fix_is_letter(at(reader, 1)))) {
        reader->at++;
        skip_word(reader);
        return add_token(reader, FIX_WORD, start);
    }
    reader->at++;
    if (fix_is_digit(c))
        skip_word(reader);
    return add_token(reader, fix_is_digit(c) ? FIX_LITERAL : FIX_MARK, start);
}

enum loupe_status fix_read_swift_tokens(struct loupe_span text, struct loupe_arena *arena,
                                        struct fix_source *ret) {
    struct reader reader = {.text = text, .arena = arena, .source = ret};
    *ret = (struct fix_source){.text = text};
    enum loupe_status status = skip_blanks(&reader);
    while (!status && !is_done(&reader)) {
        status = take_token(&reader);
        if (!status)
            status = skip_blanks(&reader);
    }
    return !status && reader.conditions ? LOUPE_EUSAGE : status;
}

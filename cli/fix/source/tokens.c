/* Sources as tokens. */
#include "fix/source/tokens.h"

#include "fix/source/letters.h"

#include <string.h>

struct reader {
    struct loupe_span text;
    size_t at;
    bool begins_line; /* nothing but blanks and comments stands before, in this line */
    uint32_t conditions, guards;
    bool has_directive; /* one was seen */
    struct loupe_span guard;
    struct loupe_arena *arena;
    struct fix_source *source;
};

static char at(const struct reader *reader, size_t ahead) {
    size_t index = reader->at + ahead;
    return index < reader->text.length ? reader->text.bytes[index] : '\0';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* ---- What is skipped ---- */

/* A backslash and the end of the line after it; its length, or 0. */
static size_t splice(const struct reader *reader) {
    if (at(reader, 0) != '\\')
        return 0;
    if (at(reader, 1) == '\n')
        return 2;
    return at(reader, 1) == '\r' && at(reader, 2) == '\n' ? 3 : 0;
}

static void skip_line_comment(struct reader *reader) {
    while (reader->at < reader->text.length && at(reader, 0) != '\n')
        reader->at += splice(reader) ? splice(reader) : 1;
}

static enum loupe_status skip_comment(struct reader *reader) {
    for (reader->at += 2; reader->at < reader->text.length; reader->at++) {
        if (at(reader, 0) == '*' && at(reader, 1) == '/') {
            reader->at += 2;
            return LOUPE_OK;
        }
    }
    return LOUPE_EUSAGE;
}

/* Blanks and comments, within the line or beyond it. */
static enum loupe_status skip_blanks(struct reader *reader, bool in_line) {
    enum loupe_status status = LOUPE_OK;
    while (!status && reader->at < reader->text.length) {
        if (at(reader, 0) == '/' && at(reader, 1) == '*') {
            status = skip_comment(reader);
        } else if (at(reader, 0) == '/' && at(reader, 1) == '/') {
            skip_line_comment(reader);
        } else if (splice(reader)) {
            reader->at += splice(reader);
        } else if (is_blank(at(reader, 0))) {
            reader->at++;
        } else if (at(reader, 0) == '\n' && !in_line) {
            reader->begins_line = true;
            reader->at++;
        } else {
            break;
        }
    }
    return status;
}

static struct loupe_span take_word(struct reader *reader) {
    size_t start = reader->at;
    while (fix_is_letter(at(reader, 0)) || fix_is_digit(at(reader, 0)))
        reader->at++;
    return (struct loupe_span){reader->text.bytes + start, reader->at - start};
}

/* ---- Directives ---- */

static enum loupe_status add_macro(struct reader *reader, struct loupe_span name) {
    struct fix_source *source = reader->source;
    source->macros = loupe_arena_grow(reader->arena, source->macros, source->macro_count,
                                      &source->macro_capacity, sizeof(*source->macros));
    if (!source->macros)
        return LOUPE_ENOMEM;
    source->macros[source->macro_count++] = name;
    return LOUPE_OK;
}

static bool spans_equal(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

/* A guard: the first directive, "#ifndef NAME", with "#define NAME" next. */
static enum loupe_status take_define(struct reader *reader) {
    struct loupe_span name = take_word(reader);
    if (reader->guard.length && spans_equal(name, reader->guard)) {
        reader->guards = 1;
        reader->guard.length = 0;
        return LOUPE_OK;
    }
    return add_macro(reader, name);
}

static enum loupe_status take_directive(struct reader *reader) {
    reader->at++;
    enum loupe_status status = skip_blanks(reader, true);
    struct loupe_span name = take_word(reader);
    if (!status)
        status = skip_blanks(reader, true);
    bool is_first = !reader->has_directive && !reader->source->count;
    reader->has_directive = true;
    if (loupe_span_equals(name, "define"))
        status = status ? status : take_define(reader);
    reader->guard.length = 0;
    if (loupe_span_starts_with(name, "if"))
        reader->conditions++;
    if (is_first && loupe_span_equals(name, "ifndef"))
        reader->guard = take_word(reader);
    if (loupe_span_equals(name, "endif") && reader->conditions-- == 0)
        return LOUPE_EUSAGE;
    if (reader->guards > reader->conditions)
        reader->guards = 0;
    while (!status && reader->at < reader->text.length && at(reader, 0) != '\n') {
        status = skip_blanks(reader, true);
        if (!status && reader->at < reader->text.length && at(reader, 0) != '\n')
            reader->at++;
    }
    return status;
}

/* ---- Tokens ---- */

static enum loupe_status add_token(struct reader *reader, enum fix_token_kind kind, size_t start) {
    struct fix_source *source = reader->source;
    source->tokens = loupe_arena_grow(reader->arena, source->tokens, source->count,
                                      &source->capacity, sizeof(*source->tokens));
    if (!source->tokens)
        return LOUPE_ENOMEM;
    source->tokens[source->count++] =
        (struct fix_token){.kind = kind,
                           .offset = (uint32_t)start,
                           .length = (uint32_t)(reader->at - start),
                           .conditions = reader->conditions - reader->guards};
    return LOUPE_OK;
}

static enum loupe_status skip_text(struct reader *reader) {
    char quote = at(reader, 0);
    for (reader->at++; reader->at < reader->text.length; reader->at++) {
        if (splice(reader))
            reader->at += splice(reader) - 1;
        else if (at(reader, 0) == '\\')
            reader->at++;
        else if (at(reader, 0) == '\n')
            return LOUPE_EUSAGE;
        else if (at(reader, 0) == quote) {
            reader->at++;
            return LOUPE_OK;
        }
    }
    return LOUPE_EUSAGE;
}

static enum loupe_status take_token(struct reader *reader) {
    size_t start = reader->at;
    char c = at(reader, 0);
    if (fix_is_letter(c) || (c == '@' && fix_is_letter(at(reader, 1)))) {
        reader->at++;
        struct loupe_span rest = take_word(reader);
        bool is_raw =
            at(reader, 0) == '"' && reader->text.bytes[reader->at - 1] == 'R' && rest.length < 3;
        /* Raw texts of C++ may hold anything: none of the sources that are changed here has one. */
        return is_raw ? LOUPE_EUSAGE : add_token(reader, FIX_WORD, start);
    }
    if (fix_is_digit(c)) {
        while (fix_is_letter(at(reader, 0)) || fix_is_digit(at(reader, 0)) ||
               at(reader, 0) == '.' || (at(reader, 0) == '\'' && fix_is_digit(at(reader, 1))))
            reader->at++;
        return add_token(reader, FIX_LITERAL, start);
    }
    if (c == '"' || c == '\'') {
        enum loupe_status status = skip_text(reader);
        return status ? status : add_token(reader, FIX_LITERAL, start);
    }
    reader->at++;
    return add_token(reader, FIX_MARK, start);
}

enum loupe_status fix_read_tokens(struct loupe_span text, struct loupe_arena *arena,
                                  struct fix_source *ret) {
    struct reader reader = {.text = text, .begins_line = true, .arena = arena, .source = ret};
    *ret = (struct fix_source){.text = text};
    enum loupe_status status = skip_blanks(&reader, false);
    while (!status && reader.at < text.length) {
        bool is_directive = reader.begins_line && at(&reader, 0) == '#';
        reader.begins_line = false;
        status = is_directive ? take_directive(&reader) : take_token(&reader);
        if (!status)
            status = skip_blanks(&reader, false);
    }
    return !status && reader.conditions ? LOUPE_EUSAGE : status;
}

/* ---- Questions ---- */

struct loupe_span fix_token_text(const struct fix_source *source, uint32_t index) {
    if (index >= source->count)
        return (struct loupe_span){"", 0};
    const struct fix_token *token = &source->tokens[index];
    return (struct loupe_span){source->text.bytes + token->offset, token->length};
}

size_t fix_token_start(const struct fix_source *source, uint32_t index) {
    return source->tokens[index].offset;
}

size_t fix_token_end(const struct fix_source *source, uint32_t index) {
    return fix_token_start(source, index) + source->tokens[index].length;
}

bool fix_token_is(const struct fix_source *source, uint32_t index, const char *text) {
    return loupe_span_equals(fix_token_text(source, index), text);
}

bool fix_is_name(const struct fix_source *source, uint32_t index) {
    return index < source->count && source->tokens[index].kind == FIX_WORD &&
           !fix_token_is(source, index, "") && fix_token_text(source, index).bytes[0] != '@';
}

bool fix_can_be_name(struct loupe_span text) {
    if (!text.length || fix_is_digit(text.bytes[0]))
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (!fix_is_letter(text.bytes[i]) && !fix_is_digit(text.bytes[i]))
            return false;
    }
    return true;
}

bool fix_is_macro_here(const struct fix_source *source, struct loupe_span name) {
    for (uint32_t i = 0; i < source->macro_count; i++) {
        if (spans_equal(source->macros[i], name))
            return true;
    }
    return false;
}

/* ---- Brackets ---- */

static char mark_at(const struct fix_source *source, uint32_t token) {
    bool is_mark = token < source->count && source->tokens[token].kind == FIX_MARK;
    return is_mark ? source->text.bytes[source->tokens[token].offset] : ' ';
}

static bool opens(const struct fix_source *source, uint32_t token) {
    char mark = mark_at(source, token);
    return mark == '(' || mark == '[' || mark == '{';
}

static bool closes(const struct fix_source *source, uint32_t token) {
    char mark = mark_at(source, token);
    return mark == ')' || mark == ']' || mark == '}';
}

uint32_t fix_closing(const struct fix_source *source, uint32_t open) {
    uint32_t depth = 0;
    for (uint32_t i = open; i < source->count; i++) {
        if (opens(source, i))
            depth++;
        else if (closes(source, i) && --depth == 0)
            return i;
    }
    return source->count;
}

uint32_t fix_opening(const struct fix_source *source, uint32_t close) {
    uint32_t depth = 0;
    for (uint32_t i = close; i > 0; i--) {
        if (closes(source, i))
            depth++;
        else if (opens(source, i) && --depth == 0)
            return i;
    }
    return 0;
}

/* Where a block stands in a source. */
#include "fix/source/blocks.h"

#include "shared/cli.h"
#include "fix/source/doubts.h"
#include "fix/source/methods.h"

#include <string.h>

enum { MOST_NESTED = 200, LONGEST_TYPE = 24 };

static bool is_mark(const struct fix_source *source, uint32_t token, char mark) {
    return token < source->count && source->tokens[token].kind == FIX_MARK &&
           source->text.bytes[source->tokens[token].offset] == mark;
}

/* "^{", "^(id a) {", "^BOOL(id a) {", "^NSString *{". */
bool fix_begins_block(const struct fix_source *source, uint32_t caret, uint32_t *ret_open) {
    uint32_t at = caret + 1;
    if (!is_mark(source, caret, '^'))
        return false;
    while (at < caret + LONGEST_TYPE && (fix_is_name(source, at) || is_mark(source, at, '*') ||
                                         is_mark(source, at, '<') || is_mark(source, at, '>')))
        at++;
    if (is_mark(source, at, '('))
        at = fix_closing(source, at) + 1;
    *ret_open = at;
    return is_mark(source, at, '{');
}

bool fix_begins_line(const struct fix_source *source, uint32_t token,
                     struct loupe_span *ret_blanks) {
    const char *bytes = source->text.bytes;
    size_t end = source->tokens[token].offset, start = end;
    while (start > 0 && (bytes[start - 1] == ' ' || bytes[start - 1] == '\t'))
        start--;
    *ret_blanks = (struct loupe_span){bytes + start, end - start};
    return start == 0 || bytes[start - 1] == '\n';
}

/* ---- By its line ---- */

static bool find_caret(const struct fix_file *file, uint64_t line, struct fix_block *block,
                       struct fix_reason *reason) {
    const struct fix_source *source = &file->source;
    uint64_t at = 1;
    size_t read = 0;
    unsigned found = 0;
    for (uint32_t i = 0; i < source->count && at <= line; i++) {
        uint32_t open;
        for (; read < source->tokens[i].offset; read++)
            at += source->text.bytes[read] == '\n';
        if (at == line && fix_begins_block(source, i, &open)) {
            block->caret = i;
            block->open = open;
            found++;
        }
    }
    if (found == 1) {
        block->close = fix_closing(source, block->open);
        return block->close < source->count ||
               fix_refuse(reason, "the block at %s:%llu has no end",
                          cli_printable(loupe_span_of(file->path)), (unsigned long long)line);
    }
    return fix_refuse(reason, "%s begins in %s:%llu", found ? "more than one block" : "no block",
                      cli_printable(loupe_span_of(file->path)), (unsigned long long)line);
}

/* ---- Its function ---- */

static bool is_name(const struct fix_name *name, struct loupe_span wanted) {
    return !name->is_cut && name->length == wanted.length &&
           memcmp(name->bytes, wanted.bytes, wanted.length) == 0;
}

/* "@implementation NAME (CATEGORY)" that a token stands in; its name, 0: in none. */
static uint32_t implementation_around(const struct fix_source *source, uint32_t token) {
    for (uint32_t i = token; i > 0; i--) {
        if (fix_token_is(source, i - 1, "@end"))
            return 0;
        if (fix_token_is(source, i - 1, "@implementation"))
            return i;
    }
    return 0;
}

/* at: its - or +. */
static bool is_method(struct fix_block *block, uint32_t at, struct loupe_span wanted) {
    const struct fix_source *source = &block->file->source;
    uint32_t class_at = implementation_around(source, at);
    struct fix_name selector = {.length = 0}, plain = {.length = 0}, full;
    if (!class_at || !fix_read_selector(source, at + 1, block->body, &selector))
        return false;
    block->class_name = fix_token_text(source, class_at);
    fix_add_to_name(&plain, fix_token_text(source, at));
    fix_add_to_name(&plain, loupe_span_of("["));
    fix_add_to_name(&plain, block->class_name);
    full = plain;
    if (is_mark(source, class_at + 1, '(')) {
        fix_add_to_name(&full, loupe_span_of("("));
        fix_add_to_name(&full, fix_token_text(source, class_at + 2));
        fix_add_to_name(&full, loupe_span_of(")"));
    }
    struct fix_name *forms[] = {&plain, &full};
    bool is_it = false;
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        fix_add_to_name(forms[i], loupe_span_of(" "));
        fix_add_to_name(forms[i], (struct loupe_span){selector.bytes, selector.length});
        fix_add_to_name(forms[i], loupe_span_of("]"));
        is_it |= !selector.is_cut && is_name(forms[i], wanted);
    }
    return is_it;
}

static bool is_function(const struct fix_block *block, struct loupe_span wanted) {
    const struct fix_source *source = &block->file->source;
    if (!is_mark(source, block->body - 1, ')'))
        return false;
    uint32_t open = fix_opening(source, block->body - 1);
    struct fix_name name = {.length = 0};
    fix_add_to_name(&name, open ? fix_token_text(source, open - 1) : (struct loupe_span){"", 0});
    return open && fix_is_name(source, open - 1) && is_name(&name, wanted);
}

uint32_t fix_sign_before(const struct fix_source *source, uint32_t body) {
    for (uint32_t i = body; i > 1; i--) {
        if (is_mark(source, i - 1, ';') || is_mark(source, i - 1, '}') ||
            is_mark(source, i - 1, '{') || fix_token_is(source, i - 1, "@implementation"))
            return 0;
        if ((is_mark(source, i - 1, '-') || is_mark(source, i - 1, '+')) && is_mark(source, i, '('))
            return i - 1;
    }
    return 0;
}

static bool find_function(struct fix_block *block, struct loupe_span wanted) {
    const struct fix_source *source = &block->file->source;
    for (uint32_t i = 0; i < block->caret; i++) {
        if (!is_mark(source, i, '{'))
            continue;
        uint32_t end = fix_closing(source, i);
        if (end > block->caret) {
            block->body = i;
            block->body_end = end;
            uint32_t sign = end < source->count ? fix_sign_before(source, i) : 0;
            block->head = sign                               ? sign
                          : i && is_mark(source, i - 1, ')') ? fix_opening(source, i - 1)
                                                             : i;
            return end < source->count && i &&
                   (sign ? is_method(block, sign, wanted) : is_function(block, wanted));
        }
        i = end;
    }
    return false;
}

/* ---- Its statement ---- */

/* Brackets that are open at a token. */
struct nesting {
    uint32_t statements[MOST_NESTED]; /* where the innermost one of each begins */
    bool has_statements[MOST_NESTED]; /* a brace of statements, not one of an expression */
    uint32_t depth;
};

static bool opens_statements(const struct nesting *nesting, const struct fix_source *source,
                             uint32_t brace) {
    static const char *const before[] = {"=", "@", ",", "(", "[", "return"};
    if (!nesting->has_statements[nesting->depth - 1])
        return false;
    return !fix_is_one_of(fix_token_text(source, brace - 1), before,
                          sizeof(before) / sizeof(before[0]));
}

/* Why a statement cannot have another put before it; NULL: it can. */
static const char *problem_of_statement(const struct fix_block *block, uint32_t opener) {
    static const char *const heads[] = {"if",     "else", "for",     "while",         "do",
                                        "switch", "case", "default", "@synchronized", "@try",
                                        "@catch"};
    const struct fix_source *source = &block->file->source;
    uint32_t at = block->statement;
    struct loupe_span blanks;
    if (fix_is_one_of(fix_token_text(source, at), heads, sizeof(heads) / sizeof(heads[0])) ||
        is_mark(source, at + 1, ':'))
        return "it is in the head of a statement, or in one without braces";
    uint32_t condition = is_mark(source, opener - 1, ')') ? fix_opening(source, opener - 1) : 0;
    if (condition && fix_token_is(source, condition - 1, "switch"))
        return "it is in a switch";
    return fix_begins_line(source, at, &blanks) ? NULL : "another statement is in its line";
}

static const char *push(struct nesting *nesting, uint32_t first, bool has_statements) {
    if (nesting->depth == MOST_NESTED)
        return "it is nested too deeply";
    nesting->statements[nesting->depth] = first;
    nesting->has_statements[nesting->depth++] = has_statements;
    return NULL;
}

/* What a token of the function before a block's ^ does; NULL, or what is in the way. */
static const char *follow(struct nesting *nesting, const struct fix_source *source, uint32_t caret,
                          uint32_t *at) {
    uint32_t open, i = *at, top = nesting->depth - 1;
    if (fix_begins_block(source, i, &open)) {
        bool is_around = open < caret && fix_closing(source, open) > caret;
        *at = is_around ? open : fix_closing(source, open); /* else it is over */
        return is_around ? push(nesting, open + 1, true) : NULL;
    }
    if (is_mark(source, i, '{'))
        return push(nesting, i + 1, opens_statements(nesting, source, i));
    if (is_mark(source, i, '(') || is_mark(source, i, '['))
        return push(nesting, i + 1, false);
    if (is_mark(source, i, ')') || is_mark(source, i, ']') || is_mark(source, i, '}')) {
        bool ends_statements = nesting->has_statements[top];
        nesting->depth--;
        if (!nesting->depth)
            return "its brackets are not understood";
        if (ends_statements)
            nesting->statements[nesting->depth - 1] = i + 1;
    } else if (is_mark(source, i, ';') && nesting->has_statements[top]) {
        nesting->statements[top] = i + 1;
    }
    return NULL;
}

static const char *find_statement(struct fix_block *block) {
    const struct fix_source *source = &block->file->source;
    struct nesting nesting = {.depth = 0};
    const char *problem = push(&nesting, block->body + 1, true);
    for (uint32_t i = block->body + 1; !problem && i < block->caret; i++) {
        problem = follow(&nesting, source, block->caret, &i);
        if (i > block->caret)
            return "it is in the head of another block";
    }
    while (!problem && nesting.depth && !nesting.has_statements[nesting.depth - 1])
        nesting.depth--;
    if (problem || !nesting.depth)
        return problem ? problem : "its brackets are not understood";
    block->statement = nesting.statements[nesting.depth - 1];
    uint32_t opener = block->statement;
    while (opener > block->body && !is_mark(source, opener, '{'))
        opener = is_mark(source, opener, '}') ? fix_opening(source, opener) - 1 : opener - 1;
    return problem_of_statement(block, opener);
}

bool fix_find_block(const struct fix_file *file, uint64_t line, struct loupe_span function,
                    struct fix_block *ret, struct fix_reason *reason) {
    *ret = (struct fix_block){.file = file};
    if (!find_caret(file, line, ret, reason))
        return false;
    if (!find_function(ret, function))
        return fix_refuse(reason, "the block at %s:%llu is not in %s: the source is another one",
                          cli_printable(loupe_span_of(file->path)), (unsigned long long)line,
                          cli_printable(function));
    const char *problem = find_statement(ret);
    for (uint32_t i = ret->body; !problem && i < ret->body_end; i++)
        problem = file->source.tokens[i].conditions ? "its function has an #if in it" : NULL;
    return !problem ||
           fix_refuse(reason, "the block at %s:%llu is left alone: %s",
                      cli_printable(loupe_span_of(file->path)), (unsigned long long)line, problem);
}

#include "swift/symbol_names.h"

#include "swift/records.h"

#include <string.h>

enum { MOST_WORDS = 26, MOST_IDENTIFIER_TEXT = 256, MOST_CLOSURES = 16, MOST_SYMBOL = 4096 };

/* A symbol from front to back. Identifiers repeat words of those before. */
struct symbol {
    const char *at;
    char words[MOST_WORDS][MOST_IDENTIFIER_TEXT];
    unsigned word_count;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_large(char c) {
    return c >= 'A' && c <= 'Z';
}
static bool is_small(char c) {
    return c >= 'a' && c <= 'z';
}

/* ---- Identifiers ---- */

static bool ends_word(char c, char next) {
    return c == '_' || c == '\0' || (!is_large(c) && is_large(next));
}

/* Parts of two letters and more, which begin with one: "Feed" and "Screen" of "FeedScreen". */
static void take_words(struct symbol *symbol, const char *text, size_t length) {
    size_t start = length;
    for (size_t i = 0; i <= length; i++) {
        char c = i < length ? text[i] : '\0', before = i ? text[i - 1] : '_';
        if (start < i && ends_word(before, c)) {
            size_t count = i - start;
            if (count >= 2 && symbol->word_count < MOST_WORDS && count < MOST_IDENTIFIER_TEXT) {
                memcpy(symbol->words[symbol->word_count], text + start, count);
                symbol->words[symbol->word_count++][count] = '\0';
            }
            start = length;
        }
        if (start == length && c && c != '_' && !is_digit(c))
            start = i;
    }
}

static bool read_length(struct symbol *symbol, size_t *ret) {
    *ret = 0;
    /* Cap: a longer one makes no sense. */
    while (is_digit(*symbol->at) && *ret < MOST_IDENTIFIER_TEXT)
        *ret = *ret * 10 + (size_t)(*symbol->at++ - '0');
    return *ret > 0 && *ret < MOST_IDENTIFIER_TEXT;
}

static bool add_literal(struct symbol *symbol, struct loupe_swift_text *text) {
    char part[MOST_IDENTIFIER_TEXT];
    size_t length;
    if (!read_length(symbol, &length) || strlen(symbol->at) < length)
        return false;
    memcpy(part, symbol->at, length);
    part[length] = '\0';
    symbol->at += length;
    take_words(symbol, part, length);
    return loupe_swift_put(text, part);
}

/* A small letter is a word, and more follows; a large one is the last word. */
static bool add_words(struct symbol *symbol, struct loupe_swift_text *text) {
    bool is_last = false;
    symbol->at++; /* 0 */
    while (!is_last && (is_small(*symbol->at) || is_large(*symbol->at))) {
        is_last = is_large(*symbol->at);
        unsigned number = (unsigned)(*symbol->at++ - (is_last ? 'A' : 'a'));
        if (number >= symbol->word_count || !loupe_swift_put(text, symbol->words[number]))
            return false;
        if (!is_last && is_digit(*symbol->at) && *symbol->at != '0' && !add_literal(symbol, text))
            return false;
    }
    if (*symbol->at == '0') {
        symbol->at++;
        return true;
    }
    return !is_digit(*symbol->at) || add_literal(symbol, text);
}

static bool read_identifier(struct symbol *symbol, struct loupe_swift_text *text) {
    text->length = 0;
    text->bytes[0] = '\0';
    if (!is_digit(*symbol->at))
        return false;
    if (*symbol->at != '0')
        return add_literal(symbol, text);
    /* "04FeedD0": a literal first. */
    if (is_digit(symbol->at[1])) {
        symbol->at++;
        if (!add_literal(symbol, text))
            return false;
        symbol->at--;
    }
    return add_words(symbol, text);
}

/* ---- Scopes ---- */

/* What a nominal type ends with, an extension of one too; what is private has a number before. */
static bool skip_kind(struct symbol *symbol) {
    char hidden[MOST_IDENTIFIER_TEXT];
    struct loupe_swift_text text = {.bytes = hidden, .cap = sizeof(hidden)};
    const char *at = symbol->at;
    if (is_digit(*at)) {
        if (!read_identifier(symbol, &text) || strncmp(symbol->at, "LL", 2) != 0) {
            symbol->at = at;
            return false;
        }
        symbol->at += 2;
    }
    if (*symbol->at && loupe_find_char("CVO", *symbol->at)) {
        symbol->at++;
        if (*symbol->at == 'E')
            symbol->at++;
        return true;
    }
    return false;
}

/* Behind its name: the labels of its parameters, each with a colon. */
static bool put_labels(struct symbol *symbol, struct loupe_swift_text *to) {
    char label[MOST_IDENTIFIER_TEXT];
    struct loupe_swift_text text = {.bytes = label, .cap = sizeof(label)};
    bool is_any = false;
    if (!loupe_swift_put(to, "("))
        return false;
    for (; is_digit(*symbol->at) || *symbol->at == '_'; is_any = true) {
        if (*symbol->at == '_') {
            symbol->at++;
            if (!loupe_swift_put(to, "_:"))
                return false;
        } else if (!read_identifier(symbol, &text) || !loupe_swift_put(to, label) ||
                   !loupe_swift_put(to, ":")) {
            return false;
        }
    }
    /* Without labels: a list of none stands first where there are parameters. */
    const char *end = loupe_find_text(symbol->at, "F");
    bool has_parameters =
        !is_any && end && end > symbol->at && end[-1] != 'y' && strncmp(symbol->at, "y", 1) == 0;
    return (!has_parameters || loupe_swift_put(to, "_:")) && loupe_swift_put(to, ")");
}

/* Of an initializer the type comes again, and no name. */
static bool put_function(struct symbol *symbol, const char *type, struct loupe_swift_text *to) {
    char name[MOST_IDENTIFIER_TEXT];
    struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
    const char *is_variable;
    if (type[0] && !loupe_swift_put(to, type))
        return false;
    if (!is_digit(*symbol->at))
        return !type[0] || loupe_find_text(symbol->at, "fc") || loupe_find_text(symbol->at, "fC")
                   ? !type[0] || loupe_swift_put(to, ".init")
                   : true;
    if (!read_identifier(symbol, &text) || (type[0] && !loupe_swift_put(to, ".")) ||
        !loupe_swift_put(to, name))
        return false;
    is_variable = loupe_find_text(symbol->at, "F");
    const char *closure = loupe_find_text(symbol->at, "fU");
    bool is_of_variable = !is_variable || (closure && is_variable > closure);
    return is_of_variable || put_labels(symbol, to);
}

static bool put_scope(struct symbol *symbol, struct loupe_swift_text *to) {
    char name[MOST_IDENTIFIER_TEXT], type[MOST_IDENTIFIER_TEXT] = "";
    struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
    struct loupe_swift_text types = {.bytes = type, .cap = sizeof(type)};
    if (!read_identifier(symbol, &text)) /* the module */
        return false;
    for (;;) {
        struct symbol before = *symbol;
        if (!is_digit(*symbol->at) || !read_identifier(symbol, &text) || !skip_kind(symbol)) {
            *symbol = before;
            break;
        }
        if ((types.length && !loupe_swift_put(&types, ".")) || !loupe_swift_put(&types, name))
            return false;
    }
    return put_function(symbol, type, to);
}

/* ---- Closures ---- */

/* From behind: "fU_" is the first in its scope, "fU0_" the second. Where it begins; NULL: none. */
static const char *closure_before(const char *start, const char *end, unsigned *number) {
    const char *at = end;
    *number = 0;
    if (at == start || at[-1] != '_')
        return NULL;
    at--;
    const char *digits = at;
    while (digits > start && is_digit(digits[-1]))
        digits--;
    for (const char *digit = digits; digit < at && *number < 1000; digit++)
        *number = *number * 10 + (unsigned)(*digit - '0');
    *number += digits == at ? 1 : 2;
    return digits - start >= 2 && strncmp(digits - 2, "fU", 2) == 0 ? digits - 2 : NULL;
}

/* What stands behind the name of a function that only passes its context on, or is a part of it. */
static const char *end_of(const char *symbol) {
    static const char *const behind[] = {"TA", "TATm", "Tm", "TY", "TQ", "Tu"};
    const char *end = symbol + strlen(symbol);
    for (bool changes = true; changes;) {
        changes = false;
        const char *digits = end;
        while (digits > symbol && (is_digit(digits[-1]) || digits[-1] == '.'))
            digits--;
        if (digits > symbol && *digits == '.')
            end = digits;
        for (unsigned i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
            size_t length = strlen(behind[i]);
            if ((size_t)(end - symbol) > length && memcmp(end - length, behind[i], length) == 0) {
                end -= length;
                changes = true;
            }
        }
    }
    /* Of an async function "TY0_" and "TQ1_". */
    if (end - symbol > 4 && end[-1] == '_' && is_digit(end[-2]) &&
        (strncmp(end - 4, "TY", 2) == 0 || strncmp(end - 4, "TQ", 2) == 0))
        return end - 4;
    return end;
}

/* The type of a closure stands before it: up to the function, the variable or the closure that it
 * is in. */
static const char *scope_end(const char *start, const char *end) {
    static const char *const ends[] = {"F", "fi", "fc", "fC", "vg", "vs"};
    unsigned ignored;
    for (; end > start; end--) {
        if (closure_before(start, end, &ignored))
            return end;
        for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
            size_t length = strlen(ends[i]);
            if ((size_t)(end - start) > length && memcmp(end - length, ends[i], length) == 0)
                return end;
        }
    }
    return end;
}

bool loupe_swift_closure_name(const char *symbol, char *dst, size_t cap) {
    char name[MOST_CLOSURES * 16 + 512];
    struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
    unsigned number, count = 0;
    if (strlen(symbol) >= MOST_SYMBOL)
        return false;
    if (strncmp(symbol, "$s", 2) != 0 && strncmp(symbol, "_$s", 3) != 0)
        return false;
    const char *start = loupe_find_char(symbol, 's') + 1, *end = end_of(symbol);
    const char *closure;
    name[0] = '\0';
    /* Cap: closures further around have no part in its name. */
    while (count < MOST_CLOSURES && end > start &&
           (closure = closure_before(start, end, &number)) != NULL) {
        char part[32];
        loupe_format(part, sizeof(part), "%sclosure #%u", count ? " in " : "", number);
        if (!loupe_swift_put(&text, part))
            return false;
        count++;
        end = scope_end(start, closure);
    }
    if (!count)
        return false;
    struct symbol scope = {.at = start};
    char around[512] = "";
    struct loupe_swift_text to = {.bytes = around, .cap = sizeof(around)};
    if (put_scope(&scope, &to) && around[0] &&
        (!loupe_swift_put(&text, " in ") || !loupe_swift_put(&text, around)))
        return false;
    loupe_format(dst, cap, "%s", name);
    return true;
}

bool loupe_swift_is_thunk(const char *symbol) {
    const char *end = end_of(symbol);
    return end - symbol > 4 && strncmp(end - 2, "TR", 2) == 0;
}

size_t loupe_swift_symbol_length(const char *symbol) {
    return (size_t)(end_of(symbol) - symbol);
}

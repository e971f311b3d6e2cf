/* C++ as tokens. */
#include "fix/source/cxx_code.h"

#include "answers/json_tree.h"

#include <string.h>

/* ---- Names of types ---- */

struct loupe_span fix_cxx_last_name(struct loupe_span name) {
    const char *blank = memchr(name.bytes, ' ', name.length);
    if (blank)
        name.length = (size_t)(blank - name.bytes);
    for (size_t i = name.length; i > 0; i--) {
        if (name.bytes[i - 1] == ':')
            return (struct loupe_span){name.bytes + i, name.length - i};
    }
    return name;
}

struct loupe_span fix_cxx_full_name(struct loupe_span name) {
    const char *blank = memchr(name.bytes, ' ', name.length);
    if (blank)
        name.length = (size_t)(blank - name.bytes);
    for (size_t i = 0; i < name.length; i++) {
        if (name.bytes[i] != ':' && !fix_can_be_name((struct loupe_span){name.bytes + i, 1}) &&
            (name.bytes[i] < '0' || name.bytes[i] > '9'))
            return (struct loupe_span){"", 0};
    }
    return name;
}

struct loupe_span fix_cxx_function_of_lambda(struct loupe_span name) {
    static const char mark[] = "::{lambda";
    size_t end = 0, length = sizeof(mark) - 1;
    while (end + length <= name.length && memcmp(name.bytes + end, mark, length) != 0)
        end++;
    const char *open = end + length <= name.length ? memchr(name.bytes, '(', end) : NULL;
    if (!open)
        return (struct loupe_span){"", 0};
    return fix_cxx_last_name((struct loupe_span){name.bytes, (size_t)(open - name.bytes)});
}

static bool is_name(const struct fix_source *source, uint32_t token, struct loupe_span name) {
    return fix_is_name(source, token) && json_texts_equal(fix_token_text(source, token), name);
}

/* ---- Classes ---- */

static bool is_class_word(const struct fix_source *source, uint32_t at) {
    return (fix_token_is(source, at, "class") || fix_token_is(source, at, "struct")) &&
           !fix_token_is(source, at - 1, "enum");
}

/* The brace of a class whose name is at a token, behind "final" and its bases; 0: it has none. */
static uint32_t brace_of_class(const struct fix_source *source, uint32_t name) {
    uint32_t at = name + 1;
    while (at < source->count && !fix_token_is(source, at, "{")) {
        if (fix_token_is(source, at, ";") || fix_token_is(source, at, ")") ||
            fix_token_is(source, at, "="))
            return 0;
        at++;
    }
    return at < source->count ? at : 0;
}

uint32_t fix_cxx_class(const struct fix_source *source, uint32_t at, struct loupe_span name) {
    bool is_it = is_class_word(source, at) && is_name(source, at + 1, name) &&
                 (fix_token_is(source, at + 2, "{") || fix_token_is(source, at + 2, ":") ||
                  fix_token_is(source, at + 2, "final"));
    return is_it ? brace_of_class(source, at + 1) : 0;
}

bool fix_is_cxx_member(const struct fix_source *source, uint32_t at) {
    uint32_t depth = 0, i = at;
    if (!fix_token_is(source, at + 1, ";") ||
        !(fix_token_is(source, at - 1, ">") || fix_token_is(source, at - 1, "*") ||
          fix_token_is(source, at - 1, "&") || fix_is_name(source, at - 1)))
        return false;
    for (; i > 0; i--) {
        depth += fix_token_is(source, i - 1, "}");
        if (fix_token_is(source, i - 1, "{") && !depth)
            break;
        depth -= fix_token_is(source, i - 1, "{");
    }
    for (uint32_t k = i; k > 1; k--) { /* the head of what the brace begins */
        bool ends = fix_token_is(source, k - 2, ";") || fix_token_is(source, k - 2, "}") ||
                    fix_token_is(source, k - 2, "{") || fix_token_is(source, k - 2, ")");
        if (is_class_word(source, k - 2))
            return i > 0;
        if (ends)
            return false;
    }
    return false;
}

/* ---- Functions ---- */

uint32_t fix_cxx_function(const struct fix_source *source, uint32_t at, struct loupe_span name) {
    if (!is_name(source, at, name) || !fix_token_is(source, at + 1, "("))
        return 0;
    uint32_t i = fix_closing(source, at + 1) + 1;
    while (fix_token_is(source, i, "const") || fix_token_is(source, i, "override") ||
           fix_token_is(source, i, "noexcept") || fix_token_is(source, i, "final"))
        i++;
    return fix_token_is(source, i, "{") ? i : 0;
}

/* "NAME::f(...) ... {" from a token on, past what a constructor initializes; the brace. */
static uint32_t function_outside(const struct fix_source *source, uint32_t at,
                                 struct loupe_span name) {
    uint32_t i = at + 3;
    if (!is_name(source, at, name) || !fix_token_is(source, at + 1, ":") ||
        !fix_token_is(source, at + 2, ":"))
        return 0;
    i += fix_token_is(source, i, "~");
    if (!fix_is_name(source, i) || !fix_token_is(source, i + 1, "("))
        return 0;
    i = fix_closing(source, i + 1) + 1;
    while (i < source->count && !fix_token_is(source, i, "{") && !fix_token_is(source, i, ";"))
        i = fix_token_is(source, i, "(") ? fix_closing(source, i) + 1 : i + 1;
    return fix_token_is(source, i, "{") ? i : 0;
}

bool fix_is_in_cxx_class(const struct fix_source *source, uint32_t at, struct loupe_span name) {
    for (uint32_t i = 0; i < at; i++) {
        uint32_t open = fix_cxx_class(source, i, name);
        if (!open)
            open = function_outside(source, i, name);
        if (open && fix_closing(source, open) > at && i < at)
            return true;
    }
    return false;
}

bool fix_begins_lambda(const struct fix_source *source, uint32_t at) {
    bool is_index = fix_is_name(source, at - 1) || fix_token_is(source, at - 1, "]") ||
                    fix_token_is(source, at - 1, ")");
    uint32_t close = fix_token_is(source, at, "[") ? fix_closing(source, at) : 0;
    return close && (!is_index || fix_token_is(source, at - 1, "return")) &&
           (fix_token_is(source, close + 1, "{") || fix_token_is(source, close + 1, "("));
}

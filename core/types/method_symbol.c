#include "types/method_symbol.h"

#include "base/json.h"

#include <string.h>

enum { LONGEST_FUNCTION = 2048 };

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_word(const char *text) {
    while (is_letter_or_digit(*text) || *text == '_')
        text++;
    return !*text;
}

/* Of _i_Class__selector: between the two underscores would stand a category. */
static bool parse(const char *symbol, struct loupe_span *class_ret, const char **selector_ret) {
    struct loupe_span span = loupe_span_of(symbol);
    if (!loupe_span_starts_with(span, "_i_") && !loupe_span_starts_with(span, "_c_"))
        return false;
    const char *name = symbol + 3, *end = name;
    while (is_letter_or_digit(*end))
        end++;
    if (end == name || end[0] != '_' || end[1] != '_' || !end[2] || !is_word(end + 2))
        return false;
    *class_ret = (struct loupe_span){name, (size_t)(end - name)};
    *selector_ret = end + 2;
    return true;
}

void loupe_method_of_symbol(const char *symbol, char *dst, size_t cap) {
    struct loupe_span class_name;
    const char *selector;
    if (!parse(symbol, &class_name, &selector)) {
        loupe_format(dst, cap, "%s", symbol);
        return;
    }
    loupe_format(dst, cap, "%c[%.*s %s]", symbol[1] == 'i' ? '-' : '+', (int)class_name.length,
                 class_name.bytes, selector);
    size_t length = strlen(dst), start = class_name.length + 3;
    bool takes_arguments = selector[strlen(selector) - 1] == '_';
    while (start < length && dst[start] == '_') /* of a private one, before its name */
        start++;
    for (size_t i = start; takes_arguments && i < length; i++)
        dst[i] = dst[i] == '_' ? ':' : dst[i];
}

/* Where the first of its kind begins; NULL: there is none. */
static const char *find_suffix(const char *name) {
    static const char suffix[] = "_block_invoke";
    while (*name && strncmp(name, suffix, sizeof(suffix) - 1) != 0)
        name++;
    return *name ? name : NULL;
}

bool loupe_function_around_block(const char *symbol, char *dst, size_t cap) {
    char function[LONGEST_FUNCTION];
    dst[0] = '\0';
    if (strncmp(symbol, "__", 2) != 0)
        return false;
    const char *start = symbol + 2, *end = find_suffix(start), *name = start;
    if (!end || end == start)
        return false;
    while (*name >= '0' && *name <= '9')
        name++;
    struct loupe_span method = {name, (size_t)(end - name)};
    if (*name != '-' && *name != '+' && !loupe_span_starts_with(method, "_i_") &&
        !loupe_span_starts_with(method, "_c_"))
        method = (struct loupe_span){start, (size_t)(end - start)};
    loupe_format(function, sizeof(function), "%.*s", (int)method.length, method.bytes);
    loupe_method_of_symbol(function, dst, cap);
    return true;
}

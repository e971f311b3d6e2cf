#include "types/cxx_name.h"

#include <string.h>

/* Words of template arguments that are no objects and hold none of their own. */
static const char *const harmless_words[] = {
    "std",
    "__1",
    "__cxx11",
    "allocator",
    "char_traits",
    "char",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
    "bool",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "const",
    "void",
    "hash",
    "equal_to",
    "less",
    "greater",
    "pair",
    "tuple",
    "array",
    "basic_string",
    "string",
    "vector",
    "map",
    "set",
    "list",
    "deque",
    "forward_list",
    "unordered_map",
    "unordered_set",
    "multimap",
    "multiset",
    "optional",
    "true",
    "false",
    "chrono",
    "duration",
    "ratio",
    "default_delete",
    "atomic",
    "shared_ptr",
    "unique_ptr",
    "__gnu_cxx",
    "_S_atomic",
    "_S_mutex",
    "u",
    "ul",
};

/* Templates that never own what they are over. */
static const char *const harmless_templates[] = {
    "weak_ptr", "basic_string", "basic_string_view", "reference_wrapper",
    "span",     "atomic",       "initializer_list"};

/* What may hold an object of any type, whatever they are over. */
static const char *const holders[] = {
    "any",     "function", "move_only_function", "copyable_function", "packaged_task",
    "promise", "future",   "shared_future"};

static bool is_one_of(struct loupe_span word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (loupe_span_equals(word, words[i]))
            return true;
    }
    return false;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static struct loupe_span rest_from(struct loupe_span text, size_t at) {
    return (struct loupe_span){.bytes = text.bytes + at, .length = text.length - at};
}

static struct loupe_span word_at(struct loupe_span text, size_t at) {
    size_t length = 0;
    while (at + length < text.length && is_letter(text.bytes[at + length]))
        length++;
    return (struct loupe_span){.bytes = text.bytes + at, .length = length};
}

/* "Peer *__weak", "__weak id": the word stands for what is not owned. */
static bool is_unowned(struct loupe_span arguments, size_t at, struct loupe_span word) {
    struct loupe_span behind = rest_from(arguments, at + word.length);
    struct loupe_span before = {.bytes = arguments.bytes, .length = at};
    static const char weak[] = "__weak ", unretained[] = "__unsafe_unretained ";
    if (loupe_span_starts_with(behind, " *__weak") ||
        loupe_span_starts_with(behind, " *__unsafe_unretained"))
        return true;
    return (at >= strlen(weak) &&
            memcmp(before.bytes + at - strlen(weak), weak, strlen(weak)) == 0) ||
           (at >= strlen(unretained) &&
            memcmp(before.bytes + at - strlen(unretained), unretained, strlen(unretained)) == 0);
}

static bool is_harmless_word(struct loupe_span arguments, size_t at, struct loupe_span word) {
    enum { WORDS = sizeof(harmless_words) / sizeof(harmless_words[0]) };
    return (word.bytes[0] >= '0' && word.bytes[0] <= '9') || loupe_span_equals(word, "__weak") ||
           loupe_span_equals(word, "__unsafe_unretained") ||
           is_one_of(word, harmless_words, WORDS) || is_unowned(arguments, at, word);
}

static bool may_own(struct loupe_span name) {
    enum { TEMPLATES = sizeof(harmless_templates) / sizeof(harmless_templates[0]) };
    enum { HOLDERS = sizeof(holders) / sizeof(holders[0]) };
    const char *start = memchr(name.bytes, '<', name.length);
    size_t base = start ? (size_t)(start - name.bytes) : name.length;
    if (is_one_of((struct loupe_span){name.bytes, base}, holders, HOLDERS))
        return true;
    if (!start)
        return false;
    if (is_one_of((struct loupe_span){name.bytes, base}, harmless_templates, TEMPLATES))
        return false;
    struct loupe_span arguments = rest_from(name, base);
    for (size_t i = 0; i < arguments.length; i++) {
        struct loupe_span word = word_at(arguments, i);
        if (word.length == 0)
            continue;
        if (!is_harmless_word(arguments, i, word))
            return true;
        i += word.length;
    }
    return false;
}

/* ---- Templates in an encoding ---- */

/* The name of a struct: up to the '=' or '}' that is in no template argument. */
static struct loupe_span name_at(struct loupe_span text, size_t at) {
    size_t depth = 0, length = 0;
    for (; at + length < text.length; length++) {
        char c = text.bytes[at + length];
        if (c == '<')
            depth++;
        else if (c == '>' && depth > 0)
            depth--;
        else if (depth == 0 && (c == '=' || c == '}'))
            break;
    }
    return (struct loupe_span){.bytes = text.bytes + at, .length = length};
}

/* Behind the '}' of a struct whose name ends at `at`; names of members stand in quotes. */
static size_t behind_struct(struct loupe_span text, size_t at) {
    size_t depth = 1;
    bool quoted = false;
    for (; at < text.length && depth > 0; at++) {
        char c = text.bytes[at];
        if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{')
            depth++;
        else if (!quoted && c == '}')
            depth--;
    }
    return at;
}

/* What a template has inside follows from its arguments: it is not looked into. */
bool loupe_cxx_may_own(struct loupe_span encoding) {
    bool quoted = false;
    size_t at = 0;
    while (at < encoding.length) {
        char c = encoding.bytes[at++];
        if (c == '"')
            quoted = !quoted;
        if (quoted || c != '{')
            continue;
        struct loupe_span name = name_at(encoding, at);
        at += name.length;
        if (may_own(name))
            return true;
        if (memchr(name.bytes, '<', name.length))
            at = behind_struct(encoding, at);
    }
    return false;
}

bool loupe_cxx_has_pointers(struct loupe_span encoding) {
    bool quoted = false;
    for (size_t at = 0; at + 1 < encoding.length; at++) {
        if (encoding.bytes[at] == '"')
            quoted = !quoted;
        if (!quoted && encoding.bytes[at] == '^' && encoding.bytes[at + 1] == '{')
            return true;
    }
    return false;
}

#include "answer.h"

#include <string.h>

enum { DEEPEST = 64 };

/* ---- Passing over values ---- */

static const char *behind_string(const char *quote) {
    const char *at = quote + 1;
    while (*at && *at != '"')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static const char *behind_value(const char *value) {
    unsigned depth = 0;
    const char *at = value;
    do {
        if (*at == '"') {
            at = behind_string(at);
            continue;
        }
        if (*at == '{' || *at == '[') {
            if (++depth > DEEPEST)
                return value + strlen(value);
        } else if (*at == '}' || *at == ']') {
            if (!depth)
                return at;
            depth--;
        } else if (*at == ',' && !depth) {
            return at;
        }
        at += *at != '\0';
    } while (*at && (depth || (*at != ',' && *at != '}' && *at != ']')));
    return at;
}

watch_value_at watch_answer_next(watch_value_at element) {
    const char *end = element ? behind_value(element) : "";
    return *end == ',' ? end + 1 : NULL;
}

watch_value_at watch_answer_first(watch_value_at array) {
    return array && *array == '[' && array[1] && array[1] != ']' ? array + 1 : NULL;
}

watch_value_at watch_answer_member(watch_value_at object, const char *key) {
    size_t length = strlen(key);
    const char *at = object && *object == '{' && object[1] == '"' ? object + 1 : NULL;
    while (at && *at == '"') {
        const char *end = behind_string(at);
        if (*end != ':')
            return NULL;
        if ((size_t)(end - at) == length + 2 && memcmp(at + 1, key, length) == 0)
            return end + 1;
        at = watch_answer_next(end + 1);
    }
    return NULL;
}

/* ---- Values ---- */

bool watch_answer_is_true(watch_value_at value) {
    return value && strncmp(value, "true", 4) == 0;
}

bool watch_answer_is(watch_value_at value, const char *string) {
    size_t length = strlen(string);
    return value && *value == '"' && strncmp(value + 1, string, length) == 0 &&
           value[length + 1] == '"';
}

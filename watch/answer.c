#include "answer.h"

#include <stdlib.h>
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

uint64_t watch_answer_number(watch_value_at value) {
    return value && *value >= '0' && *value <= '9' ? strtoull(value, NULL, 10) : 0;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The code behind \u; below 0 if there is none. */
static int32_t code_at(const char *digits) {
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(digits[i]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Letters of the alphabets of the world; signs that turn or hide text are not among them. */
static bool is_letter(int32_t code) {
    return (code >= 0xc0 && code < 0x600) || (code >= 0x900 && code < 0x1800 && code != 0x1680) ||
           (code >= 0x1e00 && code < 0x2000) || (code >= 0x3041 && code < 0xa000) ||
           (code >= 0xac00 && code < 0xd7a4);
}

static size_t put_letter(char *dst, int32_t code) {
    if (code < 0x800) {
        dst[0] = (char)(0xc0 | code >> 6);
        dst[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    dst[0] = (char)(0xe0 | code >> 12);
    dst[1] = (char)(0x80 | (code >> 6 & 0x3f));
    dst[2] = (char)(0x80 | (code & 0x3f));
    return 3;
}

const char *watch_answer_text(watch_value_at value, char *dst, size_t cap) {
    static const char cut[] = "...";
    enum { LONGEST_PIECE = 6 };
    size_t used = 0;
    const char *at = value && *value == '"' ? value + 1 : "";
    while (*at && *at != '"') {
        if (used + LONGEST_PIECE + sizeof(cut) > cap) {
            memcpy(dst + used, cut, sizeof(cut));
            return dst;
        }
        int32_t code = at[0] == '\\' && at[1] == 'u' ? code_at(at + 2) : -1;
        if (code >= 0 && is_letter(code)) {
            used += put_letter(dst + used, code);
            at += 6;
        } else if (at[0] == '\\' && (at[1] == '"' || at[1] == '\\' || at[1] == '/')) {
            dst[used++] = at[1];
            at += 2;
        } else {
            dst[used++] = *at >= ' ' && *at < 0x7f ? *at : '?';
            at++;
        }
    }
    dst[used] = '\0';
    return dst;
}

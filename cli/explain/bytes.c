/* Bytes as people write them, and as they read them. */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that were understood so far. There is room: no notation is shorter than its bytes. */
struct bytes {
    char *at;
    size_t count;
};

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? memchr(digits, c | 0x20, 16) : NULL;
    return found ? (int)(found - digits) : -1;
}

static void put(struct bytes *bytes, int value) {
    bytes->at[bytes->count++] = (char)value;
}

static bool is_separator(char c) {
    return c == ' ' || c == ',' || c == '\t' || c == '\n';
}

/* One or more bytes without a separator: 3f, 3f30, 0x3f, x3fx30 (what a shell leaves of \x3f\x30).
 * A 0x makes one byte: which byte of 0x3f30 comes first would be a guess. */
static bool take_hex(const char **cursor, struct bytes *bytes) {
    const char *at = *cursor;
    bool zero_x = at[0] == '0' && (at[1] | 0x20) == 'x';
    if (zero_x && hex_digit(at[2]) >= 0 && (is_separator(at[3]) || !at[3])) {
        put(bytes, hex_digit(at[2]));
        *cursor = at + 3;
        return true;
    }
    do {
        at += zero_x ? 2 : *at == 'x';
        if (hex_digit(at[0]) < 0 || hex_digit(at[1]) < 0)
            return false;
        put(bytes, hex_digit(at[0]) * 16 + hex_digit(at[1]));
        at += 2;
    } while (!zero_x && *at && !is_separator(*at));
    *cursor = at;
    return !*at || is_separator(*at);
}

static bool parse_hex(const char *word, struct bytes *bytes) {
    size_t before = bytes->count;
    while (*word) {
        if (is_separator(*word)) {
            word++;
        } else if (!take_hex(&word, bytes)) {
            bytes->count = before;
            return false;
        }
    }
    return true;
}

/* Behind a backslash: an escape as in C, with at most two hex digits, as debuggers print it. */
static bool take_escape(const char **cursor, struct bytes *bytes) {
    static const char letters[] = "abtnvfre\\\"'?", values[] = "\a\b\t\n\v\f\r\033\\\"'?";
    const char *at = *cursor, *letter;
    int value = 0, digits = 0;
    if (*at == 'x') {
        for (at++; digits < 2 && hex_digit(*at) >= 0; digits++)
            value = value * 16 + hex_digit(*at++);
    } else if (*at >= '0' && *at <= '7') {
        for (; digits < 3 && *at >= '0' && *at <= '7'; digits++)
            value = value * 8 + (*at++ - '0');
    } else if (*at && (letter = strchr(letters, *at)) != NULL) {
        value = values[letter - letters];
        digits = 1;
        at++;
    }
    if (!digits || value > 0xff)
        return false;
    put(bytes, value);
    *cursor = at;
    return true;
}

static bool parse_c_string(struct loupe_span text, struct bytes *bytes) {
    const char *at = text.bytes, *end = text.bytes + text.length;
    while (at < end) {
        if (*at != '\\')
            put(bytes, *at++);
        else if (at++, !take_escape(&at, bytes) || at > end)
            return false;
    }
    return true;
}

static bool parse_word(const char *word, struct bytes *bytes) {
    size_t length = strlen(word);
    bool quoted = length >= 2 && word[0] == '"' && word[length - 1] == '"';
    struct loupe_span text = {.bytes = word + quoted, .length = length - 2u * quoted};
    if (quoted || strchr(word, '\\'))
        return parse_c_string(text, bytes);
    return parse_hex(word, bytes);
}

int explain_parse_bytes(const struct explain_topic *topic, const struct cli_arguments *arguments,
                        struct loupe_span *ret) {
    size_t room = 1;
    for (unsigned i = 0; i < arguments->word_count; i++)
        room += strlen(arguments->words[i]);
    struct bytes bytes = {.at = malloc(room)};
    if (!bytes.at)
        return explain_no_memory(topic);
    for (unsigned i = 0; i < arguments->word_count; i++) {
        if (!parse_word(arguments->words[i], &bytes)) {
            free(bytes.at);
            return cli_misuse(topic->title, "'%s' is not bytes: write them in hex, as in 3f 30 00",
                              cli_printable(loupe_span_of(arguments->words[i])));
        }
    }
    if (!bytes.count) {
        free(bytes.at);
        return cli_misuse(topic->title, "no bytes given");
    }
    *ret = (struct loupe_span){.bytes = bytes.at, .length = bytes.count};
    return CLI_OK;
}

const char *explain_hex(struct loupe_arena *arena, struct loupe_span bytes) {
    char *text = loupe_arena_alloc(arena, bytes.length * 3 + 1);
    for (size_t i = 0; text && i < bytes.length; i++)
        snprintf(text + i * 3, 4, "%02x%s", (unsigned char)bytes.bytes[i],
                 i + 1 < bytes.length ? " " : "");
    return text;
}

#include "answers/json_tree.h"

#include <string.h>

static const struct json_value nothing = {.kind = JSON_NULL};

struct reader {
    const char *at, *begin, *end;
    struct loupe_arena *arena;
    const char *problem; /* what is wrong at `at` */
    bool no_memory;
};

static bool fail(struct reader *reader, const char *problem) {
    if (!reader->problem)
        reader->problem = problem;
    return false;
}

static void *room_for(struct reader *reader, size_t size) {
    void *room = loupe_arena_alloc(reader->arena, size);
    reader->no_memory = reader->no_memory || !room;
    return room;
}

static void skip_space(struct reader *reader) {
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\n' ||
                                        *reader->at == '\r' || *reader->at == '\t'))
        reader->at++;
}

static bool take(struct reader *reader, char wanted) {
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return fail(reader, "no value");
    reader->at += length;
    return true;
}

/* ---- Texts ---- */

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool take_unit(struct reader *reader, unsigned *ret) {
    *ret = 0;
    if (reader->end - reader->at < 4)
        return fail(reader, "\\u without four digits");
    for (unsigned i = 0; i < 4; i++) {
        int digit = digit_of(*reader->at++);
        if (digit < 0)
            return fail(reader, "\\u without four digits");
        *ret = *ret << 4 | (unsigned)digit;
    }
    return true;
}

static char *put_code(char *out, unsigned code) {
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(leads[more] | code >> 6 * more);
    while (more--)
        *out++ = (char)(0x80 | (code >> 6 * more & 0x3f));
    return out;
}

enum { REPLACEMENT = 0xfffd };

static bool is_high(unsigned unit) {
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(unsigned unit) {
    return unit >= 0xdc00 && unit < 0xe000;
}

/* Behind "\u". Half of a pair stands for a code point that is none. */
static bool take_code(struct reader *reader, unsigned *ret) {
    unsigned second;
    if (!take_unit(reader, ret))
        return false;
    if (!is_high(*ret)) {
        *ret = is_low(*ret) ? REPLACEMENT : *ret;
        return true;
    }
    const char *before = reader->at;
    bool is_pair = reader->end - reader->at >= 2 && reader->at[0] == '\\' && reader->at[1] == 'u';
    reader->at += is_pair ? 2 : 0;
    if (is_pair && !take_unit(reader, &second))
        return false;
    if (is_pair && is_low(second)) {
        *ret = 0x10000 + ((*ret - 0xd800) << 10) + (second - 0xdc00);
    } else {
        reader->at = before;
        *ret = REPLACEMENT;
    }
    return true;
}

static bool take_escape(struct reader *reader, char **out) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    unsigned code;
    if (reader->at == reader->end)
        return fail(reader, "a text without an end");
    char letter = *reader->at++;
    if (letter == 'u') {
        if (!take_code(reader, &code))
            return false;
        *out = put_code(*out, code);
        return true;
    }
    const char *found = memchr(letters, letter, sizeof(letters) - 1);
    if (!found)
        return fail(reader, "an escape that is none");
    *(*out)++ = meant[found - letters];
    return true;
}

/* Decoded into room that the text is never longer than. */
static bool decode(struct reader *reader, const char *end, struct loupe_span *ret) {
    char *room = room_for(reader, (size_t)(end - reader->at) + 1), *out = room;
    if (!room)
        return false;
    while (reader->at < end) {
        if (*reader->at != '\\')
            *out++ = *reader->at++;
        else if (reader->at++, !take_escape(reader, &out))
            return false;
    }
    *ret = (struct loupe_span){room, (size_t)(out - room)};
    return true;
}

/* Behind the opening quote. */
static bool take_text(struct reader *reader, struct loupe_span *ret) {
    const char *end = reader->at;
    bool is_plain = true;
    while (end < reader->end && *end != '"') {
        if ((unsigned char)*end < 0x20)
            return fail(reader, "a control character in a text");
        is_plain = is_plain && *end != '\\';
        end += *end == '\\' && end + 1 < reader->end ? 2 : 1;
    }
    if (end >= reader->end)
        return fail(reader, "a text without an end");
    *ret = (struct loupe_span){reader->at, (size_t)(end - reader->at)};
    if (!is_plain && !decode(reader, end, ret))
        return false;
    reader->at = end + 1;
    return true;
}

/* ---- Values ---- */

static bool take_digits(struct reader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        reader->at++;
    return reader->at > start;
}

/* By the grammar of JSON, so that the text can be written again as it is. */
static bool take_number(struct reader *reader, struct json_value *value) {
    const char *start = reader->at;
    take(reader, '-');
    bool is_number = take(reader, '0') || take_digits(reader);
    if (reader->at == start)
        return fail(reader, "no value");
    if (is_number && take(reader, '.'))
        is_number = take_digits(reader);
    if (is_number && (take(reader, 'e') || take(reader, 'E'))) {
        if (!take(reader, '-'))
            take(reader, '+');
        is_number = take_digits(reader);
    }
    if (!is_number)
        return fail(reader, "a number that is none");
    value->kind = JSON_NUMBER;
    value->text = (struct loupe_span){start, (size_t)(reader->at - start)};
    return true;
}

/* An array or object is only opened. */
static bool take_value(struct reader *reader, struct json_value *value) {
    if (reader->at == reader->end)
        return fail(reader, "the end of the text, where a value should be");
    switch (*reader->at) {
    case '{':
    case '[':
        value->kind = *reader->at++ == '{' ? JSON_OBJECT : JSON_ARRAY;
        return true;
    case '"':
        value->kind = JSON_TEXT;
        reader->at++;
        return take_text(reader, &value->text);
    case 't':
        value->kind = JSON_TRUE;
        return take_word(reader, "true");
    case 'f':
        value->kind = JSON_FALSE;
        return take_word(reader, "false");
    case 'n':
        return take_word(reader, "null");
    default:
        return take_number(reader, value);
    }
}

/* What is open, from the outermost on. */
struct opened {
    struct json_value *value, *last;
};

static bool take_key(struct reader *reader, struct json_value *value) {
    skip_space(reader);
    if (!take(reader, '"') || !take_text(reader, &value->key))
        return fail(reader, "no name of a member");
    skip_space(reader);
    return take(reader, ':') || fail(reader, "no colon after a name");
}

/* Adds the next value to what is open last. NULL: a problem. */
static struct json_value *add_value(struct reader *reader, struct opened *open) {
    struct json_value *value = room_for(reader, sizeof(*value));
    if (!value)
        return NULL;
    if (open && open->value->kind == JSON_OBJECT && !take_key(reader, value))
        return NULL;
    skip_space(reader);
    if (!take_value(reader, value))
        return NULL;
    if (open && open->last)
        open->last->next = value;
    else if (open)
        open->value->first = value;
    if (open) {
        open->last = value;
        open->value->count++;
    }
    return value;
}

static char closing(const struct json_value *value) {
    return value->kind == JSON_OBJECT ? '}' : ']';
}

/* Closes what ends here; false where a value must follow, or with a problem. */
static void close_ended(struct reader *reader, const struct opened *stack, unsigned *depth) {
    while (*depth && !reader->problem) {
        const struct opened *open = &stack[*depth - 1];
        skip_space(reader);
        if (take(reader, closing(open->value))) {
            (*depth)--;
            continue;
        }
        if (open->last && !take(reader, ','))
            fail(reader, "no comma between values");
        return;
    }
}

static const struct json_value *read_all(struct reader *reader) {
    struct opened stack[JSON_DEEPEST];
    unsigned depth = 0;
    skip_space(reader);
    const struct json_value *root = NULL;
    do {
        struct json_value *value = add_value(reader, depth ? &stack[depth - 1] : NULL);
        if (!value)
            return NULL;
        root = root ? root : value;
        if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY) {
            if (depth == JSON_DEEPEST) {
                fail(reader, "values nested deeper than any answer");
                return NULL;
            }
            stack[depth++] = (struct opened){.value = value};
        }
        close_ended(reader, stack, &depth);
    } while (depth && !reader->problem);
    skip_space(reader);
    if (reader->at != reader->end)
        fail(reader, "something after the end");
    return root;
}

enum loupe_status json_read(struct loupe_span text, struct loupe_arena *arena,
                            const struct json_value **ret, struct loupe_error *err) {
    struct reader reader = {
        .at = text.bytes, .begin = text.bytes, .end = text.bytes + text.length, .arena = arena};
    *ret = read_all(&reader);
    if (reader.no_memory)
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory");
    if (!reader.problem)
        return LOUPE_OK;
    *ret = &nothing;
    err->code = LOUPE_EUSAGE;
    loupe_format(err->message, sizeof(err->message), "not JSON: %s at byte %zu", reader.problem,
                 (size_t)(reader.at - reader.begin));
    return LOUPE_EUSAGE;
}

/* ---- Looking ---- */

const struct json_value *json_member(const struct json_value *value, const char *name) {
    const struct json_value *found = &nothing;
    if (value->kind != JSON_OBJECT)
        return found;
    JSON_EACH(item, value) {
        if (loupe_span_equals(item->key, name))
            found = item;
    }
    return found;
}

struct loupe_span json_text(const struct json_value *value, const char *name) {
    const struct json_value *found = json_member(value, name);
    return found->kind == JSON_TEXT ? found->text : (struct loupe_span){NULL, 0};
}

uint64_t json_number(const struct json_value *value) {
    const char *cursor = value->text.bytes;
    uint64_t number;
    if (value->kind != JSON_NUMBER ||
        !loupe_parse_decimal(&cursor, cursor + value->text.length, UINT64_MAX, &number))
        return 0;
    return cursor == value->text.bytes + value->text.length ? number : 0;
}

uint64_t json_uint(const struct json_value *value, const char *name) {
    return json_number(json_member(value, name));
}

bool json_has(const struct json_value *value, const char *name) {
    JSON_EACH(member, value) {
        if (value->kind == JSON_OBJECT && loupe_span_equals(member->key, name))
            return true;
    }
    return false;
}

bool json_texts_equal(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool json_is_true(const struct json_value *value, const char *name) {
    return json_member(value, name)->kind == JSON_TRUE;
}

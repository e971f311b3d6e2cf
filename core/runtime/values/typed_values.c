#include "runtime/values/typed_values.h"

#include "types/encoding.h"

/* ---- Numbers ---- */

/* Sign-extended where its type is signed. */
static bool put_integer(struct loupe_target *target, loupe_addr address, unsigned size,
                        bool is_signed, struct loupe_value_text *text) {
    uint8_t bytes[sizeof(uint64_t)];
    uint64_t bits = 0;
    if (loupe_memory_read(target->memory, address, bytes, size))
        return false;
    for (unsigned i = size; i-- > 0;)
        bits = bits << 8 | bytes[i];
    if (is_signed && size < sizeof(bits) && bits >> (8 * size - 1))
        bits |= UINT64_MAX << (8 * size);
    if (is_signed)
        loupe_put_scalar(text, (struct loupe_value){.type = LOUPE_VALUE_LONG, .bits = bits});
    else
        loupe_put_unsigned(text, bits);
    return true;
}

static bool put_real(struct loupe_target *target, char type, loupe_addr address,
                     struct loupe_value_text *text) {
    uint64_t bits = 0;
    bool is_double = type == 'd';
    if (loupe_memory_read(target->memory, address, &bits, is_double ? 8 : 4))
        return false;
    loupe_put_scalar(
        text, (struct loupe_value){.type = is_double ? LOUPE_VALUE_DOUBLE : LOUPE_VALUE_FLOAT,
                                   .bits = bits});
    return true;
}

bool loupe_put_number(struct loupe_target *target, char type, loupe_addr address,
                      struct loupe_value_text *text) {
    unsigned word = target->memory->machine.pointer_size;
    switch (type) {
    case 'd':
    case 'f':
        return put_real(target, type, address, text);
    case 'c':
        return put_integer(target, address, 1, true, text);
    case 'C':
    case 'B':
        return put_integer(target, address, 1, false, text);
    case 's':
        return put_integer(target, address, 2, true, text);
    case 'S':
        return put_integer(target, address, 2, false, text);
    case 'i':
        return put_integer(target, address, 4, true, text);
    case 'I':
        return put_integer(target, address, 4, false, text);
    case 'l':
        return put_integer(target, address, word, true, text);
    case 'L':
        return put_integer(target, address, word, false, text);
    case 'q':
        return put_integer(target, address, 8, true, text);
    case 'Q':
        return put_integer(target, address, 8, false, text);
    default:
        return false;
    }
}

/* ---- Structs ---- */

static bool put_pointer(struct loupe_target *target, loupe_addr address,
                        struct loupe_value_text *text) {
    char hex[sizeof("0x") + 16];
    uint64_t word;
    if (loupe_memory_read_word(target->memory, address, &word))
        return false;
    loupe_format(hex, sizeof(hex), "0x%llx", (unsigned long long)word);
    loupe_put_words(text, hex);
    return true;
}

static bool put_leaf(struct loupe_target *target, const struct loupe_leaf *leaf, loupe_addr address,
                     struct loupe_value_text *text) {
    if (leaf->trust == LOUPE_TRUST_UNKNOWN)
        return false;
    switch (leaf->kind) {
    case LOUPE_TYPE_NUMBER:
        return leaf->type.length == 1 &&
               loupe_put_number(target, leaf->type.bytes[0], address + leaf->offset, text);
    case LOUPE_TYPE_OBJECT:
    case LOUPE_TYPE_BLOCK:
    case LOUPE_TYPE_CLASS:
    case LOUPE_TYPE_SELECTOR:
    case LOUPE_TYPE_POINTER:
        return put_pointer(target, address + leaf->offset, text);
    default:
        return false;
    }
}

bool loupe_put_typed(struct loupe_target *target, struct loupe_span type, loupe_addr address,
                     struct loupe_value_text *text) {
    enum { SHOWN_MEMBERS = 16 };
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    unsigned shown = 0;
    if (loupe_encoding_init(&encoding, type, &rules, 0))
        return false;
    bool is_struct = encoding.type.kind == LOUPE_TYPE_STRUCT;
    loupe_put_words(text, is_struct ? "{" : "");
    loupe_encoding_begin(&cursor, &encoding, (struct loupe_span){"", 0}, SHOWN_MEMBERS);
    while (loupe_encoding_next(&cursor, &leaf)) {
        loupe_put_words(text, shown++ ? ", " : "");
        if (!put_leaf(target, &leaf, address, text))
            return false;
    }
    loupe_put_words(text, cursor.status == LOUPE_ENCODING_TRUNCATED ? ", ..." : "");
    loupe_put_words(text, is_struct ? "}" : "");
    return shown > 0;
}

/* ---- Strings of C ---- */

bool loupe_is_c_string(struct loupe_span type) {
    return loupe_span_equals(type, "*") || loupe_span_equals(type, "r*");
}

/* Up to its end, in pieces that lie in one page each: the next one may not be there. */
static bool put_c_string(struct loupe_target *target, loupe_addr address,
                         struct loupe_value_text *text) {
    enum { PIECE = 64 };
    char piece[PIECE];
    while (!text->cut) {
        size_t count = PIECE - address % PIECE;
        if (loupe_memory_read(target->memory, address, piece, count))
            return false;
        const char *end = memchr(piece, '\0', count);
        loupe_put_span(text, (struct loupe_span){piece, end ? (size_t)(end - piece) : count});
        if (end)
            break;
        address += count;
    }
    return true;
}

size_t loupe_c_string_value(struct loupe_target *target, loupe_addr address, char *dst,
                            size_t cap) {
    struct loupe_value_text text = {.dst = dst, .room = cap - sizeof("...\"")};
    loupe_put_words(&text, "\"");
    if (!put_c_string(target, address, &text)) {
        dst[0] = '\0';
        return 0;
    }
    const char *end = text.cut ? "...\"" : "\"";
    text.cut = false;
    text.room = cap - 1;
    loupe_put_words(&text, end);
    dst[text.used] = '\0';
    return text.used;
}

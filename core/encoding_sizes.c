#include "encoding_parse.h"

/* ---- Types of one letter ---- */

static enum loupe_encoding_trust worse(enum loupe_encoding_trust a, enum loupe_encoding_trust b) {
    return a > b ? a : b;
}

static uint64_t packed(uint64_t alignment, const struct loupe_encoding_rules *rules) {
    return rules->pack && rules->pack < alignment ? rules->pack : alignment;
}

struct loupe_type loupe_scalar_type(enum loupe_type_kind kind, uint64_t size, uint64_t alignment) {
    return (struct loupe_type){.kind = kind, .size = size, .alignment = alignment, .leaf_count = 1};
}

struct loupe_type loupe_unknown_type(const struct loupe_encoding_rules *rules) {
    struct loupe_type type = loupe_scalar_type(LOUPE_TYPE_UNKNOWN, 0, 1);
    type.trust = rules->unknown_size ? LOUPE_TRUST_ASSUMED : LOUPE_TRUST_UNKNOWN;
    type.guesses = LOUPE_GUESS_UNKNOWN;
    if (rules->unknown_size) {
        type.size = rules->unknown_size;
        type.alignment = rules->unknown_alignment;
    }
    return type;
}

enum { WORD = 0 };

static const struct {
    char letter;
    uint8_t kind;
    uint8_t size; /* and alignment; WORD: those of a pointer */
} letters[] = {
    {'c', LOUPE_TYPE_NUMBER, 1},     {'C', LOUPE_TYPE_NUMBER, 1},
    {'B', LOUPE_TYPE_NUMBER, 1},     {'s', LOUPE_TYPE_NUMBER, 2},
    {'S', LOUPE_TYPE_NUMBER, 2},     {'i', LOUPE_TYPE_NUMBER, 4},
    {'I', LOUPE_TYPE_NUMBER, 4},     {'f', LOUPE_TYPE_NUMBER, 4},
    {'q', LOUPE_TYPE_NUMBER, 8},     {'Q', LOUPE_TYPE_NUMBER, 8},
    {'d', LOUPE_TYPE_NUMBER, 8},     {'t', LOUPE_TYPE_NUMBER, 16},
    {'T', LOUPE_TYPE_NUMBER, 16},    {'D', LOUPE_TYPE_NUMBER, 16},
    {'l', LOUPE_TYPE_NUMBER, WORD},  {'L', LOUPE_TYPE_NUMBER, WORD},
    {'#', LOUPE_TYPE_CLASS, WORD},   {':', LOUPE_TYPE_SELECTOR, WORD},
    {'*', LOUPE_TYPE_POINTER, WORD}, {'%', LOUPE_TYPE_POINTER, WORD}, /* GCC's atom */
};

bool loupe_letter_type(char letter, const struct loupe_encoding_rules *rules,
                       struct loupe_type *ret) {
    if (letter == '?' || letter == ' ') { /* a function; what clang writes for _Float16 and such */
        *ret = loupe_unknown_type(rules);
        return true;
    }
    if (letter == 'v') {
        *ret = loupe_scalar_type(LOUPE_TYPE_VOID, 0, 1);
        return true;
    }
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].letter != letter)
            continue;
        uint64_t size = letters[i].size == WORD ? rules->pointer_size : letters[i].size;
        *ret = loupe_scalar_type(letters[i].kind, size, size);
        if (letter == 'D') {
            *ret = loupe_scalar_type(LOUPE_TYPE_NUMBER, rules->long_double_size,
                                     rules->long_double_align);
            ret->guesses = LOUPE_GUESS_LONG_DOUBLE;
        } else if (size == 8 && letters[i].size != WORD) {
            ret->alignment = rules->wide_alignment;
            ret->guesses = LOUPE_GUESS_WIDE;
        }
        return true;
    }
    return false;
}

/* ---- Placing members ---- */

static void align_record(struct loupe_record *record, uint64_t alignment) {
    if (alignment > record->alignment)
        record->alignment = alignment;
}

/* A bit-field does not cross a border of its declared type. Packing and some machines lift that. */
static struct loupe_place place_bits(struct loupe_record *record, const struct loupe_parsed *member,
                                     bool unnamed, const struct loupe_encoding_rules *rules) {
    uint64_t unit = member->type.size * 8;
    uint64_t alignment = rules->loose_bits ? 1 : packed(member->type.alignment, rules);
    bool may_cross = rules->loose_bits || rules->pack;
    if (member->bit_width == 0)
        record->bits = loupe_round_up(record->bits, rules->loose_bits ? 32 : unit);
    else if (!may_cross && record->bits % (alignment * 8) + member->bit_width > unit)
        record->bits = loupe_round_up(record->bits, alignment * 8);
    if (member->bit_width && !unnamed)
        align_record(record, alignment);
    struct loupe_place place = {.bits = record->bits, .trust = record->trust};
    record->bits += member->bit_width;
    return place;
}

/* Where the encoding says it is. */
static struct loupe_place place_bits_there(struct loupe_record *record,
                                           const struct loupe_parsed *member,
                                           const struct loupe_encoding_rules *rules) {
    uint64_t end = member->bit_position + member->bit_width;
    record->bits = end > record->bits ? end : record->bits;
    record->trust = LOUPE_TRUST_EXACT;
    align_record(record, packed(member->type.alignment, rules));
    return (struct loupe_place){.bits = member->bit_position, .trust = LOUPE_TRUST_EXACT};
}

static struct loupe_place place_bytes(struct loupe_record *record,
                                      const struct loupe_parsed *member,
                                      const struct loupe_encoding_rules *rules) {
    uint64_t alignment = packed(member->type.alignment, rules);
    record->bits = loupe_round_up(record->bits, alignment * 8);
    align_record(record, alignment);
    struct loupe_place place = {.bits = record->bits, .trust = record->trust};
    record->bits += member->type.size * 8;
    return place;
}

struct loupe_place loupe_record_add(struct loupe_record *record, const struct loupe_parsed *member,
                                    bool unnamed, const struct loupe_encoding_rules *rules) {
    struct loupe_place place;
    /* A doubtful alignment does no harm where any alignment is met. */
    if (record->bits % 128)
        record->trust = worse(record->trust, member->type.trust);
    if (member->bit_placed)
        place = place_bits_there(record, member, rules);
    else if (member->type.kind == LOUPE_TYPE_BITS)
        place = place_bits(record, member, unnamed, rules);
    else
        place = place_bytes(record, member, rules);
    record->trust = worse(record->trust, member->type.trust);
    return place;
}

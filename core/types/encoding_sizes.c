/* Sizes and places of members, as the compilers of each system lay them out. */
#include "types/encoding_parse.h"

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

struct loupe_record loupe_record_begin(enum loupe_encoding_trust trust) {
    return (struct loupe_record){.alignment = 1,
                                 .least_alignment = 1,
                                 .most_alignment = 1,
                                 .start_trust = trust,
                                 .trust = trust};
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static struct loupe_place place_of(const struct loupe_record *record, uint64_t bits, uint64_t least,
                                   uint64_t most) {
    enum loupe_encoding_trust here = least == most ? LOUPE_TRUST_EXACT : LOUPE_TRUST_ASSUMED;
    return (struct loupe_place){.bits = bits, .trust = worse(record->trust, here)};
}

static void align_record(struct loupe_record *record, uint64_t least, uint64_t alignment,
                         uint64_t most) {
    record->least_alignment = larger(record->least_alignment, least);
    record->alignment = larger(record->alignment, alignment);
    record->most_alignment = larger(record->most_alignment, most);
}

static uint64_t alignment_of_unit(uint64_t unit, const struct loupe_encoding_rules *rules) {
    if (rules->loose_bits)
        return 1;
    return packed(unit == 8 ? rules->wide_alignment : unit, rules);
}

/*
 * Where a bit-field goes that was declared with a type of unit bytes: it does not cross a border of
 * that type. Packing and some machines lift that.
 */
static uint64_t place_in_units(uint64_t bits, uint32_t width, uint64_t unit,
                               const struct loupe_encoding_rules *rules) {
    uint64_t border = alignment_of_unit(unit, rules) * 8;
    if (width == 0)
        return loupe_round_up(bits, rules->loose_bits ? 32 : unit * 8);
    bool may_cross = rules->loose_bits || rules->pack;
    return !may_cross && bits % border + width > unit * 8 ? loupe_round_up(bits, border) : bits;
}

static struct loupe_place place_bits(struct loupe_record *record, const struct loupe_parsed *member,
                                     bool unnamed, const struct loupe_encoding_rules *rules) {
    uint32_t width = member->bit_width;
    uint64_t bits = place_in_units(record->bits, width, member->type.size, rules);
    uint64_t least = bits, most = bits, least_unit = member->type.size;
    uint64_t most_unit = member->type.size;
    for (uint64_t unit = 1; unit <= 8; unit *= 2) {
        if (unit * 8 < width)
            continue;
        least = smaller(least, place_in_units(record->least_bits, width, unit, rules));
        most = larger(most, place_in_units(record->most_bits, width, unit, rules));
        least_unit = smaller(least_unit, unit);
        most_unit = larger(most_unit, unit);
    }
    if (width && !unnamed)
        align_record(record, alignment_of_unit(least_unit, rules),
                     alignment_of_unit(member->type.size, rules),
                     alignment_of_unit(most_unit, rules));
    record->bits = bits + width;
    record->least_bits = least + width;
    record->most_bits = most + width;
    return place_of(record, bits, least, most);
}

/* Where the encoding says it is, whatever the members before were taken for. */
static struct loupe_place place_bits_there(struct loupe_record *record,
                                           const struct loupe_parsed *member,
                                           const struct loupe_encoding_rules *rules) {
    uint64_t end = member->bit_position + member->bit_width;
    uint64_t alignment = packed(member->type.alignment, rules);
    record->end = larger(record->end, record->bits);
    record->least_end = larger(record->least_end, record->least_bits);
    record->most_end = larger(record->most_end, record->most_bits);
    record->bits = record->least_bits = record->most_bits = end;
    record->trust = record->start_trust;
    align_record(record, alignment, alignment, alignment);
    return (struct loupe_place){.bits = member->bit_position, .trust = record->start_trust};
}

static struct loupe_place place_bytes(struct loupe_record *record,
                                      const struct loupe_parsed *member,
                                      const struct loupe_encoding_rules *rules) {
    uint64_t alignment = packed(member->type.alignment, rules), border = alignment * 8;
    uint64_t bits = loupe_round_up(record->bits, border), size = member->type.size * 8;
    uint64_t least = loupe_round_up(record->least_bits, border);
    uint64_t most = loupe_round_up(record->most_bits, border);
    /* A doubtful alignment does no harm where any alignment is met. */
    if (record->bits % 128)
        record->trust = worse(record->trust, member->type.trust);
    align_record(record, alignment, alignment, alignment);
    struct loupe_place place = place_of(record, bits, least, most);
    record->bits = bits + size;
    record->least_bits = least + size;
    record->most_bits = most + size;
    record->trust = worse(record->trust, member->type.trust);
    if (member->type.trust == LOUPE_TRUST_ASSUMED)
        record->size_trust = LOUPE_TRUST_ASSUMED;
    return place;
}

struct loupe_place loupe_record_add(struct loupe_record *record, const struct loupe_parsed *member,
                                    bool unnamed, const struct loupe_encoding_rules *rules) {
    if (member->bit_placed)
        return place_bits_there(record, member, rules);
    if (member->type.kind == LOUPE_TYPE_BITS)
        return place_bits(record, member, unnamed, rules);
    return place_bytes(record, member, rules);
}

static uint64_t whole_size(uint64_t bits, uint64_t end, uint64_t alignment) {
    return loupe_round_up((larger(bits, end) + 7) / 8, alignment);
}

uint64_t loupe_record_size(const struct loupe_record *record) {
    return whole_size(record->bits, record->end, record->alignment);
}

enum loupe_encoding_trust loupe_record_trust(const struct loupe_record *record) {
    bool same = record->least_alignment == record->most_alignment &&
                whole_size(record->least_bits, record->least_end, record->alignment) ==
                    whole_size(record->most_bits, record->most_end, record->alignment);
    return worse(worse(record->trust, record->size_trust),
                 same ? LOUPE_TRUST_EXACT : LOUPE_TRUST_ASSUMED);
}

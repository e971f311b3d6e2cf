/* A type encoding, read as the runtime's rules have it, until sizes fit what is known. */
#include "types/encoding_parse.h"

const char *loupe_encoding_status_text(enum loupe_encoding_status status) {
    switch (status) {
    case LOUPE_ENCODING_OK:
        return "a type";
    case LOUPE_ENCODING_MALFORMED:
        return "not a type encoding";
    case LOUPE_ENCODING_UNENDED:
        return "type encoding that ends too early";
    case LOUPE_ENCODING_DEEP:
        return "type encoding that is nested too deeply";
    case LOUPE_ENCODING_LARGE:
        return "type encoding of an absurd size";
    case LOUPE_ENCODING_TRUNCATED:
        return "type with more members than were asked for";
    }
    return "unknown status";
}

struct loupe_encoding_rules loupe_encoding_rules_of(struct loupe_machine machine) {
    bool is_x86_64 = machine.arch == LOUPE_ARCH_X86_64;
    uint8_t long_double = is_x86_64 ? 16 : 8;
    return (struct loupe_encoding_rules){.pointer_size = machine.pointer_size,
                                         .wide_alignment = 8,
                                         .long_double_size = long_double,
                                         .long_double_align = long_double,
                                         .loose_bits = machine.pointer_size == 4,
                                         .bit_unit = 4,
                                         .empty_size = 1,
                                         .unknown_alignment = 1};
}

enum loupe_encoding_status loupe_type_parse(struct loupe_span text,
                                            const struct loupe_encoding_rules *rules,
                                            struct loupe_type *ret, size_t *length_ret) {
    struct loupe_parsed parsed;
    uint32_t end;
    enum loupe_encoding_status status = loupe_encoding_parse(text, 0, false, rules, &parsed, &end);
    if (!status)
        *ret = parsed.type;
    if (length_ret)
        *length_ret = end;
    return status;
}

/* ---- Finding the rules that give a known size ---- */

/* Takes the next digit off a number in mixed radix: which of count choices variation n means. */
static unsigned choose(unsigned *n, unsigned count) {
    unsigned choice = *n % count;
    *n /= count;
    return choice;
}

/*
 * The n-th variation of rules, as far as the guesses play a part. Variation 0 changes nothing;
 * packing, which changes most, comes last. False: there are no more.
 */
static bool vary(struct loupe_encoding_rules *rules, unsigned guesses, unsigned n) {
    static const uint8_t units[] = {8, 1, 2, 4};
    static const uint8_t unknown[][2] = {{16, 16}, {8, 8}, {32, 32}, {16, 8},
                                         {64, 64}, {4, 4}, {2, 2}};
    static const uint8_t long_doubles[][2] = {{16, 16}, {8, 8}, {12, 4}};
    static const uint8_t packs[] = {1, 2, 4};
    unsigned choice;
    if (guesses & LOUPE_GUESS_UNKNOWN && (choice = choose(&n, 8)) != 0) {
        rules->unknown_size = unknown[choice - 1][0];
        rules->unknown_alignment = unknown[choice - 1][1];
    }
    if (guesses & LOUPE_GUESS_BITS && (choice = choose(&n, 5)) != 0)
        rules->bit_unit = units[choice - 1];
    if (guesses & LOUPE_GUESS_BITS && rules->pointer_size == 4 && choose(&n, 2))
        rules->loose_bits = !rules->loose_bits;
    if (guesses & LOUPE_GUESS_EMPTY && choose(&n, 2))
        rules->empty_size = 0;
    if (guesses & LOUPE_GUESS_LONG_DOUBLE && (choice = choose(&n, 4)) != 0) {
        rules->long_double_size = long_doubles[choice - 1][0];
        rules->long_double_align = long_doubles[choice - 1][1];
    }
    if (guesses & LOUPE_GUESS_WIDE && rules->pointer_size == 4 && choose(&n, 2))
        rules->wide_alignment = 4;
    if ((choice = choose(&n, 4)) != 0)
        rules->pack = packs[choice - 1];
    return n == 0;
}

static bool has_size(const struct loupe_type *type, uint64_t size) {
    return type->trust != LOUPE_TRUST_UNKNOWN && type->size == size;
}

/* Leaves the encoding as it is when no variation fits. */
static void fit(struct loupe_encoding *encoding, uint64_t known_size) {
    struct loupe_encoding_rules rules = encoding->rules;
    uint64_t work = LOUPE_ENCODING_MAX_WORK;
    size_t length = encoding->type.text.length;
    for (unsigned n = 1; vary(&rules, encoding->type.guesses, n) && work > length; n++) {
        struct loupe_type type;
        work -= length;
        if (!loupe_type_parse(encoding->type.text, &rules, &type, NULL) &&
            has_size(&type, known_size)) {
            *encoding = (struct loupe_encoding){.type = type, .rules = rules, .fits = true};
            return;
        }
        rules = encoding->rules;
    }
}

enum loupe_encoding_status loupe_encoding_init(struct loupe_encoding *encoding,
                                               struct loupe_span text,
                                               const struct loupe_encoding_rules *rules,
                                               uint64_t known_size) {
    struct loupe_type type;
    enum loupe_encoding_status status = loupe_type_parse(text, rules, &type, NULL);
    if (status)
        return status;
    *encoding = (struct loupe_encoding){
        .type = type, .rules = *rules, .fits = known_size && has_size(&type, known_size)};
    if (known_size && !encoding->fits)
        fit(encoding, known_size);
    return LOUPE_ENCODING_OK;
}

/* ---- Signatures ---- */

static bool take_frame_offset(struct loupe_span *rest, int64_t *ret) {
    const char *cursor = rest->bytes, *end = rest->bytes + rest->length;
    bool negative = cursor < end && *cursor == '-';
    uint64_t value;
    if (cursor < end && (*cursor == '-' || *cursor == '+')) /* + in a register, says GCC */
        cursor++;
    if (!loupe_parse_decimal(&cursor, end, INT64_MAX, &value))
        return false;
    *ret = negative ? -(int64_t)value : (int64_t)value;
    rest->length -= (size_t)(cursor - rest->bytes);
    rest->bytes = cursor;
    return true;
}

bool loupe_signature_next(struct loupe_span *rest, struct loupe_signature_part *ret,
                          enum loupe_encoding_status *status_ret) {
    struct loupe_encoding_rules rules =
        loupe_encoding_rules_of((struct loupe_machine){.pointer_size = 8});
    struct loupe_signature_part part = {0};
    struct loupe_type type;
    size_t length;
    *status_ret = LOUPE_ENCODING_OK;
    if (rest->length == 0)
        return false;
    *status_ret = loupe_type_parse(*rest, &rules, &type, &length);
    if (*status_ret)
        return false;
    struct loupe_span behind = {.bytes = rest->bytes + length, .length = rest->length - length};
    part.type = type.text;
    part.has_offset = take_frame_offset(&behind, &part.offset);
    if (length == 0 && !part.has_offset) {
        *status_ret = LOUPE_ENCODING_MALFORMED;
        return false;
    }
    *rest = behind;
    *ret = part;
    return true;
}

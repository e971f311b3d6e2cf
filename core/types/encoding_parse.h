/*
 * encoding_parse.h - one type out of an encoding, and its place: what the encoding_*.c share.
 */
#ifndef LOUPE_ENCODING_PARSE_H
#define LOUPE_ENCODING_PARSE_H

#include "types/encoding.h"

static inline uint64_t loupe_round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/* A type, and what a walk needs to go into it. */
struct loupe_parsed {
    struct loupe_type type;
    uint32_t contents; /* position of the first member, or of an array's element type */
    bool named;        /* the members have names */
    uint64_t count;    /* elements of an array */
    uint64_t stride;   /* bytes from one element to the next */
    uint32_t bit_width;
    bool bit_placed;       /* the encoding says where the bit-field is: */
    uint64_t bit_position; /* in bits from the start of the struct */
};

/* ---- Text (encoding_parse.c) ---- */

/*
 * The type at position at. named: it is a member of something with member names, so that a string
 * behind an @ may be the name of the next member. *end_ret is the position behind the type, or
 * where it goes wrong.
 */
enum loupe_encoding_status loupe_encoding_parse(struct loupe_span text, uint32_t at, bool named,
                                                const struct loupe_encoding_rules *rules,
                                                struct loupe_parsed *ret, uint32_t *end_ret);

/* The member name at *at, which moves behind it; false, and an empty name, when there is none. */
bool loupe_encoding_take_name(struct loupe_span text, uint32_t *at, struct loupe_span *ret);

/* ---- Sizes (encoding_sizes.c) ---- */

struct loupe_type loupe_scalar_type(enum loupe_type_kind kind, uint64_t size, uint64_t alignment);
/* A type without an encoding. */
struct loupe_type loupe_unknown_type(const struct loupe_encoding_rules *rules);
/* The type of one letter. False: it is none. */
bool loupe_letter_type(char letter, const struct loupe_encoding_rules *rules,
                       struct loupe_type *ret);

/* A record without members, which starts at a place of the given trust. */
struct loupe_record loupe_record_begin(enum loupe_encoding_trust trust);

/* Where a member stands, in bits from the start. */
struct loupe_place {
    uint64_t bits;
    enum loupe_encoding_trust trust;
};

/* Adds a member. unnamed: it is known to have no name, which matters for bit-fields. */
struct loupe_place loupe_record_add(struct loupe_record *record, const struct loupe_parsed *member,
                                    bool unnamed, const struct loupe_encoding_rules *rules);

/* The bytes up to behind the last member, and how sure that and the alignment are. */
uint64_t loupe_record_size(const struct loupe_record *record);
enum loupe_encoding_trust loupe_record_trust(const struct loupe_record *record);

#endif

/*
 * word_set.h - a set of words of the target: which ones something describes. One bit a word, in
 * stretches of 1 MB that have any.
 */
#ifndef LOUPE_HEAP_WORD_SET_H
#define LOUPE_HEAP_WORD_SET_H

#include "base/map.h"
#include "base/vector.h"

enum {
    LOUPE_WORD_SHIFT = 2, /* 32-bit targets have words of four bytes */
    LOUPE_STRETCH_SHIFT = 20,
    LOUPE_STRETCH_BITS = 1 << (LOUPE_STRETCH_SHIFT - LOUPE_WORD_SHIFT)
};

struct loupe_word_set {
    const struct loupe_chunk_ops *chunks;
    struct loupe_map stretches; /* address >> LOUPE_STRETCH_SHIFT -> number */
    struct loupe_vector bits;   /* of uint64_t *, by number */
    uint64_t last;              /* the stretch that was asked for last, and its bits */
    uint64_t *last_bits;        /* NULL: it has none */
};

void loupe_word_set_init(struct loupe_word_set *set, const struct loupe_chunk_ops *chunks);
void loupe_word_set_deinit(struct loupe_word_set *set);

/* LOUPE_ENOMEM. */
enum loupe_status loupe_word_set_add(struct loupe_word_set *set, loupe_addr word);

/* The bits of the stretch around an address, or NULL. */
const uint64_t *loupe_word_set_stretch(struct loupe_word_set *set, loupe_addr address);

static inline bool loupe_word_set_has(struct loupe_word_set *set, loupe_addr word) {
    const uint64_t *bits = word >> LOUPE_STRETCH_SHIFT == set->last
                               ? set->last_bits
                               : loupe_word_set_stretch(set, word);
    uint32_t bit = (uint32_t)(word >> LOUPE_WORD_SHIFT) & (LOUPE_STRETCH_BITS - 1);
    return bits && (bits[bit / 64] >> bit % 64 & 1);
}

#endif

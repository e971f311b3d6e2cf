#include "heap/word_set.h"

#include <string.h>

enum { STRETCH_BYTES = LOUPE_STRETCH_BITS / 8 };

void loupe_word_set_init(struct loupe_word_set *set, const struct loupe_chunk_ops *chunks) {
    *set = (struct loupe_word_set){.chunks = chunks, .last = UINT64_MAX};
    loupe_map_init(&set->stretches, chunks);
    loupe_vector_init(&set->bits, chunks, sizeof(uint64_t *));
}

static uint64_t **bits_at(const struct loupe_word_set *set, uint32_t number) {
    return loupe_vector_at(&set->bits, number, sizeof(uint64_t *));
}

void loupe_word_set_deinit(struct loupe_word_set *set) {
    for (uint32_t i = 0; i < set->bits.count; i++)
        loupe_chunk_put(set->chunks, *bits_at(set, i), STRETCH_BYTES);
    loupe_vector_deinit(&set->bits);
    loupe_map_deinit(&set->stretches);
}

const uint64_t *loupe_word_set_stretch(struct loupe_word_set *set, loupe_addr address) {
    uint32_t number;
    set->last = address >> LOUPE_STRETCH_SHIFT;
    bool found = loupe_map_find(&set->stretches, set->last, &number);
    set->last_bits = found ? *bits_at(set, number) : NULL;
    return set->last_bits;
}

static enum loupe_status add_stretch(struct loupe_word_set *set) {
    uint64_t *bits = loupe_chunk_get(set->chunks, STRETCH_BYTES);
    uint64_t **place = bits ? loupe_vector_add(&set->bits) : NULL;
    if (!place) {
        loupe_chunk_put(set->chunks, bits, STRETCH_BYTES);
        return LOUPE_ENOMEM;
    }
    memset(bits, 0, STRETCH_BYTES);
    *place = set->last_bits = bits;
    enum loupe_status status = loupe_map_put(&set->stretches, set->last, set->bits.count - 1);
    if (status)
        set->last = UINT64_MAX;
    return status;
}

enum loupe_status loupe_word_set_add(struct loupe_word_set *set, loupe_addr word) {
    if (word >> LOUPE_STRETCH_SHIFT != set->last)
        loupe_word_set_stretch(set, word);
    enum loupe_status status = set->last_bits ? LOUPE_OK : add_stretch(set);
    uint32_t bit = (uint32_t)(word >> LOUPE_WORD_SHIFT) & (LOUPE_STRETCH_BITS - 1);
    if (!status)
        set->last_bits[bit / 64] |= (uint64_t)1 << bit % 64;
    return status;
}

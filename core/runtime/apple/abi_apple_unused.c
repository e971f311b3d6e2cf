/*
 * What the runtime's tables have in buckets without an entry, which is nothing: llvm-DenseMap.h
 * fills in the keys of new buckets alone, so that their values are what stood in that memory
 * before, and an erased entry keeps its value.
 */
#include "runtime/apple/abi_apple.h"

enum {
    OBJECTS,                                  /* the number of the table of associated objects */
    SIDE_TABLES,                              /* the numbers from here on: counts */
    OWN_TABLES = SIDE_TABLES + APPLE_STRIPES, /* and from here on: of single objects */
    NUMBER_SHIFT = 32
};

struct table {
    struct apple_dense_map map;
    unsigned bucket_words;
    bool is_of_objects; /* keys are negated addresses; else addresses */
    bool is_of_numbers; /* no bucket holds anything */
};

static struct table counts_table(struct loupe_target *target, uint32_t stripe) {
    struct table table = {.bucket_words = 2, .is_of_numbers = true};
    if (stripe < apple_side_table_count(target) &&
        !apple_read_dense_map(target, abi_word(target, apple_side_table(target, stripe), 1),
                              &table.map))
        table.map.bucket_count = 0;
    return table;
}

/* False behind the last one. One that is not there has no buckets. */
static bool find_table(struct loupe_target *target, uint64_t number, struct table *ret) {
    const struct apple_state *state = apple_state_of(target);
    bool is_known = apple_has_associations(target) && state->association_index == APPLE_INDEXED;
    if (number == OBJECTS) {
        *ret = (struct table){.bucket_words = 1 + apple_map_words(target), .is_of_objects = true};
        if (is_known)
            ret->map = state->objects_table;
    } else if (number < OWN_TABLES) {
        *ret = counts_table(target, (uint32_t)number - SIDE_TABLES);
    } else {
        if (!is_known || number - OWN_TABLES >= state->own_tables.count)
            return false;
        *ret = (struct table){.map = *(const struct apple_dense_map *)loupe_vector_at(
                                  &state->own_tables, (uint32_t)(number - OWN_TABLES),
                                  sizeof(struct apple_dense_map)),
                              .bucket_words = 3};
    }
    return true;
}

static loupe_addr bucket_at(const struct loupe_target *target, const struct table *table,
                            uint32_t number) {
    return table->map.buckets +
           (loupe_addr)number * table->bucket_words * target->memory->machine.pointer_size;
}

static bool is_unused(struct loupe_target *target, const struct table *table, uint32_t number) {
    uint64_t key, empty = target->memory->machine.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
    if (table->is_of_numbers)
        return true;
    if (loupe_memory_read_word(target->memory, bucket_at(target, table, number), &key))
        return false;
    return table->is_of_objects ? !apple_undisguise(target, key) : key == empty || key == empty - 1;
}

/* A cursor is the number of a table above that of a bucket. */
static uint64_t table_number(uint64_t cursor) {
    return cursor >> NUMBER_SHIFT;
}

static uint64_t start_of_next_table(uint64_t cursor) {
    return (table_number(cursor) + 1) << NUMBER_SHIFT;
}

bool apple_next_unused(struct loupe_target *target, uint64_t *cursor, struct loupe_range *ret) {
    struct table table;
    for (; find_table(target, table_number(*cursor), &table);
         *cursor = start_of_next_table(*cursor)) {
        uint32_t first = (uint32_t)*cursor, count = table.map.bucket_count;
        while (first < count && !is_unused(target, &table, first) &&
               !loupe_memory_ends_at(target->memory, first))
            first++;
        uint32_t end = first;
        while (end < count && is_unused(target, &table, end) &&
               !loupe_memory_ends_at(target->memory, end))
            end++;
        if (end == first)
            continue;
        *ret =
            (struct loupe_range){bucket_at(target, &table, first), bucket_at(target, &table, end)};
        *cursor = (*cursor & ~(uint64_t)UINT32_MAX) | end;
        return true;
    }
    return false;
}

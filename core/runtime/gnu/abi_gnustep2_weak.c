/* Weak references of libobjc2: WeakRef and weakRefs() of arc.mm. */
#include "runtime/gnu/abi_gnustep2.h"

enum { WEAK_ISA, WEAK_OBJECT, WEAK_COUNT, WEAK_WORDS };

/* The object that a record names knows that it was referenced weakly. */
static bool is_referenced_weakly(struct loupe_target *target, loupe_addr address) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    struct loupe_object object;
    uint64_t word;
    return loupe_object_at(target, address, &object, NULL) == LOUPE_OK &&
           loupe_memory_read_word(target->memory, address - pointer_size, &word) == LOUPE_OK &&
           word >> (8 * pointer_size - 1);
}

/*
 * All records begin with the address of one variable, which has a symbol of its own if the library
 * was not stripped; else the first record with an object that is alive gives it away.
 */
bool gnustep2_is_weak_record(struct loupe_target *target, uint64_t record) {
    struct gnustep2_state *state = gnustep2_state_of(target);
    uint64_t words[WEAK_WORDS];
    for (unsigned i = 0; i < WEAK_WORDS; i++) {
        if (loupe_memory_read_word(target->memory, abi_word(target, record, i), &words[i]))
            return false;
    }
    if (!state->weak_isa)
        loupe_memory_find_symbol(target->memory, "_ZL13weakref_class", &state->weak_isa);
    if (!state->weak_isa && words[WEAK_COUNT] && words[WEAK_COUNT] <= INT32_MAX &&
        is_referenced_weakly(target, words[WEAK_OBJECT]))
        state->weak_isa = words[WEAK_ISA];
    return state->weak_isa && words[WEAK_ISA] == state->weak_isa;
}

bool gnustep2_weak_record_object(struct loupe_target *target, uint64_t record, uint64_t *ret) {
    return gnustep2_is_weak_record(target, record) &&
           !loupe_memory_read_word(target->memory, abi_word(target, record, WEAK_OBJECT), ret);
}

/* ---- The table of records: tsl::robin_pg_map ---- */

/* A row of buckets, the last of them marked; no more than one table, made for 128 and never
 * smaller. */
enum { BUCKET_MARKS, BUCKET_KEY, BUCKET_RECORD, BUCKET_WORDS };
enum { DISTANCE = 0xffff, LONGEST_DISTANCE = 0x7fff, LAST_SHIFT = 16, LAST_MASK = 0xff };
enum { FEWEST_BUCKETS = 128 };

struct bucket {
    bool used, last;
};

/* False: it is none. In one that is used, the record names the object of the key. */
static bool read_bucket(struct loupe_target *target, loupe_addr address, struct bucket *ret) {
    uint64_t marks, key, record, object;
    if (loupe_memory_read_word(target->memory, address, &marks))
        return false;
    ret->used = (marks & DISTANCE) != DISTANCE;
    ret->last = marks >> LAST_SHIFT & LAST_MASK;
    if ((marks >> LAST_SHIFT & LAST_MASK) > 1)
        return false;
    if (!ret->used)
        return true;
    return (marks & DISTANCE) <= LONGEST_DISTANCE &&
           !loupe_memory_read_word(target->memory, abi_word(target, address, BUCKET_KEY), &key) &&
           !loupe_memory_read_word(target->memory, abi_word(target, address, BUCKET_RECORD),
                                   &record) &&
           !loupe_memory_read_word(target->memory, abi_word(target, record, WEAK_OBJECT),
                                   &object) &&
           key && object == key && gnustep2_is_weak_record(target, record);
}

bool gnustep2_weak_table(struct loupe_target *target, struct loupe_range memory,
                         struct loupe_weak_keys *ret) {
    uint32_t stride = BUCKET_WORDS * target->memory->machine.pointer_size;
    uint64_t most = (memory.end - memory.start) / stride;
    struct bucket bucket = {.last = false};
    bool any_used = false;
    uint32_t count = 0;
    if (most < FEWEST_BUCKETS)
        return false;
    while (!bucket.last && count < most && !loupe_memory_ends_at(target->memory, count)) {
        if (!read_bucket(target, memory.start + (loupe_addr)count * stride, &bucket))
            return false;
        any_used |= bucket.used;
        count++;
    }
    *ret = (struct loupe_weak_keys){
        .first = abi_word(target, memory.start, BUCKET_KEY), .count = count, .stride = stride};
    return bucket.last && any_used && count >= FEWEST_BUCKETS;
}

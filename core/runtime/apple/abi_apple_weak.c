/*
 * Apple's weak references: variables that a side table lists by the object they refer to
 * (objc-weak.h and NSObject.mm of objc4-750 to objc4-951).
 */
#include "runtime/apple/abi_apple.h"

/* Words of an entry: the object, then up to four variables, or the table that they stand in. */
enum { ENTRY_WORDS = 5, INLINE_REFERRERS = 4, WEAK_TABLE = 4 /* word of a side table */ };
enum { OUT_OF_LINE = 2, OUT_OF_LINE_MASK = 3 };

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

/* Keeps the addresses of variables that stand, disguised, in a row of words. */
static bool add_referrers(struct loupe_target *target, loupe_addr first, uint64_t count,
                          enum loupe_status *status) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word;
        if (!read_word(target, first + 8 * i, &word))
            return false;
        loupe_addr slot = apple_undisguise(target, word);
        if (slot)
            *status = loupe_map_put(&apple_state_of(target)->weak_slots, slot, 0);
        if (*status)
            return false;
    }
    return true;
}

static bool is_size(uint64_t mask) {
    return mask < APPLE_MAX_BUCKETS && !(mask & (mask + 1));
}

static bool add_entry(struct loupe_target *target, loupe_addr entry, enum loupe_status *status) {
    uint64_t object, referrers, flags, mask;
    if (!read_word(target, entry, &object))
        return false;
    if (!apple_undisguise(target, object))
        return true;
    if (!read_word(target, entry + 16, &flags))
        return false;
    if ((flags & OUT_OF_LINE_MASK) != OUT_OF_LINE)
        return add_referrers(target, entry + 8, INLINE_REFERRERS, status);
    return read_word(target, entry + 8, &referrers) && read_word(target, entry + 24, &mask) &&
           is_size(mask) && add_referrers(target, referrers, mask + 1, status);
}

static bool add_table(struct loupe_target *target, loupe_addr table, enum loupe_status *status) {
    uint64_t entries, mask;
    if (!read_word(target, table, &entries) || !read_word(target, table + 16, &mask))
        return false;
    if (!entries)
        return true;
    for (uint64_t i = 0; is_size(mask) && i <= mask; i++) {
        if (loupe_memory_ends_at(target->memory, i) ||
            !add_entry(target, entries + i * ENTRY_WORDS * 8, status))
            return false;
    }
    return is_size(mask);
}

static void index_weak_slots(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    uint32_t count = apple_side_table_count(target);
    enum loupe_status status = LOUPE_OK;
    bool good = count && target->memory->machine.pointer_size == 8;
    for (uint32_t i = 0; good && i < count; i++)
        good =
            add_table(target, abi_word(target, apple_side_table(target, i), WEAK_TABLE), &status);
    state->weak_index = good ? APPLE_INDEXED : APPLE_NOT_READABLE;
}

/* Every packed isa says whether a weak variable ever referred to its object. */
static bool was_never_weak(struct loupe_target *target, loupe_addr object) {
    const struct apple_state *state = apple_state_of(target);
    uint64_t isa;
    return state->isa.weakly_referenced < 64 && read_word(target, object, &isa) &&
           apple_is_packed(state, isa) && !(isa >> state->isa.weakly_referenced & 1);
}

enum loupe_weakness apple_weakness(struct loupe_target *target, loupe_addr word, loupe_addr slot) {
    struct apple_state *state = apple_state_of(target);
    uint32_t ignored;
    if (was_never_weak(target, word))
        return LOUPE_NOT_WEAK;
    if (slot && state->weak_index == APPLE_NOT_INDEXED)
        index_weak_slots(target);
    if (!slot || state->weak_index != APPLE_INDEXED)
        return LOUPE_WEAK_UNKNOWN;
    return loupe_map_find(&state->weak_slots, slot, &ignored) ? LOUPE_WEAK : LOUPE_NOT_WEAK;
}

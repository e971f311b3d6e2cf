/*
 * Apple's retain counts: in the isa, with what does not fit there in a side table (NSObject.mm of
 * objc4-750 to objc4-951).
 */
#include "runtime/apple/abi_apple.h"

enum { STRIPE_SIZE = 64, DEVICE_STRIPES = 8, COUNT_SHIFT = 2 };

loupe_addr apple_side_table(const struct loupe_target *target, uint32_t stripe) {
    return apple_state_of(target)->side_tables + (loupe_addr)stripe * STRIPE_SIZE;
}

/*
 * Exported since objc4-841. Before, a local symbol stands at the tables themselves: its name since
 * objc4-779, and until then. Whether it leads to tables is seen when they are read: every object in
 * them tells which of them it belongs to.
 */
static loupe_addr find_side_tables(struct loupe_memory *memory) {
    static const char *const local_names[] = {"_ZN12_GLOBAL__N_113SideTablesMapE",
                                              "_ZN12_GLOBAL__N_112SideTableBufE"};
    loupe_addr found = 0;
    for (unsigned i = 0; i < sizeof(local_names) / sizeof(local_names[0]); i++) {
        if (!loupe_memory_find_symbol(memory, local_names[i], &found))
            return found;
    }
    return 0;
}

/*
 * Since objc4-818 the count in the isa includes the first owner. That version brought
 * objc_debug_autoreleasepoolpage_ptr_mask and the isa of arm64e, objc4-841
 * objc_debug_side_tables_map. Without any symbol the newer rule is taken: it is right for systems
 * since macOS 11 and iOS 14.
 */
void apple_detect_counts(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    struct loupe_memory *memory = target->memory;
    loupe_addr ignored, map;
    bool has_symbols = !loupe_memory_find_symbol(memory, "objc_debug_isa_class_mask", &ignored);
    bool has_pool_mask =
        !loupe_memory_find_symbol(memory, "objc_debug_autoreleasepoolpage_ptr_mask", &ignored);
    if (!loupe_memory_find_symbol(memory, "objc_debug_side_tables_map", &map))
        loupe_memory_read_pointer(memory, map, &state->side_tables);
    state->counts_first_owner =
        !has_symbols || has_pool_mask || state->side_tables || state->isa.magic_mask == 1;
    if (!state->side_tables)
        state->side_tables = find_side_tables(memory);
}

/* ---- The side tables, read whole: they hold few objects, and their hash may change ---- */

/* Adds the entries of a stripe to the index. False: an entry does not belong there. */
static bool add_stripe(struct loupe_target *target, uint32_t stripe, uint32_t stripe_count,
                       enum loupe_status *status) {
    struct apple_state *state = apple_state_of(target);
    struct apple_dense_map table;
    if (!apple_read_dense_map(target, abi_word(target, apple_side_table(target, stripe), 1),
                              &table))
        return false;
    for (uint32_t i = 0; i < table.bucket_count; i++) {
        uint64_t key, bits;
        loupe_addr bucket = abi_word(target, table.buckets, 2 * i);
        if (loupe_memory_ends_at(target->memory, i) ||
            loupe_memory_read_word(target->memory, bucket, &key) ||
            loupe_memory_read_word(target->memory, abi_word(target, bucket, 1), &bits))
            return false;
        loupe_addr object = apple_undisguise(target, key);
        if (!object)
            continue;
        if (((object >> 4) ^ (object >> 9)) % stripe_count != stripe)
            return false;
        uint64_t count = bits >> COUNT_SHIFT;
        *status = loupe_map_put(&state->side_counts, object,
                                count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
        if (*status)
            return false;
    }
    return true;
}

static bool add_stripes(struct loupe_target *target, uint32_t stripe_count,
                        enum loupe_status *status) {
    loupe_map_clear(&apple_state_of(target)->side_counts);
    for (uint32_t i = 0; i < stripe_count; i++) {
        if (!add_stripe(target, i, stripe_count, status))
            return false;
    }
    apple_state_of(target)->stripe_count = stripe_count;
    return true;
}

/* Devices have fewer stripes than Macs and simulators; every object tells its stripe. */
static void index_side_tables(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    enum loupe_status status = LOUPE_OK;
    bool good = state->side_tables && (add_stripes(target, APPLE_STRIPES, &status) ||
                                       (!status && add_stripes(target, DEVICE_STRIPES, &status)));
    state->side_index = good ? APPLE_INDEXED : APPLE_NOT_READABLE;
}

uint32_t apple_side_table_count(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    if (state->side_index == APPLE_NOT_INDEXED)
        index_side_tables(target);
    return state->side_index == APPLE_INDEXED ? state->stripe_count : 0;
}

static bool side_count(struct loupe_target *target, loupe_addr object, uint64_t *ret) {
    uint32_t count = 0;
    if (!apple_side_table_count(target))
        return false;
    loupe_map_find(&apple_state_of(target)->side_counts, object, &count);
    *ret = count;
    return count != UINT32_MAX;
}

/* ---- Counts ---- */

static bool bit(uint64_t word, unsigned number) {
    return number < 64 && (word >> number & 1);
}

enum loupe_retain_count apple_retain_count(struct loupe_target *target,
                                           const struct loupe_object *object, uint64_t *ret) {
    struct apple_state *state = apple_state_of(target);
    uint64_t inline_count = 0, side = 0;
    if (object->cls->kind == LOUPE_INSTANCE_CLASS)
        return LOUPE_COUNT_IMMORTAL;
    if (object->cls->flags & LOUPE_CLASS_SWIFT_COUNTS)
        return LOUPE_COUNT_UNKNOWN;
    if (object->cls->flags & LOUPE_CLASS_CF_COUNTS)
        return apple_cf_count(target, object->address, ret);
    bool packed = apple_is_packed(state, object->isa);
    if (packed && state->isa.extra_shift >= 64)
        return LOUPE_COUNT_UNKNOWN;
    if (packed)
        inline_count = object->isa >> state->isa.extra_shift;
    bool in_side_table = !packed || bit(object->isa, state->isa.has_side_table);
    if (in_side_table && !side_count(target, object->address, &side))
        return LOUPE_COUNT_UNKNOWN;
    *ret = inline_count + side + (packed && state->counts_first_owner ? 0 : 1);
    return LOUPE_COUNT_KNOWN;
}

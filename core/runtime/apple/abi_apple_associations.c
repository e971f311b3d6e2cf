/*
 * Apple's associated objects: one table from objects to tables from keys to values
 * (objc-references.mm of objc4-779 to objc4-951; before, they were C++ maps).
 */
#include "runtime/apple/abi_apple.h"

enum { POLICY_OWNS = 1 };

static enum loupe_status add_own_table(struct loupe_target *target, loupe_addr object,
                                       const struct apple_dense_map *table) {
    struct apple_state *state = apple_state_of(target);
    uint32_t number = state->own_tables.count;
    struct apple_dense_map *place = loupe_vector_add(&state->own_tables);
    if (!place)
        return LOUPE_ENOMEM;
    *place = *table;
    return loupe_map_put(&state->associations, object, number);
}

/* One pass over the outer table: cheaper than a look-up per object, and independent of its hash. */
static bool index_associations(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    struct apple_dense_map outer, own;
    if (!state->association_table)
        state->association_table = apple_find_association_table(target);
    if (!state->association_table ||
        !apple_read_dense_map(target, state->association_table, &outer))
        return false;
    unsigned bucket_words = 1 + apple_map_words(target);
    for (uint32_t i = 0; i < outer.bucket_count; i++) {
        uint64_t key;
        loupe_addr bucket = abi_word(target, outer.buckets, bucket_words * i);
        if (loupe_memory_ends_at(target->memory, i) ||
            loupe_memory_read_word(target->memory, bucket, &key))
            return false;
        loupe_addr object = apple_undisguise(target, key);
        if (!object)
            continue;
        if (!apple_read_dense_map(target, abi_word(target, bucket, 1), &own) ||
            add_own_table(target, object, &own))
            return false;
    }
    state->objects_table = outer;
    return true;
}

static enum apple_index make_index(struct loupe_target *target) {
    struct apple_state *state = apple_state_of(target);
    if (state->association_index == APPLE_NOT_INDEXED)
        state->association_index = index_associations(target) ? APPLE_INDEXED : APPLE_NOT_READABLE;
    return state->association_index;
}

bool apple_has_associations(struct loupe_target *target) {
    return make_index(target) != APPLE_INDEXED || apple_state_of(target)->own_tables.count != 0;
}

static const struct apple_dense_map *own_table(struct loupe_target *target, loupe_addr object) {
    struct apple_state *state = apple_state_of(target);
    uint32_t number;
    make_index(target);
    if (!loupe_map_find(&state->associations, object, &number))
        return NULL;
    return loupe_vector_at(&state->own_tables, number, sizeof(struct apple_dense_map));
}

/* Only a packed isa says that there are some; a raw one would count every object. */
static void note_unknown(struct loupe_target *target, const struct loupe_object *object) {
    const struct apple_state *state = apple_state_of(target);
    if (state->association_index == APPLE_NOT_READABLE && apple_is_packed(state, object->isa))
        loupe_findings_add(&target->findings, LOUPE_FINDING_ASSOCIATIONS, object->address);
}

bool apple_next_association(struct loupe_target *target, const struct loupe_object *object,
                            uint64_t *cursor, struct loupe_association *ret) {
    enum { KEY, POLICY, VALUE, WORDS };
    struct loupe_memory *memory = target->memory;
    const struct apple_dense_map *table = own_table(target, object->address);
    if (!table) {
        note_unknown(target, object);
        return false;
    }
    uint64_t empty = memory->machine.pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
    while (*cursor < table->bucket_count) {
        uint64_t words[WORDS];
        loupe_addr bucket = abi_word(target, table->buckets, WORDS * (unsigned)(*cursor)++);
        for (unsigned i = 0; i < WORDS; i++) {
            if (loupe_memory_read_word(memory, abi_word(target, bucket, i), &words[i])) {
                loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, bucket);
                *cursor = table->bucket_count;
                return false;
            }
        }
        if (words[KEY] == empty || words[KEY] == empty - 1)
            continue;
        *ret = (struct loupe_association){.key = words[KEY],
                                          .policy = words[POLICY],
                                          .owned = (words[POLICY] & POLICY_OWNS) != 0,
                                          .slot = abi_word(target, bucket, VALUE),
                                          .value = words[VALUE]};
        return true;
    }
    return false;
}

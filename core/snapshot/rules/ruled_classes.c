#include "snapshot/rules/ruled_classes.h"

static void set_bit(const struct loupe_ruled_classes *ruled, uint64_t *bits, uint32_t class_number,
                    uint32_t rule) {
    bits[(size_t)class_number * ruled->words + rule / 64] |= (uint64_t)1 << rule % 64;
}

/* A thread rule's name is that of a thread. */
static void compare(const struct loupe_ruled_classes *ruled, uint32_t class_number) {
    struct loupe_span name = loupe_snapshot_class_name(ruled->snapshot, class_number);
    for (uint32_t i = 0; i < ruled->rules->count; i++) {
        const struct loupe_rule *rule = &ruled->rules->items[i];
        if (rule->kind != LOUPE_RULE_LIBRARY_THREAD &&
            loupe_pattern_matches(rule->class_name, name))
            set_bit(ruled, ruled->bits, class_number, i);
        if (rule->to_class.length && loupe_pattern_matches(rule->to_class, name))
            set_bit(ruled, ruled->targets, class_number, i);
    }
}

/* Superclasses may run in circles in a damaged dump: no chain is longer than there are classes. */
static void inherit(const struct loupe_ruled_classes *ruled, uint64_t *bits,
                    uint32_t class_number) {
    const struct loupe_snapshot_class *table = ruled->snapshot->class_table;
    uint64_t *own = &bits[(size_t)class_number * ruled->words];
    uint32_t up = table[class_number].superclass;
    for (uint32_t steps = 0;
         up < ruled->snapshot->class_count && steps < ruled->snapshot->class_count;
         steps++, up = table[up].superclass) {
        for (uint32_t word = 0; word < ruled->words; word++)
            own[word] |= bits[(size_t)up * ruled->words + word];
    }
}

enum loupe_status loupe_ruled_classes_find(const struct loupe_snapshot *snapshot,
                                           const struct loupe_rules *rules,
                                           struct loupe_arena *arena,
                                           struct loupe_ruled_classes *ret) {
    struct loupe_ruled_classes ruled = {
        .snapshot = snapshot, .rules = rules, .words = rules->count / 64 + 1};
    size_t words = (size_t)snapshot->class_count * ruled.words;
    ruled.bits = loupe_arena_alloc_array(arena, words, sizeof(*ruled.bits));
    ruled.targets = loupe_arena_alloc_array(arena, words, sizeof(*ruled.targets));
    if (!ruled.bits || !ruled.targets)
        return LOUPE_ENOMEM;
    for (uint32_t number = 0; number < snapshot->class_count; number++)
        compare(&ruled, number);
    for (uint32_t number = 0; number < snapshot->class_count; number++) {
        inherit(&ruled, ruled.bits, number);
        inherit(&ruled, ruled.targets, number);
    }
    enum loupe_status status = loupe_trees_find(&ruled, arena, &ruled.trees);
    if (!status)
        *ret = ruled;
    return status;
}

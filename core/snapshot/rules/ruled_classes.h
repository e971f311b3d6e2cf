/*
 * ruled_classes.h - which rules (rules.h) concern which objects of a snapshot: classes are compared
 * with patterns once, and what is a part of what is found once.
 */
#ifndef LOUPE_RULED_CLASSES_H
#define LOUPE_RULED_CLASSES_H

#include "snapshot/rules/rules.h"
#include "snapshot/rules/trees.h"

struct loupe_ruled_classes {
    const struct loupe_snapshot *snapshot;
    const struct loupe_rules *rules;
    /* By class: words of bits, one for each rule that concerns its objects, and for each whose
     * `to` does. */
    uint64_t *bits, *targets;
    uint32_t words;
    struct loupe_trees trees;
};

/* In the arena: 1/4 byte for each class and rule, and struct loupe_trees. LOUPE_ENOMEM,
 * LOUPE_ETIMEOUT. */
enum loupe_status loupe_ruled_classes_find(const struct loupe_snapshot *snapshot,
                                           const struct loupe_rules *rules,
                                           struct loupe_arena *arena,
                                           struct loupe_ruled_classes *ret);

/* Whether a rule concerns the instances of a class. */
static inline bool loupe_class_has_rule(const struct loupe_ruled_classes *ruled,
                                        uint32_t class_number, uint32_t rule) {
    return class_number < ruled->snapshot->class_count &&
           ruled->bits[(size_t)class_number * ruled->words + rule / 64] >> rule % 64 & 1;
}

/* Whether what stands behind `to` in a rule is the class or one above it. */
static inline bool loupe_class_is_target(const struct loupe_ruled_classes *ruled,
                                         uint32_t class_number, uint32_t rule) {
    return class_number < ruled->snapshot->class_count &&
           ruled->targets[(size_t)class_number * ruled->words + rule / 64] >> rule % 64 & 1;
}

#endif

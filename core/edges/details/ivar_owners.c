#include "edges/details/ivar_owners.h"

#include "edges/kinds/edges_ivar.h"

/* By offset; one of the two is there for every word at most. */
static uint32_t merge(struct loupe_edge *to, const struct loupe_edge *a, uint32_t a_count,
                      const struct loupe_edge *b, uint32_t b_count) {
    uint32_t i = 0, j = 0;
    while (i < a_count || j < b_count) {
        bool first = j == b_count || (i < a_count && a[i].offset <= b[j].offset);
        *to++ = first ? a[i++] : b[j++];
    }
    return a_count + b_count;
}

static uint32_t count_listed(const struct loupe_contained_ivar *ivars) {
    uint32_t count = 0;
    for (; ivars && ivars->name; ivars++)
        count++;
    return count;
}

/* Owned while its flag is set, which an instance has and a class has not: owned at best. */
static void add_listed(struct loupe_walk *walk, const struct loupe_class *cls,
                       const struct loupe_contained_ivar *ivars, struct loupe_ivar_owners *owners,
                       struct loupe_edge *words) {
    for (; ivars && ivars->name; ivars++) {
        uint32_t at = owners->count, offset;
        if (!loupe_container_ivar(walk->target, cls, ivars->name, &offset))
            continue;
        for (; at && words[at - 1].offset > offset; at--)
            words[at] = words[at - 1];
        words[at] = (struct loupe_edge){.offset = offset,
                                        .ownership = ivars->flag ? LOUPE_ASSUMED : LOUPE_STRONG};
        owners->count++;
    }
}

/* What a rule lists of the class or, with its find function, of a superclass (edges_container.c).
 */
static const struct loupe_container_rule *container_rule_of(struct loupe_walk *walk,
                                                            const struct loupe_class *cls) {
    const struct loupe_class *level;
    const struct loupe_container_rule *rule =
        loupe_container_rule_inherited(walk->target, cls, &level);
    return rule && loupe_container_rule_knows_ivars(walk->target, rule, level) ? rule : NULL;
}

enum loupe_status loupe_ivar_owners_find(struct loupe_walk *walk, const struct loupe_class *cls,
                                         struct loupe_ivar_owners *ret) {
    const struct loupe_container_rule *rule = container_rule_of(walk, cls);
    const struct loupe_shape *shape;
    enum loupe_status status = loupe_ivar_shape(walk, cls, &shape);
    if (status)
        return status;
    uint32_t count = shape->slot_count + shape->nonowning_count;
    uint32_t listed = rule ? count_listed(rule->ivars) + count_listed(rule->some_ivars) : 0;
    struct loupe_edge *words =
        loupe_arena_alloc_array(&walk->target->arena, (size_t)count + listed, sizeof(*words));
    if (!words)
        return LOUPE_ENOMEM;
    ret->words = words;
    ret->count =
        merge(words, shape->slots, shape->slot_count, shape->nonowning, shape->nonowning_count);
    if (rule) {
        add_listed(walk, cls, rule->ivars, ret, words);
        add_listed(walk, cls, rule->some_ivars, ret, words);
    }
    return LOUPE_OK;
}

const struct loupe_edge *loupe_ivar_owners_in(const struct loupe_ivar_owners *owners, uint64_t from,
                                              uint64_t end) {
    uint32_t low = 0, high = owners->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (owners->words[middle].offset < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < owners->count && owners->words[low].offset < end ? &owners->words[low] : NULL;
}

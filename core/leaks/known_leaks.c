/* Leaks that libraries are known to make themselves (rules/known_leaks.def). */
#include "leaks/leaks.h"

#include <string.h>

#include "../rules/known_leaks.def"

static const struct loupe_known_leak known_leaks[] = {
#define KNOWN_LEAK(form, detail, name, runtime, library, versions, most, proof)                    \
    {name, runtime, library, versions, proof, most, (form) == OVER_RETAINED},
#include "../rules/known_leaks.def"
#undef KNOWN_LEAK
};
enum { KNOWN_LEAK_COUNT = sizeof(known_leaks) / sizeof(known_leaks[0]) };
_Static_assert((int)KNOWN_LEAK_COUNT <= (int)LOUPE_MOST_KNOWN_LEAKS, "totals have room for each");

bool loupe_leak_is_left_behind(const struct loupe_leaks *leaks, const struct loupe_leak *leak) {
    return leak->degree == LOUPE_DEGREE_LOST && !leak->is_cycle &&
           leaks->snapshot->native->marks[leak->node] & LOUPE_NODE_LEFT_BEHIND;
}

const struct loupe_known_leak *loupe_leaks_known(const struct loupe_leaks *leaks,
                                                 const struct loupe_leak_group *group) {
    const struct loupe_leak *leak = &leaks->items[group->first];
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    struct loupe_span name = loupe_native_class_name(snapshot, leak->node);
    struct loupe_span runtime = loupe_snapshot_string(snapshot, snapshot->native->abi);
    for (unsigned i = 0; i < KNOWN_LEAK_COUNT && loupe_leak_is_left_behind(leaks, leak); i++) {
        if (!known_leaks[i].is_in_use && loupe_span_equals(name, known_leaks[i].name) &&
            loupe_span_equals(runtime, known_leaks[i].runtime))
            return !known_leaks[i].most || group->count <= known_leaks[i].most ? &known_leaks[i]
                                                                               : NULL;
    }
    return NULL;
}

static struct loupe_known_total *total_of(struct loupe_known_totals *totals,
                                          const struct loupe_known_leak *known) {
    for (uint32_t i = 0; i < totals->count; i++) {
        if (totals->items[i].known == known)
            return &totals->items[i];
    }
    totals->items[totals->count].known = known;
    return &totals->items[totals->count++];
}

void loupe_leaks_add_known(struct loupe_known_totals *totals, const struct loupe_known_leak *known,
                           const struct loupe_leak_group *group) {
    struct loupe_known_total *total = total_of(totals, known);
    total->count += group->count;
    loupe_amount_add(&total->kept, group->kept);
    totals->leaks += group->count;
    loupe_amount_add(&totals->kept, group->kept);
}

/* ---- Objects in use ---- */

const struct loupe_known_leak *loupe_miscount_known(const struct loupe_leaks *leaks,
                                                    const struct loupe_miscount *miscount) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    struct loupe_span runtime = loupe_snapshot_string(snapshot, snapshot->native->abi);
    struct loupe_span name = loupe_native_class_name(snapshot, miscount->node);
    bool may_be = !miscount->is_lost && !miscount->is_excess;
    for (unsigned i = 0; may_be && i < KNOWN_LEAK_COUNT; i++) {
        if (known_leaks[i].is_in_use && miscount->releases <= known_leaks[i].most &&
            loupe_span_equals(name, known_leaks[i].name) &&
            loupe_span_equals(runtime, known_leaks[i].runtime))
            return &known_leaks[i];
    }
    return NULL;
}

void loupe_leaks_add_known_miscounts(struct loupe_known_totals *totals,
                                     const struct loupe_leaks *leaks) {
    for (uint32_t i = 0; i < leaks->miscount_count; i++) {
        const struct loupe_known_leak *known = loupe_miscount_known(leaks, &leaks->miscounts[i]);
        if (!known)
            continue;
        total_of(totals, known)->count += leaks->miscounts[i].count;
        totals->leaks += leaks->miscounts[i].count;
    }
}

/* Leaks that libraries are known to make themselves (rules/known_leaks.def). */
#include "leaks/leaks.h"

#include <string.h>

#include "../rules/known_leaks.def"

static const struct loupe_known_leak known_leaks[] = {
#define KNOWN_LEAK(form, detail, name, runtime, library, versions, most, proof)                    \
    {name,                                                                                         \
     runtime,                                                                                      \
     library,                                                                                      \
     versions,                                                                                     \
     proof,                                                                                        \
     (form) == OVER_RETAINED ? (detail) : NULL,                                                    \
     most,                                                                                         \
     (form) == OVER_RETAINED,                                                                      \
     (form) == SELECTOR_NAME   ? LOUPE_LEFT_OWNS_NONE                                              \
     : (form) == LIST_OF_FREED ? LOUPE_LEFT_OWNS_SECOND                                            \
                               : LOUPE_LEFT_OWNS_ALL},
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

bool loupe_left_behind_owns(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link) {
    const struct loupe_native_heap *native = snapshot->native;
    struct loupe_span name = loupe_native_class_name(snapshot, node);
    struct loupe_span runtime = loupe_snapshot_string(snapshot, native->abi);
    for (unsigned i = 0; i < KNOWN_LEAK_COUNT; i++) {
        const struct loupe_known_leak *known = &known_leaks[i];
        if (known->owns == LOUPE_LEFT_OWNS_ALL || !loupe_span_equals(name, known->name) ||
            !loupe_span_equals(runtime, known->runtime))
            continue;
        return known->owns == LOUPE_LEFT_OWNS_SECOND &&
               (native->slots[link] == sizeof(uint64_t) || native->slots[link] == sizeof(uint32_t));
    }
    return true;
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

static bool is_of_class(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    return loupe_span_equals(loupe_native_class_name(snapshot, node), name);
}

static bool refers_to(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (is_of_class(snapshot, columns->to[link], name))
            return true;
    }
    return false;
}

static bool leads_to(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (refers_to(snapshot, columns->to[link], name))
            return true;
    }
    return false;
}

const struct loupe_known_leak *loupe_known_over_retained(const struct loupe_snapshot *snapshot,
                                                         uint32_t node, uint64_t releases) {
    struct loupe_span runtime = loupe_snapshot_string(snapshot, snapshot->native->abi);
    for (unsigned i = 0; i < KNOWN_LEAK_COUNT; i++) {
        const struct loupe_known_leak *known = &known_leaks[i];
        if (known->is_in_use && releases <= known->most &&
            is_of_class(snapshot, node, known->name) &&
            loupe_span_equals(runtime, known->runtime) &&
            (!known->way_to || leads_to(snapshot, node, known->way_to)))
            return known;
    }
    return NULL;
}

const struct loupe_known_leak *loupe_miscount_known(const struct loupe_leaks *leaks,
                                                    const struct loupe_miscount *miscount) {
    return miscount->is_known
               ? loupe_known_over_retained(leaks->snapshot, miscount->node, miscount->releases)
               : NULL;
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

#include "heap_questions/suspects/leaked_suspects.h"

#include "base/fnv.h"
#include "base/sort.h"
#include "cycles/knots/fingerprint.h"
#include "report/heaps/report_trace.h"

#include <string.h>

/* ---- Rings ---- */

static enum loupe_status find_rings(const struct loupe_leaked_suspects *leaked, uint32_t node,
                                    struct loupe_heap_cycles *ret) {
    struct loupe_heap_cycles_asked asked = leaked->rings;
    asked.object = node;
    return loupe_heap_cycles_find(ret, &asked, leaked->held->question->chunks);
}

/* Bytes of a name have to end somewhere, so that class and ring do not run together. */
static enum loupe_status find_fingerprint(const struct loupe_leaked_suspects *leaked, uint32_t node,
                                          uint64_t *ret) {
    const struct loupe_snapshot *snapshot = leaked->rings.snapshot;
    struct loupe_heap_cycles found;
    enum loupe_status status = find_rings(leaked, node, &found);
    const struct loupe_knot_facts *knot = status ? NULL : loupe_heap_cycles_own(&found);
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS,
                                   loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    *ret = loupe_fnv_number(hash, knot ? knot->fingerprint : 0);
    loupe_heap_cycles_deinit(&found);
    return status;
}

/* ---- Groups ---- */

static bool is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_leaked_suspect *x = a, *y = b;
    (void)ctx;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint;
    if (x->rule != y->rule) /* of one table; where objects lie comes last */
        return x->rule < y->rule;
    return x->node < y->node;
}

uint32_t loupe_leaked_group_size(const struct loupe_leaked_suspects *leaked,
                                 const struct loupe_leaked_suspect *first) {
    uint32_t count = 1, left = leaked->count - (uint32_t)(first - leaked->items);
    while (count < left && first[count].fingerprint == first->fingerprint)
        count++;
    return count;
}

/* By how many there are, from behind: each group ends where the next one begins. */
static enum loupe_status group(struct loupe_leaked_suspects *leaked) {
    loupe_sort(leaked->items, leaked->count, sizeof(*leaked->items), is_before, NULL);
    leaked->group_count = 0;
    leaked->groups = loupe_arena_alloc_array(&leaked->held->question->arena, leaked->count,
                                             sizeof(struct loupe_leaked_suspect *));
    for (uint32_t i = 0; leaked->groups && i < leaked->count;) {
        struct loupe_leaked_suspect *first = &leaked->items[i];
        uint32_t size = loupe_leaked_group_size(leaked, first), place = leaked->group_count++;
        for (; place && loupe_leaked_group_size(leaked, leaked->groups[place - 1]) < size; place--)
            leaked->groups[place] = leaked->groups[place - 1];
        leaked->groups[place] = first;
        i += size;
    }
    return leaked->groups ? LOUPE_OK : LOUPE_ENOMEM;
}

enum loupe_status loupe_leaked_suspects_find(struct loupe_leaked_suspects *leaked,
                                             const struct loupe_held_suspects *held,
                                             const struct loupe_heap_cycles_asked *rings) {
    uint32_t count = rings->snapshot->native ? held->not_held : 0;
    *leaked = (struct loupe_leaked_suspects){.held = held, .rings = *rings};
    if (count > LOUPE_LEAKED_SUSPECTS_MOST) {
        leaked->not_looked_at = count - LOUPE_LEAKED_SUSPECTS_MOST;
        count = LOUPE_LEAKED_SUSPECTS_MOST;
    }
    leaked->items = loupe_arena_alloc_array(&held->question->arena, count, sizeof(*leaked->items));
    if (!leaked->items)
        return LOUPE_ENOMEM;
    for (; leaked->count < count; leaked->count++) {
        const struct loupe_suspect *suspect = &held->lost[leaked->count];
        struct loupe_leaked_suspect *item = &leaked->items[leaked->count];
        item->node = suspect->node;
        item->rule = &held->question->rules.items[suspect->rule];
        enum loupe_status status = find_fingerprint(leaked, suspect->node, &item->fingerprint);
        if (status)
            return status;
    }
    return group(leaked);
}

/* ---- What is known ---- */

static bool is_known(const struct loupe_leaked_suspects *leaked,
                     const struct loupe_known_causes *known,
                     const struct loupe_leaked_suspect *first) {
    const struct loupe_snapshot *snapshot = leaked->rings.snapshot;
    return known->knows(known->ctx, first->fingerprint, "leaked suspect of",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
}

enum loupe_status loupe_leaked_suspects_hide(struct loupe_leaked_suspects *leaked,
                                             const struct loupe_known_causes *known,
                                             uint32_t *hidden) {
    uint32_t kept = 0, size;
    *hidden = 0;
    for (uint32_t i = 0; i < leaked->count; i += size) {
        size = loupe_leaked_group_size(leaked, &leaked->items[i]);
        if (is_known(leaked, known, &leaked->items[i])) {
            ++*hidden;
            continue;
        }
        memmove(&leaked->items[kept], &leaked->items[i], size * sizeof(*leaked->items));
        kept += size;
    }
    leaked->count = kept;
    return *hidden ? group(leaked) : LOUPE_OK;
}

/* ---- What an object in no ring hangs on ---- */

bool loupe_leaked_suspect_holder(const struct loupe_snapshot *snapshot, uint32_t node,
                                 uint32_t *ret_holder, uint32_t *ret_link) {
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t holder = 0; holder < columns->nodes; holder++) {
        for (uint32_t link = columns->first[holder]; link < columns->first[holder + 1]; link++) {
            if (columns->to[link] == node && holder != node &&
                loupe_link_counts(columns, link, LOUPE_LINKS_MAYBE)) {
                *ret_holder = holder;
                *ret_link = link;
                return true;
            }
        }
    }
    return false;
}

/* ---- JSON ---- */

static void report_holder(struct loupe_json *json, const struct loupe_leaked_suspects *leaked,
                          uint32_t node) {
    uint32_t holder, link;
    loupe_json_key(json, "holder");
    if (!loupe_leaked_suspect_holder(leaked->rings.snapshot, node, &holder, &link)) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_report_link(json, &leaked->held->question->tracer, holder, link);
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, leaked->rings.snapshot, holder);
    loupe_report_part_of(json, &leaked->held->question->tracer, holder);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

static enum loupe_status report_group(struct loupe_json *json,
                                      const struct loupe_leaked_suspects *leaked,
                                      const struct loupe_own_cycle_asked *own,
                                      const struct loupe_leaked_suspect *first) {
    const struct loupe_snapshot *snapshot = leaked->rings.snapshot;
    uint32_t count = loupe_leaked_group_size(leaked, first);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
    loupe_report_rule(json, first->rule);
    loupe_json_put_uint(json, "count", count);
    loupe_json_key(json, "addresses");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        loupe_json_address(json, loupe_snapshot_address(snapshot, first[i].node));
    loupe_json_end_array(json);
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, first->node);
    loupe_json_end_object(json);
    report_holder(json, leaked, first->node);
    enum loupe_status status = loupe_report_own_cycle(json, own, first->node);
    loupe_json_end_object(json);
    return status;
}

enum loupe_status loupe_report_leaked_suspects(struct loupe_json *json,
                                               const struct loupe_leaked_suspects *leaked,
                                               const struct loupe_own_cycle_asked *own,
                                               uint32_t shown) {
    enum loupe_status status = LOUPE_OK;
    loupe_json_put_uint(json, "leaked_found", leaked->count + leaked->not_looked_at);
    loupe_json_put_uint(json, "leaked_not_searched", leaked->not_looked_at);
    loupe_json_put_uint(json, "leaked_groups", leaked->group_count);
    loupe_json_key(json, "leaked");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; !status && i < shown && i < leaked->group_count; i++)
        status = report_group(json, leaked, own, leaked->groups[i]);
    loupe_json_end_array(json);
    return status;
}

/* What leaks keep that is no object, what objects raw memory keeps that leaks, and what no leak
 * keeps alone. */
#include "base/numbers.h"
#include "base/sort.h"
#include "leaks/leaks.h"

/* ---- Who keeps a node ---- */

/* By node of the part: 0: not known yet. Else who alone keeps it: */
enum { SEVERAL = 1, LEAK = 2 /* and the number of its node in the part */ };

static void fill_in_keeper(const struct loupe_leaks *leaks, uint32_t *keepers, uint32_t node) {
    const uint32_t *immediate = leaks->kept.immediate;
    uint32_t nodes = leaks->part.columns.nodes, top = node;
    while (!keepers[top] && immediate[top] < nodes)
        top = immediate[top];
    uint32_t keeper = keepers[top] ? keepers[top] : SEVERAL;
    for (keepers[top] = keeper; node != top; node = immediate[node])
        keepers[node] = keeper;
}

static uint32_t *find_keepers(const struct loupe_leaks *leaks) {
    uint32_t nodes = leaks->part.columns.nodes;
    uint32_t *keepers = loupe_numbers_get(leaks->chunks, nodes);
    if (!keepers)
        return NULL;
    for (uint32_t i = 0; i < nodes; i++)
        keepers[i] = 0;
    for (uint32_t i = 0; i < leaks->count; i++) {
        if (!loupe_heap_part_has(&leaks->part, leaks->items[i].node))
            continue;
        uint32_t node = loupe_heap_part_node(&leaks->part, leaks->items[i].node);
        keepers[node] = LEAK + node;
    }
    for (uint32_t i = 0; i < nodes; i++)
        fill_in_keeper(leaks, keepers, i);
    return keepers;
}

/* ---- Which objects they keep ---- */

/* Memory without a class, for each leak that keeps it alone. */
static enum loupe_status count_others(struct loupe_leaks *leaks, const uint32_t *keepers) {
    uint32_t nodes = leaks->part.columns.nodes;
    uint32_t *others = loupe_numbers_get(leaks->chunks, nodes);
    if (!others)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < nodes; i++)
        others[i] = 0;
    for (uint32_t node = 0, number = 0; node < leaks->snapshot->columns.nodes; node++) {
        if (!loupe_heap_part_has(&leaks->part, node))
            continue;
        uint32_t keeper = keepers[number++];
        if (keeper >= LEAK && loupe_native_is_memory(leaks->snapshot, node))
            others[keeper - LEAK]++;
    }
    for (uint32_t i = 0; i < leaks->count; i++) {
        struct loupe_leak *leak = &leaks->items[i];
        if (loupe_heap_part_has(&leaks->part, leak->node))
            leak->kept.others = others[loupe_heap_part_node(&leaks->part, leak->node)];
    }
    loupe_numbers_put(leaks->chunks, &others, nodes);
    return LOUPE_OK;
}

/* For its user: what an object keeps for itself is told with it, and tables are nobody's. */
static bool is_object(const struct loupe_snapshot *snapshot, uint32_t node) {
    enum loupe_class_kind kind =
        (enum loupe_class_kind)snapshot->class_table[snapshot->classes[node]].kind;
    return kind == LOUPE_CLASS_INSTANCES || kind == LOUPE_CLASS_BLOCKS ||
           kind == LOUPE_CLASS_BYREFS;
}

static bool is_raw(const struct loupe_snapshot *snapshot, uint32_t node) {
    return snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_RAW;
}

/* Marks raw memory that leaks, as keepers are numbered; then what several keep stands at SEVERAL.
 */
static enum loupe_status mark_reported(const struct loupe_leaks *leaks, struct loupe_marks *ret) {
    enum loupe_status status =
        loupe_marks_init(ret, leaks->chunks, leaks->part.columns.nodes + LEAK);
    if (status)
        return status;
    loupe_mark(ret, SEVERAL);
    for (uint32_t i = 0; i < leaks->count; i++) {
        uint32_t node = leaks->items[i].node;
        if (is_raw(leaks->snapshot, node) && loupe_heap_part_has(&leaks->part, node))
            loupe_mark(ret, LEAK + loupe_heap_part_node(&leaks->part, node));
    }
    return LOUPE_OK;
}

static bool kept_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_kept_class *x = a, *y = b;
    (void)ctx;
    return x->keeper != y->keeper ? x->keeper < y->keeper : x->class_number < y->class_number;
}

/* Those of one keeper and one class are one. */
static void add_up(struct loupe_kept_classes *kept) {
    uint32_t count = 0;
    loupe_sort(kept->items, kept->count, sizeof(*kept->items), kept_before, NULL);
    for (uint32_t i = 0; i < kept->count; i++) {
        struct loupe_kept_class item = kept->items[i];
        struct loupe_kept_class *last = count ? &kept->items[count - 1] : NULL;
        if (last && !kept_before(NULL, last, &item))
            last->count += item.count;
        else
            kept->items[count++] = item;
    }
    kept->count = count;
}

/* Marks of the part what leaks lead to that no library is known for. */
static enum loupe_status mark_of_program(const struct loupe_leaks *leaks, struct loupe_marks *ret) {
    struct loupe_columns columns = leaks->part.columns;
    struct loupe_amount reached;
    uint32_t *roots = loupe_numbers_get(leaks->chunks, leaks->count);
    if (!roots)
        return LOUPE_ENOMEM;
    columns.root_count = 0;
    for (uint32_t i = 0; i < leaks->count; i++) {
        const struct loupe_leak *leak = &leaks->items[i];
        if (!loupe_leak_is_left_behind(leaks, leak) &&
            loupe_heap_part_has(&leaks->part, leak->node))
            roots[columns.root_count++] = loupe_heap_part_node(&leaks->part, leak->node);
    }
    columns.roots = roots;
    enum loupe_status status = loupe_marks_init(ret, leaks->chunks, columns.nodes);
    if (!status) {
        status = loupe_reach(&columns, LOUPE_LINKS_MAYBE, ret, &reached);
        if (status)
            loupe_marks_deinit(ret);
    }
    loupe_numbers_put(leaks->chunks, &roots, leaks->count);
    return status;
}

/* Of what is lost: an unowned knot and what hangs on it are told as one. What only libraries' known
 * leaks share is nobody's to look at. */
static enum loupe_status list(struct loupe_leaks *leaks, const uint32_t *keepers,
                              const struct loupe_marks *reported,
                              const struct loupe_marks *of_program, struct loupe_arena *arena) {
    const struct loupe_columns *columns = &leaks->snapshot->columns;
    struct loupe_kept_classes *kept = &leaks->kept_classes;
    uint32_t capacity = 0;
    for (uint32_t node = 0, number = 0; node < columns->nodes; node++) {
        if (!loupe_heap_part_has(&leaks->part, node))
            continue;
        uint32_t in_part = number++, keeper = keepers[in_part];
        if (!loupe_is_marked(reported, keeper) || loupe_is_marked(&leaks->alive, node) ||
            (keeper == SEVERAL && !loupe_is_marked(of_program, in_part)))
            continue;
        if (keeper == SEVERAL)
            loupe_leaks_count(leaks, node, &leaks->shared);
        if (!is_object(leaks->snapshot, node))
            continue;
        kept->items =
            loupe_arena_grow(arena, kept->items, kept->count, &capacity, sizeof(*kept->items));
        if (!kept->items)
            return LOUPE_ENOMEM;
        kept->items[kept->count++] = (struct loupe_kept_class){
            .keeper = keeper, .class_number = leaks->snapshot->classes[node], .count = 1};
    }
    add_up(kept);
    return LOUPE_OK;
}

enum loupe_status loupe_leaks_find_keepers(struct loupe_leaks *leaks, struct loupe_arena *arena) {
    struct loupe_marks reported, of_program;
    uint32_t *keepers = find_keepers(leaks);
    if (!keepers)
        return LOUPE_ENOMEM;
    enum loupe_status status = count_others(leaks, keepers);
    if (!status)
        status = mark_reported(leaks, &reported);
    if (!status) {
        status = mark_of_program(leaks, &of_program);
        if (!status) {
            status = list(leaks, keepers, &reported, &of_program, arena);
            loupe_marks_deinit(&of_program);
        }
        loupe_marks_deinit(&reported);
    }
    loupe_numbers_put(leaks->chunks, &keepers, leaks->part.columns.nodes);
    return status;
}

/* ---- Of one of them ---- */

/* Where those of a keeper begin. */
static uint32_t first_of(const struct loupe_leaks *leaks, uint32_t keeper) {
    uint32_t low = 0, high = leaks->kept_classes.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (leaks->kept_classes.items[middle].keeper < keeper)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct loupe_kept_classes kept_by(const struct loupe_leaks *leaks, uint32_t keeper) {
    uint32_t first = first_of(leaks, keeper), end = first_of(leaks, keeper + 1);
    return (struct loupe_kept_classes){
        .items = end > first ? leaks->kept_classes.items + first : NULL, .count = end - first};
}

struct loupe_kept_classes loupe_leak_keeps(const struct loupe_leaks *leaks,
                                           const struct loupe_leak *leak) {
    if (!leaks->kept_classes.count || !loupe_heap_part_has(&leaks->part, leak->node))
        return (struct loupe_kept_classes){.count = 0};
    return kept_by(leaks, LEAK + loupe_heap_part_node(&leaks->part, leak->node));
}

static bool more_kept(const void *ctx, const void *a, const void *b) {
    const struct loupe_kept_class *x = a, *y = b;
    (void)ctx;
    return x->count != y->count ? x->count > y->count : x->class_number < y->class_number;
}

static struct loupe_kept_classes keeps(const struct loupe_leaks *leaks,
                                       const struct loupe_leak_group *group, uint32_t index) {
    return group ? loupe_leak_keeps(leaks, &leaks->items[group->first + index])
                 : kept_by(leaks, SEVERAL);
}

enum loupe_status loupe_leaks_keep(const struct loupe_leaks *leaks,
                                   const struct loupe_leak_group *group, struct loupe_arena *arena,
                                   struct loupe_kept_classes *ret) {
    uint32_t count = 0, keepers = group ? group->count : 1;
    *ret = (struct loupe_kept_classes){.count = 0};
    for (uint32_t i = 0; i < keepers; i++)
        count += keeps(leaks, group, i).count;
    if (!count)
        return LOUPE_OK;
    ret->items = loupe_arena_alloc_array(arena, count, sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < keepers; i++) {
        struct loupe_kept_classes one = keeps(leaks, group, i);
        for (uint32_t k = 0; k < one.count; k++) {
            ret->items[ret->count] = one.items[k];
            ret->items[ret->count++].keeper = 0;
        }
    }
    add_up(ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), more_kept, NULL);
    return LOUPE_OK;
}

/* Leaks by the stacks that allocated them. */
#include "base/sort.h"
#include "leaks/leaks.h"
#include "snapshot/recorded_stacks.h"

static bool has_lower_stack(const void *ctx, const void *a, const void *b) {
    const struct loupe_stack_leaks *left = a, *right = b;
    (void)ctx;
    return left->stack < right->stack;
}

static bool has_more_bytes(const void *ctx, const void *a, const void *b) {
    const struct loupe_stack_leaks *left = a, *right = b;
    (void)ctx;
    return left->kept.bytes != right->kept.bytes ? left->kept.bytes > right->kept.bytes
                                                 : left->stack < right->stack;
}

static void list(const struct loupe_leaks *leaks, const bool *is_hidden,
                 struct loupe_leaks_by_stack *ret) {
    for (uint32_t i = 0; i < leaks->group_count; i++) {
        const struct loupe_leak_group *group = &leaks->groups[i];
        for (uint32_t k = 0; k < group->count && !(is_hidden && is_hidden[i]); k++) {
            const struct loupe_leak *leak = &leaks->items[group->first + k];
            ret->items[ret->count++] = (struct loupe_stack_leaks){
                .stack = loupe_snapshot_stack(leaks->snapshot, leak->node),
                .count = 1,
                .kept = leak->kept};
        }
    }
}

/* Of sorted ones. */
static void add_up(struct loupe_leaks_by_stack *ret) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < ret->count; i++) {
        struct loupe_stack_leaks item = ret->items[i];
        struct loupe_stack_leaks *last = kept ? &ret->items[kept - 1] : NULL;
        if (!last || last->stack != item.stack) {
            ret->items[kept++] = item;
            continue;
        }
        last->count += item.count;
        loupe_amount_add(&last->kept, item.kept);
    }
    ret->count = kept;
}

enum loupe_status loupe_leaks_by_stack(const struct loupe_leaks *leaks, const bool *is_hidden,
                                       struct loupe_arena *arena,
                                       struct loupe_leaks_by_stack *ret) {
    *ret = (struct loupe_leaks_by_stack){
        .items = loupe_arena_alloc_array(arena, leaks->count, sizeof(*ret->items))};
    if (!ret->items)
        return LOUPE_ENOMEM;
    list(leaks, is_hidden, ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), has_lower_stack, NULL);
    add_up(ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), has_more_bytes, NULL);
    return LOUPE_OK;
}

/* References to what was freed, in groups. */
#include "leaks/dangling.h"

#include "base/sort.h"

static uint32_t class_of(const struct loupe_snapshot *snapshot,
                         const struct loupe_dangling *dangling) {
    return snapshot->classes[dangling->from];
}

static bool are_alike(const struct loupe_snapshot *snapshot, const struct loupe_dangling *a,
                      const struct loupe_dangling *b) {
    return class_of(snapshot, a) == class_of(snapshot, b) && a->label == b->label &&
           a->kind == b->kind && a->was == b->was && a->why == b->why;
}

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

/* Those that are alike stand together, in the order of their nodes. */
static bool is_before(const void *ctx, const void *left, const void *right) {
    const struct loupe_dangling *a = ((const struct loupe_dangling_group *)left)->example;
    const struct loupe_dangling *b = ((const struct loupe_dangling_group *)right)->example;
    const int by[] = {compare(class_of(ctx, a), class_of(ctx, b)),
                      compare(a->label, b->label),
                      compare(a->kind, b->kind),
                      compare(a->was, b->was),
                      compare(a->why, b->why),
                      compare(a->from, b->from),
                      compare(a->slot, b->slot)};
    unsigned i = 0;
    while (i + 1 < sizeof(by) / sizeof(by[0]) && !by[i])
        i++;
    return by[i] < 0;
}

static bool has_more(const void *ctx, const void *left, const void *right) {
    const struct loupe_dangling_group *a = left, *b = right;
    return a->count != b->count ? a->count > b->count : is_before(ctx, left, right);
}

static void list(const struct loupe_snapshot *snapshot, const struct loupe_dangling_choice *choice,
                 struct loupe_dangling_groups *ret) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->dangling_count; i++) {
        if (!choice || choice->takes(choice->ctx, snapshot, &native->dangling[i]))
            ret->items[ret->count++] =
                (struct loupe_dangling_group){.example = &native->dangling[i], .count = 1};
    }
    ret->references = ret->count;
}

static void join(const struct loupe_snapshot *snapshot, struct loupe_dangling_groups *groups) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < groups->count; i++) {
        if (kept && are_alike(snapshot, groups->items[kept - 1].example, groups->items[i].example))
            groups->items[kept - 1].count++;
        else
            groups->items[kept++] = groups->items[i];
    }
    groups->count = kept;
}

enum loupe_status loupe_dangling_find(const struct loupe_snapshot *snapshot,
                                      const struct loupe_dangling_choice *choice,
                                      struct loupe_arena *arena,
                                      struct loupe_dangling_groups *ret) {
    *ret = (struct loupe_dangling_groups){.count = 0};
    if (!snapshot->native || !snapshot->native->dangling_count)
        return LOUPE_OK;
    ret->items =
        loupe_arena_alloc_array(arena, snapshot->native->dangling_count, sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    list(snapshot, choice, ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), is_before, snapshot);
    join(snapshot, ret);
    loupe_sort(ret->items, ret->count, sizeof(*ret->items), has_more, snapshot);
    return LOUPE_OK;
}

static bool leads_to(const void *ctx, const struct loupe_snapshot *snapshot,
                     const struct loupe_dangling *dangling) {
    const uint64_t *address = ctx;
    (void)snapshot;
    return dangling->target == *address;
}

enum loupe_status loupe_dangling_find_to(const struct loupe_snapshot *snapshot, uint64_t address,
                                         struct loupe_arena *arena,
                                         struct loupe_dangling_groups *ret) {
    struct loupe_dangling_choice choice = {&address, leads_to};
    return loupe_dangling_find(snapshot, &choice, arena, ret);
}

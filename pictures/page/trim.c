#include "pictures/page/trim.h"

#include <string.h>

struct trimming {
    struct loupe_arena *arena;
    const struct picture_finding *finding;
    struct picture_finding *ret;
    uint32_t *numbers; /* by arrow: the one that it becomes, or PICTURE_NONE */
};

static uint32_t keep(struct trimming *trimming, uint32_t arrow) {
    struct picture_finding *ret = trimming->ret;
    if (trimming->numbers[arrow] == PICTURE_NONE) {
        ret->arrows[ret->arrow_count] = trimming->finding->arrows[arrow];
        trimming->numbers[arrow] = ret->arrow_count++;
    }
    return trimming->numbers[arrow];
}

static bool make_list(struct trimming *trimming, uint32_t count, struct picture_arrows *ret) {
    ret->count = 0;
    ret->items = loupe_arena_alloc_array(trimming->arena, (size_t)count + 1, sizeof(*ret->items));
    return ret->items;
}

/* The first and the last steps; what an answer left out lies between them. */
static bool trim_ring(struct trimming *trimming, uint32_t most, struct picture_ring *ring) {
    struct picture_arrows all = ring->arrows;
    if (!make_list(trimming, all.count, &ring->arrows))
        return false;
    uint32_t head = all.count, tail = 0;
    if (all.count > most) {
        head = most / 2;
        tail = most - head;
        if (ring->left_out && ring->gap < head)
            head = ring->gap;
        if (ring->left_out && all.count - ring->gap < tail)
            tail = all.count - ring->gap;
        ring->gap = head;
        ring->left_out += all.count - head - tail;
    }
    for (uint32_t i = 0; i < head; i++)
        ring->arrows.items[ring->arrows.count++] = keep(trimming, all.items[i]);
    for (uint32_t i = all.count - tail; i < all.count; i++)
        ring->arrows.items[ring->arrows.count++] = keep(trimming, all.items[i]);
    return true;
}

static bool trim_rings(struct trimming *trimming, uint32_t most) {
    const struct picture_finding *finding = trimming->finding;
    struct picture_finding *ret = trimming->ret;
    enum { LEAST_OF_RING = 8 };
    uint32_t room = most / LEAST_OF_RING;
    ret->ring_count = finding->ring_count < room ? finding->ring_count : room;
    ret->rings_left = finding->rings_left + finding->ring_count - ret->ring_count;
    ret->rings =
        loupe_arena_alloc_array(trimming->arena, (size_t)ret->ring_count + 1, sizeof(*ret->rings));
    if (!ret->rings)
        return false;
    for (uint32_t i = 0; i < ret->ring_count; i++) {
        ret->rings[i] = finding->rings[i];
        if (!trim_ring(trimming, most / ret->ring_count, &ret->rings[i]))
            return false;
    }
    return true;
}

static bool trim_holders(struct trimming *trimming, uint32_t most) {
    const struct picture_arrows *all = &trimming->finding->holders;
    struct picture_arrows *holders = &trimming->ret->holders;
    uint32_t count = all->count < most ? all->count : most;
    if (!make_list(trimming, count, holders))
        return false;
    for (uint32_t i = 0; i < count; i++)
        holders->items[holders->count++] = keep(trimming, all->items[i]);
    trimming->ret->holders_left += all->count - count;
    return true;
}

/* What a change is about, and of all else that it cuts what is shown. */
static bool trim_changes(struct trimming *trimming) {
    const struct picture_finding *finding = trimming->finding;
    struct picture_finding *ret = trimming->ret;
    ret->changes = loupe_arena_alloc_array(trimming->arena, (size_t)finding->change_count + 1,
                                           sizeof(*ret->changes));
    if (!ret->changes)
        return false;
    for (uint32_t i = 0; i < finding->change_count; i++) {
        const struct picture_arrows *all = &finding->changes[i].cut;
        struct picture_change *change = &ret->changes[i];
        *change = finding->changes[i];
        if (!make_list(trimming, all->count, &change->cut))
            return false;
        for (uint32_t k = 0; k < all->count; k++) {
            if (!k || trimming->numbers[all->items[k]] != PICTURE_NONE)
                change->cut.items[change->cut.count++] = keep(trimming, all->items[k]);
        }
    }
    return true;
}

enum loupe_status picture_trim(const struct picture *picture, const struct picture_finding *finding,
                               uint32_t most, struct picture_finding *ret) {
    struct trimming trimming = {.arena = picture->arena, .finding = finding, .ret = ret};
    size_t arrows = (size_t)finding->arrow_count + 1;
    most = most < PICTURE_LEAST_ARROWS ? PICTURE_LEAST_ARROWS : most;
    *ret = *finding;
    ret->arrow_count = 0;
    ret->arrows = loupe_arena_alloc_array(picture->arena, arrows, sizeof(*ret->arrows));
    trimming.numbers = loupe_arena_alloc_array(picture->arena, arrows, sizeof(*trimming.numbers));
    if (!ret->arrows || !trimming.numbers)
        return LOUPE_ENOMEM;
    memset(trimming.numbers, 0xff, arrows * sizeof(*trimming.numbers));
    return trim_rings(&trimming, most / 4 * 3) && trim_holders(&trimming, most / 4) &&
                   trim_changes(&trimming)
               ? LOUPE_OK
               : LOUPE_ENOMEM;
}

#include "unwind/own_images.h"

#include "kernel/kernel.h"
#include "unwind/own_memory.h"

#include <stdatomic.h>

struct list {
    struct list *next; /* among those that are not used any more */
    size_t size;       /* in bytes */
    uint64_t signature;
    uint32_t count, capacity;
    struct loupe_unwind_tables items[]; /* by their places */
};

static _Atomic(struct list *) current, retired;
static _Atomic(unsigned) readers; /* of any list */

/* ---- Making a list ---- */

struct survey {
    uint64_t signature;
    uint32_t count;
};

static bool note_image(void *ctx, loupe_addr start) {
    struct survey *survey = ctx;
    survey->signature = (survey->signature ^ start) * UINT64_C(0x9e3779b97f4a7c15);
    survey->signature ^= survey->signature >> 29;
    survey->count++;
    return true;
}

struct filling {
    struct loupe_memory *memory;
    struct list *list;
};

/* Images are found in no order; each is put before those that lie above it. */
static bool add_image(void *ctx, loupe_addr start) {
    struct filling *filling = ctx;
    struct list *list = filling->list;
    struct loupe_image image;
    if (list->count == list->capacity)
        return false;
    if (loupe_image_open(filling->memory, start, &image))
        return true;
    uint32_t at = list->count++;
    while (at && list->items[at - 1].code.start > image.start) {
        list->items[at] = list->items[at - 1];
        at--;
    }
    list->items[at] = loupe_image_unwind_tables(&image);
    return true;
}

static struct list *make_list(struct loupe_memory *memory, const struct survey *survey) {
    size_t size = sizeof(struct list) + survey->count * sizeof(struct loupe_unwind_tables);
    struct list *list = loupe_kernel_map(size);
    if (!list)
        return NULL;
    list->size = size;
    list->capacity = survey->count;
    list->signature = survey->signature;
    struct filling filling = {.memory = memory, .list = list};
    loupe_own_images_visit(memory, add_image, &filling);
    return list;
}

/* ---- Taking its place ---- */

static void unmap_all(struct list *list) {
    while (list) {
        struct list *next = list->next;
        loupe_kernel_unmap(list, list->size);
        list = next;
    }
}

/* Puts it away; whoever is the only reader left gives back what was put away. */
static void retire(struct list *list) {
    if (list) {
        list->next = atomic_load(&retired);
        while (!atomic_compare_exchange_weak(&retired, &list->next, list)) {
        }
    }
    struct list *all = atomic_exchange(&retired, NULL);
    if (atomic_load(&readers) == 1) {
        unmap_all(all);
        return;
    }
    while (all) {
        struct list *next = all->next;
        all->next = atomic_load(&retired);
        while (!atomic_compare_exchange_weak(&retired, &all->next, all)) {
        }
        all = next;
    }
}

/* False: there is nothing new. */
static bool renew(struct list *old) {
    struct loupe_own_memory own;
    uint8_t piece[LOUPE_OWN_MEMORY_PIECE];
    struct survey survey = {0};
    loupe_own_memory_init(&own, piece, sizeof(piece));
    if (!loupe_own_images_visit(&own.memory, note_image, &survey) ||
        (old && old->signature == survey.signature))
        return false;
    struct list *list = make_list(&own.memory, &survey);
    if (!list)
        return false;
    if (atomic_compare_exchange_strong(&current, &old, list))
        retire(old);
    else
        loupe_kernel_unmap(list, list->size);
    return true;
}

/* ---- Asking ---- */

static bool find_in(const struct list *list, loupe_addr place, struct loupe_unwind_tables *ret) {
    uint32_t low = 0, high = list ? list->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->items[middle].code.start <= place)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || place >= list->items[low - 1].code.end)
        return false;
    *ret = list->items[low - 1];
    return true;
}

bool loupe_own_images_find(loupe_addr place, struct loupe_unwind_tables *ret) {
    atomic_fetch_add(&readers, 1);
    struct list *list = atomic_load(&current);
    bool found =
        find_in(list, place, ret) || (renew(list) && find_in(atomic_load(&current), place, ret));
    atomic_fetch_sub(&readers, 1);
    return found;
}

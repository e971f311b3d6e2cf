#include "memory/pages.h"

#include "kernel/kernel.h"
#include "scene/own_pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Before each chunk; so long that chunks start on a cache line. */
struct page_header {
    _Alignas(64) struct loupe_own_pages mark;
    struct page_header *next;
    struct page_header **link; /* what points to this header */
    void *mapped;              /* what the kernel gave; this header is inside */
    size_t size;               /* of all that */
};

/*
 * Small pages cost more than anything that is done with them: about a microsecond each in a virtual
 * machine, where a huge one costs as much as thirty of the 512 that it replaces. So all memory
 * comes in pieces that huge pages fit.
 */
enum {
    HUGE_PAGE = LOUPE_OWN_PAGES_ALIGNMENT,
    FIRST_SLAB = HUGE_PAGE,
    LARGEST_SLAB = 32 << 20,
    LARGEST_SHARE = HUGE_PAGE, /* of a slab; larger chunks have pages of their own */
    ALIGNMENT = 64
};

/* Pages that others mapped. Stands in a slab. */
struct adopted {
    struct adopted *next;
    void *pages;
    size_t size;
};

/* A share that came back, until it is given out again in one piece. Stands in it. */
struct returned {
    struct returned *next;
    size_t size;
};

/* Where shares are cut from. */
struct stretch {
    uint8_t *next;
    size_t left;
};

static struct page_header *outstanding;
static struct adopted *adopted;
static struct stretch slab;
static size_t slab_size; /* of the last one; each is twice as large as the one before */
/* The largest share that came back, or what is left of it: before fresh pages are touched. */
static struct stretch spare;
static struct returned *returned[64]; /* the others, by the highest bit of their size */

void *loupe_pages_map(size_t size) {
    return loupe_kernel_map(size);
}

void loupe_pages_unmap(void *pages, size_t size) {
    if (pages)
        loupe_kernel_unmap(pages, size);
}

/* Starts at a border of huge pages, behind some that nobody can touch: so a region of the kernel's
 * starts there, with its mark. */
static void *get_pages(size_t size) {
    if (size > SIZE_MAX / 2)
        return NULL;
    size_t mapped_size = size + sizeof(struct page_header) + HUGE_PAGE;
    uint8_t *mapped = loupe_pages_map(mapped_size);
    if (!mapped)
        return NULL;
    size_t skipped = HUGE_PAGE - (uintptr_t)mapped % HUGE_PAGE;
    struct page_header *header = (struct page_header *)(void *)(mapped + skipped);
    loupe_kernel_prefer_huge(header, mapped_size - skipped);
    loupe_kernel_protect(mapped, skipped);
    *header = (struct page_header){.mark = {.magic = LOUPE_OWN_PAGES_MAGIC,
                                            .start = (uintptr_t)header,
                                            .size = mapped_size - skipped},
                                   .next = outstanding,
                                   .link = &outstanding,
                                   .mapped = mapped,
                                   .size = mapped_size};
    if (outstanding)
        outstanding->link = &header->next;
    outstanding = header;
    return header + 1;
}

static void put_pages(void *chunk) {
    struct page_header *header = (struct page_header *)chunk - 1;
    *header->link = header->next;
    if (header->next)
        header->next->link = header->link;
    loupe_pages_unmap(header->mapped, header->size);
}

/* A whole number of huge pages with its header. */
static bool get_slab(void) {
    size_t size = slab_size ? slab_size * 2 : FIRST_SLAB;
    if (size > LARGEST_SLAB)
        size = LARGEST_SLAB;
    slab.left = size - sizeof(struct page_header);
    slab.next = get_pages(slab.left);
    slab_size = size;
    if (!slab.next)
        slab.left = 0;
    return slab.next != NULL;
}

/* Of the sizes with the same highest bit only the one that came back last: an analysis asks for the
 * same few sizes again and again. */
static void *get_returned(size_t size) {
    struct returned **last = &returned[63 - __builtin_clzll(size)], *share = *last;
    if (!share || share->size != size)
        return NULL;
    *last = share->next;
    return memset(share, 0, size);
}

static void put_returned(void *chunk, size_t size) {
    struct returned **last = &returned[63 - __builtin_clzll(size)], *share = chunk;
    *share = (struct returned){.next = *last, .size = size};
    *last = share;
}

static void put_share(void *chunk, size_t size) {
    if (size <= spare.left) {
        put_returned(chunk, size);
        return;
    }
    if (spare.left)
        put_returned(spare.next, spare.left);
    spare = (struct stretch){.next = chunk, .left = size};
}

static void *cut(struct stretch *stretch, size_t size) {
    void *share = stretch->next;
    stretch->next += size;
    stretch->left -= size;
    return share;
}

/* Small chunks share a slab, which is given back when the question ends: a system call for each
 * would cost more than most questions do otherwise. */
static void *get_share(size_t size) {
    void *share = get_returned(size);
    if (share)
        return share;
    if (size <= spare.left)
        return memset(cut(&spare, size), 0, size);
    if (slab.left < size && !get_slab())
        return NULL;
    return cut(&slab, size);
}

static size_t rounded(size_t size) {
    return size ? (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    return size <= LARGEST_SHARE ? get_share(rounded(size)) : get_pages(size);
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    if (size <= LARGEST_SHARE)
        put_share(chunk, rounded(size));
    else
        put_pages(chunk);
}

const struct loupe_chunk_ops loupe_pages = {.get = get_chunk, .put = put_chunk};

bool loupe_pages_adopt(const void *pages, size_t size) {
    struct adopted *entry = get_share(rounded(sizeof(*entry)));
    if (!entry)
        return false;
    *entry = (struct adopted){.next = adopted, .pages = (void *)(uintptr_t)pages, .size = size};
    adopted = entry;
    return true;
}

bool loupe_pages_find(uintptr_t start, uintptr_t end, uintptr_t *start_ret, uintptr_t *end_ret) {
    const struct page_header *header = outstanding;
    const struct adopted *entry = adopted;
    bool found = false;
    while (header || entry) {
        uintptr_t pages = (uintptr_t)(header ? header->mapped : entry->pages);
        uintptr_t pages_end = pages + (header ? header->size : entry->size);
        if (pages < end && pages_end > start && (!found || pages < *start_ret)) {
            *start_ret = pages;
            *end_ret = pages_end;
            found = true;
        }
        if (header)
            header = header->next;
        else
            entry = entry->next;
    }
    return found;
}

/* The stack of a lost call, on which this one runs: a debugger stopped it in code of the program
 * that it had called, or the program forked there. */
static bool is_stack_in_use(const struct adopted *entry) {
    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)entry->pages < entry->size;
}

void loupe_pages_reclaim(void) {
    while (adopted) {
        struct adopted *entry = adopted;
        adopted = entry->next;
        if (!is_stack_in_use(entry))
            loupe_pages_unmap(entry->pages, entry->size);
    }
    slab = spare = (struct stretch){0};
    slab_size = 0;
    memset(returned, 0, sizeof(returned));
    while (outstanding)
        put_pages(outstanding + 1);
}

/*
 * id_index.h - from an id of a heap dump to the number of the node that has it.
 *
 * Where ids are places in memory, one bit stands for each place at which an object could begin, in
 * pages of 4096 such places, and the rank of a bit among those of its page finds the node: about
 * one bit for 8 bytes of heap. Most dumps list what is in a page in the order of its places, so
 * that the number of the first node says those of all; the nodes of other pages are listed, 4 bytes
 * each. Where ids lie so far apart that pages would take more than a few bytes a node, the nodes
 * are sorted and searched by bisection.
 */
#ifndef LOUPE_ID_INDEX_H
#define LOUPE_ID_INDEX_H

#include "base/bits.h"
#include "base/arena.h"
#include "base/status.h"

enum { LOUPE_ID_PAGE_SHIFT = 12, LOUPE_ID_PAGE_WORDS = 1 << (LOUPE_ID_PAGE_SHIFT - 6) };

struct loupe_id_page {
    uint64_t words[LOUPE_ID_PAGE_WORDS];
    uint16_t before[LOUPE_ID_PAGE_WORDS]; /* bits set in earlier words of the page */
    uint32_t first;                       /* bits set in pages of lower ids */
    uint32_t node;   /* of its lowest id; those of the next ids follow it, unless they are listed */
    uint32_t listed; /* where in `order` its nodes begin, or UINT32_MAX */
    uint64_t key;    /* id >> (shift + LOUPE_ID_PAGE_SHIFT) */
};

struct loupe_id_slot {
    uint64_t key;
    uint32_t page; /* UINT32_MAX: free */
};

struct loupe_id_index {
    const struct loupe_chunk_ops *chunks;
    const uint64_t *ids;         /* by node; the caller's */
    uint32_t *order;             /* nodes by id: of the pages that need it, or all */
    struct loupe_id_page *pages; /* by key; NULL: bisection */
    struct loupe_id_slot *slots; /* of a hash table from keys to pages */
    uint32_t order_room;
    uint32_t count, page_room, page_count, slot_count;
    uint32_t shift; /* all ids are multiples of 1 << shift */
};

/*
 * Makes an index of count ids. Of equal ones the first keeps its node: the others are closed up,
 * by calling move(ctx, from, to) in ascending order for each node behind the first of them, and
 * ids itself is closed up likewise. index->count says how many are left. LOUPE_ENOMEM.
 */
enum loupe_status loupe_id_index_init(struct loupe_id_index *index,
                                      const struct loupe_chunk_ops *chunks, uint64_t *ids,
                                      uint32_t count,
                                      void (*move)(void *ctx, uint32_t from, uint32_t to),
                                      void *ctx);
void loupe_id_index_deinit(struct loupe_id_index *index);

static inline uint32_t loupe_id_slot_of(const struct loupe_id_index *index, uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15u >> 32) & (index->slot_count - 1));
}

/* The page with the bit of an id, or NULL. */
static inline struct loupe_id_page *loupe_id_page_of(const struct loupe_id_index *index,
                                                     uint64_t id) {
    uint64_t key = id >> (index->shift + LOUPE_ID_PAGE_SHIFT);
    for (uint32_t i = loupe_id_slot_of(index, key);; i = (i + 1) & (index->slot_count - 1)) {
        const struct loupe_id_slot *slot = &index->slots[i];
        if (slot->page == UINT32_MAX)
            return NULL;
        if (slot->key == key)
            return &index->pages[slot->page];
    }
}

/* The rank of an id in its page; UINT32_MAX: there is no such id. */
static inline uint32_t loupe_id_rank(const struct loupe_id_index *index,
                                     const struct loupe_id_page *page, uint64_t id) {
    uint32_t place = (uint32_t)(id >> index->shift) & ((1u << LOUPE_ID_PAGE_SHIFT) - 1);
    uint64_t word = page->words[place >> 6], bit = (uint64_t)1 << (place & 63);
    if (!(word & bit) || id & (((uint64_t)1 << index->shift) - 1))
        return UINT32_MAX;
    return page->before[place >> 6] + loupe_count_bits(word & (bit - 1));
}

static inline uint32_t loupe_id_node(const struct loupe_id_index *index,
                                     const struct loupe_id_page *page, uint32_t rank) {
    return page->listed == UINT32_MAX ? page->node + rank : index->order[page->listed + rank];
}

/*
 * Sorts numbers below count by their ids; those of equal ones stay in their order. 4 bytes an id
 * while it runs. LOUPE_ENOMEM.
 */
enum loupe_status loupe_sort_by_id(const struct loupe_chunk_ops *chunks, const uint64_t *ids,
                                   uint32_t *order, uint32_t count);

bool loupe_id_index_search(const struct loupe_id_index *index, uint64_t id, uint32_t *ret);

static inline bool loupe_id_index_find(const struct loupe_id_index *index, uint64_t id,
                                       uint32_t *ret) {
    if (!index->pages)
        return loupe_id_index_search(index, id, ret);
    const struct loupe_id_page *page = loupe_id_page_of(index, id);
    uint32_t rank = page ? loupe_id_rank(index, page, id) : UINT32_MAX;
    if (rank == UINT32_MAX)
        return false;
    *ret = loupe_id_node(index, page, rank);
    return true;
}

/* All nodes by id: room for index->count. */
void loupe_id_index_list(const struct loupe_id_index *index, uint32_t *nodes);

#endif

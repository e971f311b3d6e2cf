#include "snapshot/id_index.h"

#include "base/numbers.h"

#include <string.h>

/* Pages cost this much a node at most; a few are always allowed. */
enum { PAGE_BYTES_PER_NODE = 12, FEW_PAGES = 64 };

/* ---- Sorting: for ids far apart, and for pages ---- */

/* Merges runs of twice the length each time, from one array to the other and back. */
enum loupe_status loupe_sort_by_id(const struct loupe_chunk_ops *chunks, const uint64_t *ids,
                                   uint32_t *order, uint32_t count) {
    uint32_t *other = loupe_numbers_get(chunks, count), *from = order, *to = other;
    if (!other)
        return LOUPE_ENOMEM;
    for (uint64_t run = 1; run < count; run *= 2) {
        for (uint64_t start = 0; start < count; start += 2 * run) {
            uint64_t middle = start + run < count ? start + run : count;
            uint64_t end = start + 2 * run < count ? start + 2 * run : count;
            uint64_t left = start, right = middle;
            for (uint64_t i = start; i < end; i++) {
                bool take_left =
                    left < middle && (right >= end || ids[from[left]] <= ids[from[right]]);
                to[i] = take_left ? from[left++] : from[right++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order)
        memcpy(order, from, (size_t)count * sizeof(*order));
    loupe_numbers_put(chunks, &other, count);
    return LOUPE_OK;
}

/* ---- Pages ---- */

static uint32_t common_shift(const uint64_t *ids, uint32_t count) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all |= ids[i];
    return all ? (uint32_t)__builtin_ctzll(all) > 3 ? 3 : (uint32_t)__builtin_ctzll(all) : 0;
}

static void put_tables(struct loupe_id_index *index) {
    loupe_chunk_put(index->chunks, index->pages, index->page_room * sizeof(*index->pages));
    loupe_chunk_put(index->chunks, index->slots, index->slot_count * sizeof(*index->slots));
    index->pages = NULL;
    index->slots = NULL;
    index->slot_count = index->page_count = 0;
}

static uint32_t page_room_for(uint32_t count) {
    return FEW_PAGES +
           (uint32_t)((uint64_t)count * PAGE_BYTES_PER_NODE / sizeof(struct loupe_id_page));
}

static enum loupe_status get_tables(struct loupe_id_index *index) {
    index->slot_count = 1;
    while (index->slot_count < 2 * index->page_room)
        index->slot_count *= 2;
    index->pages = loupe_chunk_get(index->chunks, index->page_room * sizeof(*index->pages));
    index->slots = loupe_chunk_get(index->chunks, index->slot_count * sizeof(*index->slots));
    if (!index->pages || !index->slots)
        return LOUPE_ENOMEM;
    memset(index->slots, 0xff, index->slot_count * sizeof(*index->slots));
    return LOUPE_OK;
}

static void add_slot(struct loupe_id_index *index, uint64_t key, uint32_t page) {
    uint32_t i = loupe_id_slot_of(index, key);
    while (index->slots[i].page != UINT32_MAX)
        i = (i + 1) & (index->slot_count - 1);
    index->slots[i] = (struct loupe_id_slot){.key = key, .page = page};
}

static struct loupe_id_page *make_page(struct loupe_id_index *index, uint64_t id) {
    uint64_t key = id >> (index->shift + LOUPE_ID_PAGE_SHIFT);
    if (index->page_count == index->page_room)
        return NULL;
    add_slot(index, key, index->page_count);
    struct loupe_id_page *page = &index->pages[index->page_count++];
    memset(page, 0, sizeof(*page));
    page->key = key;
    return page;
}

/* Sets the bit of every id. False when the ids lie too far apart for pages. */
static bool set_bits(struct loupe_id_index *index, const uint64_t *ids, uint32_t count) {
    struct loupe_id_page *page = NULL;
    uint64_t page_mask = ((uint64_t)1 << LOUPE_ID_PAGE_SHIFT) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t granule = ids[i] >> index->shift;
        if (!page || page->key != granule >> LOUPE_ID_PAGE_SHIFT) {
            page = loupe_id_page_of(index, ids[i]);
            if (!page)
                page = make_page(index, ids[i]);
            if (!page)
                return false;
        }
        uint64_t place = granule & page_mask, bit = (uint64_t)1 << (place & 63);
        page->words[place >> 6] |= bit;
    }
    return true;
}

static void rank_page(struct loupe_id_page *page, uint32_t first) {
    uint32_t in_page = 0;
    page->first = first;
    for (uint32_t word = 0; word < LOUPE_ID_PAGE_WORDS; word++) {
        page->before[word] = (uint16_t)in_page;
        in_page += loupe_count_bits(page->words[word]);
    }
}

static uint32_t count_page(const struct loupe_id_page *page) {
    enum { LAST = LOUPE_ID_PAGE_WORDS - 1 };
    return page->before[LAST] + loupe_count_bits(page->words[LAST]);
}

/* Puts pages in the order of their keys where the index looks for them. */
static void show_pages(struct loupe_id_index *index, struct loupe_id_page *pages) {
    uint32_t total = 0;
    memset(index->slots, 0xff, index->slot_count * sizeof(*index->slots));
    for (uint32_t i = 0; i < index->page_count; i++) {
        rank_page(&pages[i], total);
        total += count_page(&pages[i]);
        add_slot(index, pages[i].key, i);
    }
    index->pages = pages;
    index->page_room = index->page_count + 1;
}

static enum loupe_status sort_pages(const struct loupe_id_index *index, uint32_t *order) {
    size_t size = (index->page_count + (size_t)1) * sizeof(uint64_t);
    uint64_t *keys = loupe_chunk_get(index->chunks, size);
    if (!keys)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < index->page_count; i++) {
        order[i] = i;
        keys[i] = index->pages[i].key;
    }
    enum loupe_status status = loupe_sort_by_id(index->chunks, keys, order, index->page_count);
    loupe_chunk_put(index->chunks, keys, size);
    return status;
}

/* By key, and in room for no more than there are: more was reserved. */
static enum loupe_status order_pages(struct loupe_id_index *index) {
    size_t size = (index->page_count + (size_t)1) * sizeof(*index->pages);
    struct loupe_id_page *pages = loupe_chunk_get(index->chunks, size);
    uint32_t *order = loupe_numbers_get(index->chunks, index->page_count);
    enum loupe_status status = pages && order ? sort_pages(index, order) : LOUPE_ENOMEM;
    if (!status) {
        for (uint32_t i = 0; i < index->page_count; i++)
            pages[i] = index->pages[order[i]];
        loupe_chunk_put(index->chunks, index->pages, index->page_room * sizeof(*index->pages));
        show_pages(index, pages);
    } else {
        loupe_chunk_put(index->chunks, pages, size);
    }
    if (order)
        loupe_numbers_put(index->chunks, &order, index->page_count);
    return status;
}

/* ---- Equal ids ---- */

struct closing {
    uint64_t *ids;
    uint32_t kept;
    void (*move)(void *ctx, uint32_t from, uint32_t to);
    void *ctx;
};

static void keep(struct closing *closing, uint32_t node) {
    if (node != closing->kept) {
        closing->ids[closing->kept] = closing->ids[node];
        closing->move(closing->ctx, node, closing->kept);
    }
    closing->kept++;
}

/* An entry is set for each id when its first node is met, so a second one finds it set. */
static void fill_order(struct loupe_id_index *index, uint32_t *order, uint32_t count,
                       struct closing *closing) {
    struct loupe_id_page *page = NULL;
    memset(order, 0xff, (size_t)count * sizeof(*order));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = closing->ids[i];
        if (!page || page->key != id >> (index->shift + LOUPE_ID_PAGE_SHIFT))
            page = loupe_id_page_of(index, id);
        uint32_t *entry = &order[page->first + loupe_id_rank(index, page, id)];
        if (*entry != UINT32_MAX)
            continue;
        *entry = closing->kept;
        keep(closing, i);
    }
}

/* The sort is stable, so the first of equal ids comes first. */
static enum loupe_status sort_order(struct loupe_id_index *index, uint32_t count,
                                    struct closing *closing) {
    uint32_t *order = index->order = loupe_numbers_get(index->chunks, count);
    uint8_t *again = loupe_chunk_get(index->chunks, (size_t)count + 1);
    index->order_room = count;
    if (!again || !order) {
        loupe_chunk_put(index->chunks, again, (size_t)count + 1);
        return LOUPE_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    enum loupe_status status = loupe_sort_by_id(index->chunks, closing->ids, order, count);
    if (!status) {
        memset(again, 0, count);
        for (uint32_t i = 1; i < count; i++)
            again[order[i]] = closing->ids[order[i]] == closing->ids[order[i - 1]];
        for (uint32_t i = 0; i < count; i++) {
            if (!again[i])
                keep(closing, i);
        }
        for (uint32_t i = 0; i < closing->kept; i++)
            order[i] = i;
        status = loupe_sort_by_id(index->chunks, closing->ids, order, closing->kept);
    }
    loupe_chunk_put(index->chunks, again, (size_t)count + 1);
    return status;
}

/* ---- Nodes of pages ---- */

static bool is_run(const uint32_t *nodes, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        if (nodes[i] != nodes[0] + i)
            return false;
    }
    return true;
}

/* From all nodes by id to those of pages that are no runs. */
static enum loupe_status list_nodes(struct loupe_id_index *index, const uint32_t *order) {
    uint32_t listed = 0;
    for (uint32_t i = 0; i < index->page_count; i++) {
        struct loupe_id_page *page = &index->pages[i];
        uint32_t count = count_page(page);
        bool run = is_run(&order[page->first], count);
        page->node = order[page->first];
        page->listed = run ? UINT32_MAX : listed;
        listed += run ? 0 : count;
    }
    index->order = loupe_numbers_get(index->chunks, listed);
    index->order_room = listed;
    if (!index->order)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < index->page_count; i++) {
        const struct loupe_id_page *page = &index->pages[i];
        if (page->listed != UINT32_MAX)
            memcpy(&index->order[page->listed], &order[page->first],
                   count_page(page) * sizeof(*order));
    }
    return LOUPE_OK;
}

static enum loupe_status number_pages(struct loupe_id_index *index, uint32_t count,
                                      struct closing *closing) {
    enum loupe_status status = order_pages(index);
    uint32_t *order = status ? NULL : loupe_numbers_get(index->chunks, count);
    if (!order)
        return LOUPE_ENOMEM;
    fill_order(index, order, count, closing);
    status = list_nodes(index, order);
    loupe_numbers_put(index->chunks, &order, count);
    return status;
}

/* ---- The whole ---- */

enum loupe_status loupe_id_index_init(struct loupe_id_index *index,
                                      const struct loupe_chunk_ops *chunks, uint64_t *ids,
                                      uint32_t count,
                                      void (*move)(void *ctx, uint32_t from, uint32_t to),
                                      void *ctx) {
    struct closing closing = {.ids = ids, .move = move, .ctx = ctx};
    *index = (struct loupe_id_index){.chunks = chunks, .ids = ids};
    index->page_room = page_room_for(count);
    index->shift = common_shift(ids, count);
    enum loupe_status status = get_tables(index);
    if (!status && set_bits(index, ids, count)) {
        status = number_pages(index, count, &closing);
    } else if (!status) {
        put_tables(index);
        status = sort_order(index, count, &closing);
    }
    index->count = closing.kept;
    if (status)
        loupe_id_index_deinit(index);
    return status;
}

void loupe_id_index_deinit(struct loupe_id_index *index) {
    put_tables(index);
    if (index->order)
        loupe_numbers_put(index->chunks, &index->order, index->order_room);
}

void loupe_id_index_list(const struct loupe_id_index *index, uint32_t *nodes) {
    if (!index->pages)
        memcpy(nodes, index->order, index->count * sizeof(*nodes));
    for (uint32_t i = 0; index->pages && i < index->page_count; i++) {
        const struct loupe_id_page *page = &index->pages[i];
        uint32_t count = count_page(page);
        for (uint32_t rank = 0; rank < count; rank++)
            *nodes++ = loupe_id_node(index, page, rank);
    }
}

bool loupe_id_index_search(const struct loupe_id_index *index, uint64_t id, uint32_t *ret) {
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->ids[index->order[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count || index->ids[index->order[low]] != id)
        return false;
    *ret = index->order[low];
    return true;
}

#include "edges/roots/pools.h"

enum { MAX_POOL_PAGES = 1 << 16 /* of one thread */ };

bool loupe_pool_page_at(struct loupe_target *target, loupe_addr address,
                        struct loupe_pool_page *ret) {
    return address % LOUPE_PAGE_SIZE == 0 && target->abi->pool_page &&
           target->abi->pool_page(target, address, ret);
}

enum loupe_status loupe_pool_visit_page(struct loupe_target *target,
                                        const struct loupe_pool_page *page, loupe_pool_visit *visit,
                                        void *visitor) {
    enum loupe_status status = LOUPE_OK;
    for (loupe_addr slot = page->start; !status && slot < page->end; slot += sizeof(uint64_t)) {
        uint64_t entry;
        status = loupe_memory_read_word(target->memory, slot, &entry);
        if (status == LOUPE_EFAULT)
            return LOUPE_OK;
        if (!status)
            status = visit(visitor, entry & page->address_mask, slot,
                           1 + (uint32_t)(entry >> page->count_shift));
    }
    return status;
}

enum loupe_status loupe_pools_visit(struct loupe_target *target, loupe_addr address,
                                    struct loupe_map *seen, loupe_pool_visit *visit,
                                    void *visitor) {
    struct loupe_pool_page page;
    enum loupe_status status = LOUPE_OK;
    unsigned pages = 0;
    uint32_t ignored;
    if (loupe_map_find(seen, address, &ignored))
        return LOUPE_OK;
    /* Cap: objects beyond the limit. */
    while (pages < MAX_POOL_PAGES && loupe_pool_page_at(target, address, &page) && page.parent) {
        address = page.parent;
        pages++;
    }
    if (pages == MAX_POOL_PAGES)
        loupe_findings_add(&target->findings, LOUPE_FINDING_LIMIT, address);
    while (!status && loupe_pool_page_at(target, address, &page) &&
           !loupe_map_find(seen, address, &ignored)) {
        status = loupe_map_put(seen, address, 0);
        if (!status)
            status = loupe_pool_visit_page(target, &page, visit, visitor);
        address = page.child;
    }
    return status;
}

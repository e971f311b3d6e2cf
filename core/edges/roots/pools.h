/*
 * pools.h - the objects that autorelease pools will release, where a runtime keeps them in pages of
 * its own.
 */
#ifndef LOUPE_POOLS_H
#define LOUPE_POOLS_H

#include "base/map.h"
#include "runtime/abi.h"

/* Visits an entry: the object's address, the word that holds it, how many retains it owns. */
typedef enum loupe_status loupe_pool_visit(void *visitor, loupe_addr object, loupe_addr slot,
                                           uint32_t retains);

/* Whether an address is that of a page of a pool. */
bool loupe_pool_page_at(struct loupe_target *target, loupe_addr address,
                        struct loupe_pool_page *ret);

/* Visits the entries of one page. What visit() returns. */
enum loupe_status loupe_pool_visit_page(struct loupe_target *target,
                                        const struct loupe_pool_page *page, loupe_pool_visit *visit,
                                        void *visitor);

/*
 * Visits all entries of the pools that the page at an address belongs to, from the first page on,
 * but for pages that are in `seen`, where all come. Pages beyond a limit are a finding.
 * LOUPE_ENOMEM, and what visit() returns.
 */
enum loupe_status loupe_pools_visit(struct loupe_target *target, loupe_addr address,
                                    struct loupe_map *seen, loupe_pool_visit *visit, void *visitor);

#endif

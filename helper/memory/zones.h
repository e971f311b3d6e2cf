/*
 * zones.h - the zones of this process's malloc, asked themselves what they gave out.
 */
#ifndef LOUPE_HELPER_ZONES_H
#define LOUPE_HELPER_ZONES_H

#include "memory/regions.h"

/* What the zones are asked with. */
struct loupe_zone_host {
    struct loupe_regions *regions;
    bool (*is_in_image)(void *ctx, loupe_addr code); /* whether it is of a loaded image */
    void *ctx;
};

/*
 * As struct loupe_process_ops has it. The zones' own code runs, if it stands in a loaded image; it
 * takes no lock, allocates nothing, and gets memory to see only where that can be read. One that
 * would, as libmalloc's for small blocks does, is told as unasked. While other threads run nobody
 * is asked.
 */
enum loupe_status loupe_zones_visit(const struct loupe_zone_host *host, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor);

#endif

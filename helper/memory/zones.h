/*
 * zones.h - the zones of this process's malloc, asked themselves what they gave out.
 */
#ifndef LOUPE_HELPER_ZONES_H
#define LOUPE_HELPER_ZONES_H

#include "memory/regions.h"

/*
 * As struct loupe_process_ops has it. The zones' own code runs; it takes no lock, allocates
 * nothing, and gets memory to see only where that can be read. While other threads run nobody is
 * asked.
 */
enum loupe_status loupe_zones_visit(struct loupe_regions *regions, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor);

#endif

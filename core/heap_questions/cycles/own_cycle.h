/*
 * own_cycle.h - the retain cycle that one object of a heap is in, as a part of an answer about it.
 */
#ifndef LOUPE_OWN_CYCLE_H
#define LOUPE_OWN_CYCLE_H

#include "base/json.h"
#include "heap_questions/cycles/heap_cycles.h"
#include "mistakes/patterns.h"

struct loupe_own_cycle_asked {
    struct loupe_heap_cycles_asked rings; /* but for the object */
    const struct loupe_chunk_ops *chunks;
    const struct loupe_heap_names *names; /* of fixes */
    const struct loupe_patterns *mistakes;
};

/* Section 9 of docs/protocol.md, into an object that is open: its knots are the one that the object
 * is in, none where it is in none. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_report_own_cycle(struct loupe_json *json,
                                         const struct loupe_own_cycle_asked *asked, uint32_t node);

#endif

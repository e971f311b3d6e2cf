/*
 * chosen_cycles.h - which retain cycles of a heap an answer is about: of those alike one, without
 * those that are known, leaked ones first. And the answer.
 */
#ifndef LOUPE_CHOSEN_CYCLES_H
#define LOUPE_CHOSEN_CYCLES_H

#include "base/json.h"
#include "heap_questions/cycles/heap_cycles.h"
#include "leaks/leaks.h"
#include "mistakes/patterns.h"

/* Who knows some already, such as by a baseline; asked once for each. */
struct loupe_known_cycles {
    bool (*knot)(void *ctx, const struct loupe_heap_cycles *found,
                 const struct loupe_knot_facts *knot);
    /* A circle through non-objects, which is a leak. */
    bool (*circle)(void *ctx, const struct loupe_leak *leak);
    void *ctx;
};

struct loupe_chosen_cycles {
    uint32_t *knots; /* one of each that are alike and not known, leaked ones first */
    uint32_t count, hidden;
    uint64_t found;        /* knots that are not hidden */
    uint64_t possible;     /* of these, not certain ones */
    uint64_t leaked, held; /* of the certain ones */
    uint64_t circles;      /* through non-objects: lost, and not hidden */
    bool is_complete;      /* no knot is left that was not searched */
};

/* In the arena of what was found. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_cycles_choose(struct loupe_heap_cycles *found,
                                           const struct loupe_known_cycles *known,
                                           const struct loupe_chunk_ops *chunks,
                                           struct loupe_chosen_cycles *ret);

struct loupe_cycles_shown {
    uint32_t most; /* entries; 0: all */
    const struct loupe_patterns *patterns;
    bool has_baseline;
};

/* The keys of the answer, into an object that is open. LOUPE_ENOMEM. */
enum loupe_status loupe_report_heap_cycles(struct loupe_json *json, struct loupe_heap_cycles *found,
                                           const struct loupe_chosen_cycles *chosen,
                                           const struct loupe_cycles_shown *shown);

#endif

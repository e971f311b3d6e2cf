/*
 * held_suspects.h - objects that rules say should be gone and that something holds, grouped by the
 * references that can be the mistake.
 */
#ifndef LOUPE_HELD_SUSPECTS_H
#define LOUPE_HELD_SUSPECTS_H

#include "base/json.h"
#include "heap_questions/heap_question.h"
#include "heap_questions/suspects/known_causes.h"
#include "heap_questions/cycles/own_cycle.h"
#include "report/report_stacks.h"

struct loupe_held_suspect {
    struct loupe_trace trace;
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t retained;
    uint64_t group_retained; /* of the first of a group: what all of it retain */
};

struct loupe_held_suspects {
    struct loupe_heap_question *question;
    const struct loupe_dominators *dominators; /* NULL where there are no suspects */
    struct loupe_held_suspect *items;          /* equal fingerprints together */
    uint32_t count;
    struct loupe_held_suspect **groups; /* the first of each fingerprint, the largest group first */
    uint32_t group_count;
    uint32_t by_others;         /* suspects that are held by those only */
    struct loupe_suspect *lost; /* suspects that nothing keeps alive any more */
    uint32_t not_held;          /* how many they are */
    struct loupe_amount total;  /* what all of them keep alive together */
};

/* All in the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_held_suspects_find(struct loupe_held_suspects *suspects,
                                           struct loupe_heap_question *question);
/* Takes out what is known. hidden: how many groups that are. LOUPE_ENOMEM. */
enum loupe_status loupe_held_suspects_hide(struct loupe_held_suspects *suspects,
                                           const struct loupe_known_causes *known,
                                           uint32_t *hidden);

/* The number of the first item behind those that have the fingerprint of item `first`. */
uint32_t loupe_held_suspects_end(const struct loupe_held_suspects *suspects, uint32_t first);

/* How many have the fingerprint of the first of a group. */
uint32_t loupe_held_suspects_size(const struct loupe_held_suspects *suspects,
                                  const struct loupe_held_suspect *first);

/* The first `shown` groups, into the array "suspects", which is open. own: how one that running
 * code alone holds is asked for its retain cycle. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_report_held_suspects(struct loupe_json *json,
                                             const struct loupe_held_suspects *suspects,
                                             const struct loupe_own_cycle_asked *own,
                                             struct loupe_shown_stacks *stacks, uint32_t shown);

#endif

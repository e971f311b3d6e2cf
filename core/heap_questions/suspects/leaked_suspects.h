/*
 * leaked_suspects.h - objects of an Objective-C heap that rules say should be gone and that no root
 * leads to: each is in a ring, or hangs on something that leaks.
 */
#ifndef LOUPE_LEAKED_SUSPECTS_H
#define LOUPE_LEAKED_SUSPECTS_H

#include "heap_questions/cycles/heap_cycles.h"
#include "heap_questions/suspects/held_suspects.h"
#include "heap_questions/cycles/own_cycle.h"

struct loupe_leaked_suspect {
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t fingerprint; /* of its ring and its class; of its class alone where it is in none */
};

struct loupe_leaked_suspects {
    const struct loupe_held_suspects *held;
    struct loupe_heap_cycles_asked rings; /* how each is asked for its ring */
    struct loupe_leaked_suspect *items;   /* equal fingerprints together */
    struct loupe_leaked_suspect **groups; /* the first of each, the largest group first */
    uint32_t count, group_count;
    uint32_t not_looked_at; /* beyond LOUPE_LEAKED_SUSPECTS_MOST: the answer is incomplete */
};

enum { LOUPE_LEAKED_SUSPECTS_MOST = 1000 };

/* Of those that the question of held ones met, in whose arena they are. rings: but for the object.
 * LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_leaked_suspects_find(struct loupe_leaked_suspects *leaked,
                                             const struct loupe_held_suspects *held,
                                             const struct loupe_heap_cycles_asked *rings);
/* Takes out what is known. hidden: how many groups that are. LOUPE_ENOMEM. */
enum loupe_status loupe_leaked_suspects_hide(struct loupe_leaked_suspects *leaked,
                                             const struct loupe_known_causes *known,
                                             uint32_t *hidden);

/* How many have the fingerprint of the first of a group. */
uint32_t loupe_leaked_group_size(const struct loupe_leaked_suspects *leaked,
                                 const struct loupe_leaked_suspect *first);
/* What an object in no ring hangs on: the first reference that may own it. False: there is none. */
bool loupe_leaked_suspect_holder(const struct loupe_snapshot *snapshot, uint32_t node,
                                 uint32_t *ret_holder, uint32_t *ret_link);

/* The keys "leaked_found", "leaked_not_searched", "leaked_groups" and "leaked" of the first `shown`
 * groups, with their rings or what they hang on. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_report_leaked_suspects(struct loupe_json *json,
                                               const struct loupe_leaked_suspects *leaked,
                                               const struct loupe_own_cycle_asked *own,
                                               uint32_t shown);

#endif

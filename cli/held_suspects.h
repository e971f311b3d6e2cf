/*
 * held_suspects.h - objects that rules say should be gone and that something holds, grouped by the
 * references that can be the mistake.
 */
#ifndef LOUPE_CLI_HELD_SUSPECTS_H
#define LOUPE_CLI_HELD_SUSPECTS_H

#include "base/json.h"
#include "heap_gates.h"
#include "heap_question.h"

struct held_suspect {
    struct loupe_trace trace;
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t retained;
    uint64_t group_retained; /* of the first of a group: what all of it retain */
};

struct held_suspects {
    struct heap_question *question;
    const struct loupe_dominators *dominators; /* NULL where there are no suspects */
    struct held_suspect *items;                /* equal fingerprints together */
    uint32_t count;
    struct held_suspect **groups; /* the first of each fingerprint, the largest group first */
    uint32_t group_count;
    uint32_t by_others;         /* suspects that are held by those only */
    struct loupe_suspect *lost; /* suspects that nothing keeps alive any more */
    uint32_t not_held;          /* how many they are */
    struct loupe_amount total;  /* what all of them keep alive together */
};

/* False: no memory. To be given to held_suspects_deinit() either way. */
bool held_suspects_find(struct held_suspects *suspects, struct heap_question *question);
/* Takes out what a baseline has. Returns how many groups that are; false in *ret_done: no memory.
 */
uint32_t held_suspects_hide(struct held_suspects *suspects, struct heap_gates *gates,
                            bool *ret_done);
void held_suspects_deinit(struct held_suspects *suspects);

/* ": it was closed (line 3 of my.rules)": why a rule suspects something, printed. */
void show_reason(const struct loupe_rule *rule);
/* "The same with 0x1f00, 0x2f00 and 3 more": the nodes of all but the first of equal ones, which
 * stand `stride` bytes from each other; nothing where there is only one. */
void show_equal_ones(const struct loupe_snapshot *snapshot, const uint32_t *first, size_t stride,
                     uint32_t count);
/* The keys "reason" and "rule". */
void report_rule(struct loupe_json *json, const struct loupe_rule *rule);

/* The number of the first item behind those that have the fingerprint of item `first`. */
uint32_t held_suspects_end(const struct held_suspects *suspects, uint32_t first);

#endif

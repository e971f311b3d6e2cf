/*
 * leaked_suspects.h - objects of an Objective-C heap that rules say should be gone and that no root
 * leads to: each is in a ring, or hangs on something that leaks.
 */
#ifndef LOUPE_CLI_LEAKED_SUSPECTS_H
#define LOUPE_CLI_LEAKED_SUSPECTS_H

#include "base/json.h"
#include "held_suspects.h"

struct leaked_suspect {
    uint32_t node;
    const struct loupe_rule *rule;
    uint64_t fingerprint; /* of its ring and its class; of its class alone where it is in none */
};

struct leaked_suspects {
    const struct held_suspects *held;
    struct leaked_suspect *items;   /* equal fingerprints together */
    struct leaked_suspect **groups; /* the first of each, the largest group first */
    uint32_t count, group_count;
    uint32_t not_looked_at; /* beyond LEAKED_SUSPECTS_MOST: the answer is incomplete */
};

enum { LEAKED_SUSPECTS_MOST = 1000 };

/* CLI_OK, or what was already said; to be given to leaked_suspects_deinit() either way. */
int leaked_suspects_find(struct leaked_suspects *leaked, const struct held_suspects *held);
/* Takes out what a baseline has. Returns how many groups that are; false in *ret_done: no memory.
 */
uint32_t leaked_suspects_hide(struct leaked_suspects *leaked, struct heap_gates *gates,
                              bool *ret_done);
void leaked_suspects_deinit(struct leaked_suspects *leaked);

/* The first `shown` groups, with their rings or what they hang on. The exit status. */
int leaked_suspects_show(const struct leaked_suspects *leaked, uint32_t shown);
/* The same as the key "leaked". */
int leaked_suspects_report(struct loupe_json *json, const struct leaked_suspects *leaked,
                           uint32_t shown);

/* The ring that an object is in, as text; nothing where it is in none. */
int show_ring_of_suspect(const struct heap_query *query, uint32_t node);

#endif

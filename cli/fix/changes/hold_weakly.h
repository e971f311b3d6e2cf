/*
 * hold_weakly.h - a collection in an ivar that holds weakly what it kept: tables and pointer arrays
 * are made by another message, an array or set of those who want to be told becomes a hash table.
 *
 * Each place that makes one has to be understood, and of an array or set each use too; else it is
 * refused.
 */
#ifndef LOUPE_CLI_FIX_HOLD_WEAKLY_H
#define LOUPE_CLI_FIX_HOLD_WEAKLY_H

#include "fix/changes/patch.h"

enum fix_side { FIX_ITEMS, FIX_KEYS, FIX_VALUES };

/* Names as an answer has them; they can be anything. */
struct fix_collection {
    struct loupe_span class_name, ivar; /* who has it */
    enum fix_side side;                 /* what is to be weak */
    bool is_audience;                   /* of those who want to be told: their order is nothing */
    bool is_weak_already;               /* set where that is why it is refused */
};

/* False: what speaks against it. */
bool fix_hold_weakly(const char *folder, struct fix_collection *collection,
                     struct loupe_arena *arena, struct fix_change *ret, struct fix_reason *reason);

#endif

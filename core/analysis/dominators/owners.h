/*
 * owners.h - who keeps a large share of a heap alive, with no rule that says who should not.
 *
 * An *owner* is an object that no other one alone keeps alive and that itself keeps much; or all
 * such objects of one class, where only together they do. What it keeps is followed down to where
 * it spreads, the *accumulation*: while one object below keeps most of it, that one is meant. What
 * is accumulated there has a class: that of what most bytes are kept by, behind what collections
 * put between; of a list whose links are the program's own objects, theirs.
 */
#ifndef LOUPE_OWNERS_H
#define LOUPE_OWNERS_H

#include "analysis/dominators/histogram.h"
#include "base/vector.h"

struct loupe_owner {
    uint32_t node;         /* the object; of a group the one that keeps most */
    uint32_t count;        /* 1, or how many there are in the group */
    uint64_t retained;     /* bytes, by all of them */
    uint32_t accumulation; /* node */
    uint32_t held_class;   /* what is accumulated, of a group the class itself */
    uint64_t held_count;   /* how many of them, */
    uint64_t held_bytes;   /* and what they keep */
};

struct loupe_owner_options {
    uint64_t least;          /* bytes that an owner keeps */
    const uint32_t *classes; /* by node */
    uint32_t class_count;
    const struct loupe_marks *between; /* classes that collections put between them and what is in
                                          them; of snapshots' class_count */
    const uint32_t *namesakes; /* by class: the first one of its name, as several loaders have one;
                                  NULL: none has another's name */
};

/*
 * Adds them, the largest first, to a vector of struct loupe_owner. 8 bytes a node and 16 a class
 * while it runs. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_owners_find(const struct loupe_columns *columns,
                                    const struct loupe_dominators *dominators,
                                    const struct loupe_owner_options *options,
                                    const struct loupe_chunk_ops *chunks,
                                    struct loupe_vector *owners);

#endif

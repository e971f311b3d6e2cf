/*
 * referrers.h - who refers to an object, counted by class and field.
 */
#ifndef LOUPE_REFERRERS_H
#define LOUPE_REFERRERS_H

#include "base/vector.h"
#include "snapshot/snapshot.h"

/* References of one sort. Elements of arrays are one sort, whatever their index. */
struct loupe_referrer {
    struct loupe_link_name name;
    uint32_t class_number; /* of what refers; of a class object the class that it is */
    uint32_t node, link;   /* the first one */
    uint64_t count;
    uint8_t kind; /* enum loupe_link_kind */
};

enum { LOUPE_MOST_REFERRERS = 4096 }; /* sorts; all beyond are counted in *others */

/*
 * Adds them, the most frequent first, to a vector of struct loupe_referrer. Looks at all links.
 * kinds: those that count. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_referrers_find(const struct loupe_snapshot *snapshot, uint32_t node,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_vector *referrers, uint64_t *others);

#endif

/*
 * difference.h - what is new and what is gone between two snapshots of one program, by class.
 *
 * An object is the same in both where its address and the name of its class are. That is exact
 * where nothing moves and no place is used again; a collector that moves objects makes them gone
 * and new at once. Counts and sizes of a class hold either way. Of Objective-C heaps of one process
 * reuse.h tells objects that took the places of equal ones, as far as that can be told.
 */
#ifndef LOUPE_DIFFERENCE_H
#define LOUPE_DIFFERENCE_H

#include "snapshot/snapshot.h"

struct loupe_class_difference {
    struct loupe_span name; /* of one of the snapshots */
    uint64_t added, gone, still;
    uint64_t reused;       /* of those that are new: where one of the class stood that is gone */
    uint64_t maybe_reused; /* of those that are still there */
    uint64_t old_bytes, new_bytes;
};

struct loupe_difference {
    struct loupe_class_difference *classes; /* by the name: classes of one name are one */
    uint32_t count;
    struct loupe_class_difference total; /* without a name */
    bool tells_reuse;                    /* loupe_reuse_can_be_told() */
};

/*
 * In the arena, 80 bytes a class. LOUPE_ENOMEM leaves *ret alone.
 */
enum loupe_status loupe_difference_find(const struct loupe_snapshot *older,
                                        const struct loupe_snapshot *newer,
                                        struct loupe_arena *arena, struct loupe_difference *ret);

#endif

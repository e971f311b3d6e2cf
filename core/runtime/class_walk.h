/*
 * class_walk.h - all classes of the target, one by one: those that the runtime has linked, from its
 * root classes and from those that the target knows already, and those that the caller met.
 *
 *     loupe_class_walk_begin(&walk, target);
 *     while ((cls = loupe_class_walk_next(&walk))) ...
 *     loupe_class_walk_end(&walk);
 */
#ifndef LOUPE_CLASS_WALK_H
#define LOUPE_CLASS_WALK_H

#include "base/map.h"
#include "base/vector.h"
#include "runtime/class.h"

struct loupe_class_walk {
    struct loupe_target *target;
    struct loupe_vector addresses; /* of what may be classes, in the order they were found in */
    struct loupe_map seen;
    uint32_t done;
    enum loupe_status status; /* LOUPE_ENOMEM, once that ended it */
};

void loupe_class_walk_begin(struct loupe_class_walk *walk, struct loupe_target *target);
void loupe_class_walk_end(struct loupe_class_walk *walk);

/* What may be a class comes in its turn, with all that it leads to. */
void loupe_class_walk_meet(struct loupe_class_walk *walk, loupe_addr address);

/* NULL: there is no further one, or no memory. An interruption ends it as well and is a finding. */
const struct loupe_class *loupe_class_walk_next(struct loupe_class_walk *walk);

/*
 * The class of a name among them; NULL: there is none. LOUPE_OK or LOUPE_ENOMEM. Symbols of many
 * classes are local, or stripped, so only the runtime's links tell.
 */
enum loupe_status loupe_class_named(struct loupe_target *target, const char *name,
                                    const struct loupe_class **ret);
/* Says that there is none of that name, and which may be meant. LOUPE_ENOTOBJECT. */
enum loupe_status loupe_fail_no_class(struct loupe_target *target, const char *name,
                                      struct loupe_error *err);

#endif

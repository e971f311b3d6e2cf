/*
 * edges_ivar.h - which words of an instance hold references, and what those words are called.
 */
#ifndef LOUPE_EDGES_IVAR_H
#define LOUPE_EDGES_IVAR_H

#include "edges/edges.h"
#include "edges/shape.h"

/* Why a word of an instance is taken for a reference: the detail of its slot. */
enum loupe_slot_reason {
    LOUPE_SLOT_STRONG,          /* the class's layout says so */
    LOUPE_SLOT_MANUAL,          /* manual retain/release, and nothing says who owns it */
    LOUPE_SLOT_MANUAL_RETAINED, /* the same, with a property that retains */
    LOUPE_SLOT_MANUAL_COPIED,   /* the same, with a property that copies */
    LOUPE_SLOT_MEMBER,          /* in a struct, of which the runtime keeps no ownership */
    LOUPE_SLOT_CXX,             /* in a C++ object whose layout the compiler leaves out */
    LOUPE_SLOT_WEAK,            /* this and the following own nothing */
    LOUPE_SLOT_ASSIGNED,        /* manual retain/release, with a property that assigns */
    LOUPE_SLOT_UNRETAINED,      /* the class's layout leaves it out */
    LOUPE_SLOT_NOT_KEPT         /* manual retain/release, and a rule for the class leaves it out */
};

/*
 * The shape of the instances of a class, superclasses included, in the target's arena. Fails only
 * with LOUPE_ENOMEM.
 */
enum loupe_status loupe_ivar_shape(struct loupe_walk *walk, const struct loupe_class *cls,
                                   const struct loupe_shape **ret);

/*
 * The ivar at an offset of an instance: its name to `name`, and with its member ("st.x", "a[1]") to
 * `path`; both buffers have LOUPE_MAX_PATH bytes. Without an ivar the name is empty and the path is
 * the offset, "+0x38". Returns the name of the class that declares it, as valid as cls, or NULL.
 */
const char *loupe_ivar_name_at(struct loupe_target *target, const struct loupe_class *cls,
                               uint32_t offset, char *name, char *path);

#endif

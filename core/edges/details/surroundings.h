/*
 * surroundings.h - which object an address lies in that begins none: that of an ivar, of a captured
 * variable, of a pointer into a buffer.
 */
#ifndef LOUPE_SURROUNDINGS_H
#define LOUPE_SURROUNDINGS_H

#include "graph/describer.h"
#include "runtime/object.h"

enum { LOUPE_LARGEST_SURROUNDING = 32 * 1024 /* bytes before the address that are looked at */ };

struct loupe_surroundings {
    struct loupe_object object; /* an instance or a block */
    uint32_t offset;            /* of the address in it */
    /* The ivar there, or "+0x38". */
    char path[LOUPE_MAX_PATH];
};

/*
 * Goes back word by word from address to what looks like an object that reaches over it, until
 * LOUPE_LARGEST_SURROUNDING or memory that cannot be read. Of several the one that begins first:
 * an object with a class in an ivar looks like another one inside. False: there is none.
 */
bool loupe_surroundings_find(struct loupe_target *target, loupe_addr address,
                             struct loupe_surroundings *ret);

#endif

/*
 * allocation.h - whether an instance stands where the runtime's allocator can have put it: a word
 * that happens to hold the address of a class looks like an object of it.
 *
 * gnustep-base and libobjc2 put a fixed number of words before each instance, and malloc() gives
 * addresses that are multiples of 16 on 64 bits. What glibc's malloc() gave has a header.
 */
#ifndef LOUPE_ALLOCATION_H
#define LOUPE_ALLOCATION_H

#include "runtime/object.h"

enum loupe_allocation {
    LOUPE_ALLOCATION_UNKNOWN,   /* it is no instance that was allocated, or nothing tells */
    LOUPE_ALLOCATION_BEGINS,    /* glibc's, by its header */
    LOUPE_ALLOCATION_NOT_SEEN,  /* it has no header, as where glibc is not the allocator */
    LOUPE_ALLOCATION_IMPOSSIBLE /* no allocation begins where that of the instance would */
};

enum loupe_allocation loupe_allocation_of(struct loupe_target *target,
                                          const struct loupe_object *object);

#endif

/*
 * freed.h - whether an object was freed: by the marks that runtimes and allocators leave where it
 * was. The one place that knows them.
 *
 * Many freed objects keep their isa and read as well as live ones. No mark does not mean that an
 * object is alive; a mark that is certain is never found on one that is.
 *
 * Lists of free chunks are those of glibc on 64 bits (malloc.c of 2.26 to 2.42).
 */
#ifndef LOUPE_FREED_H
#define LOUPE_FREED_H

#include "base/target/target.h"

enum loupe_freed_mark {
    LOUPE_FREED_NO_MARK,
    LOUPE_FREED_COUNT,    /* it counts so many retains that it cannot be a count */
    LOUPE_FREED_DYING,    /* it counts none: freed, or -dealloc is at work */
    LOUPE_FREED_FILLED,   /* one byte all over its first word, as debugging allocators leave it */
    LOUPE_FREED_POISONED, /* gnustep-base has put 0xdeadface in place of its isa */
    LOUPE_FREED_CHUNK,    /* malloc has its memory among the free chunks */
    LOUPE_FREED_ZOMBIE    /* a zombie stands in its place */
};

struct loupe_freed {
    enum loupe_freed_mark mark;
    bool certain;
    const char *was; /* the class it had, where that is not its class any more; NULL: not known */
};

/*
 * Whether what was at the address, an object or a block, bears a mark; it need not be a valid
 * object. A few dozen reads: for objects that are asked about or shown, and for those that make no
 * sense.
 */
bool loupe_freed_at(struct loupe_target *target, loupe_addr address, struct loupe_freed *ret);

/* Whether objects of a class of that name are zombies, which stand where others were freed. */
bool loupe_freed_is_zombie(const char *class_name);

/* What tells of it, a phrase that goes on "it was freed: ". Static storage. */
const char *loupe_freed_text(enum loupe_freed_mark mark);

/* "0x1f00 is not an object: it was freed: ...", LOUPE_ENOTOBJECT. err may be NULL. */
enum loupe_status loupe_freed_refuse(const struct loupe_freed *freed, loupe_addr address,
                                     struct loupe_error *err);

#endif

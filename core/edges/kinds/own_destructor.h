/*
 * own_destructor.h - what the .cxx_destruct of a class tells of members of structs.
 *
 * GNUstep's runtime keeps who owns the ivars of a class, and nothing of the members of a struct
 * that is an ivar. Clang destroys the members that own when an instance ends: in .cxx_destruct, by
 * a function whose name lists them (__destructor_8_s8_w16: strong at 8, weak at 16; clang's
 * CGNonTrivialStruct.cpp has the grammar). The code does not run: on x86-64 it is followed
 * (code/following.h), which tells all of them, with names or without. Where it is not understood it
 * is read (code/reading.h): the name of the function, if it has one, else whether the ivar is
 * destroyed at all, which is enough for a struct with one reference; and of others it loads what
 * they own to release it.
 */
#ifndef LOUPE_OWN_DESTRUCTOR_H
#define LOUPE_OWN_DESTRUCTOR_H

#include "runtime/class.h"

enum loupe_members_destroyed {
    LOUPE_MEMBERS_NOT_KNOWN,
    LOUPE_MEMBERS_NONE,   /* no member owns anything */
    LOUPE_MEMBERS_STRONG, /* the one reference, of each element if the ivar is an array, is owned */
    LOUPE_MEMBERS_BY_NAMES, /* each owns or is weak as the name says; the others own nothing */
    LOUPE_MEMBERS_BY_LOADS  /* those in the name own; of the others nothing is known */
};

enum { LOUPE_DESTRUCTOR_NAME = 512 /* a longer one is not known */ };

struct loupe_destroyed_members {
    enum loupe_members_destroyed how;
    uint64_t elements;                /* of the ivar: 1 where it is no array */
    char name[LOUPE_DESTRUCTOR_NAME]; /* of the destructor of the struct */
};

/* Of an ivar that the class itself declares. LOUPE_OK or LOUPE_ENOMEM. */
enum loupe_status loupe_own_destructor_says(struct loupe_target *target,
                                            const struct loupe_class *cls,
                                            const struct loupe_class_layout *layout,
                                            const struct loupe_ivar *ivar,
                                            struct loupe_destroyed_members *ret);

/* A member that a destructor's name has, by its offset in the struct. */
struct loupe_named_member {
    uint64_t offset;
    bool is_weak;
};

typedef void loupe_named_member_visit(void *ctx, const struct loupe_named_member *member);

/* The members in a name, one by one. False: it is none that is understood; some may be visited. */
bool loupe_destructor_members(const char *name, loupe_named_member_visit *visit, void *ctx);

#endif

/*
 * vtable.h - C++ objects by their first words: what a vtable tells of its class (Itanium C++ ABI
 * 2.5.2, 2.9.5), with or without symbols.
 *
 *     vtable - 2 words   offset to the start of the whole object: 0 at the start of one
 *     vtable - 1 word    typeinfo, or 0 where the program has none (-fno-rtti)
 *     typeinfo           + 0 a vtable of __cxxabiv1::..., + 1 word the mangled name; bases behind
 *
 * A word is a vtable only where all of that fits, the name of the typeinfo's own class included: no
 * other words of a program are like that. Every word is the target's, and hostile.
 */
#ifndef LOUPE_CXX_VTABLE_H
#define LOUPE_CXX_VTABLE_H

#include "base/target/target.h"
#include "cxx/type_name.h"

enum { LOUPE_MOST_BASES = 64 }; /* of one class: a typeinfo with more of them is none */

/* How a typeinfo tells the bases of its class, by the class that it is an object of. */
enum loupe_typeinfo_kind {
    LOUPE_TYPEINFO_NONE,
    LOUPE_TYPEINFO_ROOT,   /* no bases */
    LOUPE_TYPEINFO_SINGLE, /* one, at the start of the object */
    LOUPE_TYPEINFO_SEVERAL /* as a list */
};

struct loupe_typeinfo {
    loupe_addr address; /* 0: the program has none */
    enum loupe_typeinfo_kind kind;
    char name[LOUPE_MAX_TYPE_NAME + 1]; /* mangled */
};

/* What was found out about typeinfos' own classes, so that it is asked once. Zeroed at first. */
struct loupe_typeinfo_kinds {
    struct {
        loupe_addr vtable;
        enum loupe_typeinfo_kind kind;
    } known[8];
    uint32_t count;
};

/*
 * Whether objects whose first word is `vtable` are of a C++ class, and of which one. The word's
 * signature is taken off. False: they are of none that can be told.
 */
bool loupe_vtable_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                     uint64_t vtable, struct loupe_typeinfo *ret);

/* The class at an address; false: there is none. */
bool loupe_typeinfo_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                       loupe_addr address, struct loupe_typeinfo *ret);

/* The typeinfo of the base that stands first in the object, or else is named first; 0: none. */
loupe_addr loupe_typeinfo_base(struct loupe_target *target, const struct loupe_typeinfo *typeinfo);

#endif

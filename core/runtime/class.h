/*
 * class.h - the classes of the target: read once, checked, numbered, kept.
 *
 * Every question about a class address is answered from a table, a refusal too: a walk meets the
 * same few hundred classes a million times. Numbers run from 0 without gaps, so that what others
 * know of a class (the shape of its instances, edges_ivar.h) is an array by number.
 *
 * How a class stands in memory is the abi's business (abi.h); here is what all runtimes have in
 * common.
 */
#ifndef LOUPE_CLASS_H
#define LOUPE_CLASS_H

#include "base/target/target.h"
#include "blocks/captures.h"

enum {
    LOUPE_MAX_CLASSES = 1 << 20,   /* addresses looked at in one question, refused ones included */
    LOUPE_MAX_CLASS_DEPTH = 128,   /* superclasses; a longer chain is taken for a loop */
    LOUPE_MAX_CLASS_NAME = 1024,   /* bytes; a longer name is none */
    LOUPE_MAX_INSTANCE = 1 << 24,  /* bytes of an instance */
    LOUPE_MAX_IVARS = 1 << 14,     /* of one class */
    LOUPE_MAX_PROPERTIES = 1 << 12 /* of one class */
};

enum loupe_class_flags {
    LOUPE_CLASS_META = 1 << 0,         /* instances are classes */
    LOUPE_CLASS_ROOT = 1 << 1,         /* no superclass, by its own account */
    LOUPE_CLASS_OWNERSHIP = 1 << 2,    /* the layout knows which ivars are owned (ARC) */
    LOUPE_CLASS_KNOWS_WEAK = 1 << 3,   /* manual retain/release, but __weak ivars are known */
    LOUPE_CLASS_SWIFT = 1 << 4,        /* written in Swift: ivars and counts are Swift's */
    LOUPE_CLASS_SWIFT_COUNTS = 1 << 5, /* counted by the Swift runtime, not by this one */
    LOUPE_CLASS_CXX_IVARS = 1 << 6,    /* has ivars with C++ constructors */
    LOUPE_CLASS_CF_COUNTS = 1 << 7,    /* counted by CoreFoundation, in the object */
    LOUPE_CLASS_NO_MEMBERS = 1 << 8,   /* the layout says nothing of structs and unions */
    LOUPE_CLASS_UNKNOWN_CODE = 1 << 9, /* nothing tells whether it was compiled with ARC */
    LOUPE_CLASS_OWN_RELEASE = 1 << 10, /* counts of its instances may be in a place of its own */
    LOUPE_CLASS_MANY_TYPES = 1 << 11   /* its instances say of which of many types they are */
};

/* What instances of a class are to Loupe. */
enum loupe_instance_kind { LOUPE_INSTANCE_OBJECT, LOUPE_INSTANCE_BLOCK, LOUPE_INSTANCE_CLASS };

struct loupe_class {
    loupe_addr address;
    loupe_addr superclass; /* 0: none */
    loupe_addr isa;        /* of the class object: its metaclass */
    loupe_addr data;       /* the abi's own: where its tables are */
    const char *name;      /* in the target's arena */
    uint32_t number;
    uint32_t flags;          /* set of enum loupe_class_flags */
    uint32_t instance_start; /* bytes: where its own ivars begin */
    uint32_t instance_size;  /* bytes, superclasses included */
    uint8_t kind;            /* enum loupe_instance_kind; inherited where the abi sees no other */
    uint8_t memo;            /* the abi's own: loupe_class_keep_memo(); 0: nothing yet */
};

/*
 * The class at an address. LOUPE_ENOTOBJECT (with the reason in err) when there is no valid class,
 * LOUPE_ENOMEM. The class lives as long as the target. err may be NULL.
 */
enum loupe_status loupe_class_at(struct loupe_target *target, loupe_addr address,
                                 const struct loupe_class **ret, struct loupe_error *err);

/* The class with a number that loupe_class_at() gave out. */
const struct loupe_class *loupe_class_numbered(const struct loupe_target *target, uint32_t number);
uint32_t loupe_class_count(const struct loupe_target *target);

/* Keeps what the abi found out of a class by its superclasses, and is asked for each instance. */
void loupe_class_keep_memo(const struct loupe_target *target, const struct loupe_class *cls,
                           uint8_t memo);

/*
 * A class and its superclasses, one by one:
 *
 *     struct loupe_class_chain chain = loupe_class_chain(cls);
 *     while ((level = loupe_class_chain_next(target, &chain))) ...
 *
 * Ends at the root, at a superclass that is not valid and after LOUPE_MAX_CLASS_DEPTH levels;
 * chain.broken tells, after the loop, that it was not at the root. chain.status is LOUPE_ENOMEM
 * where that ended it.
 */
struct loupe_class_chain {
    const struct loupe_class *next;
    loupe_addr landmark; /* a class further down; meeting it again is a loop */
    unsigned depth;
    bool broken;
    enum loupe_status status;
};
struct loupe_class_chain loupe_class_chain(const struct loupe_class *cls);
const struct loupe_class *loupe_class_chain_next(struct loupe_target *target,
                                                 struct loupe_class_chain *chain);

/* ---- What a class says about its own ivars (superclasses' excluded) ---- */

struct loupe_ivar {
    const char *name;    /* "" for an unnamed one; in the target's arena, as is type */
    const char *type;    /* type encoding; "" where the compiler has none */
    uint32_t offset;     /* bytes from the start of the instance */
    uint32_t size;       /* bytes */
    loupe_addr variable; /* that code finds the offset in; 0: code has it as a number */
};

struct loupe_property {
    const char *name;
    const char *attributes; /* "T@\"NSString\",C,N,V_title" */
};

struct loupe_class_layout {
    const struct loupe_ivar *ivars; /* by offset */
    uint32_t ivar_count;
    const struct loupe_property *properties;
    uint32_t property_count;
    /* Owned and weak words of instances, by rising offset from the start of the instance. */
    const uint32_t *strong, *weak;
    uint32_t strong_count, weak_count;
    /* The layout strings as they stand in the target, without their final 0; empty: none. */
    struct loupe_span strong_layout, weak_layout;
    bool damaged;          /* part of it could not be read or is out of bounds, and was left out */
    bool has_unnamed_bits; /* bit-fields without a name, which say no place, were left out */
};

/* How the code of a class manages memory. Swift's own code has no manual references. */
static inline enum loupe_memory_mode loupe_class_mode(const struct loupe_class *cls) {
    if (cls->flags & (LOUPE_CLASS_OWNERSHIP | LOUPE_CLASS_SWIFT))
        return LOUPE_MODE_ARC;
    return cls->flags & LOUPE_CLASS_UNKNOWN_CODE ? LOUPE_MODE_UNKNOWN : LOUPE_MODE_MANUAL;
}

/* Read on first use and kept. Only LOUPE_ENOMEM is a failure: what is wrong is in ->damaged. */
enum loupe_status loupe_class_layout(struct loupe_target *target, const struct loupe_class *cls,
                                     const struct loupe_class_layout **ret);

#endif

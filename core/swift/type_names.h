/*
 * type_names.h - types as the compiler of Swift wrote down their names: mangled, with distances to
 * descriptors in them (docs/ABI/Mangling.rst). The part of the language that fields and captures
 * are described in; whatever is not of it is no type.
 */
#ifndef LOUPE_SWIFT_TYPE_NAMES_H
#define LOUPE_SWIFT_TYPE_NAMES_H

#include "base/target/target.h"

enum loupe_swift_type_kind {
    LOUPE_SWIFT_TYPE_NOMINAL,  /* place: its descriptor; children: its arguments */
    LOUPE_SWIFT_TYPE_STANDARD, /* letter: of the library, as Si is Int; the same */
    LOUPE_SWIFT_TYPE_CLASS,    /* a class that is known by name alone */
    LOUPE_SWIFT_TYPE_NUMBER,   /* place: bytes */
    LOUPE_SWIFT_TYPE_TUPLE,
    LOUPE_SWIFT_TYPE_FUNCTION, /* code and context */
    LOUPE_SWIFT_TYPE_CODE,     /* code alone */
    LOUPE_SWIFT_TYPE_BLOCK,
    LOUPE_SWIFT_TYPE_METATYPE,    /* of its child */
    LOUPE_SWIFT_TYPE_EXISTENTIAL, /* children: protocols, and perhaps a superclass */
    LOUPE_SWIFT_TYPE_PARAMETER,   /* place: depth << 16 | index */
    LOUPE_SWIFT_TYPE_WEAK,
    LOUPE_SWIFT_TYPE_UNOWNED,
    LOUPE_SWIFT_TYPE_UNMANAGED,
    LOUPE_SWIFT_TYPE_BOX,      /* of a variable that a closure changes */
    LOUPE_SWIFT_TYPE_BUILTIN,  /* letter */
    LOUPE_SWIFT_TYPE_METADATA, /* place: of the type; not from a name */
    LOUPE_SWIFT_TYPE_UNKNOWN,  /* that nothing is known of but its name */
    /* No types. */
    LOUPE_SWIFT_TYPE_PROTOCOL,   /* letter: enum loupe_swift_protocol */
    LOUPE_SWIFT_TYPE_MODULE,     /* letter 's': the library's, 'o': that of C */
    LOUPE_SWIFT_TYPE_IDENTIFIER, /* place: a hash of it */
    LOUPE_SWIFT_TYPE_EMPTY,      /* the end of a list, from behind */
    LOUPE_SWIFT_TYPE_FIRST       /* behind the first of a list */
};

/* What a protocol adds to a value of some type that conforms to it. */
enum loupe_swift_protocol {
    LOUPE_SWIFT_PROTOCOL_MARKER,
    LOUPE_SWIFT_PROTOCOL_ANY,    /* a table */
    LOUPE_SWIFT_PROTOCOL_CLASS,  /* a table, and the value is an object */
    LOUPE_SWIFT_PROTOCOL_OBJECT, /* the value is an object */
    LOUPE_SWIFT_PROTOCOL_ERROR
};

struct loupe_swift_type {
    uint8_t kind; /* enum loupe_swift_type_kind */
    char letter;
    uint16_t first, count; /* of `children` */
    uint64_t place;
};

enum { LOUPE_MOST_SWIFT_TYPES = 512, LOUPE_MOST_SWIFT_CHILDREN = 1024 };

/* Types that were read, by number. A name that needs more is not read. */
struct loupe_swift_types {
    struct loupe_swift_type types[LOUPE_MOST_SWIFT_TYPES];
    uint16_t children[LOUPE_MOST_SWIFT_CHILDREN];
    uint16_t count, child_count;
};

enum { LOUPE_NO_SWIFT_TYPE = 0xffff };

/* The type whose name stands there; LOUPE_NO_SWIFT_TYPE: it is not understood. */
uint16_t loupe_swift_read_type(struct loupe_target *target, struct loupe_swift_types *types,
                               loupe_addr name);
/* One that a caller makes. */
uint16_t loupe_swift_add_type(struct loupe_swift_types *types, const struct loupe_swift_type *type);

#endif

/* place.h - what a word of an object of Swift is: places.h finds that out. */
#ifndef LOUPE_SWIFT_PLACE_H
#define LOUPE_SWIFT_PLACE_H

#include "swift/metadata.h"

enum loupe_swift_place_kind {
    LOUPE_SWIFT_PLACE_UNKNOWN, /* nothing tells what stands there: it may be a reference */
    LOUPE_SWIFT_PLACE_FIELD,
    LOUPE_SWIFT_PLACE_CAPTURE, /* by a closure; without a name */
    LOUPE_SWIFT_PLACE_ELEMENT  /* of a collection: its coordinate is the name */
};

struct loupe_swift_place {
    enum loupe_swift_place_kind kind;
    enum loupe_swift_ownership ownership;
    bool is_part;     /* struct loupe_swift_slot */
    bool is_closure;  /* what a function in it captured; its code stands a word before */
    bool varies;      /* in other objects of the class it may be something else */
    bool is_numbered; /* an element whose number stands in place of a name */
    bool is_refused;  /* its type is known, and its layout is not, or does not fit: what is said of
                         it is of the whole field */
    uint32_t number;  /* of an element */
    char name[LOUPE_MAX_SWIFT_FIELD]; /* "style.owner", "0"; may be empty */
};

/* The word so many bytes from the start of an object that begins with a word of metadata. size: of
 * the memory that it has. */
struct loupe_swift_word_place {
    loupe_addr object;
    uint64_t metadata, offset, size;
};

#endif

/*
 * metadata.h - what Swift's metadata tells of an object by its first word, where no Objective-C
 * runtime does: on Linux. Mirrors swift/ABI/Metadata.h and MetadataKind.def, 5.0 to 6.2, 64 bits.
 *
 *     object     + 0 metadata   + 8 counts (RefCount.h)
 *     metadata   - 16 destroy   - 8 value witnesses   + 0 kind; of a class:
 *                + 8 superclass   + 24 instance size   + 40 descriptor
 *
 * Every word is the target's, and hostile; what does not fit together is no metadata.
 */
#ifndef LOUPE_SWIFT_METADATA_H
#define LOUPE_SWIFT_METADATA_H

#include "base/target/target.h"

enum { LOUPE_MAX_SWIFT_NAME = 1024 };

/* What contexts are called that no closure has, as classes. */
#define LOUPE_SWIFT_VARIABLE_BOX "captured variable"
#define LOUPE_SWIFT_VALUE_BOX    "box of a value"
#define LOUPE_SWIFT_ERROR_BOX    "error box"
#define LOUPE_SWIFT_TASK_CLASS   "Swift.Task" /* a class of a program may be called Task */
#define LOUPE_SWIFT_FRAMES       "async frames"

/* What stands at the start of a Swift object. */
enum loupe_swift_kind {
    LOUPE_SWIFT_CLASS,
    LOUPE_SWIFT_CONTEXT, /* what a closure captured, or the box of a variable */
    LOUPE_SWIFT_ERROR,   /* the box of an error, whose type is in the object itself */
    LOUPE_SWIFT_TASK
};

struct loupe_swift_class {
    enum loupe_swift_kind kind;
    loupe_addr superclass;           /* metadata of it; 0: none */
    uint32_t instance_size;          /* 0: metadata does not tell */
    char name[LOUPE_MAX_SWIFT_NAME]; /* "feed.Screen", "feed.Cache<Swift.Int>" */
};

/* What objects are that begin with a word. False: none of Swift's. */
bool loupe_swift_class_at(struct loupe_target *target, uint64_t word,
                          struct loupe_swift_class *ret);

/* ---- Fields ---- */

enum { LOUPE_MAX_SWIFT_FIELD = 256 };

/* What a field does for the object that it leads to. */
enum loupe_swift_ownership {
    LOUPE_SWIFT_STRONG,
    LOUPE_SWIFT_WEAK,     /* it leads to the side table */
    LOUPE_SWIFT_UNOWNED,  /* counted, and keeps only the memory */
    LOUPE_SWIFT_UNMANAGED /* unowned(unsafe): not counted */
};

struct loupe_swift_field {
    enum loupe_swift_ownership ownership;
    bool is_closure; /* or an optional one */
    char name[LOUPE_MAX_SWIFT_FIELD];
};

/* The field of objects that begin with the word of a class which a place is part of, so many bytes
 * from their start. False: metadata does not tell, as where reflection is off. */
bool loupe_swift_field_at(struct loupe_target *target, uint64_t word, uint64_t offset,
                          struct loupe_swift_field *ret);

/* ---- Counts ---- */

enum loupe_swift_life {
    LOUPE_SWIFT_ALIVE,
    LOUPE_SWIFT_IMMORTAL,
    LOUPE_SWIFT_DEAD, /* deinit ran: unowned or weak references keep the memory, its fields are gone
                       */
    LOUPE_SWIFT_NO_OBJECT
};

struct loupe_swift_counts {
    enum loupe_swift_life life;
    uint64_t strong;       /* references, of what is alive */
    uint64_t unowned;      /* the same: `unowned` ones, which look alike */
    loupe_addr side_table; /* where its counts are; 0: in the object */
};

/* The counts of what may be an object. */
struct loupe_swift_counts loupe_swift_counts_at(struct loupe_target *target, loupe_addr object);

/*
 * The bits of a word that enums keep their cases in, and which are no part of the address of an
 * object (System.h): of x86-64 and arm64.
 */
uint64_t loupe_swift_spare_bits(const struct loupe_machine *machine);

#endif

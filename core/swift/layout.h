/*
 * layout.h - where in a value of a type of Swift its references are, and what they do for what they
 * lead to. Computed as the compiler does (swift/RemoteInspection/TypeLowering.h), since descriptors
 * of types tell neither sizes nor places; what cannot be computed, or does not fit with what is
 * known otherwise, is no layout.
 */
#ifndef LOUPE_SWIFT_LAYOUT_H
#define LOUPE_SWIFT_LAYOUT_H

#include "swift/metadata.h"
#include "swift/type_names.h"

enum { LOUPE_MOST_SWIFT_SLOTS = 256, LOUPE_SWIFT_PATHS = 1 << 14, LOUPE_SWIFT_SPARE_WORDS = 8 };

/* A word that is a reference, or part of what may be one. */
struct loupe_swift_slot {
    uint32_t offset;
    uint16_t path;     /* where it begins among the paths */
    uint8_t ownership; /* enum loupe_swift_ownership */
    bool is_closure;   /* of a function: what it captured; its code stands before it */
    bool is_part; /* not a variable that could be weak: of a tuple, a case, a value of any type */
};

struct loupe_swift_layout {
    uint64_t size, align, extra_inhabitants;
    uint64_t spare[LOUPE_SWIFT_SPARE_WORDS]; /* bits that no value of the type uses */
    bool is_opaque;                          /* its bits cannot be used by others */
};

/* What parameters of generic types stand for. */
struct loupe_swift_arguments {
    const struct loupe_swift_arguments *outer; /* of the types in `first` */
    loupe_addr metadata;                       /* where words with metadata are; or 0 */
    uint16_t first, count;                     /* children that are types */
};

/* Room of a computation, some 40 KB. */
struct loupe_swift_lowering {
    struct loupe_target *target;
    struct loupe_swift_types types;
    struct loupe_swift_slot slots[LOUPE_MOST_SWIFT_SLOTS];
    uint32_t slot_count;
    char paths[LOUPE_SWIFT_PATHS];
    uint32_t paths_size;
    uint32_t work_left;
    bool varies; /* what was computed is of one value, and of another it may differ */
};

void loupe_swift_lowering_init(struct loupe_swift_lowering *lowering, struct loupe_target *target);

/* What is laid out. */
struct loupe_swift_value {
    uint16_t type;
    const struct loupe_swift_arguments *arguments;
    uint32_t offset;    /* from the start of what it is part of, for its slots */
    loupe_addr address; /* of the value itself; 0: slots are those of any value */
    const char *path;
};

/* Adds the slots of a value. False: its layout is not known. */
bool loupe_swift_lower(struct loupe_swift_lowering *lowering, const struct loupe_swift_value *value,
                       struct loupe_swift_layout *ret);

static inline const char *loupe_swift_path(const struct loupe_swift_lowering *lowering,
                                           const struct loupe_swift_slot *slot) {
    return lowering->paths + slot->path;
}

static inline uint64_t loupe_swift_align(uint64_t place, uint64_t align) {
    return (place + align - 1) & ~(align - 1);
}

#endif

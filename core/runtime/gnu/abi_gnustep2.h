/*
 * abi_gnustep2.h - what the files of GNUstep's libobjc2 share. Nobody else includes it.
 *
 * Mirrors libobjc2 2.0 to 2.3 and what follows (class.h, ivar.h, properties.h, arc.mm,
 * associate.mm, blocks_runtime.m), for classes of the v2 ABI (-fobjc-runtime=gnustep-2.0). Those of
 * older ABIs are copied into this form when they are loaded.
 */
#ifndef LOUPE_ABI_GNUSTEP2_H
#define LOUPE_ABI_GNUSTEP2_H

#include "runtime/gnu/abi_gnu.h"

#include "blocks/block.h"

/* Where the associations of an object are read: in which of its lists. */
struct gnustep2_lists {
    loupe_addr object; /* 0: none is read */
    uint64_t number;   /* of the list, from 0 */
    loupe_addr list, references;
    loupe_addr landmark; /* a list of before */
    bool readable;       /* references is set */
};

struct gnustep2_state {
    struct abi_block_classes blocks;
    struct loupe_block_traits block_traits;
    struct gnustep2_lists lists;
    struct gnu_recorder recorder;
    bool looked_for_selectors;
    loupe_addr selectors; /* the variable that leads to the table of them; 0: not known */
    loupe_addr weak_isa;  /* what records of weak references begin with; 0: not known yet */
};

/* Bits of a class's info word (class.h, objc_class_flags). */
enum {
    GNUSTEP2_META = 1 << 0,
    GNUSTEP2_RESOLVED = 1 << 9,
    GNUSTEP2_FAST_ARC = 1 << 11,
    GNUSTEP2_HIDDEN = 1 << 12,
    GNUSTEP2_ASSOCIATIONS = 1 << 13,
    GNUSTEP2_PERMANENT = 1 << 14,
    GNUSTEP2_BLOCK = 1 << 16
};

enum gnustep2_class_word {
    GNUSTEP2_CLASS_CXX_DESTRUCT = 11, /* set when the class gets its table of methods */
    GNUSTEP2_CLASS_ASSOCIATIONS = 14, /* of the class object itself */
    GNUSTEP2_CLASS_PROPERTIES = 16,
    GNUSTEP2_CLASS_WORDS = 17
};

/* What the ivar list says of one ivar. */
enum gnustep2_ownership {
    GNUSTEP2_OWNS_UNKNOWN, /* no object, a struct, or manual retain/release */
    GNUSTEP2_OWNS_STRONG,
    GNUSTEP2_OWNS_WEAK,
    GNUSTEP2_OWNS_NOT
};

static inline struct gnustep2_state *gnustep2_state_of(const struct loupe_target *target) {
    return target->abi_state;
}

/* Where the entries of a class's ivar list are. False: unreadable or not believable. */
struct gnustep2_ivars {
    loupe_addr first;
    uint32_t count, entry_size;
};
bool gnustep2_find_ivars(struct loupe_target *target, loupe_addr list, struct gnustep2_ivars *ret);
/*
 * What the ivars of a class tell of its code: one with an ownership, that it is ARC's; one that is
 * an object and has none, that it is manual.
 */
enum loupe_memory_mode gnustep2_mode(struct loupe_target *target, loupe_addr list);

enum loupe_status gnustep2_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                       struct loupe_class_layout *ret);

/* The class itself, or one above it that libloupe_record added a -release to: then the one above
 * that. Those are counted alike. */
const struct loupe_class *gnustep2_counted_as(struct loupe_target *target,
                                              const struct loupe_class *cls);

bool gnustep2_next_method(struct loupe_target *target, const struct loupe_class *cls,
                          struct loupe_method_cursor *cursor, struct loupe_method *ret);
bool gnustep2_selector_name(struct loupe_target *target, loupe_addr selector, char *dst,
                            size_t cap);
bool gnustep2_next_class(struct loupe_target *target, struct loupe_class_cursor *cursor,
                         loupe_addr *ret);
unsigned gnustep2_relatives(struct loupe_target *target, const struct loupe_class *cls,
                            loupe_addr ret[LOUPE_MAX_RELATIVES]);

bool gnustep2_is_weak_record(struct loupe_target *target, uint64_t record);
bool gnustep2_weak_record_object(struct loupe_target *target, uint64_t record, uint64_t *ret);
bool gnustep2_weak_table(struct loupe_target *target, struct loupe_range memory,
                         struct loupe_weak_keys *ret);

bool gnustep2_may_have_associations(const struct loupe_target *target, uint64_t isa);
bool gnustep2_next_association(struct loupe_target *target, const struct loupe_object *object,
                               uint64_t *cursor, struct loupe_association *ret);

#endif

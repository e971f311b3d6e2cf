/*
 * abi_apple.h - what the files of Apple's runtime share. Nobody else includes it.
 *
 * Mirrors objc4-723 to objc4-951 (isa.h, objc-runtime-new.h, NSObject.mm, objc-references.mm,
 * objc-gdb.h) and libclosure-63 to 96. The runtime exports what debuggers need as objc_debug_*;
 * where such a symbol can be found it decides, else constants by architecture.
 */
#ifndef LOUPE_ABI_APPLE_H
#define LOUPE_ABI_APPLE_H

#include "runtime/abi_common.h"

#include "blocks/block.h"
#include "runtime/object.h"
#include "base/vector.h"

/* The layouts of a packed isa: bit numbers and widths (isa.h). */
struct apple_isa_form {
    uint64_t magic_mask, magic_value;
    uint64_t class_mask;
    uint8_t weakly_referenced; /* bit */
    uint8_t has_side_table;    /* bit */
    uint8_t extra_shift;       /* where the inline count begins; it reaches to bit 63 */
};

/* Open-addressing table of the runtime (llvm-DenseMap.h). */
struct apple_dense_map {
    loupe_addr buckets;
    uint32_t bucket_count; /* 0 or a power of two */
};

/* A table of the runtime that is read whole when it is first needed. */
enum apple_index { APPLE_NOT_INDEXED, APPLE_INDEXED, APPLE_NOT_READABLE };

struct apple_state {
    struct apple_isa_form isa;
    bool has_packed_isa;
    uint64_t data_mask; /* of a class's bits word: where its tables are */
    uint64_t swift_bit; /* of a class's bits word: written in Swift */

    /* 32-bit watches: the isa holds an index into a table of classes. */
    uint64_t indexed_magic_mask, indexed_magic_value, index_mask;
    uint32_t index_shift;
    loupe_addr indexed_classes; /* 0: no such form */

    /* Counts include the first owner since objc4-818; before, they exclude it. */
    bool counts_first_owner;
    loupe_addr side_tables; /* 0: not known */
    enum apple_index side_index;
    struct loupe_map side_counts; /* object -> its count there, at most UINT32_MAX */
    uint32_t stripe_count;        /* of side tables, once they are indexed */

    enum apple_index weak_index;
    struct loupe_map weak_slots; /* address of a weak variable -> 0 */

    bool has_rw_ext; /* since objc4-781: class_rw has no lists of its own */

    loupe_addr association_table; /* 0: not known */
    enum apple_index association_index;
    struct apple_dense_map objects_table; /* once it is indexed */
    struct loupe_map associations;        /* object -> number of its own table */
    struct loupe_vector own_tables;       /* of struct apple_dense_map */

    struct loupe_block_traits block_traits;
    struct abi_block_classes block_classes;
};

enum {
    APPLE_MAX_BUCKETS = 1 << 24, /* of one table; a larger one is not believed */
    APPLE_STRIPES = 64           /* of side tables, at most */
};

static inline bool apple_is_packed(const struct apple_state *state, uint64_t isa) {
    return state->has_packed_isa && (isa & state->isa.magic_mask) == state->isa.magic_value;
}

static inline struct apple_state *apple_state_of(const struct loupe_target *target) {
    return target->abi_state;
}

/* The words of class_ro that follow its three (with padding four) numbers. */
enum apple_ro_word {
    APPLE_RO_STRONG_LAYOUT,
    APPLE_RO_NAME,
    APPLE_RO_METHODS,
    APPLE_RO_PROTOCOLS,
    APPLE_RO_IVARS,
    APPLE_RO_WEAK_LAYOUT,
    APPLE_RO_PROPERTIES,
    APPLE_RO_WORD_COUNT
};

static inline loupe_addr apple_ro_word(const struct loupe_target *target, loupe_addr ro,
                                       enum apple_ro_word word) {
    return abi_word(target, ro + (target->memory->machine.pointer_size == 8 ? 16 : 12), word);
}

/* The object behind a key of the runtime's tables, which hold it negated. 0: no entry. */
static inline loupe_addr apple_undisguise(const struct loupe_target *target, uint64_t key) {
    if (key <= 2) /* empty, deleted */
        return 0;
    return loupe_memory_strip(target->memory,
                              target->memory->machine.pointer_size == 8 ? -key : (uint32_t)-key);
}

/* The table of associated objects by what it holds, where no symbol tells it; 0: it is not found.
 */
loupe_addr apple_find_association_table(struct loupe_target *target);

/* Words of a DenseMap header. */
static inline unsigned apple_map_words(const struct loupe_target *target) {
    return target->memory->machine.pointer_size == 8 ? 3 : 4;
}

/* Reads a DenseMap header. False: unreadable or not believable. */
bool apple_read_dense_map(struct loupe_target *target, loupe_addr address,
                          struct apple_dense_map *ret);

/* Where class_rw leads to other classes: the first subclass, the next one of its superclass. */
enum { APPLE_RELATIVES = 2 };
void apple_relative_places(const struct loupe_target *target, loupe_addr rw,
                           loupe_addr ret[APPLE_RELATIVES]);

/* What a realized class has been given at run time. */
struct apple_rw {
    loupe_addr address; /* of class_rw; 0: the class is not realized */
    loupe_addr ext;     /* of class_rw_ext; 0: it has none */
};
/* False: it has none, or it cannot be read. */
bool apple_find_rw(struct loupe_target *target, loupe_addr cls, struct apple_rw *ret);

/* The parts of loupe_abi_apple that have files of their own. */
enum loupe_status apple_read_class(struct loupe_target *target, loupe_addr address,
                                   struct loupe_class *ret, const char **why_ret);
unsigned apple_relatives(struct loupe_target *target, const struct loupe_class *cls,
                         loupe_addr ret[LOUPE_MAX_RELATIVES]);
void apple_hand_over_class_memory(struct loupe_target *target, loupe_addr cls,
                                  struct loupe_class_memory_taker *taker);
bool apple_next_method(struct loupe_target *target, const struct loupe_class *cls,
                       struct loupe_method_cursor *cursor, struct loupe_method *ret);
bool apple_selector_name(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap);
loupe_addr apple_ivar_destructor(struct loupe_target *target, const struct loupe_class *cls);

enum loupe_status apple_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                    struct loupe_class_layout *ret);
/* abi_apple_cf.c: what of enum loupe_class_flags a class has as one of CoreFoundation's. */
uint32_t apple_cf_flags(const struct loupe_target *target, const char *name,
                        uint32_t instance_size);
enum loupe_retain_count apple_cf_count(struct loupe_target *target, loupe_addr object,
                                       uint64_t *ret);
uint32_t apple_type_of_object(struct loupe_target *target, loupe_addr object);
void apple_name_type(struct loupe_target *target, const struct loupe_class *cls, uint32_t type,
                     char *dst, size_t cap);
enum loupe_retain_count apple_retain_count(struct loupe_target *target,
                                           const struct loupe_object *object, uint64_t *ret);
void apple_detect_counts(struct loupe_target *target);
/* Where a side table is, by number. */
loupe_addr apple_side_table(const struct loupe_target *target, uint32_t stripe);
/* How many there are; 0 when they are not known. */
uint32_t apple_side_table_count(struct loupe_target *target);
enum loupe_weakness apple_weakness(struct loupe_target *target, loupe_addr word, loupe_addr slot);
bool apple_next_unused(struct loupe_target *target, uint64_t *cursor, struct loupe_range *ret);
bool apple_has_associations(struct loupe_target *target);
bool apple_pool_page(struct loupe_target *target, loupe_addr page, struct loupe_pool_page *ret);
bool apple_next_association(struct loupe_target *target, const struct loupe_object *object,
                            uint64_t *cursor, struct loupe_association *ret);

#endif

/*
 * abi_gcc.h - what the files of GCC's libobjc share. Nobody else includes it.
 *
 * Mirrors libobjc of GCC 4.6 to 14 (objc-private/module-abi-8.h, class.c) with the counts of
 * gnustep-base 1.24 to 1.31 (NSObject.m) and the blocks of compiler-rt's BlocksRuntime, which
 * Debian ships as libBlocksRuntime. The runtime keeps no ownership, has no ARC, no weak references
 * and no associated objects.
 */
#ifndef LOUPE_ABI_GCC_H
#define LOUPE_ABI_GCC_H

#include "runtime/gnu/abi_gnu.h"

#include "blocks/block.h"

/* Where it is looked for what is unused (abi_gcc_unused.c). */
struct gcc_unused {
    struct loupe_class_cursor classes;
    loupe_addr metaclass, table, list, entry; /* the next ones; 0: none */
    uint32_t lists_left;
};

struct gcc_state {
    struct abi_block_classes blocks;
    struct loupe_block_traits block_traits;
    uint64_t release; /* abi_gcc_methods.c: the number of the selector; 0: not known */
    unsigned roots_looked_at;
    struct gnu_recorder recorder;
    bool looked_for_names;
    loupe_addr selector_names; /* the runtime's table; 0: not known */
    bool looked_at_all_names;
    uint64_t *name_hashes; /* of all names, open addressing; NULL: not known */
    uint32_t name_places;  /* a power of two */
    struct gcc_unused unused;
};

static inline struct gcc_state *gcc_state_of(const struct loupe_target *target) {
    return target->abi_state;
}

enum loupe_status gcc_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                  struct loupe_class_layout *ret);

bool gcc_next_method(struct loupe_target *target, const struct loupe_class *cls,
                     struct loupe_method_cursor *cursor, struct loupe_method *ret);
bool gcc_selector_name(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap);
bool gcc_has_selector(struct loupe_target *target, const char *name);
bool gcc_next_class(struct loupe_target *target, struct loupe_class_cursor *cursor,
                    loupe_addr *ret);
unsigned gcc_relatives(struct loupe_target *target, const struct loupe_class *cls,
                       loupe_addr ret[LOUPE_MAX_RELATIVES]);

bool gcc_next_unused(struct loupe_target *target, uint64_t *cursor, struct loupe_range *ret);

/* Whether the class, which is no root, has a -release of its own. False also where that cannot be
 * told. */
bool gcc_has_own_release(struct loupe_target *target, loupe_addr cls);

#endif

/*
 * block.h - the block at an address: its literal, its descriptor, where it lives.
 *
 * Nothing here knows a runtime. Where the blocks runtimes differ, the abi says how in a
 * loupe_block_traits. Layouts are those of libclosure's Block_private.h; a small descriptor
 * (relative pointers) is understood although nothing is known to emit it.
 */
#ifndef LOUPE_BLOCK_H
#define LOUPE_BLOCK_H

#include "base/target/memory.h"

enum loupe_block_flag {
    LOUPE_BLOCK_DEALLOCATING = 1 << 0,          /* Apple's; others may count owners in this bit */
    LOUPE_BLOCK_INLINE_LAYOUT_STRING = 1 << 21, /* with a small descriptor */
    LOUPE_BLOCK_SMALL_DESCRIPTOR = 1 << 22,
    LOUPE_BLOCK_IS_NOESCAPE = 1 << 23, /* on the stack, for a parameter that does not keep it */
    LOUPE_BLOCK_NEEDS_FREE = 1 << 24,  /* on the heap; not set by every runtime */
    LOUPE_BLOCK_HAS_COPY_DISPOSE = 1 << 25,
    LOUPE_BLOCK_HAS_CTOR = 1 << 26, /* the helpers run C++ code */
    LOUPE_BLOCK_IS_GC = 1 << 27,
    LOUPE_BLOCK_IS_GLOBAL = 1 << 28, /* static, or on the stack and noescape */
    LOUPE_BLOCK_USE_STRET = 1 << 29,
    LOUPE_BLOCK_HAS_SIGNATURE = 1 << 30
};
#define LOUPE_BLOCK_HAS_EXTENDED_LAYOUT 0x80000000u
#define LOUPE_BLOCK_REFCOUNT_MASK       0xfffeu /* Apple's; twice the count */

struct loupe_flag_name {
    uint32_t mask;
    const char *name; /* "HAS_COPY_DISPOSE", as in the sources of libclosure without BLOCK_ */
};

/* All single-bit flags of a block, from bit 0 up. */
extern const struct loupe_flag_name loupe_block_flag_names[];
extern const unsigned loupe_block_flag_name_count;

/* Where a blocks runtime keeps the owners' count of a heap block. */
enum loupe_block_count {
    LOUPE_BLOCK_COUNT_IN_FLAGS_BY_2, /* flags & 0xfffe, two per owner: Apple */
    LOUPE_BLOCK_COUNT_IN_FLAGS_BY_1, /* flags & 0xffff: the compiler-rt runtime of Linux */
    LOUPE_BLOCK_COUNT_IN_RESERVED    /* the word behind the flags: libobjc2 */
};

/* How the blocks runtime of the target differs from the others. */
struct loupe_block_traits {
    enum loupe_block_count count;
    uint32_t byref_count_mask; /* of a byref's flags: Apple 0xfffe, libobjc2 0xffffff */
    uint32_t byref_count_unit; /* per owner: Apple 2, others 1 */
    /* The isa of byrefs on the heap, for runtimes that do not set NEEDS_FREE; 0: go by the flag. */
    uint64_t byref_heap_isa;
    /* The compiler writes extended layouts for this runtime: a NULL one says "no objects". Where
     * false, a NULL one says nothing. */
    bool has_layouts;
    /* Copying a block does not retain the objects that it captures, only blocks and byrefs. */
    bool leaves_objects;
    /* The isa of heap blocks, for runtimes that do not set NEEDS_FREE; 0: go by the flag. */
    loupe_addr heap_isa;
};

enum loupe_block_storage { LOUPE_BLOCK_ON_HEAP, LOUPE_BLOCK_ON_STACK, LOUPE_BLOCK_GLOBAL };

/* "heap", "stack", "global". Static storage. */
const char *loupe_block_storage_name(enum loupe_block_storage storage);

/* How the runtime copies and disposes of captures without the block's own helpers. */
enum loupe_generic_mode {
    LOUPE_GENERIC_NONE,
    LOUPE_GENERIC_FROM_LAYOUT, /* as the extended layout says */
    LOUPE_GENERIC_INLINE,      /* as the generic-helper word says */
    LOUPE_GENERIC_OUT_OF_LINE  /* as the string says that the word points to */
};

enum { LOUPE_BLOCK_MAX_SIZE = 1 << 20 /* larger ones are taken for garbage */ };

/* Bytes before the captures: isa, flags and a reserved word of 4 each, code, descriptor. */
static inline uint8_t loupe_block_header_size(unsigned pointer_size) {
    return (uint8_t)(3 * pointer_size + 8);
}

struct loupe_block {
    loupe_addr address;
    uint8_t pointer_size;
    uint8_t header_size; /* loupe_block_header_size(): the captures start there */
    uint32_t flags;
    uint32_t named_flags; /* those whose names hold in this runtime: no part of a count */
    uint32_t reserved;    /* the int behind the flags */
    uint32_t size;        /* of the literal with its captures; not rounded up */
    enum loupe_block_storage storage;
    bool has_retain_count; /* only heap blocks have one */
    bool owns_captures; /* it has helpers, its own or generic, and is neither global nor noescape */
    uint32_t retain_count;
    uint64_t isa; /* as it stands there */
    /* Addresses without signature bits; 0 where there is none. */
    loupe_addr invoke;
    loupe_addr descriptor;
    loupe_addr copy_helper;
    loupe_addr dispose_helper;
    loupe_addr signature; /* of its string */
    bool has_layout;      /* there is a layout word and the flags give it the extended meaning */
    uint64_t layout;      /* the word: 0, inline or an address */
    enum loupe_generic_mode generic;
    uint64_t generic_info; /* the inline word, or the address of the string */
};

/*
 * Reads the block at address. Whether it is one is the caller's knowledge (its class); here only
 * sizes and readability are checked. LOUPE_ENOTOBJECT: a size that no block has, or no descriptor.
 * LOUPE_EFAULT and the others: as memory.h. *err may be NULL.
 */
enum loupe_status loupe_block_read(struct loupe_memory *memory, loupe_addr address,
                                   const struct loupe_block_traits *traits, struct loupe_block *ret,
                                   struct loupe_error *err);

/* For a message with its address. */
#define LOUPE_BLOCK_UNREADABLE "0x%llx is a block that cannot be read"

#endif

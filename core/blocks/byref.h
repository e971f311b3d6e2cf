/*
 * byref.h - the shared storage of a __block variable: a node of its own between blocks and what the
 * variable holds.
 *
 * The compiler says in the flags what the variable is; for records it adds a layout like a block's,
 * counted from the start of the variable (libclosure Block_private.h). What a noescape block
 * captures is the variable itself: never read that as a byref.
 */
#ifndef LOUPE_BYREF_H
#define LOUPE_BYREF_H

#include "blocks/block.h"
#include "blocks/captures.h"

enum loupe_byref_kind {
    LOUPE_BYREF_UNSPECIFIED, /* old compilers and plain C */
    LOUPE_BYREF_EXTENDED,    /* a record with a layout of its own */
    LOUPE_BYREF_NON_OBJECT,
    LOUPE_BYREF_STRONG,
    LOUPE_BYREF_WEAK,
    LOUPE_BYREF_UNRETAINED,
    LOUPE_BYREF_RESERVED /* a number without a meaning */
};

/* "unspecified", "extended", ... Static storage. */
const char *loupe_byref_kind_name(enum loupe_byref_kind kind);

struct loupe_byref {
    loupe_addr address; /* where the variable lives now: forwarding was followed once */
    uint32_t flags;
    uint32_t size; /* of the whole structure */
    enum loupe_byref_kind kind;
    bool on_heap;
    bool has_helpers;
    bool has_retain_count;
    uint32_t retain_count; /* owners, the frame of the variable included while it lives */
    loupe_addr keep_helper;
    loupe_addr destroy_helper;
    /* Bytes from the byref's start. A record of a wider alignment than the header's, which nothing
     * tells, starts later: so a word is a reference only if it leads to an object. */
    uint32_t variable_offset;
    /* The variable, word by word where it is a record; offsets count from the byref's start. */
    struct loupe_captures variable;
};

/*
 * Reads all of *ret but the variable: what a walk over many byrefs needs to tell them apart.
 * LOUPE_ENOTOBJECT: a size that no byref has. Allocates nothing. *err may be NULL.
 */
enum loupe_status loupe_byref_read_header(struct loupe_memory *memory, loupe_addr address,
                                          const struct loupe_block_traits *traits,
                                          struct loupe_byref *ret, struct loupe_error *err);

/*
 * Reads the byref that a captured word points to. LOUPE_ENOTOBJECT: a size that no byref has.
 * Results live in the arena. *err may be NULL.
 */
enum loupe_status loupe_byref_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                   loupe_addr address, const struct loupe_block_traits *traits,
                                   struct loupe_byref *ret, struct loupe_error *err);

#endif

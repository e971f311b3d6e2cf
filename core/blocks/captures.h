/*
 * captures.h - what a block captures, from every source that says something about it.
 *
 * The sources, the most trusted first: the names of the helpers or the descriptor (they say exactly
 * what the helpers do), the generic-helper information, the extended layout. They can disagree,
 * because the compiler's extended layout is wrong for some blocks (manual retain/release, C++
 * `this`, bit-fields). Each capture carries the evidence for it, and what was contradicted is kept
 * as a conflict, never hidden.
 *
 * A block without helpers of either sort owns nothing, whatever its layout says.
 */
#ifndef LOUPE_CAPTURES_H
#define LOUPE_CAPTURES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

struct loupe_block;
struct loupe_block_symbol;
struct loupe_block_traits;
struct loupe_layout;
struct loupe_memory;

enum loupe_capture_kind {
    LOUPE_CAPTURE_STRONG,     /* an object that the block owns */
    LOUPE_CAPTURE_BLOCK,      /* a block that the block owns */
    LOUPE_CAPTURE_BYREF,      /* the shared storage of a __block variable */
    LOUPE_CAPTURE_WEAK,       /* a weak slot */
    LOUPE_CAPTURE_UNRETAINED, /* an object that the block does not own */
    LOUPE_CAPTURE_DATA,       /* bytes that are no object */
    LOUPE_CAPTURE_UNKNOWN     /* bytes that may be anything; see loupe_capture_may_own() */
};

/* "strong", "block", ... as in the protocol. Static storage. */
const char *loupe_capture_kind_name(enum loupe_capture_kind kind);

/* How the code that made the block manages memory; told by the letters in a symbol. */
enum loupe_memory_mode { LOUPE_MODE_UNKNOWN, LOUPE_MODE_ARC, LOUPE_MODE_MANUAL };

enum loupe_evidence {
    LOUPE_EVIDENCE_SYMBOL = 1 << 0,     /* the name of the copy/destroy helper or descriptor */
    LOUPE_EVIDENCE_GENERIC = 1 << 1,    /* the generic-helper information of the descriptor */
    LOUPE_EVIDENCE_LAYOUT = 1 << 2,     /* the extended layout */
    LOUPE_EVIDENCE_DEBUG_INFO = 1 << 3, /* added by the front end */
    LOUPE_EVIDENCE_PROBE = 1 << 4,      /* the dispose probe */
    LOUPE_EVIDENCE_FLAGS = 1 << 5       /* the block's flags: without helpers it owns nothing */
};

/* "symbol", "generic", ... of one evidence. Static storage. */
const char *loupe_evidence_name(enum loupe_evidence evidence);

struct loupe_capture {
    uint32_t offset; /* bytes from the start of the block (or of the byref) */
    uint32_t size;   /* bytes; a pointer's for all kinds but data and unknown */
    enum loupe_capture_kind kind;
    uint32_t evidence;      /* set of enum loupe_evidence */
    struct loupe_span type; /* a mangled C++ type where the symbol names one; else empty */
};

/* Strong, block or byref: the block keeps it alive. */
bool loupe_capture_kind_owns(enum loupe_capture_kind kind);
bool loupe_capture_owns(const struct loupe_capture *capture);
/* Unknown bytes that the block may own something in: to be reported as not followed. */
bool loupe_capture_may_own(const struct loupe_capture *capture);

/* Two sources that say different things about one place. */
struct loupe_capture_conflict {
    uint32_t offset;
    enum loupe_capture_kind kept;      /* what the more trusted source said */
    enum loupe_capture_kind discarded; /* what the other one said */
    enum loupe_evidence kept_by;
    enum loupe_evidence discarded_by;
};

struct loupe_captures {
    struct loupe_capture
        *items; /* by offset; they cover every byte from the header's end to size */
    uint32_t count;
    uint32_t conflict_count;
    struct loupe_capture_conflict *conflicts;
    struct loupe_layout *layout; /* the extended layout that was found; NULL without one */
    enum loupe_status unread;    /* why a layout that is there could not be read; else LOUPE_OK */
    struct loupe_span symbol;    /* the name that was found; empty without one */
    bool symbol_was_used;        /* false: it says nothing, or it does not fit the block */
    enum loupe_memory_mode mode;
};

/*
 * What the block captures. The answer depends on the descriptor and on the flags that the compiler
 * set, not on the captured values: equal descriptor addresses (and equal IS_NOESCAPE) give equal
 * captures, so a walk need ask once per descriptor. Fails only with LOUPE_ENOMEM: sources that
 * cannot be read say nothing. All results live in the arena.
 */
enum loupe_status loupe_captures_read(struct loupe_memory *memory, struct loupe_arena *arena,
                                      const struct loupe_block *block,
                                      const struct loupe_block_traits *traits,
                                      struct loupe_captures *ret);

/* What one source alone says, for people who have only that: `loupe explain`. The header is that of
 * the pointer size. A layout covers what it describes; a symbol the block's size, if it has one.
 * LOUPE_EUSAGE: a symbol whose captures do not fit into the size that it gives. */
enum loupe_status loupe_captures_of_layout(struct loupe_arena *arena,
                                           const struct loupe_layout *layout, uint8_t pointer_size,
                                           struct loupe_captures *ret);
enum loupe_status loupe_captures_of_symbol(struct loupe_arena *arena,
                                           const struct loupe_block_symbol *symbol,
                                           uint8_t pointer_size, struct loupe_captures *ret);

#endif

/*
 * captures.h - what a block captures, from every source that says something about it.
 *
 * The sources can disagree, because the compiler's extended layout is wrong for some blocks (manual
 * retain/release, C++ `this`, bit-fields). Each capture carries the evidence for it, and what was
 * contradicted is kept as a conflict, never hidden.
 */
#ifndef LOUPE_CAPTURES_H
#define LOUPE_CAPTURES_H

#include "arena.h"
#include "status.h"
#include "text.h"

enum loupe_capture_kind {
    LOUPE_CAPTURE_STRONG,     /* an object that the block owns */
    LOUPE_CAPTURE_BLOCK,      /* a block that the block owns */
    LOUPE_CAPTURE_BYREF,      /* the shared storage of a __block variable */
    LOUPE_CAPTURE_WEAK,       /* a weak slot */
    LOUPE_CAPTURE_UNRETAINED, /* an object that the block does not own */
    LOUPE_CAPTURE_DATA,       /* bytes that are no object */
    LOUPE_CAPTURE_UNKNOWN     /* bytes that nothing describes */
};

/* "strong", "block", ... as in the protocol. Static storage. */
const char *loupe_capture_kind_name(enum loupe_capture_kind kind);

enum loupe_evidence {
    LOUPE_EVIDENCE_SYMBOL = 1 << 0,     /* the name of the copy/destroy helper or descriptor */
    LOUPE_EVIDENCE_GENERIC = 1 << 1,    /* the generic-helper information of the descriptor */
    LOUPE_EVIDENCE_LAYOUT = 1 << 2,     /* the extended layout */
    LOUPE_EVIDENCE_DEBUG_INFO = 1 << 3, /* added by the front end */
    LOUPE_EVIDENCE_PROBE = 1 << 4,      /* the dispose probe */
    LOUPE_EVIDENCE_FLAGS = 1 << 5       /* the block's flags: without helpers it owns nothing */
};

struct loupe_capture {
    uint32_t offset; /* bytes from the start of the block (of the variable, inside a byref) */
    uint32_t size;   /* bytes */
    enum loupe_capture_kind kind;
    uint32_t evidence;      /* set of enum loupe_evidence */
    struct loupe_span type; /* a C++ or struct type where the symbol names one; else empty */
};

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
    struct loupe_capture_conflict *conflicts;
    uint32_t conflict_count;
};

#endif

/*
 * columns.h - what analyses work on: objects and the links between them, as plain arrays that
 * somebody else keeps. No address, no name, no reading: a walk from one object (graph/graph.h), a
 * snapshot that is mapped from a file, one that was just made and a drawing of a test look alike.
 *
 * Objects are *nodes*, numbered from 0. A *link* is a reference from one to another; the links of
 * a node stand together. Links of a node to itself and several between the same two nodes are
 * fine. Each link has a kind, which says what sort of reference it is; which kinds count is a
 * matter of policy, and given to each analysis as a set. A walk has no column of kinds: its links
 * are strong, but for those that it marks as assumed or hidden.
 *
 * Analyses never recurse, take a number of passes over the arrays that does not depend on their
 * contents unless their header says otherwise, and say in bytes what they need. They fail with
 * LOUPE_ENOMEM, or LOUPE_ETIMEOUT once they are stopped.
 */
#ifndef LOUPE_COLUMNS_H
#define LOUPE_COLUMNS_H

#include "base/numbers.h"
#include "base/status.h"
#include "base/target/stop.h"

enum {
    LOUPE_MAX_NODES = 0x3ffffff0, /* ids fit 30 bits: searches use the top two as marks */
};
#define LOUPE_NO_NODE   UINT32_MAX
#define LOUPE_MAX_EDGES 0xfffff000u /* a multiple of LOUPE_SEGMENT_SIZE */
#define LOUPE_NO_EDGE   UINT32_MAX

enum loupe_link_kind {
    LOUPE_LINK_STRONG,
    LOUPE_LINK_WEAK,
    LOUPE_LINK_SOFT,         /* given up when memory gets short */
    LOUPE_LINK_FINAL,        /* from a record that waits for the object to be finalized */
    LOUPE_LINK_PHANTOM,      /* tells that the object is gone, and never leads to it */
    LOUPE_LINK_CLASS,        /* from an object to its class */
    LOUPE_LINK_LOADER,       /* from a class to its loader */
    LOUPE_LINK_DOMAIN,       /* from a class to its signers and protection domain */
    LOUPE_LINK_SUPERCLASS,   /* from a class */
    LOUPE_LINK_CONSERVATIVE, /* a word that may be a reference */
    LOUPE_LINK_LIBRARY, /* strong, and a known matter of a library's: shown when all else fails */
    LOUPE_LINK_ASSUMED, /* taken for strong: the runtime keeps no record of ownership */
    LOUPE_LINK_UNOWNED, /* described, and keeps nothing alive: unretained; but it may not be so */
    LOUPE_LINK_KIND_COUNT
};

/* "strong", "weak", ... Static storage. */
const char *loupe_link_kind_name(enum loupe_link_kind kind);

/* Kinds of links: bit 1 << kind. */
typedef uint32_t loupe_link_kinds;
#define LOUPE_ALL_LINKS ((loupe_link_kinds)((1u << LOUPE_LINK_KIND_COUNT) - 1))

/* A size that does not fit 32 bits; sorted by node. */
struct loupe_large_size {
    uint32_t node;
    uint64_t size;
};
#define LOUPE_LARGE_SIZE UINT32_MAX

/* In `to`, where there are no kinds: the link owns nothing (filters.h, ruled_out.h), its kind is
 * LOUPE_LINK_UNOWNED; or it may not, LOUPE_LINK_ASSUMED. */
#define LOUPE_HIDDEN  0x80000000u
#define LOUPE_MAY_OWN 0x40000000u

struct loupe_columns {
    const uint32_t *first; /* by node, and one more: where its links begin; ascending */
    const uint32_t *to;    /* by link: a node, and such marks; loupe_link_target() */
    const uint8_t *kinds;  /* by link: enum loupe_link_kind; NULL: `to` tells */
    const uint32_t *sizes; /* by node: bytes; LOUPE_LARGE_SIZE: look into `large`; NULL: walks */
    const uint32_t *roots; /* nodes that are alive by themselves; one may be named several times */
    const struct loupe_large_size *large;
    loupe_stop stop; /* of whoever asks: analyses end with LOUPE_ETIMEOUT */
    uint32_t nodes;  /* at most LOUPE_MAX_NODES */
    uint32_t root_count;
    uint32_t large_count;
};

/* The node that a link leads to. */
static inline uint32_t loupe_link_target(const struct loupe_columns *columns, uint32_t link) {
    return columns->to[link] & ~(LOUPE_HIDDEN | LOUPE_MAY_OWN);
}

static inline enum loupe_link_kind loupe_link_kind(const struct loupe_columns *columns,
                                                   uint32_t link) {
    if (columns->kinds)
        return (enum loupe_link_kind)columns->kinds[link];
    uint32_t to = columns->to[link];
    return to & LOUPE_HIDDEN    ? LOUPE_LINK_UNOWNED
           : to & LOUPE_MAY_OWN ? LOUPE_LINK_ASSUMED
                                : LOUPE_LINK_STRONG;
}

static inline bool loupe_link_counts(const struct loupe_columns *columns, uint32_t link,
                                     loupe_link_kinds kinds) {
    return kinds >> loupe_link_kind(columns, link) & 1;
}

/* Of an analysis at its end: whether it had memory, and was not stopped. */
static inline enum loupe_status loupe_columns_status(const struct loupe_columns *columns,
                                                     bool has_room) {
    return !has_room ? LOUPE_ENOMEM : loupe_is_stopped(columns->stop) ? LOUPE_ETIMEOUT : LOUPE_OK;
}

uint64_t loupe_columns_large_size(const struct loupe_columns *columns, uint32_t node);

static inline uint64_t loupe_columns_size(const struct loupe_columns *columns, uint32_t node) {
    uint32_t size = columns->sizes ? columns->sizes[node] : 0;
    return size == LOUPE_LARGE_SIZE ? loupe_columns_large_size(columns, node) : size;
}

/*
 * Whether every index is in range and every kind is known. Analyses trust the columns, so what
 * comes from a file is asked once.
 */
bool loupe_columns_are_valid(const struct loupe_columns *columns);

/* ---- Policies: which kinds of links count, by analysis ---- */

struct loupe_link_policy {
    const char *name;
    loupe_link_kinds alive; /* reachability; what is not reached is garbage */
    loupe_link_kinds paths; /* to roots */
    loupe_link_kinds late;  /* those of them that a path takes only where there is no other */
    loupe_link_kinds owned; /* dominators and retained sizes, of what is alive */
    loupe_link_kinds knots;
    bool garbage_owns;  /* what garbage leads to belongs to nobody else alone */
    const char *reason; /* one sentence for people */
};

/* The first one is ours; the others count as other tools do. Static storage, ends with a NULL name.
 */
extern const struct loupe_link_policy loupe_link_policies[];

/* NULL when there is none of that name. */
const struct loupe_link_policy *loupe_link_policy_named(const char *name);

#endif

/*
 * verdict.h - whether anything but itself keeps a knot alive, from the retain counts.
 *
 * Each reference that Loupe knows to one of the knot's members is one of the retains the target
 * counted. What is left over is held by something that Loupe does not see: a local variable, a
 * global, an autorelease pool, an object that was not walked.
 */
#ifndef LOUPE_VERDICT_H
#define LOUPE_VERDICT_H

#include "graph/describer.h"
#include "cycles/knots/knots.h"

enum loupe_verdict_kind {
    LOUPE_LEAKED, /* every retain is a reference from inside the knot */
    LOUPE_HELD,   /* something outside holds it */
    LOUPE_UNCLEAR /* the arithmetic does not decide it */
};

/* Why a verdict is LOUPE_UNCLEAR. */
enum loupe_verdict_reason {
    LOUPE_VERDICT_CLEAR,
    LOUPE_VERDICT_IMMORTAL, /* a member is never freed */
    LOUPE_VERDICT_NO_COUNT, /* a member's count cannot be read */
    LOUPE_VERDICT_TOO_MANY, /* more references were found than the target counts */
    LOUPE_VERDICT_ASSUMED   /* references of unknown ownership lead to members */
};

/* "leaked", "held", "unknown". Static storage. */
const char *loupe_verdict_name(enum loupe_verdict_kind kind);
/* A sentence for the reason; NULL for LOUPE_VERDICT_CLEAR. Static storage. */
const char *loupe_verdict_reason_text(enum loupe_verdict_reason reason);

enum { LOUPE_MAX_HOLDERS = 8 };

struct loupe_holder {
    uint32_t from, edge;
};

/*
 * What letting go of a knot means, as node ids in ascending order. The anchors are the members that
 * stay for all Loupe knows, because they are never freed or count more retains than references were
 * found; not the seed, which should go whoever asks about it. The goals are what should go: the
 * seed, or in a knot without it those that known references from outside lead to, since they go
 * with their holders; if those are all anchors, whatever is none. One that goes is enough.
 */
struct loupe_release {
    uint32_t *goals, *anchors; /* in the arena */
    uint32_t goal_count, anchor_count;
    uint32_t rest_count; /* members that are neither */
};

struct loupe_verdict {
    enum loupe_verdict_kind kind;
    enum loupe_verdict_reason reason;
    uint32_t example;     /* a member for which the reason holds; LOUPE_NO_NODE when clear */
    uint64_t retains;     /* sum of the members' counts, as far as they are known */
    uint64_t inside;      /* references from members to members, hidden ones that own too */
    uint64_t outside;     /* known references to members from other nodes */
    uint64_t unexplained; /* retains beyond inside and outside, member by member; of edges that
                             share one retain one counts */
    uint64_t assumed;     /* of inside and outside: of unknown ownership */
    uint64_t not_counted; /* members without a count */
    uint64_t excess;      /* references beyond the counts, member by member */
    struct loupe_holder holders[LOUPE_MAX_HOLDERS]; /* the first ones of `outside` */
    uint32_t holder_count;
    bool keeps_seed; /* more than the references found keeps the seed, which is a member */
    struct loupe_release release;
};

/* What the whole heap shows where the counts of the knot do not decide it. */
static inline void loupe_verdict_set_leaked(struct loupe_verdict *verdict) {
    verdict->kind = LOUPE_LEAKED;
    verdict->reason = LOUPE_VERDICT_CLEAR;
    verdict->example = LOUPE_NO_NODE;
}

/*
 * Fills verdicts[0] to verdicts[count - 1] for the first knots. One pass over the graph, with 4
 * bytes a node in the place of the list of members, which is made anew afterwards. The arena gets 4
 * bytes for each goal and each anchor. seed: the node that is asked about, or LOUPE_NO_NODE.
 */
enum loupe_status loupe_verdicts_find(struct loupe_knots *knots,
                                      const struct loupe_describer *describer, uint32_t seed,
                                      struct loupe_arena *arena, struct loupe_verdict *verdicts,
                                      uint32_t count);

#endif

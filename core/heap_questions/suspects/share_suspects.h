/*
 * share_suspects.h - what keeps a large share of a heap alive, with no rule: each with the
 * reference that is to be looked at, and what it accumulates.
 */
#ifndef LOUPE_SHARE_SUSPECTS_H
#define LOUPE_SHARE_SUSPECTS_H

#include "analysis/dominators/owners.h"
#include "base/json.h"
#include "heap_questions/culprit.h"
#include "heap_questions/heap_question.h"
#include "heap_questions/suspects/known_causes.h"
#include "leaks/heap_graph.h"
#include "report/report_stacks.h"

struct loupe_share_suspect {
    struct loupe_owner owner;
    struct loupe_trace trace;         /* to the accumulation */
    char culprit[LOUPE_CULPRIT_SIZE]; /* "Registry.sessions": the last reference that a program
                                         named */
    bool is_root;                     /* the culprit is one: no reference on the path has a name */
    uint64_t fingerprint;
    uint32_t percent; /* of what is alive */
};

struct loupe_share_suspects {
    struct loupe_heap_question *question;
    const struct loupe_heap_names *names; /* what roots of a native heap are called */
    const struct loupe_dominators *dominators;
    const uint32_t *namesakes;         /* by class: the first of its name */
    struct loupe_share_suspect *items; /* the largest first */
    uint32_t count, percent;           /* the share that was asked for */
    uint32_t hidden;                   /* known already */
    uint64_t alive;                    /* bytes */
};

/* percent: 1 to 100. All in the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_share_suspects_find(struct loupe_share_suspects *suspects,
                                            struct loupe_heap_question *question,
                                            const struct loupe_heap_names *names, uint32_t percent);
/* Takes out what is known. */
void loupe_share_suspects_hide(struct loupe_share_suspects *suspects,
                               const struct loupe_known_causes *known);

/* Into the array "suspects", which is open. */
void loupe_report_share_suspects(struct loupe_json *json,
                                 const struct loupe_share_suspects *suspects,
                                 struct loupe_shown_stacks *stacks);

#endif

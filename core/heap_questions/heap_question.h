/*
 * heap_question.h - what questions about paths and owners of a heap share: rules, policy, and the
 * searches over the whole heap, each made when it is first asked for.
 */
#ifndef LOUPE_HEAP_QUESTION_H
#define LOUPE_HEAP_QUESTION_H

#include "analysis/dominators/dominators.h"
#include "leaks/memory_owners.h"
#include "snapshot/rules/trace.h"

struct loupe_heap_question {
    const struct loupe_chunk_ops *chunks;
    struct loupe_arena arena; /* also of what is found */
    struct loupe_rules rules;
    struct loupe_ruled_classes ruled;
    struct loupe_tracer tracer; /* its columns have the kinds of links that rules say */
    uint8_t *kinds;             /* the copy, or NULL */
    uint8_t *root_levels;
    uint64_t rules_hash; /* of the texts of all rules */
    bool has_shortest, has_to_suspects, has_dominators;
    struct loupe_shortest shortest, stored; /* the latter is in the file */
    struct loupe_shortest to_suspects;      /* no path passes one: held_suspects.h makes them */
    struct loupe_dominators dominators;
    struct loupe_memory_owners owners; /* the tracer's */
};

/* What names of links and roots need, without rules. */
struct loupe_tracer loupe_plain_tracer(const struct loupe_snapshot *snapshot,
                                       const struct loupe_link_policy *policy);

/* The question must not move from here on. To be given to loupe_heap_question_deinit(). */
void loupe_heap_question_init(struct loupe_heap_question *question,
                              const struct loupe_snapshot *snapshot,
                              const struct loupe_link_policy *policy,
                              const struct loupe_chunk_ops *chunks);
/* Rules that were added first come first. origin names them, and stays the caller's, as the text
 * does. The code is err's. */
enum loupe_status loupe_heap_question_add_rules(struct loupe_heap_question *question,
                                                struct loupe_span text, const char *origin,
                                                struct loupe_error *err);
/* When all rules are there. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_question_prepare(struct loupe_heap_question *question);
void loupe_heap_question_deinit(struct loupe_heap_question *question);

/*
 * Paths that were stored with the snapshot, where they hold for this question and that of the node
 * is sound; else as below.
 */
const struct loupe_shortest *loupe_heap_question_path(struct loupe_heap_question *question,
                                                      uint32_t node);
/* Found once. NULL is returned where there was no memory, or no time. */
const struct loupe_shortest *loupe_heap_question_shortest(struct loupe_heap_question *question);
/* Of the heap without what rules say: what owns is no matter of whose fault it is. NULL as above.
 */
const struct loupe_dominators *loupe_heap_question_dominators(struct loupe_heap_question *question);

/* Another search as the policy has it. columns: the tracer's, or the snapshot's, which no rule
 * changed; ends: nodes that no path passes, or NULL. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_question_search(const struct loupe_heap_question *question,
                                             const struct loupe_columns *columns,
                                             const struct loupe_marks *ends,
                                             struct loupe_shortest *ret);

/*
 * The dominators of a snapshot by a policy: those that were stored with it where that is the policy
 * they were found by. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_dominators_of_heap(const struct loupe_snapshot *snapshot,
                                           const struct loupe_link_policy *policy,
                                           const struct loupe_chunk_ops *chunks,
                                           struct loupe_dominators *ret);

#endif

/*
 * heap_question.h - what verbs about paths and owners share: rules, policy, and the searches over
 * the whole heap, each made when it is first asked for.
 */
#ifndef LOUPE_CLI_HEAP_QUESTION_H
#define LOUPE_CLI_HEAP_QUESTION_H

#include "analysis/dominators.h"
#include "heap_verb.h"
#include "snapshot/trace.h"

struct heap_question {
    const struct heap_query *query;
    struct loupe_arena arena;
    struct loupe_rules rules;
    struct loupe_ruled_classes ruled;
    struct loupe_tracer tracer; /* its columns have the kinds of links that rules say */
    uint8_t *kinds;             /* the copy, or NULL */
    uint8_t *root_levels;
    uint64_t rules_hash; /* of the texts of all rules */
    bool has_shortest, has_dominators;
    struct loupe_shortest shortest, stored; /* the latter is in the file */
    struct loupe_dominators dominators;
};

/*
 * Reads --rules and --exclude before the shipped rules. The exit status, CLI_OK or
 * what was already said; then there is nothing to deinit.
 */
int heap_question_init(struct heap_question *question, const struct heap_query *query);
/* What names of links and roots need, without rules. */
struct loupe_tracer heap_plain_tracer(const struct heap_query *query);
void heap_question_deinit(struct heap_question *question);

/*
 * Paths that were stored with the snapshot, where they hold for this question and that of the node
 * is sound; else as below.
 */
const struct loupe_shortest *heap_question_path(struct heap_question *question, uint32_t node);
/*
 * Found once. ends: nodes that no path passes; NULL: none. NULL is returned when that failed:
 * heap_ended() knows why.
 */
const struct loupe_shortest *heap_question_shortest(struct heap_question *question,
                                                    const struct loupe_marks *ends);
/* Of the heap without what rules say: what owns is no matter of whose fault it is. */
const struct loupe_dominators *heap_question_dominators(struct heap_question *question);

#endif

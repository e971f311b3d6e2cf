/*
 * answering.h - a question that is being answered: what it is about, and what the questions share.
 *
 *     begin:  loupe.c decodes the arguments, detects the runtime and finds the object; where the
 *             question needs a walk, that has its first node and knows the host's facts
 *     answer: the question's function analyses, then writes its keys between
 *             loupe_answering_begin_report() and loupe_answering_end_report()
 *     end:    loupe.c writes the error of one that failed, and gives all memory back
 */
#ifndef LOUPE_ANSWERING_H
#define LOUPE_ANSWERING_H

#include "cycles/filters.h"
#include "edges/edges.h"
#include "graph/graph.h"
#include "heap/allocators/blocks.h"
#include "questions/question.h"
#include "report/report.h"
#include "request/request.h"
#include "scene/scene.h"

/* What is there before a question's function runs; each but the last includes those above it. */
enum loupe_need {
    LOUPE_NEEDS_RUNTIME, /* the target's abi; the address may be 0 */
    LOUPE_NEEDS_OBJECT,  /* object */
    LOUPE_NEEDS_EDGES,   /* graph, with the object as its only node, and the walk to open that */
    LOUPE_NEEDS_WALK,    /* the same, to be walked to its end */
    LOUPE_NEEDS_ROOTS,   /* the same; what the roots lead to is walked too (loupe_roots_add()) */
    LOUPE_NEEDS_HEAP     /* runtime, and a walk without a graph; the address is of no use */
};

struct loupe_answering {
    const struct loupe_question *question;
    struct loupe_request request; /* what the question's text says */
    struct loupe_target target;
    uint64_t started; /* loupe_report_clock() */
    struct loupe_json *json;
    struct loupe_error error;
    struct loupe_object object;
    uint32_t seed; /* its node in the graph */
    struct loupe_graph graph;
    struct loupe_walk walk;
    uint64_t limit;                  /* of nodes in it */
    const struct loupe_facts *facts; /* that the walk believes */
    bool goes_on;             /* there may be another call: all undescribed members are kept */
    struct loupe_scene scene; /* once it is taken */
    bool has_scene;
};

/* A function returns the status of the answer; one that fails has filled the error. */
typedef enum loupe_status loupe_answer_fn(struct loupe_answering *answering);

#define LOUPE_QUESTION_FUNCTION(id, name, function, need) loupe_answer_fn loupe_answer_##function;
LOUPE_QUESTIONS(LOUPE_QUESTION_FUNCTION)
#undef LOUPE_QUESTION_FUNCTION

/* A line of the table. */
struct loupe_question_kind {
    const char *name;
    enum loupe_need need;
    loupe_answer_fn *answer;
};

/* NULL: there is no such question. */
const struct loupe_question_kind *loupe_question_kind(enum loupe_query query);

/* ---- Failing ---- */

/* Fills the error with the status's own text and the address asked about. Returns the status. */
enum loupe_status loupe_answering_fail(struct loupe_answering *answering, enum loupe_status status);

/* ---- The walk ---- */

/* A graph with the object as its only node, or of a heap none, and its walk. The graph is to be
 * deinited, also where this fails, which has filled the error. */
enum loupe_status loupe_answering_begin_walk(struct loupe_answering *answering,
                                             enum loupe_need need);

/* ---- Who holds an object ---- */

/* incoming-refs of what roots lead to. why: for people, why not of the whole heap. */
enum loupe_status loupe_answer_incoming_by_walk(struct loupe_answering *answering, const char *why);

/* ---- Filters ---- */

/* The filters of the question and the built-in ones, in the target's arena. */
enum loupe_status loupe_answering_filters(struct loupe_answering *answering,
                                          struct loupe_filter **ret, uint32_t *count_ret);

/* Rules out as owners what the libraries of the target are known not to retain, by the filters in
 * *ret. */
enum loupe_status loupe_answering_apply_knowledge(struct loupe_answering *answering,
                                                  struct loupe_filters *ret);

/* ---- The scene ---- */

/* Takes it, unless that was done: the target stands still. It lasts as long as the target's arena.
 */
enum loupe_status loupe_answering_take_scene(struct loupe_answering *answering);

/* Why it could not be, after it was begun. */
#define LOUPE_NO_WHOLE_HEAP "out of memory or time while reading the whole heap"
/* For people, why the question is not to be answered from the whole heap; NULL: it may be. */
const char *loupe_answering_why_no_heap(const struct loupe_answering *answering);
/* A snapshot of what is in the blocks, which are empty afterwards. The walk is new. */
enum loupe_status loupe_answering_look_into(struct loupe_answering *answering,
                                            struct loupe_blocks *blocks,
                                            struct loupe_snapshot *ret);
/* The whole heap, of a question that names no roots. What fails has filled the error. */
enum loupe_status loupe_answering_make_snapshot(struct loupe_answering *answering,
                                                struct loupe_snapshot *ret);

/* ---- The heap ---- */

/* Looks at all of it, for what the walk meets. Fills the error. */
enum loupe_status loupe_answering_look_at_heap(struct loupe_answering *answering);

/* ---- The answer ---- */

struct loupe_envelope loupe_answering_envelope(const struct loupe_answering *answering);

void loupe_answering_begin_report(struct loupe_answering *answering);
/* What was not followed, and what it cost, for so many objects and edges. */
void loupe_answering_end_report(struct loupe_answering *answering, uint64_t objects,
                                uint64_t edges);
/* What it cost, for a whole heap, and the end, after an account of what was not followed. */
void loupe_answering_end_heap(struct loupe_answering *answering,
                              const struct loupe_snapshot *snapshot);
/* The same for the graph, with what its walk could not read. */
void loupe_answering_end_graph_report(struct loupe_answering *answering);

/* "freed", of the object asked about, in answers that do not list objects. */
void loupe_answering_report_freed(struct loupe_answering *answering);

#endif

/*
 * question.h - the table of questions, and one question as it is put.
 *
 * To add a question:
 *  1. a line in LOUPE_QUESTIONS: its enum, its name, what it needs before it can be answered
 *  2. core/questions/foo.c with loupe_answer_foo(), declared in answering.h, which has what the
 *     questions share; its line in core/CMakeLists.txt
 *  3. docs/protocol.md, and report/objects/report_foo.c if the answer has keys of its own
 *  4. tests/unit/answers/test_foo.c; a command in lldb_commands/commands.py if people type it
 * Everything else comes from the table: names in all hosts, usage texts, refusals.
 */
#ifndef LOUPE_QUESTION_H
#define LOUPE_QUESTION_H

#include "base/json.h"
#include "base/target/memory.h"
#include "base/status.h"

/*
 * question(ID, name, function, need): LOUPE_QUERY_ID is answered by loupe_answer_<function>() once
 * there is what enum loupe_need says.
 */
/* clang-format off */
#define LOUPE_QUESTIONS(question)                                              \
    question(BLOCK_LAYOUT, "block-layout", block_layout, LOUPE_NEEDS_OBJECT)   \
    question(IVAR_LAYOUT, "ivar-layout", ivar_layout, LOUPE_NEEDS_OBJECT)      \
    question(STRONG_REFS, "strong-refs", strong_refs, LOUPE_NEEDS_EDGES)       \
    question(RETAIN_CYCLES, "retain-cycles", retain_cycles, LOUPE_NEEDS_WALK)  \
    question(INCOMING_REFS, "incoming-refs", incoming_refs, LOUPE_NEEDS_ROOTS) \
    question(METHODS, "methods", methods, LOUPE_NEEDS_RUNTIME)                 \
    question(VALUE, "value", value, LOUPE_NEEDS_RUNTIME)                       \
    question(SNAPSHOT, "snapshot", snapshot, LOUPE_NEEDS_HEAP)                 \
    question(LEAKS, "leaks", leaks, LOUPE_NEEDS_HEAP)                          \
    question(HISTORY, "history", history, LOUPE_NEEDS_RUNTIME)
/* clang-format on */

#define LOUPE_QUERY_ID(id, name, function, need) LOUPE_QUERY_##id,
enum loupe_query { LOUPE_QUESTIONS(LOUPE_QUERY_ID) LOUPE_QUERY_COUNT };
#undef LOUPE_QUERY_ID

/* "block-layout, ivar-layout, ...": every name, and a comma and a space after each. */
#define LOUPE_QUESTION_NAME(id, name, function, need) name ", "
#define LOUPE_QUESTION_NAMES                          LOUPE_QUESTIONS(LOUPE_QUESTION_NAME)

/* "block-layout" and so on, and back. Static storage; false when there is no such query. */
const char *loupe_query_name(enum loupe_query query);
bool loupe_query_named(const char *name, enum loupe_query *ret);

/* What retain-cycles found, in numbers, for callers that need no text. */
struct loupe_tally {
    uint32_t certain_knots; /* with a ring of known references */
    bool complete;          /* nothing was left out for a limit */
};

/* What an error says where the file of a snapshot could not be written. */
#define LOUPE_SNAPSHOT_NOT_WRITTEN                                                                 \
    "the snapshot cannot be written: name a file in a folder that can be, on a disk with room"

/* For hosts that go on with a snapshot themselves. */
struct loupe_snapshot_taker {
    struct loupe_snapshot *snapshot; /* where it goes */
    struct loupe_error error;        /* why there is none, where that fails */
};

struct loupe_question {
    enum loupe_query query;
    loupe_addr address;
    uint64_t limit;            /* objects walked; 0: LOUPE_DEFAULT_LIMIT */
    uint32_t max_rings;        /* rings shown per knot; 0: one */
    const char *engine;        /* for the answer's "engine": "memory", "helper" or "drawn" */
    struct loupe_tally *tally; /* NULL, or what retain-cycles fills in place of its answer */
    const char *arguments;     /* NULL, or what else is said (request/request.h) */
    /* Of "snapshot", each 0 where it is not known. */
    struct loupe_sink file;             /* what takes the snapshot's bytes; write NULL: nobody */
    struct loupe_snapshot_taker *taker; /* NULL, or what gets it in place of an answer */
    bool of_core;                       /* the target does not run any more */
    bool others_run;     /* the threads of it that do not ask do, as far as anybody knows */
    uint64_t process;    /* its number */
    uint64_t time;       /* of the snapshot: milliseconds since 1970 */
    const char *program; /* path of the executable */
};

#endif

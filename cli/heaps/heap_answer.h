/*
 * heap_answer.h - an answer about a whole heap, which is made once: as JSON, that goes out as it is
 * or is read by who words it (answers/reports).
 */
#ifndef LOUPE_CLI_HEAP_ANSWER_H
#define LOUPE_CLI_HEAP_ANSWER_H

#include "answers/reports/report.h"
#include "shared/capture.h"
#include "heaps/heap_verb.h"

struct heap_answer {
    const struct heap_query *query;
    struct capture capture;
    struct loupe_json json; /* what the verb has to say is put into it */
};

/* Opens the output and the answer. The exit status; where it is not 0, there is nothing to end. */
int heap_answer_begin(struct heap_answer *answer, const struct heap_query *query, bool incomplete);
/* Closes the answer, and says it as the query asks. report may be NULL. status: of making it; where
 * it is not LOUPE_OK, that is said instead. The exit status. */
int heap_answer_end(struct heap_answer *answer, const struct answer_report *report,
                    enum loupe_status status);

/* The same of an answer that is whole already, with its beginning and its end. */
int heap_answer_begin_empty(struct heap_answer *answer, const struct heap_query *query);
int heap_answer_end_empty(struct heap_answer *answer, enum loupe_status status);

/* Says an answer that somebody else made. The exit status; an error is said on stderr. */
int heap_answer_say(const struct heap_query *query, struct loupe_span text,
                    const struct answer_report *report);
/* The same of a question that was ended before it had an answer: reason says by what. */
int heap_answer_say_ended(const struct heap_query *query, const char *reason);

#endif

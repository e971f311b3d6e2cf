/*
 * call.h - one call of a tool: what was given, the questions that it puts, and its result.
 */
#ifndef LOUPE_SERVE_CALL_H
#define LOUPE_SERVE_CALL_H

#include "answers/json_tree.h"
#include "serve/opened/opened.h"
#include "serve/tools.h"

struct call {
    const struct tool *tool;
    const struct json_value *given[ARGUMENT_COUNT]; /* NULL: not given */
    const char *texts[ARGUMENT_COUNT];
    uint64_t numbers[ARGUMENT_COUNT];
    const char *list; /* that is shown page by page, or NULL */
    uint64_t first;   /* of its rows */
    uint32_t rows;
    uint64_t files; /* hash: which they are, and as which they were found */
    uint64_t hash;  /* of all that decides what stands on which page */
    struct loupe_arena *arena;
    char problem[500]; /* why it cannot be answered, for people; empty: it can be */
};

/* ---- call_arguments.c ---- */

/*
 * Takes the arguments. within: a folder that files have to be in, or NULL. seconds: unless told.
 * False: call->problem, in the names of the tool's arguments.
 */
bool call_take_arguments(struct call *call, const struct json_value *arguments, const char *within,
                         uint64_t seconds);
/* The cursor of the page behind this one, of which so many rows were shown. */
const char *call_cursor(const struct call *call, uint32_t shown, char *dst, size_t cap);

/* ---- call_questions.c ---- */

struct call_asker {
    struct opened_set *opened;
    struct opened_meanwhile *meanwhile;
    bool is_unwanted; /* somebody said so meanwhile */
};

/* An answer to a question of a call. */
struct call_answer {
    const struct json_value *tree;
    struct loupe_span messages; /* lines */
    struct opened_question question;
};

/* The question of a tool with a verb. False: call->problem, or nobody wants it any more. */
bool call_ask(struct call *call, struct call_asker *asker, struct call_answer *ret);

/* A question about a file alone, or with that and an earlier one. */
struct call_asked {
    const char *verb, *file, *before; /* the latter may be NULL */
    uint32_t rows;                    /* 0: all of it, without pages */
};
bool call_ask_verb(struct call *call, struct call_asker *asker, const struct call_asked *asked,
                   struct call_answer *ret);

/* ---- call_next.c ---- */

/* "next", into the object that is open: calls that make sense after the answer. cursor: of the next
 * page; NULL: there is none. */
void call_put_next(const struct call *call, struct loupe_json *json,
                   const struct json_value *answer, const char *cursor);

/* ---- before_after.c ---- */

enum { BEFORE_AFTER_QUESTIONS = 3 };

/* Puts the questions, and makes one answer of theirs. False: as call_ask(). */
bool call_before_after(struct call *call, struct call_asker *asker,
                       struct call_answer parts[BEFORE_AFTER_QUESTIONS],
                       const struct json_value **ret);

#endif

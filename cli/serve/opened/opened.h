/*
 * opened.h - files that are kept open between questions, each (or each pair that is compared) in a
 * process of its own: what hostile bytes do to it ends there, its memory has a limit, and it can be
 * ended at any moment. Those that were not asked for longest go when there are too many.
 */
#ifndef LOUPE_SERVE_OPENED_H
#define LOUPE_SERVE_OPENED_H

#include "base/arena.h"
#include "heaps/heap_verb.h"

#include <sys/types.h>

enum { OPENED_MOST = 16 };

struct opened {
    pid_t process; /* 0: none */
    int to, from;
    char *key;     /* which files, as they were, opened how */
    uint64_t used; /* when: a number that grows */
};

struct opened_set {
    struct opened items[OPENED_MOST];
    unsigned most;        /* are kept */
    uint64_t most_memory; /* bytes of each; 0: no limit */
    bool hides_values;    /* of the programs, in every answer */
    uint64_t uses;
};

/* A question: a command line of `loupe`. */
struct opened_question {
    const struct verb *verb;
    const char *words[HEAP_MOST_FILES + 2 * VERB_OPTION_COUNT]; /* behind the verb */
    unsigned word_count;
    const char *key;
    uint64_t seconds; /* that it may take */
};

/* What else may be read while a question is being answered. */
struct opened_meanwhile {
    int descriptor; /* -1: nothing any more */
    /* Called when there is something to read. False: the question is not wanted any more. */
    bool (*read)(struct opened_meanwhile *meanwhile);
    void *ctx;
};

enum opened_end {
    OPENED_ANSWERED,
    OPENED_DIED,      /* by signal, or because it ended itself */
    OPENED_TOO_SLOW,  /* it was ended */
    OPENED_TOO_LARGE, /* the answer */
    OPENED_UNWANTED,
    OPENED_NO_PROCESS /* errno says why */
};

struct opened_answer {
    enum opened_end end;
    int status; /* OPENED_ANSWERED: the exit status; OPENED_DIED: signal */
    struct loupe_span output,
        messages; /* in the arena; output: JSON, or text where none was asked */
};

/* Answers larger than this are refused: reading one takes several times as much memory. */
enum { OPENED_LARGEST_ANSWER = 16 << 20 };

/* most: how many processes there are at once, at least 1. */
void opened_init(struct opened_set *set, unsigned most, uint64_t most_memory);
void opened_end_all(struct opened_set *set);

/* LOUPE_ENOMEM. */
enum loupe_status opened_ask(struct opened_set *set, const struct opened_question *question,
                             struct opened_meanwhile *meanwhile, struct loupe_arena *arena,
                             struct opened_answer *ret);

/* ---- opened_process.c ---- */

/* What stands before the bytes of an answer, and of the messages beside it. */
struct opened_head {
    int32_t status;            /* the exit status */
    uint32_t output, messages; /* bytes of each; an output of more than OPENED_LARGEST_ANSWER has
                                  none, and no messages */
};

/*
 * Answers questions from `from` until there are no more: their words, each with its NUL, behind a
 * uint32_t that says how many bytes these are; each answer to `to`; hides_values: none of them has
 * what objects contain. Returns at the end, or when nobody listens.
 */
void opened_serve(int from, int to, bool hides_values);

#endif

/*
 * heap_verb.h - the commands that ask about a whole heap: `loupe VERB FILE [options] [arguments]`.
 *
 * To add one: a file heap_NAME.c with a `const struct heap_verb`, its line in the table of
 * heap_verbs.c, in cli/CMakeLists.txt and in the README.
 */
#ifndef LOUPE_CLI_HEAP_VERB_H
#define LOUPE_CLI_HEAP_VERB_H

#include "analysis/dominators.h"
#include "base/stop.h"
#include "cli.h"
#include "snapshot/snapshot.h"

/* Options, as bits: a verb says which ones it understands. All understand those without a bit. */
enum heap_option {
    HEAP_OPTION_SORT = 1 << 0,
    HEAP_OPTION_CLASS = 1 << 1,
    HEAP_OPTION_SUBCLASSES = 1 << 2,
    HEAP_OPTION_PATHS = 1 << 3, /* -n */
    HEAP_OPTION_TO_CLASS = 1 << 4,
    HEAP_OPTION_EXCLUDE = 1 << 5,
    HEAP_OPTION_RULES = 1 << 6,
    HEAP_OPTION_COUNT_AS = 1 << 7,
    HEAP_OPTION_LIMIT = 1 << 8,
    HEAP_OPTION_DRAW = 1 << 9, /* --html, --dot, --format: the answer has findings to draw */
    HEAP_OPTION_REDACT = 1 << 10,
    HEAP_OPTION_GATES = 1 << 11, /* --filters, baselines, --allow-incomplete */
    HEAP_OPTION_FAIL = 1 << 12,  /* --fail-if-found */
    HEAP_OPTION_GROUP = 1 << 13,
    HEAP_OPTION_RINGS = 1 << 14, /* --max-rings */
    HEAP_OPTION_KNOWN = 1 << 15,
};

/* What was given; NULL and 0 where it was not. */
struct heap_options {
    const char *sort, *class_pattern, *to_class, *exclude, *rules, *count_as, *output, *program,
        *sysroot, *names, *filters, *baseline, *write_baseline;
    const char *html, *dot, *format, *group;
    uint64_t limit, paths, max_rings, timeout, max_pause,
        dump; /* timeout, max_pause: microseconds */
    bool has_limit, subclasses, redact, allow_incomplete, fail_if_found, append, json, help, known;
};

enum { HEAP_MOST_OPERANDS = 4, HEAP_MOST_FILES = 32 };

struct heap_query {
    const struct heap_verb *verb;
    struct heap_options options;
    const char *operands[HEAP_MOST_OPERANDS]; /* behind the files */
    unsigned operand_count;
    const char *file;
    const struct loupe_link_policy *policy; /* by --count-as, else ours */
    const struct loupe_snapshot *snapshot;
    const struct loupe_snapshot *older; /* of verbs about two files: the first of them */
    const struct loupe_snapshot *snapshots[HEAP_MOST_FILES]; /* all, in their order */
    unsigned file_count;
    struct loupe_memory *target; /* of a core or process that is asked itself; else NULL */
    bool of_core;                /* which of them */
};

struct heap_verb {
    const char *name;
    const char *operands; /* as in "OBJECT"; "" for none */
    const char *summary;
    const char *help;
    unsigned options;    /* set of enum heap_option */
    unsigned files;      /* 1 or 2 */
    unsigned most_files; /* 0: no more than those */
    unsigned least_operands, most_operands;
    bool shows_roots; /* so that the variables at their places are to be named */
    /* Prints the answer and returns the exit status. */
    int (*run)(struct heap_query *query);
    /* The same about an operand and a target, without a snapshot of its whole heap. NULL: there is
     * no such question. */
    int (*run_on_target)(struct heap_query *query);
};

extern const struct heap_verb heap_verb_path, heap_verb_retained, heap_verb_suspects,
    heap_verb_diff, heap_verb_cycles;
extern const struct heap_verb heap_verb_heap, heap_verb_find, heap_verb_leaks, heap_verb_snapshot,
    heap_verb_functions;

/* The verb of a name, or NULL. */
const struct heap_verb *cli_heap_verb(const char *name);
int cli_heap(const struct heap_verb *verb, const char **words, unsigned count);
/* Prints a line for each verb. */
void cli_heap_summaries(void);

/* ---- heap_options.c ---- */

/* What options are that nobody gives, where that is not 0; the environment has its say. The exit
 * status, CLI_OK or what was already said. */
int heap_take_defaults(const struct heap_verb *verb, struct heap_options *ret);
/* Takes the option at words[*at], and its value, of which *at becomes the last word. The exit
 * status, CLI_OK or what was already said. */
int heap_take_option(const struct heap_verb *verb, const char **words, unsigned count, unsigned *at,
                     struct heap_options *ret);
/* A line for each that the verb understands. */
void heap_print_options(const struct heap_verb *verb);

/* ---- What verbs share ---- */

/*
 * Says why an analysis failed, and returns the exit status: memory ran out, or the time that
 * --timeout gives. The latter is an answer, which is incomplete.
 */
int heap_ended(const struct heap_query *query);

/* Whether the question is one to a core or a process itself, not to a snapshot of it. */
bool heap_asks_target(const struct heap_query *query);

/* Set when the time that --timeout gives is over. */
extern const loupe_stop heap_stop;

/* Memory for snapshots and analyses: large parts come zeroed and page by page. */
extern const struct loupe_chunk_ops heap_chunks;

/*
 * The dominators of the query's snapshot by a policy: those that were stored with it where that is
 * the policy they were found by. LOUPE_ENOMEM.
 */
enum loupe_status heap_dominators(const struct heap_query *query,
                                  const struct loupe_link_policy *policy,
                                  struct loupe_dominators *ret);

/* To be called before the first byte of an answer: opens what -o names. */
int heap_begin_output(const struct heap_query *query);
/* An error about the file or the question: one line on stderr, and with --json an answer. */
int heap_fail(const struct heap_query *query, enum loupe_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The node that an operand names by its address. False: it said why not, and *status_ret. */
bool heap_query_object(const struct heap_query *query, const char *word, uint32_t *ret,
                       int *status_ret);
/* A class by a name with '*' for any text, without one the whole name: its own, or the one that
 * programs use (report/class_words.h). */
bool heap_name_matches(struct loupe_span name, const char *pattern);
/* The lines below an answer: what was lost, what was passed over. */
void heap_print_notes(const struct heap_query *query);

#endif

/*
 * heap_verb.h - the commands that ask about a whole heap: `loupe VERB FILE [options] [arguments]`.
 *
 * What they are called and take is in verbs/; here is what their code shares.
 */
#ifndef LOUPE_CLI_HEAP_VERB_H
#define LOUPE_CLI_HEAP_VERB_H

#include "analysis/dominators/dominators.h"
#include "base/target/stop.h"
#include "shared/cli.h"
#include "heaps/names.h"
#include "hprof/hprof_summary.h"
#include "runtime/freed.h"
#include "snapshot/snapshot.h"
#include "line/verb_line.h"
#include "verbs/code.h"

enum { HEAP_MOST_OPERANDS = 4 };

/* Where something was freed for certain, by memory that is let go of when there is a snapshot. */
struct heap_freed {
    uint64_t address;
    enum loupe_freed_mark mark; /* LOUPE_FREED_NO_MARK: nowhere that anybody asked about */
};

struct heap_query {
    const struct verb *verb;
    struct verb_values options;
    const char *operands[HEAP_MOST_OPERANDS]; /* behind the files */
    unsigned operand_count;
    const char *file;
    bool may_count_classes; /* who asks takes that for an answer where the whole does not fit */
    const struct loupe_hprof_summary *summary; /* that is all there is of it; or NULL */
    const char *called;                        /* what messages call the file; NULL: its name */
    const struct loupe_link_policy *policy;    /* by --count-as, else ours */
    struct names names;                        /* that --names gave */
    const struct loupe_snapshot *snapshot;
    const struct loupe_snapshot *older; /* of verbs about two files: the first of them */
    const struct loupe_snapshot *snapshots[HEAP_MOST_FILES]; /* all, in their order */
    unsigned file_count;
    struct loupe_memory *target; /* of a core or process that is asked itself; else NULL */
    bool of_core;                /* which of them */
    struct heap_freed freed;
};

int cli_heap(const struct verb *verb, const char **words, unsigned count);

/* ---- What verbs share ---- */

/*
 * Says why an analysis failed, and returns the exit status: memory ran out, or the time that
 * --timeout gives. The latter is an answer, which is incomplete.
 */
int heap_ended(const struct heap_query *query);

/* Whether the question is one to a core or a process itself, not to a snapshot of it. */
bool heap_asks_target(const struct heap_query *query);
/* Whether classes alone, counted, are an answer to it. */
bool heap_can_count_classes(const struct heap_query *query);
/* What --share says, from 1 to 100. The exit status, CLI_OK or what was said. */
int heap_read_percent(const struct heap_query *query, uint32_t *ret);

/* Set when the time that --timeout gives is over. */
extern const loupe_stop heap_stop;

/* Memory for snapshots and analyses: large parts come zeroed and page by page. */
extern const struct loupe_chunk_ops heap_chunks;

/* ivar_lines.c: `loupe ivar-lines`, for programs of ours. */
int cli_ivar_lines(const char **files, unsigned count);

/* To be called before the first byte of an answer: opens what -o names. */
int heap_begin_output(const struct heap_query *query);
/* An error about the file or the question: one line on stderr, and with --json an answer. */
int heap_fail(const struct heap_query *query, enum loupe_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The address that an operand is, or that its number stands for (handles.h). False as below. */
bool heap_query_address(const struct heap_query *query, const char *word, uint64_t *ret,
                        int *status_ret);
/* The same without a word where there is none. */
bool heap_operand_address(const struct heap_query *query, const char *word, uint64_t *ret);
/* The node that an operand names by its address. False: it said why not, and *status_ret. */
bool heap_query_object(const struct heap_query *query, const char *word, uint32_t *ret,
                       int *status_ret);
/* How many rows of a list are told, by --limit; 0: all. */
uint32_t heap_query_most(const struct heap_query *query, uint32_t unless_told);
/* The same of lists that a screen has room for the beginning of, and JSON for all. */
uint32_t heap_query_shown(const struct heap_query *query, uint32_t on_screen);

#endif

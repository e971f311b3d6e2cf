/*
 * code.h - what carries verbs out, by the names that the table has for it. The code is in cli/,
 * which knows the table; the table knows none of it.
 */
#ifndef LOUPE_VERBS_CODE_H
#define LOUPE_VERBS_CODE_H

struct heap_query;

enum { HEAP_MOST_FILES = 32 }; /* that one question is about */

/* Of questions about heaps: each prints its answer and returns the exit status. */
int heap_verb_leaks(struct heap_query *query);
int heap_verb_cycles(struct heap_query *query);
int heap_verb_cycles_on_target(struct heap_query *query);
int heap_verb_strong_refs(struct heap_query *query);
int heap_verb_ivar_layout(struct heap_query *query);
int heap_verb_block_layout(struct heap_query *query);
/* Of those three about a file that is no target: says so. */
int heap_verb_needs_target(struct heap_query *query);
int heap_verb_path(struct heap_query *query);
int heap_verb_retained(struct heap_query *query);
int heap_verb_heap(struct heap_query *query);
int heap_verb_find(struct heap_query *query);
int heap_verb_show(struct heap_query *query);
int heap_verb_threads(struct heap_query *query);
int heap_verb_sql(struct heap_query *query);
int heap_verb_suspects(struct heap_query *query);
int heap_verb_diff(struct heap_query *query);
int heap_verb_snapshot(struct heap_query *query);
int heap_verb_functions(struct heap_query *query);

/* Of other verbs, with the words behind them: the same. */
int cli_compare(const char **words, unsigned count);
int cli_completion(const char **words, unsigned count);
int cli_draw(const char **words, unsigned count);
int cli_doctor(const char **words, unsigned count);
int cli_explain(const char **words, unsigned count);
int cli_fix(const char **words, unsigned count);
int cli_help(const char **words, unsigned count);
int cli_ignore(const char **words, unsigned count);
int cli_report(const char **words, unsigned count);
int cli_serve(const char **words, unsigned count);
int cli_verbs(const char **words, unsigned count);

#endif

/*
 * heap_run.h - a question about files, step by step: for who keeps files open between questions.
 */
#ifndef LOUPE_CLI_HEAP_RUN_H
#define LOUPE_CLI_HEAP_RUN_H

#include "heaps/opened/heap_file.h"

struct heap_run {
    struct heap_query query;
    const char *paths[HEAP_MOST_FILES];
};

/* The line behind the verb, whose words must stay. The exit status, CLI_OK or what was said. */
int heap_run_parse(struct heap_run *run, const struct verb *verb, const char **words,
                   unsigned count);
/* From here on the time runs that --timeout gives. The exit status. */
int heap_run_begin_time(const struct heap_run *run);
/* Opens all files of the question, or none. files: room for as many. The exit status. */
int heap_run_open(struct heap_run *run, struct heap_file *files);
/* Answers about files that a question with the same paths opened. The exit status. */
int heap_run_ask(struct heap_run *run, struct heap_file *files);
void heap_run_close(const struct heap_run *run, struct heap_file *files);

#endif

/*
 * heap_target.h - a core file or a process as FILE: opened without a debugger, asked by the core.
 */
#ifndef LOUPE_CLI_HEAP_TARGET_H
#define LOUPE_CLI_HEAP_TARGET_H

#include "heaps/opened/heap_file.h"
#include "questions/question.h"

/* Whether a FILE is the number of a process: "./1234" is a file of that name. */
bool heap_names_process(const char *path, uint64_t *ret);

/* Opens it, the file's bytes or, where it has none, the process. */
enum loupe_status heap_target_open(struct heap_file *file, uint64_t process,
                                   const struct heap_query *query, struct loupe_error *error);

/* The snapshot of an opened target. */
enum loupe_status heap_target_snapshot(struct heap_file *file, const struct heap_query *query,
                                       struct loupe_error *error);

/* Names the blocks of its snapshot by file and line, and what they capture; with roots also the
 * variables that these stand in, as far as the target tells. NULL, or why not. */
const char *heap_target_name(struct heap_file *file, bool roots);

/* Lines on stderr about what is not there of the target; none where all is. */
void heap_target_note(const struct heap_file *file, const char *path);

/* Puts a question to the query's target, and prints the answer: one line of JSON. The exit status.
 */
int heap_target_put(const struct heap_query *query, const struct loupe_question *asked);

/* Puts a question about the object that an operand names, and prints the answer: one line of JSON.
 * The exit status. */
int heap_target_ask(const struct heap_query *query, const char *question, const char *operand);

#endif

/*
 * summary.h - the answer to `heap` and `suspects` that counts classes alone, in one pass and little
 * memory: because it is asked for, or because the whole does not fit.
 */
#ifndef LOUPE_CLI_SUMMARY_H
#define LOUPE_CLI_SUMMARY_H

#include "heaps/opened/heap_file.h"
#include "heaps/opened/heap_run.h"

/* Of the file of the question, or of its bytes where they are mapped already (file may be NULL).
 * because: why no more can be said; NULL: nobody asked for more. The exit status. */
int heap_count_classes(const struct heap_run *run, const struct heap_file *file,
                       const char *because);

#endif

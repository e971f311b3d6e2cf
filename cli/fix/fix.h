/*
 * fix.h - the fixes of an answer, and one of them as a patch: for `loupe fix`, and for who has a
 * heap open already.
 */
#ifndef LOUPE_CLI_FIX_H
#define LOUPE_CLI_FIX_H

#include "heaps/opened/heap_run.h"

/* The words behind `fix`, about a heap whose leaks are asked for: heap is that question, and files
 * are open for it. The exit status. */
int fix_of_heap(const char **words, unsigned count, struct heap_run *heap, struct heap_file *files);

#endif

/*
 * watchdog.h - the end of a question whose time is over and that cannot look at its clock: it waits
 * in the kernel, for a page of a file whose server does not answer, or of memory that another
 * program fills in.
 */
#ifndef LOUPE_CLI_WATCHDOG_H
#define LOUPE_CLI_WATCHDOG_H

#include "heaps/heap_verb.h"

/* For a question that has --timeout, or is about a process, which may stand still for --max-pause
 * only: says so and ends the tool, with which the process runs on, when its first thread has waited
 * for seconds after that, unless it has begun to answer. Without threads there is none. */
void watchdog_start(const struct heap_query *query);
/* Whether a process stands still from here on. */
void watchdog_stands(bool stands);
/* From here on somebody may wait who reads the answer, as a pager. */
void watchdog_end(void);

#endif

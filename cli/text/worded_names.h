/*
 * worded_names.h - what memory and roots of a native heap are called, as answers call them.
 */
#ifndef LOUPE_CLI_WORDED_NAMES_H
#define LOUPE_CLI_WORDED_NAMES_H

#include "snapshot/rules/trace.h"

/* "buffer of _bytes in Frame", "memory of Cache 0x1f00", "memory of cache (static in App.m)": what
 * it is part of, cut to cap bytes; its length. 0: it is no such memory, or nobody knows. */
size_t memory_name(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap);

/* "shared (global in App)", "register rbx of thread 1", cut to cap bytes; its length. 0: out of
 * memory. */
size_t root_name(const struct loupe_snapshot *snapshot, uint32_t root, char *dst, size_t cap);

#endif

/*
 * memory_name.h - what memory without a class is called, as answers call it.
 */
#ifndef LOUPE_CLI_MEMORY_NAME_H
#define LOUPE_CLI_MEMORY_NAME_H

#include "snapshot/rules/trace.h"

/* "buffer of _bytes in Frame", "memory of Cache 0x1f00", "memory of cache (static in App.m)": what
 * it is part of, cut to cap bytes; its length. 0: it is no such memory, or nobody knows. */
size_t memory_name(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap);

#endif

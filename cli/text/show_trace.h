/*
 * show_trace.h - paths of a whole heap as text for people.
 */
#ifndef LOUPE_CLI_SHOW_TRACE_H
#define LOUPE_CLI_SHOW_TRACE_H

#include "analysis/dominators/dominators.h"
#include "snapshot/rules/trace.h"

/* "class java.lang.Thread 0x7f01", "java.lang.String 0x7f02 "abc"", printed. */
void show_object(const struct loupe_tracer *tracer, uint32_t node);

/* "Main.cache (static)", "[3]", "android.app.Activity.mDecor": of a link, printed. */
void show_link(const struct loupe_tracer *tracer, uint32_t from, uint32_t link);

/* A path from its root down to the object; runs of the same step are folded. dominators: for what
 * the object retains; NULL: not shown. */
void show_trace(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                const struct loupe_dominators *dominators);

/* "buffer of _bytes in Frame", "memory of Cache 0x1f00", "memory of cache (static in App.m)": what
 * memory without a class is part of, cut to cap bytes; its length. 0: it is no such memory. */
size_t memory_words(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap);

#endif

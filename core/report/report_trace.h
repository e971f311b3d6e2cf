/*
 * report_trace.h - paths of a whole heap (snapshot/trace.h) as JSON.
 */
#ifndef LOUPE_REPORT_TRACE_H
#define LOUPE_REPORT_TRACE_H

#include "base/json.h"
#include "report/report_stacks.h"
#include "snapshot/trace.h"

/* PATH of docs/protocol.md. stacks: of the answer; NULL: it does not say who allocated what. */
void loupe_report_trace(struct loupe_json *json, const struct loupe_tracer *tracer,
                        const struct loupe_trace *trace, struct loupe_shown_stacks *stacks);

/* Where the dump has several heaps, as Android's have: "heap", null where it is not known. */
void loupe_report_heap_name(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t node);
/* The members of OBJECT that every object has, into an object that is open: address, class, ... */
void loupe_report_heap_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                              uint32_t node);

/* What a root is, as an object. rule: what is known about it, or NULL. */
void loupe_report_root(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t number,
                       const struct loupe_rule *rule);

/* EDGE of docs/protocol.md for one link. */
void loupe_report_link(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t from,
                       uint32_t link);

#endif

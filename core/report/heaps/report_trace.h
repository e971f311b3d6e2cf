/*
 * report_trace.h - paths of a whole heap (snapshot/rules/trace.h) as JSON.
 */
#ifndef LOUPE_REPORT_TRACE_H
#define LOUPE_REPORT_TRACE_H

#include "analysis/dominators/dominators.h"
#include "analysis/shortest.h"
#include "base/json.h"
#include "leaks/heap_graph.h"
#include "leaks/memory_owners.h"
#include "report/report_stacks.h"
#include "snapshot/rules/trace.h"

/* What is said on paths beside what they are. */
struct loupe_trace_facts {
    struct loupe_shown_stacks *stacks;         /* who allocated what; NULL: it is not said */
    const struct loupe_dominators *dominators; /* what the last object retains; NULL: the same */
};

/* PATH of docs/protocol.md. */
void loupe_report_trace(struct loupe_json *json, const struct loupe_tracer *tracer,
                        const struct loupe_trace *trace, const struct loupe_trace_facts *facts);
/* Its members, into an object that is open. */
void loupe_report_trace_members(struct loupe_json *json, const struct loupe_tracer *tracer,
                                const struct loupe_trace *trace,
                                const struct loupe_trace_facts *facts);

/* "reason", and "rule" where there is one: rule may be NULL. */
void loupe_report_rule(struct loupe_json *json, const struct loupe_rule *rule);

/* Where the dump has several heaps, as Android's have: "heap", null where it is not known. */
void loupe_report_heap_name(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t node);
/* The members of OBJECT that only some have: "kind", "invoke", "thread", "heap". */
void loupe_report_about_node(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t node);
/* The members of OBJECT that every object has, into an object that is open: address, class, ... */
void loupe_report_heap_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                              uint32_t node);
/* The same; a collection says in "value" how many items it has. */
void loupe_report_counted_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                 uint32_t node);

/* "retained", "retained_objects" and, where non-objects are among these, "retained_others". */
void loupe_report_retained(struct loupe_json *json, const struct loupe_dominators *dominators,
                           uint32_t node);

/* What a root is, as an object. rule: what is known about it, or NULL. */
void loupe_report_root(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t number,
                       const struct loupe_rule *rule);

/* EDGE of docs/protocol.md for one link. */
void loupe_report_link(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t from,
                       uint32_t link);

/* "part_of", of memory without a class: {"root"}, or {"object","edge"} of what points to it,
 * without "edge" where other memory is in between; else {"frame"} of the function that allocated
 * it, where that was recorded. Nothing of all else, and where the tracer has no owners. */
void loupe_report_part_of(struct loupe_json *json, const struct loupe_tracer *tracer,
                          uint32_t node);
/* The same of memory that nothing points to. */
void loupe_report_allocator(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                            uint32_t node);
/* The same as loupe_report_part_of() where there are no rules. owners: NULL, nothing is written. */
void loupe_report_owner(struct loupe_json *json, struct loupe_memory_owners *owners, uint32_t node);
/* The same for graphs of a heap. */
struct loupe_heap_memory loupe_report_owners_of(struct loupe_memory_owners *owners);

#endif

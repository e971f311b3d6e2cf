/*
 * report.h - what all answers have in common: the envelope, errors, what was not followed, costs.
 *
 * An answer is one JSON object on one line (docs/protocol.md):
 *
 *     loupe_report_begin(json, &envelope, complete);
 *     ... the query's own keys ...
 *     loupe_report_not_followed(json, &target->findings);
 *     loupe_report_stats(json, target->memory, &costs);
 *     loupe_report_end(json);
 */
#ifndef LOUPE_REPORT_H
#define LOUPE_REPORT_H

#include "base/json.h"
#include "base/target/memory.h"
#include "base/status.h"
#include "runtime/freed.h"

struct loupe_envelope {
    const char *query;  /* "retain-cycles" */
    const char *engine; /* "memory", "helper", "drawn" */
    const char *abi;    /* "apple", ...; NULL when no runtime was recognised */
    uint8_t pointer_size;
};

/* Opens the answer with its envelope. complete: whether nothing was left out for a limit. */
void loupe_report_begin(struct loupe_json *json, const struct loupe_envelope *envelope,
                        bool complete);
void loupe_report_end(struct loupe_json *json);

/* Opens the answer to a question that failed. err->address 0 is written as null. */
void loupe_report_begin_error(struct loupe_json *json, const struct loupe_envelope *envelope,
                              const struct loupe_error *err);
/* The whole of one, where there is no more to say. */
void loupe_report_error(struct loupe_json *json, const struct loupe_envelope *envelope,
                        const struct loupe_error *err);

/* False when a limit or an interruption left something out that could have been followed. */
bool loupe_report_is_complete(const struct loupe_findings *findings);

/* "freed":{...}: the marks that an object bears. */
void loupe_report_freed(struct loupe_json *json, const struct loupe_freed *freed);

/* "not_followed":[...], by reason, in the order of enum loupe_finding. */
void loupe_report_not_followed(struct loupe_json *json, const struct loupe_findings *findings);

struct loupe_costs {
    uint64_t objects; /* nodes of the graph */
    uint64_t others;  /* of these, non-objects */
    uint64_t edges;
    uint64_t started; /* loupe_report_clock() at the start of the question */
    bool has_walk;    /* the question walked a graph and then searched it */
    uint64_t walked;  /* loupe_report_clock() between the two */
};

/* Microseconds of the host's clock; 0 when it has none. */
uint64_t loupe_report_clock(const struct loupe_memory *memory);

/* "stats":{...}. reads and bytes are those of the memory so far; times are null without a clock. */
void loupe_report_stats(struct loupe_json *json, const struct loupe_memory *memory,
                        const struct loupe_costs *costs);

#endif

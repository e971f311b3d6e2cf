/*
 * report_cycles.h - the answer to retain-cycles (docs/protocol.md).
 */
#ifndef LOUPE_REPORT_CYCLES_H
#define LOUPE_REPORT_CYCLES_H

#include "cycles/cycles.h"
#include "cycles/knots/degree.h"
#include "cycles/rings/weak_rings.h"
#include "edges/unread.h"
#include "leaks/heap_graph.h"
#include "report/named_nodes.h"
#include "report/report.h"

struct loupe_cycles_answer {
    const struct loupe_envelope *envelope;
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    const struct loupe_cycles_options *options;
    const struct loupe_cycles *cycles;
    const struct loupe_memory *memory; /* for the stats */
    const struct loupe_findings *findings;
    const struct loupe_unread *unread;
    bool without_weak_references; /* abi.h */
    uint64_t started;             /* loupe_report_clock() at the start of the question */
    uint64_t walked;              /* and when the graph was built */
    struct loupe_arena *arena;    /* for what writing needs */
    const struct loupe_freed_slots *freed;
    /* Where references that own nothing were kept; else NULL. */
    const struct loupe_nonowning_refs *nonowning;
    const struct loupe_weak_rings *weak_rings;
    const struct loupe_heap_graph *heap; /* of a whole heap: who words its fixes; or NULL */
};

/* Writes the whole answer. There is a seed. LOUPE_ENOMEM before anything is written. */
enum loupe_status loupe_report_cycles(struct loupe_json *json,
                                      const struct loupe_cycles_answer *answer);

/*
 * ---- Parts of it, for answers about whole heaps ----
 *
 * Of the answer they need graph, describer, options, cycles and arena.
 */

/* What knots mention, to be listed under "objects". LOUPE_ENOMEM. */
enum loupe_status loupe_report_list_named(const struct loupe_cycles_answer *answer,
                                          struct loupe_named_nodes *named);
/* So many edges of each ring are shown. Looks at all knots. */
uint32_t loupe_report_edges_shown(const struct loupe_cycles *cycles);
/* The members of one knot, into an object that is open. */
void loupe_report_knot(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       const struct loupe_knot_facts *knot, uint32_t shown);
/* One ring, as a value. */
void loupe_report_ring(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       const struct loupe_ring *ring, uint32_t shown);
/* The key "hidden". */
void loupe_report_hidden(struct loupe_json *json, const struct loupe_cycles_answer *answer);
/* The key "fingerprint". */
void loupe_report_fingerprint(struct loupe_json *json, uint64_t fingerprint);
/* "degree" and "severity". certain: it is not less sure than the degree says. */
void loupe_report_degree(struct loupe_json *json, enum loupe_degree degree, bool certain);

#endif

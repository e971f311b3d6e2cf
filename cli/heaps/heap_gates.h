/*
 * heap_gates.h - what a project says about leaks and rings: references that are nobody's bug
 * (--filters), and what is known already (--baseline). Java heaps have no such references. The
 * files are those of retain-cycles in lldb.
 */
#ifndef LOUPE_CLI_HEAP_GATES_H
#define LOUPE_CLI_HEAP_GATES_H

#include "base/map.h"
#include "cycles/cycles.h"
#include "graph/filter.h"
#include "heaps/heap_verb.h"

/* The first line of a new baseline. */
#define HEAP_BASELINE_HEADING                                                                      \
    "# Known leaks and retain cycles, one per line: fingerprint, then why it is known.\n"

struct heap_gates {
    struct loupe_arena arena;
    struct loupe_filter *filters; /* of the file, then those of the runtime */
    uint32_t filter_count;
    struct loupe_map known; /* fingerprints of the baseline */
    bool has_known;
    FILE *written;            /* the baseline that is being written, or NULL */
    char *beside;             /* its name until it is whole */
    struct heap_noted *noted; /* what it will have */
    uint32_t noted_count, noted_capacity;
    bool lacks_memory; /* for some of it */
};

/* Reads what the options name. The exit status, CLI_OK or what was already said; then there is
 * nothing to deinit. */
int heap_gates_init(struct heap_gates *gates, const struct heap_query *query);
void heap_gates_deinit(struct heap_gates *gates);

/* Whether the baseline has it. Writes it down where one is written, with a comment. */
bool heap_gates_know(struct heap_gates *gates, uint64_t fingerprint, const char *comment);
/* The same of a knot: the baseline has its fingerprint, which is the one that is shown, or those of
 * all its rings, which is what retain-cycles in lldb writes. All of them are written down. */
bool heap_gates_know_knot(struct heap_gates *gates, const struct loupe_knot_facts *knot,
                          const char *comment);
/* The same of something of a class, or of another name that a heap gives: "suspect of demo.Main".
 */
bool heap_gates_know_suspect(struct heap_gates *gates, uint64_t fingerprint, const char *what,
                             struct loupe_span name);
/* Whether the baseline has what an older version wrote for it. */
bool heap_gates_knew(const struct heap_gates *gates, uint64_t older_fingerprint);
/* Puts the baseline that was written in its place. The exit status. */
int heap_gates_finish(struct heap_gates *gates, const struct heap_query *query);
/* "written_baseline" of an answer that is open, where one was written. */
void heap_gates_report(const struct heap_gates *gates, const struct heap_query *query,
                       struct loupe_json *json);

#endif

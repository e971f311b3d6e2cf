/*
 * trace.h - a path from a root to an object, with what rules say about each object and reference on
 * it, and where on it the mistake must be.
 *
 * What leads to an object that is meant to be alive is right, and an object that should be dead
 * keeps nothing that matters: so the mistake is one of the references from the last object that is
 * meant to be alive to the first one behind it that is not. These are *suspect*.
 */
#ifndef LOUPE_TRACE_H
#define LOUPE_TRACE_H

#include "analysis/transposed.h"
#include "snapshot/rules/suspects.h"

struct loupe_trace_step {
    uint32_t node;
    uint32_t link; /* to the next step's node; LOUPE_NO_EDGE at the end */
    enum loupe_expectation expectation;
    const struct loupe_rule *rule;      /* that says so about the object, or NULL */
    const struct loupe_rule *link_rule; /* a `library` rule about the link, or NULL */
    bool is_suspect;                    /* the link is */
};

struct loupe_trace {
    uint32_t root;                      /* index in the snapshot */
    const struct loupe_rule *root_rule; /* or NULL */
    enum loupe_path_level level;
    struct loupe_trace_step *steps; /* from the root's node to the object itself */
    uint32_t count;
    uint32_t first_suspect; /* step whose link is the first suspect one, or LOUPE_NONE */
    /* Of the suspect references, or of all where there is none: the same mistake has the same one
     * from run to run. */
    uint64_t fingerprint;
};

struct loupe_memory;
struct loupe_memory_owners;

/* What traces are made with. */
struct loupe_tracer {
    const struct loupe_snapshot *snapshot;
    struct loupe_columns columns; /* of the snapshot, perhaps with other kinds of links */
    const struct loupe_link_policy *policy;
    const struct loupe_ruled_classes *ruled;
    struct loupe_arena *arena;          /* of traces */
    struct loupe_memory_owners *owners; /* for names of memory; NULL: it gets none */
    const struct loupe_memory *symbols; /* for names of globals that the snapshot has none of; NULL:
                                         * it was read from a file */
};

/*
 * Of the object's shortest path, which it has. suspected_by: what is known about it already, or
 * NULL. LOUPE_ENOMEM leaves *ret alone.
 */
enum loupe_status loupe_trace_shortest(const struct loupe_tracer *tracer,
                                       const struct loupe_shortest *shortest, uint32_t node,
                                       const struct loupe_rule *suspected_by,
                                       struct loupe_trace *ret);
/* Of one of the paths from different roots. */
enum loupe_status loupe_trace_root_path(const struct loupe_tracer *tracer,
                                        const struct loupe_root_paths *paths, uint32_t place,
                                        const struct loupe_rule *suspected_by,
                                        struct loupe_trace *ret);

/* Levels of all roots for searches: one byte each, in the arena. NULL: no memory. */
uint8_t *loupe_root_levels(const struct loupe_tracer *tracer);

#endif

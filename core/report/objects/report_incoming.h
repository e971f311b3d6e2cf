/*
 * report_incoming.h - the answer to incoming-refs (docs/protocol.md).
 */
#ifndef LOUPE_REPORT_INCOMING_H
#define LOUPE_REPORT_INCOMING_H

#include "base/json.h"
#include "cycles/filters.h"
#include "graph/describer.h"
#include "analysis/reach.h"
#include "graph/incoming.h"
#include "graph/object_verdict.h"
#include "scene/scene.h"
#include "snapshot/native.h"

struct loupe_incoming_answer {
    struct loupe_graph *graph;
    uint32_t seed; /* the node asked about */
    const struct loupe_describer *describer;
    struct loupe_filters known; /* that rule out the hidden edges */
    const struct loupe_incoming *incoming;
    const struct loupe_paths_from_roots *paths;
    const struct loupe_vector *roots;
    const struct loupe_scene *scene;    /* where they were looked for; of a saved heap NULL */
    const struct loupe_snapshot *heap;  /* that all was found in, and whose roots their numbers are;
                                         * NULL: the numbers are those of the scene's sources */
    const struct loupe_memory *symbols; /* that name globals */
    const char *why_walked;             /* for people: why there is no heap */
    uint64_t root_count;                /* that led to any object */
    const struct loupe_amount *keeps;   /* what goes with it; NULL: not known */
    struct loupe_object_verdict verdict;
    struct loupe_object_evidence evidence; /* that it rests on */
    struct loupe_object_words words;
    uint64_t scanned;                             /* bytes; 0: not known */
    const struct loupe_nonowning_refs *nonowning; /* NULL: they are not asked for */
    struct loupe_arena *arena;
    uint32_t *nodes; /* filled by loupe_report_incoming_prepare() */
    uint32_t node_count;
};

/* Works out what the answer names. LOUPE_ENOMEM. */
enum loupe_status loupe_report_incoming_prepare(struct loupe_incoming_answer *answer);

/* The keys of the answer between the envelope and "not_followed". */
void loupe_report_incoming(struct loupe_json *json, const struct loupe_incoming_answer *answer);

#endif

/*
 * object_evidence.h - what tells of the fate of the object that a question is about: its count, the
 * marks of freed memory, and the words that lead to it from places which nobody knows.
 */
#ifndef LOUPE_OBJECT_EVIDENCE_H
#define LOUPE_OBJECT_EVIDENCE_H

#include "edges/roots/roots.h"
#include "edges/roots/word_search.h"
#include "graph/object_verdict.h"

/* What is known of an object before. */
struct loupe_evidence_asked {
    const struct loupe_graph *graph;
    uint32_t seed; /* its node */
    const struct loupe_roots *roots;
    const struct loupe_incoming *incoming;
    const struct loupe_scene *scene;
};

struct loupe_gathered_evidence {
    struct loupe_object_evidence evidence;
    struct loupe_object_words words;
};

/*
 * Searches the writable memory of the scene, but only where retains are left that neither
 * references nor roots explain. The walk explained, and its nonowning references are resolved.
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_object_evidence_gather(struct loupe_walk *walk,
                                               const struct loupe_evidence_asked *asked,
                                               struct loupe_gathered_evidence *ret);

#endif

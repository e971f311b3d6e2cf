/*
 * object_evidence.h - what tells of the fate of the object that a question is about: its count, the
 * marks of freed memory, and the words that lead to it from places which nobody knows.
 */
#ifndef LOUPE_OBJECT_EVIDENCE_H
#define LOUPE_OBJECT_EVIDENCE_H

#include "edges/roots.h"
#include "edges/word_search.h"
#include "graph/object_verdict.h"

/*
 * Of the focus, a node. Searches the writable memory of the scene, but only where retains are left
 * that neither references nor roots explain. The walk explained, and its nonowning references are
 * resolved. LOUPE_ENOMEM.
 */
enum loupe_status loupe_object_evidence_gather(struct loupe_walk *walk,
                                               const struct loupe_graph *graph, uint32_t focus,
                                               const struct loupe_roots *roots,
                                               const struct loupe_incoming *incoming,
                                               const struct loupe_scene *scene,
                                               struct loupe_object_evidence *ret,
                                               struct loupe_object_words *words_ret);

#endif

/*
 * ivar_owners.h - who owns what the words of an instance lead to: one answer for all questions, the
 * one by which references are followed.
 */
#ifndef LOUPE_IVAR_OWNERS_H
#define LOUPE_IVAR_OWNERS_H

#include "graph/graph.h"
#include "runtime/class.h"

struct loupe_walk;

/* The words of instances of one class about which something is known, by their offsets. */
struct loupe_ivar_owners {
    const struct loupe_edge *words; /* by rising offset */
    uint32_t count;
};

/* Superclasses included. walk explains (edges.h). In the target's arena; LOUPE_ENOMEM. */
enum loupe_status loupe_ivar_owners_find(struct loupe_walk *walk, const struct loupe_class *cls,
                                         struct loupe_ivar_owners *ret);

/* The first word at or behind an offset, and before an end; NULL: there is none. */
const struct loupe_edge *loupe_ivar_owners_in(const struct loupe_ivar_owners *owners, uint64_t from,
                                              uint64_t end);

#endif

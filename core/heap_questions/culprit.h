/*
 * culprit.h - which reference of a path is to be looked at, as a person would name it:
 * "Registry.sessions".
 */
#ifndef LOUPE_CULPRIT_H
#define LOUPE_CULPRIT_H

#include "leaks/heap_graph.h"
#include "snapshot/rules/trace.h"

enum { LOUPE_CULPRIT_SIZE = 256 };

struct loupe_culprit_asked {
    const struct loupe_snapshot *snapshot;
    const struct loupe_heap_names *names; /* what roots of a native heap are called; may be NULL */
    const struct loupe_marks *between;    /* classes that collections put between
                                             (collection_names.h) */
};

/* The last reference on the path that the program wrote, or else one of a library that is not in a
 * collection; of a variable of a thread the static field that has the variable. False: none has a
 * name, and it is the root. dst has room for LOUPE_CULPRIT_SIZE. */
bool loupe_culprit_name(const struct loupe_culprit_asked *asked, const struct loupe_trace *trace,
                        char *dst);

#endif

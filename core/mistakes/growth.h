/*
 * growth.h - which mistake that everybody makes lets the objects of a class become more and more.
 */
#ifndef LOUPE_GROWTH_H
#define LOUPE_GROWTH_H

#include "mistakes/patterns.h"
#include "snapshot/rules/trace.h"

/* Where to look. */
struct loupe_growth {
    const struct loupe_tracer *tracer;     /* of the newer heap; its arena takes the paths */
    const struct loupe_shortest *shortest; /* of that */
    const struct loupe_snapshot *older;
    const struct loupe_patterns *patterns;
    bool of_runs; /* of several processes: which object is new nobody can tell */
};

/*
 * Told by the paths from roots to the last new objects of that class, most of which show it; of
 * what needs a collection that grew, by those where one on the path has more in it than the same
 * one of the older heap, which the names of the references that lead there find. *ret NULL: none is
 * known, or nothing that is alive leads to them. LOUPE_ENOMEM.
 */
enum loupe_status loupe_growth_pattern(const struct loupe_growth *growth,
                                       struct loupe_span class_name,
                                       const struct loupe_pattern **ret);

#endif

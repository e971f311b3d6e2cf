/*
 * growth.h - which mistake that everybody makes lets the objects of a class become more and more.
 */
#ifndef LOUPE_CLI_GROWTH_H
#define LOUPE_CLI_GROWTH_H

#include "heap_question.h"
#include "mistakes/patterns.h"

/*
 * Told by the paths from roots to the last objects of that class; of what needs a collection that
 * grew, by those where one on the path has more in it than the same one of the older heap, which
 * the names of the references that lead there find. NULL: none is known, or nothing that is alive
 * leads to them, or memory ran out.
 */
const struct loupe_pattern *growth_pattern(struct heap_question *question,
                                           const struct loupe_snapshot *older,
                                           const struct loupe_patterns *patterns,
                                           struct loupe_span class_name);

#endif

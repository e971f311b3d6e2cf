/*
 * show_knot.h - knots of a native heap as text for people: a ring read from holder to held, what
 * keeps it, what to change.
 */
#ifndef LOUPE_CLI_SHOW_KNOT_H
#define LOUPE_CLI_SHOW_KNOT_H

#include "known_mistakes.h"
#include "native_words.h"

/* What a knot is shown with. */
struct knot_scene {
    const struct loupe_heap_graph *graph;
    const struct loupe_describer *describer; /* of the graph */
    const struct loupe_cycles *cycles;
    struct patterns mistakes;
    /* The knot is lost, and this is its own verdict where an equal one is shown. NULL: it is not.
     */
    const struct loupe_verdict *lost;
};

/* Of knots of a graph of a snapshot. What is in it lasts as long as the arena. */
struct knot_scene knot_scene_of(const struct loupe_heap_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_cycles *cycles, struct loupe_arena *arena);

/* "A ring of 2 objects", "Possibly a knot of 5 objects and 9 references, its shortest ring of 2".
 */
void show_knot_size(const struct loupe_knot_facts *knot);
/* "leaked: nothing outside keeps it alive" */
void show_verdict(const struct loupe_verdict *verdict);
/* Rings, holders, what speaks for and against it, fixes and what everybody calls it, each line
 * indented. */
void show_knot(const struct knot_scene *scene, const struct loupe_knot_facts *knot);

/* A circle of words: nodes of the snapshot in their order. */
void show_circle(const struct loupe_snapshot *snapshot, const uint32_t *nodes, uint32_t length);

#endif

/*
 * show_knot.h - knots of a native heap as text for people, as answers/ words them.
 */
#ifndef LOUPE_CLI_SHOW_KNOT_H
#define LOUPE_CLI_SHOW_KNOT_H

#include "answers/answer.h"
#include "mistakes/known_mistakes.h"
#include "text/native_words.h"

/* What knots are shown with. */
struct knot_scene {
    struct loupe_heap_graph *graph;
    const struct loupe_describer *describer; /* of the graph */
    const struct loupe_cycles *cycles;
    struct loupe_patterns mistakes;
};

/* Of knots of a graph of a snapshot, which gets names from debug information. What is in it lasts
 * as long as the arena. */
struct knot_scene knot_scene_of(struct loupe_heap_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_cycles *cycles, struct loupe_arena *arena);

/* A knot as an answer. */
struct shown_knot {
    const struct knot_scene *scene;
    const struct loupe_knot_facts *facts;
    struct loupe_arena arena;
    struct answer answer;
    const struct json_value *knot; /* NULL: there was no memory, and nothing can be shown */
};

void shown_knot_open(const struct knot_scene *scene, const struct loupe_knot_facts *facts,
                     struct shown_knot *ret);
void shown_knot_close(struct shown_knot *shown);

/* "Retain cycle of 2 objects", "Possible retain cycle of 5 objects and 9 references (shortest loop:
 * 2)".
 */
void show_knot_size(const struct shown_knot *shown);
/* "leaked: nothing outside the cycle retains it" */
void show_verdict(const struct shown_knot *shown);
/* Loops, holders, evidence for and against it, fixes, what everybody calls it and who allocated it,
 * each line indented. */
void show_knot(const struct shown_knot *shown);

#endif

/*
 * show_leak.h - leaks of a native heap as text for people: those that are alike as one entry, with
 * what they keep.
 */
#ifndef LOUPE_CLI_SHOW_LEAK_H
#define LOUPE_CLI_SHOW_LEAK_H

#include "leaks/leaks.h"
#include "show_knot.h"

/* What leaks are shown with. */
struct leak_scene {
    const struct loupe_leaks *leaks;
    struct knot_scene knots; /* of these */
    struct loupe_arena *arena;
};

/* "4 objects, 112 bytes" */
void show_amount(struct loupe_amount amount);
/* ": 3 Leaf, 2 Node and 7 of other classes": what raw memory keeps; of NULL, what is shared. Else
 * nothing. */
void show_kept_classes(const struct leak_scene *scene, const struct loupe_leak_group *group);
/* A line with what to change, where that is known. */
void show_best_fix(const struct leak_scene *scene, const struct loupe_leak_group *group);
/* A row of the table that stands before many entries: how often, bytes, what, what to change. */
void add_leaks_row(const struct leak_scene *scene, uint32_t number,
                   const struct loupe_leak_group *group, struct table *table);
/* An entry of the list, with its number. */
void show_leaks_alike(const struct leak_scene *scene, uint32_t number,
                      const struct loupe_leak_group *group);

#endif

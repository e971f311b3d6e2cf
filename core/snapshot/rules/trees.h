/*
 * trees.h - which objects are parts of which others, by rules: a screen of a window, a view of a
 * screen. Who is a part of no window that there is was forgotten by all that could show it.
 *
 * `along` and `part` rules say which references lead to parts. Of an `along` rule that is every
 * field of the name that it asks for, with or without a _ before it; its conditions are not asked,
 * and paths of several names say nothing here. Elements of collections that such a field leads to
 * are parts one by one, those of collections in collections too.
 *
 * `to` of a `part` rule says which objects are meant, in collections too. Where several rules speak
 * of a field one without it counts, else the first.
 */
#ifndef LOUPE_TREES_H
#define LOUPE_TREES_H

#include "snapshot/rules/rules.h"
#include "snapshot/snapshot.h"

struct loupe_ruled_classes;

enum { LOUPE_IS_PART = 1 << LOUPE_MOST_TREES };

struct loupe_trees {
    /* By node: a bit for each of loupe_rules.trees that it belongs to, and LOUPE_IS_PART where it
     * is a part of any other object. NULL: the snapshot has no object that rules speak of. */
    uint8_t *of;
    uint8_t existing; /* trees whose root is in the snapshot */
};

/*
 * ruled: but for its trees complete. In its arena: a byte for each node; 3/8 byte more while it
 * runs. LOUPE_ENOMEM, LOUPE_ETIMEOUT.
 */
enum loupe_status loupe_trees_find(const struct loupe_ruled_classes *ruled,
                                   struct loupe_arena *arena, struct loupe_trees *ret);

#endif

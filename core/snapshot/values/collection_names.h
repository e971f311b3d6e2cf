/*
 * collection_names.h - which classes only stand between a collection and what is in it, or are
 * collections: by what libraries call them.
 */
#ifndef LOUPE_COLLECTION_NAMES_H
#define LOUPE_COLLECTION_NAMES_H

#include "analysis/reach.h"
#include "snapshot/snapshot.h"

/* Marks the classes, by number: arrays of references, storage, nodes and entries, collections. To
 * add a library, add a line to the table. */
void loupe_mark_collections(const struct loupe_snapshot *snapshot, struct loupe_marks *classes);

/* Whether a class of a Java heap comes with what every program runs on. */
bool loupe_is_class_of_java_platform(struct loupe_span name);

#endif

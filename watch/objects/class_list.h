/*
 * class_list.h - which classes there are, and whether others have come since.
 *
 * How many there are tells nothing: a program may dispose of one and make another, which may stand
 * where the first one stood.
 */
#ifndef LOUPE_WATCH_CLASS_LIST_H
#define LOUPE_WATCH_CLASS_LIST_H

#include "objc.h"

/* All of them, which the caller frees; NULL: out of memory. Some may be missing that are just
 * registered. */
watch_class *watch_class_list_copy(int *ret_count);

/* Keeps in mind which classes there are, and of those that matter their names too. */
void watch_class_list_note(bool (*matters)(watch_class cls));

/* Whether it is another list than the last noted one, or another class has taken the place of one
 * that matters. Reads no class: one that is listed may just be disposed of. */
bool watch_class_list_has_changed(void);

#endif

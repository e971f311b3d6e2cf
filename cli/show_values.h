/*
 * show_values.h - texts and values of the program, printed for people: as they are in UTF-8, and
 * escaped where a terminal would obey them or show them as something else.
 */
#ifndef LOUPE_CLI_SHOW_VALUES_H
#define LOUPE_CLI_SHOW_VALUES_H

#include "snapshot/snapshot.h"

/* Any bytes: what is no UTF-8, controls a terminal or changes the direction of text is told as
 * \x1b and \u202e. */
void show_text(struct loupe_span text);

/* Room for texts of objects; the longest one that is shown. */
struct value_room {
    char *text;
    size_t cap;
};

/* "Session 0x7f01 "4f1c"", "null", or the address of what is not there. Whether the object said
 * something of itself. */
bool show_target(const struct loupe_snapshot *snapshot, uint64_t address, struct value_room room);
/* A number as it is, an object as above. */
bool show_value(const struct loupe_snapshot *snapshot, struct loupe_value value,
                struct value_room room);

#endif

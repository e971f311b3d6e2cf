/*
 * layouts.h - what the reports of ivar-layout and block-layout have in common.
 */
#ifndef LOUPE_ANSWERS_REPORT_LAYOUTS_H
#define LOUPE_ANSWERS_REPORT_LAYOUTS_H

#include "answers/columns.h"
#include "answers/reports/parts.h"

/* Onto the line: "+32", and nothing where there is no offset. */
void answer_say_offset(struct answer_lines *lines, const struct json_value *slot);
/* Onto the line: a text or a number, as it is. */
void answer_say_scalar(struct answer_lines *lines, const struct json_value *value);
/* Onto the line: "0x1f00 PhotoCell"; "nil", where what stands there may be an object. */
void answer_say_slot_value(struct answer_lines *lines, const struct json_value *slot,
                           bool may_be_object);
/* Lines: all rows of a table, the first one faint. */
void answer_say_table(struct answer_lines *lines, const struct answer_columns *columns);

/* What a probe of that name sees, and where the answer has what it saw. */
struct answer_probe {
    const char *name, *doing, *items;
};

/* A line: what it saw, or why it was not made; nothing if nobody asked for it. */
void answer_say_probe(struct answer_lines *lines, const struct json_value *probe,
                      const struct answer_probe *words);
/* Lines: what two sources say differently. */
void answer_say_conflicts(struct answer_lines *lines);

#endif

/*
 * leak_entry.h - LEAKs of docs/protocol.md in words: an entry of a report, and what is said of it
 * above the entries.
 */
#ifndef LOUPE_ANSWERS_REPORT_LEAK_ENTRY_H
#define LOUPE_ANSWERS_REPORT_LEAK_ENTRY_H

#include "answers/lines.h"

/* Lines: an entry with its number. LOUPE_ENOMEM, or the sink's failure. */
enum loupe_status answer_say_leak(struct answer_lines *lines, const struct json_value *leak,
                                  uint64_t number);

/* Lines: who allocated the objects of the rings of a knot, where that was recorded. */
void answer_say_ring_allocations(struct answer_lines *lines, const struct json_value *knot);

/* ---- Onto the line ---- */

/* "make Login._window weak"; with what it is, "Fix: make Login._window weak". Nothing where no
 * change is known to be enough. LOUPE_ENOMEM. */
enum loupe_status answer_say_fix_of_leak(struct answer_lines *lines, const struct json_value *leak,
                                         bool says_what);
/* "Login, Window": what a cycle goes through, each class once; of a single leak its own. */
void answer_say_classes_of_leak(struct answer_lines *lines, const struct json_value *leak);
/* "4 objects, 112 bytes", of "objects", "others" and "bytes". */
void answer_say_amount(struct answer_lines *lines, const struct json_value *amount);
/* The same of numbers; others are among the objects. */
void answer_say_sum(struct answer_lines *lines, uint64_t objects, uint64_t others, uint64_t bytes);
/* ": 3 Leaf, 2 Node and 7 of other classes", of KEPT; nothing of none. */
void answer_say_kept(struct answer_lines *lines, const struct json_value *kept);
/* "PhotoScreen", "block", "non-object": what an object of a class is, whichever it is. */
void answer_say_plain_class(struct answer_lines *lines, struct loupe_span name);

#endif

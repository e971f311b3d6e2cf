/*
 * knot_text.h - a knot in words, for every host: what it is and whether it leaked; a ring of it,
 * read from holder to held; who else keeps it; what to change, best first.
 */
#ifndef LOUPE_ANSWERS_KNOT_TEXT_H
#define LOUPE_ANSWERS_KNOT_TEXT_H

#include "answers/lines.h"

/* What is known of a knot beside its own members. */
struct answer_knot_notes {
    struct loupe_span mistake, why; /* that everybody makes, and that it shows; or empty */
    bool is_lost; /* nothing alive leads to it: what it still counts was forgotten */
};

/* "Retain cycle of 2 objects, leaked: nothing outside the cycle retains it", with the end of the
 * line. */
void answer_say_knot_heading(struct answer_lines *lines, const struct json_value *knot);
/* What comes below, each line indented. LOUPE_ENOMEM, or the sink's failure. */
enum loupe_status answer_say_knot(struct answer_lines *lines, const struct json_value *knot,
                                  const struct answer_knot_notes *notes);

/* Lines: why cycles of a report are only possible; said once in it. */
void answer_say_doubt(struct answer_lines *lines, const char *indent);

/* Onto the line: "Retain cycle of 2 objects", "Possible retain cycle of 5 objects and 9
 * references". */
void answer_say_size(struct answer_lines *lines, const struct json_value *knot);
/* Onto the line: "leaked: nothing outside the cycle retains it". */
void answer_say_verdict(struct answer_lines *lines, const struct json_value *knot);
/* Onto the line: "Fix: make MessageView.delegate weak": what is enough, the best first. Nothing
 * where no change is known to be. LOUPE_ENOMEM. */
enum loupe_status answer_say_best_fix(struct answer_lines *lines, const struct json_value *knot);
/* Lines: the fixes of a knot; nothing where it has none. LOUPE_ENOMEM. */
enum loupe_status answer_say_fixes(struct answer_lines *lines, const struct json_value *knot);

#endif

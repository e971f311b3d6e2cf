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

/* "A ring of 2 objects, leaked: nothing outside keeps it alive", with the end of the line. */
void answer_say_knot_heading(struct answer_lines *lines, const struct json_value *knot);
/* What comes below, each line indented. LOUPE_ENOMEM, or the sink's failure. */
enum loupe_status answer_say_knot(struct answer_lines *lines, const struct json_value *knot,
                                  const struct answer_knot_notes *notes);

/* Onto the line: "A ring of 2 objects", "Possibly a knot of 5 objects and 9 references". */
void answer_say_size(struct answer_lines *lines, const struct json_value *knot);
/* Onto the line: "leaked: nothing outside keeps it alive". */
void answer_say_verdict(struct answer_lines *lines, const struct json_value *knot);
/* Lines: the fixes of a knot; nothing where it has none. LOUPE_ENOMEM. */
enum loupe_status answer_say_fixes(struct answer_lines *lines, const struct json_value *knot);

#endif

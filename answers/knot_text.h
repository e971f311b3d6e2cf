/*
 * knot_text.h - a knot in words, for every host: what it is and whether it leaked; a ring of it,
 * read from holder to held; who else keeps it; what to change, best first.
 */
#ifndef LOUPE_ANSWERS_KNOT_TEXT_H
#define LOUPE_ANSWERS_KNOT_TEXT_H

#include "answers/lines.h"

/* A mistake that everybody makes, which the knot shows. Empty texts: none. */
struct answer_mistake {
    struct loupe_span name, why;
};

/* "A ring of 2 objects, leaked: nothing outside keeps it alive", with the end of the line. */
void answer_say_knot_heading(struct answer_lines *lines, const struct json_value *knot);
/* What comes below, each line indented. mistake may be NULL. LOUPE_ENOMEM, or the sink's failure.
 */
enum loupe_status answer_say_knot(struct answer_lines *lines, const struct json_value *knot,
                                  const struct answer_mistake *mistake);

/* Onto the line: "leaked: nothing outside keeps it alive". */
void answer_say_verdict(struct answer_lines *lines, const struct json_value *knot);
/* Lines: the fixes of a knot; nothing where it has none. LOUPE_ENOMEM. */
enum loupe_status answer_say_fixes(struct answer_lines *lines, const struct json_value *knot);

#endif

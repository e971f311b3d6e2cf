/*
 * ring_text.h - a ring drawn: its references under each other, closing where it began.
 */
#ifndef LOUPE_ANSWERS_RING_TEXT_H
#define LOUPE_ANSWERS_RING_TEXT_H

#include "answers/lines.h"

/* Of a long one the beginning and the end, where not all is wanted. */
void answer_say_ring(struct answer_lines *lines, const struct json_value *ring,
                     const struct json_value *knot);

#endif

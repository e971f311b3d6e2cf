/*
 * stack_text.h - stacks in words: where a frame is, and which of them is the program's own.
 */
#ifndef LOUPE_ANSWERS_STACK_TEXT_H
#define LOUPE_ANSWERS_STACK_TEXT_H

#include "answers/lines.h"

/* The frames of a stack of the answer by its number, innermost first; none where it is not known.
 */
const struct json_value *answer_stack(const struct answer *answer, const struct json_value *number);
/* False: there are frames further out. */
bool answer_stack_is_whole(const struct answer *answer, const struct json_value *number);
/* The innermost one of the program's own: neither of the runtime nor of the system, nor a setter
 * that the compiler wrote. NULL: there are no frames. */
const struct json_value *answer_guilty_frame(const struct json_value *frames);

/* Onto the line: "at PhotoCell.m:42 in -[PhotoCell load]"; without debug info, in which library. */
void answer_say_frame(struct answer_lines *lines, const struct json_value *frame);
/* Lines: "#0 at PhotoCell.m:42 in -[PhotoCell load]", each behind the margin. */
void answer_say_frames(struct answer_lines *lines, const struct json_value *frames,
                       const char *margin);

#endif

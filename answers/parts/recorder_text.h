/*
 * recorder_text.h - what libloupe_record left out, in words.
 */
#ifndef LOUPE_ANSWERS_RECORDER_TEXT_H
#define LOUPE_ANSWERS_RECORDER_TEXT_H

#include "answers/lines.h"

struct answer_recorder {
    bool is_bypassed;      /* the program's own malloc is called */
    bool is_other_version; /* than can be read */
    uint64_t blocks_left_out, stacks_left_out;
};

/* Lines; nothing where nothing is missing. */
void answer_say_recorder_of(struct answer_lines *lines, const struct answer_recorder *recorder);

#endif

/*
 * choice.h - the fixes of a saved answer, by number and letter: "1a" is the first fix of the first
 * entry. Entries are the leaks or retain cycles of the answer in its order; fixes that are one
 * sentence are one letter.
 */
#ifndef LOUPE_CLI_FIX_CHOICE_H
#define LOUPE_CLI_FIX_CHOICE_H

#include "answers/answer.h"

enum { FIX_MOST_LETTERS = 26 };

struct fix_choice {
    uint32_t entry;                 /* from 1 */
    const struct json_value *found; /* the entry: a leak or a retain cycle */
    char letter;
    const struct json_value *fix;
    char text[ANSWER_LONGEST_FIX]; /* the sentence; texts of the target in it are as they are */
};

/* An entry that has no references to change: its fix is the entry itself. */
bool fix_is_missing_release(const struct fix_choice *choice);
/* The same of one that can only be said: an object of C++ that nobody deletes. */
bool fix_is_hint(const struct fix_choice *choice);

/* Calls see() for each until it returns false. Returns how many found no letter. */
uint32_t fix_each_choice(const struct answer *answer,
                         bool (*see)(const struct fix_choice *choice, void *context),
                         void *context);

/* Whether the answer has entries with fixes at all, however few. */
bool fix_is_such_answer(const struct json_value *root);

#endif

/*
 * answer.h - reading the helper's answers (docs/protocol.md): JSON on one line, written by us in
 * ASCII.
 *
 * A value is a place in the text, and NULL is the value that is not there: every function takes it
 * and says so again, and whatever the text is, none reads beyond its NUL.
 */
#ifndef LOUPE_WATCH_ANSWER_H
#define LOUPE_WATCH_ANSWER_H

#include <stdbool.h>

typedef const char *watch_value_at;

watch_value_at watch_answer_member(watch_value_at object, const char *key);
watch_value_at watch_answer_first(watch_value_at array);
watch_value_at watch_answer_next(watch_value_at element);

bool watch_answer_is_true(watch_value_at value);
bool watch_answer_is(watch_value_at value, const char *string);

#endif

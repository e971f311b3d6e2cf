/*
 * words.h - what the helper answered about an object, for people: its ring and the change to make,
 * or who holds it. The same words as in lldb (lldb_commands/render), without what takes debug
 * information.
 */
#ifndef LOUPE_WATCH_WORDS_H
#define LOUPE_WATCH_WORDS_H

#include "ask.h"

/* Adds lines that end in newlines. */
void watch_words(const struct watch_answers *answers, bool is_unicode, struct watch_text *out);

/*
 * The fingerprint of the object's ring, or where there is none one of what holds it: the same from
 * run to run. 16 digits and a NUL; an empty string where nothing is known. Returns whether it is in
 * a ring.
 */
enum { WATCH_FINGERPRINT_SIZE = 17 };
bool watch_fingerprint(const struct watch_answers *answers, const char *reason,
                       char ret[WATCH_FINGERPRINT_SIZE]);

/* The name of the object's class in the source; "object" where the answers do not say it. */
const char *watch_class_of_answer(const struct watch_answers *answers, char *dst, size_t cap);

#endif

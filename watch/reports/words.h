/*
 * words.h - what the helper answered about an object, read, and worded by answers/: with the names
 * that this process knows of its own code and variables.
 */
#ifndef LOUPE_WATCH_WORDS_H
#define LOUPE_WATCH_WORDS_H

#include "answers/parts/watched_text.h"
#include "ask.h"

/* Empty answers are of kind JSON_NULL. */
struct watch_reading {
    struct loupe_arena arena;
    struct answer cycles, incoming;
    bool has_incoming;
    const char *problem; /* why nothing is known, or NULL */
};

/* answers have to last as long. To be ended by watch_reading_end(). */
void watch_read_answers(const struct watch_answers *answers, struct watch_reading *ret);
void watch_reading_end(struct watch_reading *reading);

/* Adds lines that end in newlines. */
void watch_words(const struct watch_reading *reading, const struct answer_watched *watched,
                 bool is_unicode, struct watch_text *out);

/* What is said when it died after all, so many milliseconds too late, or is in use again. */
void watch_end_words(const struct answer_watched *watched, bool is_late, uint64_t milliseconds,
                     struct watch_text *out);

/*
 * The fingerprint of the object's ring, or where there is none one of what holds it: the same from
 * run to run. 16 digits and a NUL; an empty string where nothing is known. Returns whether it is in
 * a ring.
 */
enum { WATCH_FINGERPRINT_SIZE = 17 };
bool watch_fingerprint(const struct watch_reading *reading, const char *reason,
                       char ret[WATCH_FINGERPRINT_SIZE]);

/* The name of the object's class in the source, escaped; "object" where the answers do not say it.
 * Cut to cap bytes with its NUL. Returns dst. */
const char *watch_class_of_answer(const struct watch_reading *reading, char *dst, size_t cap);

#endif

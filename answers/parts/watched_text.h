/*
 * watched_text.h - an object that should have died, in words: that it is alive, what keeps it and
 * what to change; and that it died after all. What a program says of itself where no debugger is.
 */
#ifndef LOUPE_ANSWERS_WATCHED_TEXT_H
#define LOUPE_ANSWERS_WATCHED_TEXT_H

#include "answers/lines.h"

struct answer_watched {
    uint64_t address;
    struct loupe_span class_name, reason; /* why it should have died */
    uint32_t children;                    /* that should have died with it and are alive */
    struct loupe_span repeated;           /* the fingerprint, where its mistake was told before */
    const char *problem;                  /* why nobody looked at it, or NULL */
};

/* "loupe: PhotoScreen 0x1f00 should have died and is alive: it was closed", then its ring and
 * fixes; where it is in none, who holds it. lines: of its retain-cycles; incoming: its
 * incoming-refs, or NULL. LOUPE_ENOMEM, or the sink's failure. */
enum loupe_status answer_say_watched(struct answer_lines *lines, const struct answer *incoming,
                                     const struct answer_watched *watched);
/* It died after all, so many milliseconds too late. */
void answer_say_late(struct answer_lines *lines, const struct answer_watched *watched,
                     uint64_t milliseconds);
/* Somebody uses it again. */
void answer_say_used_again(struct answer_lines *lines, const struct answer_watched *watched);

/* The knot that an answer's object is part of, or NULL. */
const struct json_value *answer_own_knot(const struct answer *answer);

#endif

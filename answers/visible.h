/*
 * visible.h - text of the target as text that can be seen, put together in room of a fixed size.
 *
 * What is not seen or rules how other characters are shown is escaped as the reports in lldb do it:
 * \x1b, \u202e, \U000e0041; a byte that is not UTF-8 as \xXX. The result is valid UTF-8 on one
 * line.
 */
#ifndef LOUPE_ANSWERS_VISIBLE_H
#define LOUPE_ANSWERS_VISIBLE_H

#include "base/text.h"

enum { VISIBLE_ROOM = 4096 };

struct visible {
    char bytes[VISIBLE_ROOM];
    size_t length;
};

/* All of these cut what does not fit, never inside of a character. */

/* Words of ours. */
void visible_add(struct visible *visible, const char *text);
void visible_add_number(struct visible *visible, uint64_t number);
/* Text of the target, at most so many bytes of it; what was cut is counted. */
void visible_add_text(struct visible *visible, struct loupe_span text, size_t most);

static inline struct loupe_span visible_text(const struct visible *visible) {
    return (struct loupe_span){visible->bytes, visible->length};
}

#endif

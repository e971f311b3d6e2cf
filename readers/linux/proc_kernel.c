#include "linux/proc_kernel.h"

/* ---- Lines ---- */

static void skip_blanks(const char **cursor) {
    while (**cursor == ' ' || **cursor == '\t')
        ++*cursor;
}

static bool skip_word(const char **cursor, const char *word) {
    const char *at = *cursor;
    for (; *word; word++, at++)
        if (*at != *word)
            return false;
    *cursor = at;
    skip_blanks(cursor);
    return true;
}

static uint64_t take_number(const char **cursor, unsigned base) {
    uint64_t value = 0;
    for (;; ++*cursor) {
        unsigned letter = (unsigned char)**cursor;
        unsigned digit = letter - (letter >= 'a' ? 'a' - 10u : '0');
        if (digit >= base)
            break;
        value = value * base + digit;
    }
    skip_blanks(cursor);
    return value;
}

static void skip_line(const char **cursor) {
    while (**cursor && **cursor != '\n')
        ++*cursor;
    if (**cursor)
        ++*cursor;
}

/* ---- Files ---- */

/* "tfd:        4 events:       19 data:   123456789abcd0  pos:0 ino:40e sdev:10" */
bool loupe_proc_epoll_next(const char **cursor, struct loupe_proc_word *ret) {
    bool found = false;
    while (**cursor && !found) {
        if (skip_word(cursor, "tfd:")) {
            ret->number = take_number(cursor, 10);
            if (skip_word(cursor, "events:")) {
                (void)take_number(cursor, 16);
                found = skip_word(cursor, "data:");
                ret->word = take_number(cursor, 16);
            }
        }
        skip_line(cursor);
    }
    return found;
}

/* "ID: 1", "signal: 10/0007777777777770", and what else there is of a timer */
bool loupe_proc_timers_next(const char **cursor, struct loupe_proc_word *ret) {
    bool found = false;
    while (**cursor && !found) {
        if (skip_word(cursor, "ID:"))
            ret->number = take_number(cursor, 10);
        else if (skip_word(cursor, "signal:")) {
            (void)take_number(cursor, 10);
            found = skip_word(cursor, "/");
            ret->word = take_number(cursor, 16);
        }
        skip_line(cursor);
    }
    return found;
}

/*
 * text_out.h - text that grows. After memory ran out it takes nothing more.
 */
#ifndef LOUPE_WATCH_TEXT_OUT_H
#define LOUPE_WATCH_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>

struct watch_text {
    char *bytes; /* NUL-ended, or NULL while it is empty */
    size_t length, capacity;
    bool is_cut; /* memory ran out */
};

void watch_text_add(struct watch_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void watch_text_add_bytes(struct watch_text *text, const char *bytes, size_t length);
const char *watch_text_get(const struct watch_text *text); /* "" while it is empty */
void watch_text_end(struct watch_text *text);

#endif

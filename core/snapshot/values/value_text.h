/*
 * value_text.h - what objects say of themselves, as text: the writer that value_text.c and
 * java_values.c share.
 */
#ifndef LOUPE_VALUE_TEXT_H
#define LOUPE_VALUE_TEXT_H

#include "snapshot/snapshot.h"

/* UTF-8 up to a length; what comes after the first part that does not fit is left out. */
struct loupe_value_text {
    char *dst;
    size_t used, room; /* room for a NUL behind is kept */
    bool cut;
};

/* A code point. */
void loupe_put_unit(struct loupe_value_text *text, uint32_t unit);
/* ASCII of ours. */
void loupe_put_words(struct loupe_value_text *text, const char *words);
/* Bytes of the target's that are UTF-8 already. */
void loupe_put_span(struct loupe_value_text *text, struct loupe_span span);
void loupe_put_unsigned(struct loupe_value_text *text, uint64_t number);
/* With so many digits at least. */
void loupe_put_padded(struct loupe_value_text *text, uint64_t number, unsigned digits);
/* A number, a truth value, a character in quotes; of an object nothing. */
void loupe_put_scalar(struct loupe_value_text *text, struct loupe_value value);
/* 2023-11-14T22:13:20Z, with a fraction where there is one. */
void loupe_put_time(struct loupe_value_text *text, int64_t seconds, uint32_t nanoseconds);

/* The characters of a java.lang.String. False: it has none, or they are not known. */
bool loupe_put_java_string(const struct loupe_snapshot *snapshot, uint32_t node,
                           struct loupe_value_text *text);
/* Of an array of char or byte, from a place on; wide: units of two bytes, in a byte[] too. */
bool loupe_put_characters(const struct loupe_snapshot *snapshot, uint32_t array, bool wide,
                          uint64_t count, struct loupe_value_text *text);

/* java_values.c: boxed numbers, dates, enums, files, ... False: it is none of them. */
bool loupe_put_java_value(const struct loupe_snapshot *snapshot, uint32_t node,
                          struct loupe_value_text *text);

#endif

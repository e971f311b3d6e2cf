/*
 * text.h - the little string work that the core needs, without stdio and without locale.
 */
#ifndef LOUPE_TEXT_H
#define LOUPE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of bytes that is not owned and not ended by a NUL. */
struct loupe_span {
    const char *bytes;
    size_t length;
};

/* The span of a C string; of a NULL one, the empty span. */
struct loupe_span loupe_span_of(const char *string);
bool loupe_span_equals(struct loupe_span span, const char *string);
bool loupe_spans_equal(struct loupe_span a, struct loupe_span b);
bool loupe_span_starts_with(struct loupe_span span, const char *prefix);
bool loupe_span_contains(struct loupe_span span, const char *part);

/* Where that is in a text, first or last; NULL: nowhere. A NUL is in none. */
const char *loupe_find_char(const char *text, char wanted);
const char *loupe_find_last_char(const char *text, char wanted);
const char *loupe_find_text(const char *text, const char *wanted);

/*
 * Writes at most cap bytes including the final NUL (cap > 0) and returns the length that was
 * written: a longer text is cut. Formats: %s %.*s %c %u %d %x %zu %lu %lx %llu %llx %% - and no
 * flags or widths. A NULL string prints as "(null)".
 */
size_t loupe_format(char *dst, size_t cap, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t loupe_format_list(char *dst, size_t cap, const char *format, va_list arguments);

/* A text of the target in quotes, as source code would have it: quotes and backslashes in it are
 * escaped. cap as above; a text that does not fit is cut before its closing quote. */
void loupe_quote(char *dst, size_t cap, const char *text);

/* A decimal number at *cursor, which moves behind it. False if there is none or it exceeds max. */
bool loupe_parse_decimal(const char **cursor, const char *end, uint64_t max, uint64_t *ret);

#endif

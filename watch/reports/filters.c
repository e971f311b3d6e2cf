#include "filters.h"

#include "graph/filter_line.h"
#include "shared/text_in.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024, NAME = 256 };

/* What a question's arguments take as it is. */
static bool is_part(struct loupe_span part) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:$[]*";
    size_t length = 0;
    while (length < part.length && memchr(plain, part.bytes[length], sizeof(plain) - 1))
        length++;
    return length == part.length && length < NAME;
}

static const char *part(struct loupe_span span, int *length_ret) {
    *length_ret = span.length ? (int)span.length : 1;
    return span.length ? span.bytes : "*";
}

static const char *add_line(const char *text, struct watch_text *out) {
    struct loupe_filter_line line;
    int source_length, path_length, target_length;
    const char *wrong = loupe_filter_line_read(loupe_span_of(text), &line);
    if (wrong || !line.reason.length)
        return wrong;
    if (!is_part(line.source) || !is_part(line.path) || !is_part(line.target))
        return "a name of it is too long, or has letters that no name has";
    const char *source = part(line.source, &source_length), *path = part(line.path, &path_length);
    const char *target = part(line.target, &target_length);
    watch_text_add(out, "%sfilter %.*s %.*s %.*s filters", out->length ? ";" : "", source_length,
                   source, path_length, path, target_length, target);
    return NULL;
}

bool watch_filters_read(const char *file, struct watch_text *ret, char *problem, unsigned size) {
    const char *reason;
    FILE *from = watch_open_text(file, &reason);
    char line[LINE];
    const char *wrong = NULL;
    unsigned number = 0;
    *ret = (struct watch_text){0};
    if (!from) {
        snprintf(problem, size, "the filters %s cannot be read: %s", file, reason);
        return false;
    }
    while (!wrong && fgets(line, sizeof(line), from)) {
        number++;
        wrong = strlen(line) == sizeof(line) - 1 ? "the line is too long" : add_line(line, ret);
    }
    if (!wrong && ferror(from))
        wrong = strerror(errno);
    fclose(from);
    if (!wrong && ret->is_cut)
        wrong = "out of memory";
    if (wrong) {
        snprintf(problem, size, "%s, line %u: %s", file, number, wrong);
        watch_text_end(ret);
    }
    return !wrong;
}

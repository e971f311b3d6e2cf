#include "mistakes/patterns.h"

#include <string.h>

/* ---- Reading ---- */

struct reading {
    struct loupe_patterns *patterns;
    struct loupe_arena *arena;
    struct loupe_error *err;
    struct loupe_pattern *pattern; /* the one that is open, or NULL */
    struct loupe_span *source;     /* its before or after, while lines of that follow */
    uint32_t line;
};

static enum loupe_status nonsense(struct reading *reading, const char *what) {
    reading->err->code = LOUPE_EUSAGE;
    loupe_format(reading->err->message, sizeof(reading->err->message), "line %u: %s",
                 (unsigned)reading->line, what);
    return LOUPE_EUSAGE;
}

static struct loupe_span trim(struct loupe_span text) {
    while (text.length && *text.bytes == ' ') {
        text.bytes++;
        text.length--;
    }
    while (text.length && text.bytes[text.length - 1] == ' ')
        text.length--;
    return text;
}

/* Takes what stands before the next separator off the front of *text. */
static struct loupe_span take_until(struct loupe_span *text, char separator) {
    const char *found = memchr(text->bytes, separator, text->length);
    size_t length = found ? (size_t)(found - text->bytes) : text->length;
    struct loupe_span taken = {text->bytes, length};
    size_t skipped = found ? length + 1 : length;
    text->bytes += skipped;
    text->length -= skipped;
    return trim(taken);
}

static struct loupe_span take_word(struct loupe_span *text) {
    *text = trim(*text);
    return take_until(text, ' ');
}

static bool read_step(struct loupe_span text, struct loupe_pattern_step *ret) {
    ret->from = take_word(&text);
    ret->kind = take_word(&text);
    ret->path = take_word(&text);
    ret->to = take_word(&text);
    return ret->to.length && !trim(text).length;
}

static enum loupe_status add_match(struct reading *reading, struct loupe_span word,
                                   struct loupe_span text) {
    struct loupe_pattern *pattern = reading->pattern;
    struct loupe_pattern_match *matches =
        loupe_arena_grow(reading->arena, pattern->matches, pattern->match_count,
                         &pattern->match_capacity, sizeof(*matches));
    if (!matches)
        return LOUPE_ENOMEM;
    pattern->matches = matches;
    struct loupe_pattern_match *match = &matches[pattern->match_count++];
    *match = (struct loupe_pattern_match){.is_growth = loupe_span_equals(word, "growth"),
                                          .names_change = loupe_span_equals(word, "change")};
    do {
        if (match->count == LOUPE_PATTERN_MOST_STEPS)
            return nonsense(reading, "more than four steps");
        if (!read_step(take_until(&text, ','), &match->steps[match->count++]))
            return nonsense(reading, "a step is FROM KIND PATH TO");
    } while (text.length);
    return LOUPE_OK;
}

static enum loupe_status add_pattern(struct reading *reading, struct loupe_span id) {
    struct loupe_patterns *patterns = reading->patterns;
    struct loupe_pattern *items = loupe_arena_grow(reading->arena, patterns->items, patterns->count,
                                                   &patterns->capacity, sizeof(*items));
    if (!items)
        return LOUPE_ENOMEM;
    patterns->items = items;
    reading->pattern = &items[patterns->count++];
    *reading->pattern = (struct loupe_pattern){.id = id};
    return id.length ? LOUPE_OK : nonsense(reading, "a pattern without an id");
}

static enum loupe_status read_line(struct reading *reading, struct loupe_span line) {
    static const char indent[] = "    ";
    if (reading->source && (loupe_span_starts_with(line, indent) || !line.length)) {
        /* Lines of source follow each other in the file as they do in the text. */
        if (line.length && !reading->source->length)
            *reading->source = line;
        else if (line.length)
            reading->source->length = (size_t)(line.bytes + line.length - reading->source->bytes);
        return LOUPE_OK;
    }
    reading->source = NULL;
    if (!line.length || line.bytes[0] == '#')
        return LOUPE_OK;
    struct loupe_span rest = line, word = take_word(&rest);
    rest = trim(rest);
    if (loupe_span_equals(word, "pattern"))
        return add_pattern(reading, rest);
    struct loupe_pattern *pattern = reading->pattern;
    if (!pattern)
        return nonsense(reading, "something before the first pattern");
    if (loupe_span_equals(word, "ring") || loupe_span_equals(word, "change") ||
        loupe_span_equals(word, "growth"))
        return add_match(reading, word, rest);
    if (loupe_span_equals(word, "needs") && !loupe_span_equals(rest, "collection"))
        return nonsense(reading, "needs what? A collection");
    if (loupe_span_equals(word, "needs"))
        pattern->needs_collection = true;
    else if (loupe_span_equals(word, "name"))
        pattern->name = rest;
    else if (loupe_span_equals(word, "why"))
        pattern->why = rest;
    else if (loupe_span_equals(word, "before"))
        reading->source = &pattern->before;
    else if (loupe_span_equals(word, "after"))
        reading->source = &pattern->after;
    else
        return nonsense(reading, "no such keyword (patterns.h has them)");
    return LOUPE_OK;
}

enum loupe_status loupe_patterns_read(struct loupe_span text, struct loupe_arena *arena,
                                      struct loupe_patterns *ret, struct loupe_error *err) {
    *ret = (struct loupe_patterns){0};
    struct reading reading = {.patterns = ret, .arena = arena, .err = err};
    enum loupe_status status = LOUPE_OK;
    while (text.length && !status) {
        const char *end = memchr(text.bytes, '\n', text.length);
        size_t length = end ? (size_t)(end - text.bytes) : text.length;
        reading.line++;
        status = read_line(&reading, (struct loupe_span){text.bytes, length});
        size_t skipped = end ? length + 1 : length;
        text = (struct loupe_span){text.bytes + skipped, text.length - skipped};
    }
    return status;
}

/* ---- Matching ---- */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* One alternative, with * for any text. Goes back to the last star where it does not go on. */
static bool matches_one(struct loupe_span pattern, struct loupe_span text, bool any_case) {
    size_t p = 0, t = 0, star = SIZE_MAX, star_text = 0;
    while (t < text.length) {
        char wanted = p < pattern.length ? pattern.bytes[p] : '\0', found = text.bytes[t];
        if (p < pattern.length && wanted == '*') {
            star = p++;
            star_text = t;
        } else if (p < pattern.length &&
                   (any_case ? lower(wanted) == lower(found) : wanted == found)) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++star_text;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.bytes[p] == '*')
        p++;
    return p == pattern.length;
}

static bool matches(struct loupe_span pattern, struct loupe_span text, bool any_case) {
    bool is_not = pattern.length && *pattern.bytes == '!';
    if (is_not) {
        pattern.bytes++;
        pattern.length--;
    }
    while (pattern.length) {
        if (matches_one(take_until(&pattern, '|'), text, any_case))
            return !is_not;
    }
    return is_not;
}

/* Longer names than any class has are compared by their beginning. */
static struct loupe_span beginning(struct loupe_span name) {
    enum { LONGEST_NAME = 1024 };
    name.length = name.length < LONGEST_NAME ? name.length : LONGEST_NAME;
    return name;
}

static bool step_matches(const struct loupe_pattern_step *wanted,
                         const struct loupe_pattern_subject *subject, uint32_t ring, uint32_t i) {
    char room[LOUPE_PATTERN_LONGEST_PATH];
    struct loupe_pattern_step step;
    subject->step(subject->ctx, ring, i, &step);
    bool is_field = loupe_span_equals(step.kind, "field");
    return matches(wanted->kind, is_field ? loupe_span_of("ivar") : step.kind, false) &&
           matches(wanted->from, beginning(step.from), false) &&
           matches(wanted->to, beginning(step.to), false) &&
           matches(wanted->path, subject->path(subject->ctx, ring, i, room), true);
}

/* Whether the steps follow each other from reference `first` of the ring on; of a path they must
 * not begin again at its other end. */
static bool match_at(const struct loupe_pattern_match *match,
                     const struct loupe_pattern_subject *subject, uint32_t ring, uint32_t first) {
    uint32_t count = subject->length(subject->ctx, ring);
    bool has_change = !match->names_change || !subject->is_to_change;
    if (match->is_growth && first + match->count > count)
        return false;
    for (uint32_t i = 0; i < match->count; i++) {
        uint32_t at = (first + i) % count;
        if (!step_matches(&match->steps[i], subject, ring, at))
            return false;
        has_change = has_change || subject->is_to_change(subject->ctx, ring, at);
    }
    return has_change;
}

static bool is_shown_by(const struct loupe_pattern *pattern,
                        const struct loupe_pattern_subject *subject, uint32_t ring) {
    uint32_t count = subject->length(subject->ctx, ring);
    for (uint32_t i = 0; i < pattern->match_count; i++) {
        const struct loupe_pattern_match *match = &pattern->matches[i];
        for (uint32_t at = 0; match->is_growth == subject->is_path && at < count; at++) {
            if (match_at(match, subject, ring, at))
                return true;
        }
    }
    return false;
}

const struct loupe_pattern *loupe_pattern_of(const struct loupe_patterns *patterns,
                                             const struct loupe_pattern_subject *subject) {
    for (uint32_t i = 0; i < patterns->count; i++) {
        for (uint32_t ring = 0; ring < subject->rings; ring++) {
            if (is_shown_by(&patterns->items[i], subject, ring))
                return &patterns->items[i];
        }
    }
    return NULL;
}

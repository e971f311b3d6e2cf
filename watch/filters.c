#include "filters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 1024, NAME = 256 };

struct span {
    const char *bytes;
    size_t length;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span trimmed(const char *bytes, size_t length) {
    while (length && is_space(bytes[length - 1]))
        length--;
    while (length && is_space(*bytes)) {
        bytes++;
        length--;
    }
    return (struct span){bytes, length};
}

/* Behind the first # with a space before it stands the reason. */
static size_t rule_length(const char *line) {
    const char *hash = strchr(line, '#');
    while (hash && hash != line && !is_space(hash[-1]))
        hash = strchr(hash + 1, '#');
    return hash ? (size_t)(hash - line) : strlen(line);
}

/* What a question's arguments take as it is. */
static bool is_part(struct span part) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:$[]*";
    size_t length = 0;
    while (length < part.length && memchr(plain, part.bytes[length], sizeof(plain) - 1))
        length++;
    return length == part.length && length < NAME;
}

static struct span or_any(struct span part) {
    return part.length ? part : (struct span){"*", 1};
}

/* CLASS.PATH -> CLASS; parts that match anything are left out. */
static const char *add_rule(struct span rule, struct watch_text *out) {
    const char *arrow = strstr(rule.bytes, "->");
    bool has_target = arrow && arrow < rule.bytes + rule.length;
    struct span left = has_target ? trimmed(rule.bytes, (size_t)(arrow - rule.bytes)) : rule;
    struct span target = {"", 0};
    if (has_target)
        target = trimmed(arrow + 2, rule.length - (size_t)(arrow + 2 - rule.bytes));
    size_t length = 0;
    while (length < left.length && left.bytes[length] != '.' && left.bytes[length] != '[')
        length++;
    struct span source = {left.bytes, length};
    size_t skipped = length + (length < left.length && left.bytes[length] == '.');
    struct span path = {left.bytes + skipped, left.length - skipped};
    if (!source.length || (skipped != length && !path.length) || (has_target && !target.length))
        return "it is no filter: write CLASS.ivar -> CLASS  # reason";
    source = or_any(source);
    path = or_any(path);
    target = or_any(target);
    if (!is_part(source) || !is_part(path) || !is_part(target))
        return "a name of it is too long, or has letters that no name has";
    if (*source.bytes == '*' && *path.bytes == '*' && *target.bytes == '*')
        return "it would hide everything: name a class or an ivar";
    watch_text_add(out, "%sfilter %.*s %.*s %.*s filters", out->length ? ";" : "",
                   (int)source.length, source.bytes, (int)path.length, path.bytes,
                   (int)target.length, target.bytes);
    return NULL;
}

static const char *add_line(const char *line, struct watch_text *out) {
    struct span whole = trimmed(line, strlen(line));
    if (!whole.length || *whole.bytes == '#')
        return NULL;
    size_t length = rule_length(line);
    if (!line[length] || !trimmed(line + length + 1, strlen(line + length + 1)).length)
        return "it gives no reason: write one behind a #";
    return add_rule(trimmed(line, length), out);
}

bool watch_filters_read(const char *file, struct watch_text *ret, char *problem, unsigned size) {
    FILE *from = fopen(file, "r");
    char line[LINE];
    const char *wrong = NULL;
    unsigned number = 0;
    *ret = (struct watch_text){0};
    if (!from) {
        snprintf(problem, size, "the filters %s cannot be read: %s", file, strerror(errno));
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
        wrong = "no memory is left";
    if (wrong) {
        snprintf(problem, size, "%s, line %u: %s", file, number, wrong);
        watch_text_end(ret);
    }
    return !wrong;
}

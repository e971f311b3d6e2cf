/* One line of a file of filters, taken apart. */
#include "graph/filter_line.h"

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct loupe_span span_of(const char *begin, const char *end) {
    return (struct loupe_span){begin, (size_t)(end - begin)};
}

static struct loupe_span trim(struct loupe_span text) {
    while (text.length && is_space(text.bytes[0])) {
        text.bytes++;
        text.length--;
    }
    while (text.length && is_space(text.bytes[text.length - 1]))
        text.length--;
    return text;
}

/* Of a class's name at the beginning, or of a "*" there; 0: there is none. */
static size_t class_length(struct loupe_span text) {
    size_t length = 0;
    for (; length < text.length; length++) {
        char c = text.bytes[length];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '_' && c != '$')
            break;
    }
    return !length && text.length && text.bytes[0] == '*' ? 1 : length;
}

/* The first # with a space before it, or the end. */
static const char *find_reason(struct loupe_span line) {
    const char *end = line.bytes + line.length;
    for (const char *at = line.bytes + 1; at < end; at++) {
        if (*at == '#' && is_space(at[-1]))
            return at;
    }
    return end;
}

static const char *find_arrow(struct loupe_span rule) {
    for (size_t i = 0; i + 1 < rule.length; i++) {
        if (rule.bytes[i] == '-' && rule.bytes[i + 1] == '>')
            return rule.bytes + i;
    }
    return NULL;
}

static struct loupe_span or_anything(struct loupe_span part) {
    return loupe_span_equals(part, "*") ? span_of(part.bytes, part.bytes) : part;
}

/* Whether it has the form of one; its parts are as they stand there. */
static bool read_rule(struct loupe_span rule, struct loupe_filter_line *ret) {
    const char *end = rule.bytes + rule.length, *arrow = find_arrow(rule);
    struct loupe_span left = trim(span_of(rule.bytes, arrow ? arrow : end));
    ret->target = arrow ? trim(span_of(arrow + 2, end)) : span_of(end, end);
    size_t length = class_length(left);
    ret->source = span_of(left.bytes, left.bytes + length);
    ret->path = span_of(left.bytes + length, left.bytes + left.length);
    if (!length ||
        (arrow && (!ret->target.length || class_length(ret->target) != ret->target.length)))
        return false;
    if (!ret->path.length || ret->path.bytes[0] == '[')
        return true;
    bool has_name = ret->path.bytes[0] == '.' && ret->path.length > 1;
    ret->path.bytes++;
    ret->path.length--;
    return has_name;
}

static bool is_name(struct loupe_span text) {
    return text.length && class_length(text) == text.length &&
           !(text.bytes[0] >= '0' && text.bytes[0] <= '9') && text.bytes[0] != '*';
}

const char *loupe_filter_line_read(struct loupe_span line, struct loupe_filter_line *ret) {
    line = trim(line);
    *ret = (struct loupe_filter_line){.source = {"", 0}};
    if (!line.length || line.bytes[0] == '#')
        return NULL;
    const char *end = line.bytes + line.length, *hash = find_reason(line);
    if (!read_rule(trim(span_of(line.bytes, hash)), ret))
        return "it is not a filter: write CLASS.ivar -> CLASS  # reason";
    ret->reason = hash < end ? trim(span_of(hash + 1, end)) : span_of(end, end);
    if (!ret->reason.length)
        return "it gives no reason: write one after a #";
    ret->source = or_anything(ret->source);
    ret->path = or_anything(ret->path);
    ret->target = or_anything(ret->target);
    if (!ret->source.length && !ret->path.length && !ret->target.length)
        return "it would hide everything: name a class or an ivar";
    if (loupe_span_equals(ret->source, "block") && is_name(ret->path))
        return "captured variables have no names in filters: write their class (block -> CLASS) or "
               "their offset (block.+0x20)";
    return NULL;
}

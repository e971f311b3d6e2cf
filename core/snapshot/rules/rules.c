#include "snapshot/rules/rules.h"

#include <string.h>

void loupe_rules_init(struct loupe_rules *rules, struct loupe_arena *arena) {
    *rules = (struct loupe_rules){.arena = arena};
}

/*
 * What follows the last * is tried at ever later places; a * before it need not be tried again,
 * since a later place for it leaves less text for the rest.
 */
bool loupe_pattern_matches(struct loupe_span pattern, struct loupe_span text) {
    size_t p = 0, t = 0, star = pattern.length, resume = 0;
    while (t < text.length) {
        if (p < pattern.length && pattern.bytes[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.length && pattern.bytes[p] == text.bytes[t]) {
            p++;
            t++;
        } else if (star < pattern.length) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.bytes[p] == '*')
        p++;
    return p == pattern.length;
}

/* ---- Words of a line ---- */

struct line {
    struct loupe_span rest; /* without what was taken */
    const char *expected;   /* what is wrong with it; NULL: nothing yet */
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip(struct line *line, size_t count) {
    line->rest.bytes += count;
    line->rest.length -= count;
}

static void skip_spaces(struct line *line) {
    while (line->rest.length && is_space(*line->rest.bytes))
        skip(line, 1);
}

static struct loupe_span next_word(const struct line *line) {
    size_t length = 0;
    while (length < line->rest.length && !is_space(line->rest.bytes[length]))
        length++;
    return (struct loupe_span){line->rest.bytes, length};
}

/* The next word, which is empty at the end. */
static struct loupe_span take_word(struct line *line) {
    struct loupe_span word = next_word(line);
    skip(line, word.length);
    skip_spaces(line);
    return word;
}

static bool take(struct line *line, const char *keyword) {
    if (!loupe_span_equals(next_word(line), keyword))
        return false;
    take_word(line);
    return true;
}

static bool is_keyword(struct loupe_span word) {
    static const char *const keywords[] = {"when", "is", "not",    "and",   "because",
                                           "of",   "on", "except", "after", "to"};
    for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
        if (loupe_span_equals(word, keywords[i]))
            return true;
    }
    return false;
}

static struct loupe_span take_name(struct line *line, const char *expected) {
    struct loupe_span word = next_word(line);
    if (!word.length || is_keyword(word)) {
        line->expected = line->expected ? line->expected : expected;
        return (struct loupe_span){"", 0};
    }
    return take_word(line);
}

/* ---- Conditions ---- */

static bool parse_number(struct loupe_span word, int64_t *ret) {
    bool is_negative = word.length && *word.bytes == '-';
    const char *cursor = word.bytes + is_negative, *end = word.bytes + word.length;
    uint64_t value;
    if (!loupe_parse_decimal(&cursor, end, INT64_MAX, &value) || cursor != end)
        return false;
    *ret = is_negative ? -(int64_t)value : (int64_t)value;
    return true;
}

static bool is_watched(enum loupe_rule_kind kind) {
    return kind >= LOUPE_RULE_EXPECT;
}

static bool is_same(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Kept once, whoever names it. */
static void take_tree(struct line *line, struct loupe_rules *rules,
                      struct loupe_rule_condition *condition) {
    struct loupe_span name = take_name(line, "a class after 'outside'");
    uint32_t number = 0;
    while (number < rules->tree_count && !is_same(rules->trees[number], name))
        number++;
    if (number == LOUPE_MOST_TREES && !line->expected)
        line->expected = "at most seven different classes after 'outside'";
    if (line->expected)
        return;
    rules->trees[number] = name;
    rules->tree_count += number == rules->tree_count;
    condition->tree = number + 1;
}

static void take_value(struct line *line, struct loupe_rules *rules, enum loupe_rule_kind kind,
                       struct loupe_rule_condition *condition) {
    struct loupe_span word = take_word(line);
    condition->is_self = is_watched(kind) && loupe_span_equals(word, "self");
    if (condition->is_self)
        return;
    if (!is_watched(kind) && loupe_span_equals(word, "outside")) {
        take_tree(line, rules, condition);
        return;
    }
    condition->is_nil = loupe_span_equals(word, "nil");
    condition->value = loupe_span_equals(word, "true");
    if (!condition->is_nil && !condition->value && !loupe_span_equals(word, "false") &&
        !parse_number(word, &condition->value))
        line->expected = is_watched(kind)
                             ? "nil, true, false, self or a whole number after 'is'"
                             : "nil, true, false, a whole number or 'outside' after 'is'";
}

static void take_conditions(struct line *line, struct loupe_rules *rules, struct loupe_rule *rule) {
    do {
        if (rule->condition_count == LOUPE_MAX_CONDITIONS) {
            line->expected = "at most four conditions";
            return;
        }
        struct loupe_rule_condition *condition = &rule->conditions[rule->condition_count++];
        condition->field = take_name(line, "a field after 'when' or 'and'");
        if (!take(line, "is"))
            line->expected = line->expected ? line->expected : "'is' after the field";
        condition->is_not = take(line, "not");
        if (!line->expected)
            take_value(line, rules, rule->kind, condition);
    } while (!line->expected && take(line, "and"));
}

/* ---- Rules ---- */

static const struct {
    const char *word;
    enum loupe_rule_kind kind;
} kinds[] = {
    {"leaking", LOUPE_RULE_LEAKING}, {"alive", LOUPE_RULE_ALIVE}, {"library", LOUPE_RULE_LIBRARY},
    {"weak", LOUPE_RULE_WEAK},       {"part", LOUPE_RULE_PART},   {"expect", LOUPE_RULE_EXPECT},
    {"along", LOUPE_RULE_ALONG},     {"keep", LOUPE_RULE_KEEP},   {"spare", LOUPE_RULE_SPARE}};

/* Behind the last point, if there is one. */
static void split_field(struct line *line, struct loupe_rule *rule) {
    struct loupe_span name = rule->class_name;
    size_t point = name.length;
    while (point && name.bytes[point - 1] != '.')
        point--;
    if (point < 2 || point == name.length) {
        line->expected = line->expected ? line->expected : "CLASS.FIELD";
        return;
    }
    rule->class_name.length = point - 1;
    rule->field = (struct loupe_span){name.bytes + point, name.length - point};
}

/* A thread's name may have spaces: it goes on to `because` or the end. */
static void take_thread(struct line *line, struct loupe_rule *rule) {
    rule->kind = LOUPE_RULE_LIBRARY_THREAD;
    rule->class_name = take_name(line, "the name of a thread");
    while (line->rest.length && !loupe_span_equals(next_word(line), "because")) {
        struct loupe_span word = take_word(line);
        rule->class_name.length = (size_t)(word.bytes - rule->class_name.bytes) + word.length;
    }
}

static void take_object(struct line *line, struct loupe_rules *rules, struct loupe_rule *rule) {
    rule->class_name = take_name(line, "a class");
    if (rule->kind == LOUPE_RULE_LEAKING && take(line, "of")) {
        rule->kind = LOUPE_RULE_LEAKING_FIELD;
        rule->field = rule->class_name;
        rule->class_name = take_name(line, "a class after 'of'");
    }
    if (take(line, "when"))
        take_conditions(line, rules, rule);
}

/* ---- Rules about objects that are watched ---- */

/* Seconds as people write them, 2 or 0.5: at most a day, at least a hundredth. */
static bool parse_seconds(struct loupe_span word, uint32_t *ret_ms) {
    enum { MOST = 24 * 60 * 60 };
    const char *cursor = word.bytes, *end = word.bytes + word.length;
    uint64_t seconds, ms = 0;
    if (!loupe_parse_decimal(&cursor, end, MOST, &seconds))
        return false;
    if (cursor < end && *cursor == '.') {
        uint32_t worth = 100;
        for (cursor++; cursor < end && *cursor >= '0' && *cursor <= '9'; cursor++, worth /= 10)
            ms += (uint64_t)(*cursor - '0') * worth;
    }
    ms += seconds * 1000;
    if (cursor != end || ms < 10)
        return false;
    *ret_ms = (uint32_t)ms;
    return true;
}

static void expect(struct line *line, bool is_met, const char *expected) {
    if (!is_met && !line->expected)
        line->expected = expected;
}

static void take_watched(struct line *line, struct loupe_rules *rules, struct loupe_rule *rule) {
    bool is_class_alone = rule->kind == LOUPE_RULE_SPARE;
    if (is_class_alone && take(line, "last")) {
        rule->kind = LOUPE_RULE_SPARE_LAST;
        is_class_alone = false;
    }
    if (!is_class_alone) {
        rule->field =
            take_name(line, "a path to objects: self, arg1 or a method that answers them");
        expect(line, take(line, "of"), "'of' and a class after the path");
    }
    rule->class_name = take_name(line, "a class");
    expect(line, !memchr(rule->class_name.bytes, '*', rule->class_name.length),
           "a class by its whole name");
    if (!is_class_alone && rule->kind != LOUPE_RULE_ALONG) {
        expect(line, take(line, "on"), "'on' and a method after the class");
        rule->method = take_name(line, "a method after 'on'");
    }
    if (rule->kind == LOUPE_RULE_EXPECT) {
        if (take(line, "except"))
            rule->except = take_name(line, "a path after 'except'");
        if (take(line, "after"))
            expect(line, parse_seconds(take_word(line), &rule->after_ms),
                   "seconds after 'after', from 0.01 to 86400");
    }
    if (!line->expected && take(line, "when"))
        take_conditions(line, rules, rule);
}

static void take_reason(struct line *line, struct loupe_rule *rule) {
    if (take(line, "because")) {
        rule->reason = line->rest;
        while (rule->reason.length && is_space(rule->reason.bytes[rule->reason.length - 1]))
            rule->reason.length--;
    } else if (line->rest.length && !line->expected) {
        line->expected = "'because' or the end of the line";
    }
}

static void take_rule(struct line *line, struct loupe_rules *rules, struct loupe_rule *rule) {
    struct loupe_span word = take_word(line);
    size_t i = 0;
    while (i < sizeof(kinds) / sizeof(*kinds) && !loupe_span_equals(word, kinds[i].word))
        i++;
    if (i == sizeof(kinds) / sizeof(*kinds)) {
        line->expected = "'leaking', 'alive', 'library', 'weak', 'part', 'expect', 'along', "
                         "'keep' or 'spare' first";
        return;
    }
    rule->kind = kinds[i].kind;
    if (rule->kind == LOUPE_RULE_LIBRARY && take(line, "thread")) {
        take_thread(line, rule);
    } else if (rule->kind == LOUPE_RULE_LIBRARY || rule->kind == LOUPE_RULE_WEAK ||
               rule->kind == LOUPE_RULE_PART) {
        rule->class_name = take_name(line, "CLASS.FIELD");
        split_field(line, rule);
        if (rule->kind == LOUPE_RULE_PART && take(line, "to"))
            rule->to_class = take_name(line, "a class after 'to'");
    } else if (is_watched(rule->kind)) {
        take_watched(line, rules, rule);
    } else {
        take_object(line, rules, rule);
    }
    take_reason(line, rule);
}

static enum loupe_status add(struct loupe_rules *rules, const struct loupe_rule *rule) {
    struct loupe_rule *items = loupe_arena_grow(rules->arena, rules->items, rules->count,
                                                &rules->capacity, sizeof(*items));
    if (!items)
        return LOUPE_ENOMEM;
    rules->items = items;
    items[rules->count++] = *rule;
    return LOUPE_OK;
}

static struct loupe_span take_line(struct loupe_span *text) {
    const char *end = memchr(text->bytes, '\n', text->length);
    struct loupe_span line = {text->bytes, end ? (size_t)(end - text->bytes) : text->length};
    size_t taken = line.length + (end != NULL);
    text->bytes += taken;
    text->length -= taken;
    const char *comment = memchr(line.bytes, '#', line.length);
    line.length = comment ? (size_t)(comment - line.bytes) : line.length;
    return line;
}

enum loupe_status loupe_rules_add(struct loupe_rules *rules, struct loupe_span text,
                                  const char *origin, struct loupe_error *err) {
    for (uint32_t number = 1; text.length; number++) {
        struct line line = {.rest = take_line(&text)};
        skip_spaces(&line);
        if (!line.rest.length)
            continue;
        struct loupe_rule rule = {.line = number, .origin = origin};
        take_rule(&line, rules, &rule);
        if (line.expected)
            return loupe_fail(err, LOUPE_EUSAGE, 0, "%s, line %u: expected %s", origin, number,
                              line.expected);
        if (add(rules, &rule))
            return loupe_fail(err, LOUPE_ENOMEM, 0, LOUPE_RULES_OUT_OF_MEMORY, origin);
    }
    return LOUPE_OK;
}

/*
 * Reading files of rules into the set that is followed.
 */
#include "rule_set.h"

#include "shared/chunks.h"
#include "objects/latest.h"
#include "rules/shipped.h"
#include "shared/text_in.h"
#include "snapshot/rules/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct watch_method_rules *method_named(struct loupe_span name) {
    char text[WATCH_RULE_NAME];
    snprintf(text, sizeof(text), "%.*s", (int)name.length, name.bytes);
    watch_sel selector = watch_objc()->sel_registerName(text);
    for (uint32_t i = 0; i < watch_rules.method_count; i++) {
        if (watch_objc()->sel_isEqual(watch_rules.methods[i]->selector, selector))
            return watch_rules.methods[i];
    }
    struct watch_method_rules *method = calloc(1, sizeof(*method));
    if (method) {
        method->selector = selector;
        watch_rules.methods[watch_rules.method_count++] = method;
    }
    return method;
}

static const char *parse_paths(struct watched_rule *rule) {
    const char *problem = NULL;
    if (rule->rule->field.length)
        problem = watch_path_parse(rule->rule->field, &rule->path);
    if (!problem && rule->rule->except.length)
        problem = watch_path_parse(rule->rule->except, &rule->except);
    for (uint32_t i = 0; !problem && i < rule->rule->condition_count; i++)
        problem = watch_path_parse(rule->rule->conditions[i].field, &rule->conditions[i]);
    return problem;
}

static const char *add_to_method(struct watched_rule *rule) {
    if (!rule->rule->method.length)
        return NULL;
    rule->method = method_named(rule->rule->method);
    if (!rule->method)
        return "out of memory";
    if (rule->method->count == WATCH_MOST_OF_A_METHOD)
        return "there are more than 32 rules about this method";
    rule->method->items[rule->method->count] = rule;
    rule->method->count++;
    return NULL;
}

static const char *add_rule(const struct loupe_rule *rule, bool is_shipped) {
    if (rule->kind < LOUPE_RULE_EXPECT)
        return NULL;
    if (watch_rules.count == WATCH_MOST_RULES)
        return "there are more than 1024 rules";
    struct watched_rule *added = calloc(1, sizeof(*added));
    if (!added)
        return "out of memory";
    added->rule = rule;
    added->is_shipped = is_shipped;
    snprintf(added->class_name, sizeof(added->class_name), "%.*s", (int)rule->class_name.length,
             rule->class_name.bytes);
    const char *slash = strrchr(rule->origin, '/');
    snprintf(added->origin, sizeof(added->origin), "%s", slash ? slash + 1 : rule->origin);
    const char *problem = parse_paths(added);
    if (rule->class_name.length >= WATCH_RULE_NAME || rule->method.length >= WATCH_RULE_NAME)
        problem = "a name is longer than 159 letters";
    if (!problem && rule->kind == LOUPE_RULE_SPARE_LAST &&
        watch_rules.latest_count == WATCH_MOST_LATEST)
        problem = "there are more than 64 rules with `spare last`";
    if (!problem)
        problem = add_to_method(added);
    if (problem) {
        free(added);
        return problem;
    }
    if (rule->kind == LOUPE_RULE_SPARE_LAST)
        added->latest_place = watch_rules.latest_count++;
    watch_rules.rules[watch_rules.count] = added;
    watch_rules.count++;
    return NULL;
}

/* The text, the arena and the origin stay: calls may look at rules at any time. */
static bool add_rules(const char *text, const char *origin, bool is_shipped, char *problem,
                      unsigned size) {
    struct loupe_arena *arena = malloc(sizeof(*arena));
    struct loupe_rules rules;
    struct loupe_error error;
    if (!arena) {
        snprintf(problem, size, LOUPE_RULES_OUT_OF_MEMORY, origin);
        return false;
    }
    loupe_arena_init(arena, &watch_chunks);
    loupe_rules_init(&rules, arena);
    if (loupe_rules_add(&rules, loupe_span_of(text), origin, &error)) {
        snprintf(problem, size, "%s", error.message);
        return false;
    }
    for (uint32_t i = 0; i < rules.count; i++) {
        const char *wrong = add_rule(&rules.items[i], is_shipped);
        if (wrong) {
            snprintf(problem, size, "%s, line %u: %s", origin, rules.items[i].line, wrong);
            return false;
        }
    }
    return true;
}

static char *read_file(const char *name, char *problem, unsigned size) {
    enum { LONGEST = 1 << 20 };
    const char *reason;
    FILE *file = watch_open_text(name, &reason);
    char *text = file ? calloc(1, LONGEST + 1) : NULL;
    size_t length = text ? fread(text, 1, LONGEST + 1, file) : 0;
    bool is_read = text && !ferror(file) && length <= LONGEST;
    if (!is_read) {
        snprintf(problem, size, "the rules of %s cannot be read: %s", name,
                 !file              ? reason
                 : length > LONGEST ? "more than a megabyte"
                                    : strerror(errno));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

bool watch_rule_file_add(const char *name, char *problem, unsigned size) {
    for (const struct shipped_rules *shipped = shipped_rules; shipped->name; shipped++) {
        if (strcmp(shipped->name, name) == 0)
            return add_rules(shipped->text, shipped->name, true, problem, size);
    }
    char *text = read_file(name, problem, size), *origin = text ? strdup(name) : NULL;
    return origin && add_rules(text, origin, false, problem, size);
}

/* Of files with a mistake nothing is followed. */
void watch_rules_drop_from(uint32_t first) {
    for (uint32_t i = watch_rules.count; i > first; i--) {
        struct watch_method_rules *method = watch_rules.rules[i - 1]->method;
        if (method)
            method->count--;
        watch_rules.latest_count -= watch_rules.rules[i - 1]->rule->kind == LOUPE_RULE_SPARE_LAST;
    }
    watch_rules.count = first;
}

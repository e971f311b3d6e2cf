#include "watched_rules.h"

#include "objects/class_list.h"
#include "objects/clock.h"
#include "objects/interception.h"
#include "reports/report.h"
#include "rule_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch_rules watch_rules = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Binding rules to methods ---- */

static void bind(struct watched_rule *rule) {
    bool is_found = true;
    const char *problem = NULL;
    if (!rule->cls || !rule->method)
        return;
    problem = watch_intercept(rule->cls, rule->method->selector, rule->method, &is_found);
    if (!problem && !is_found && !rule->is_shipped && !rule->is_bound)
        problem = "the class has no such method";
    if (problem && !rule->is_bound)
        watch_tell("line %u of %s: -[%s %.*s] is not intercepted: %s", rule->rule->line,
                   rule->origin, rule->class_name, (int)rule->rule->method.length,
                   rule->rule->method.bytes, problem);
    rule->is_bound = true;
}

static bool is_of_rules(watch_class cls) {
    for (uint32_t i = 0; i < watch_rules.count; i++) {
        watch_class of = watch_rules.rules[i]->cls;
        if (of && watch_is_kind_of(cls, of))
            return true;
    }
    return false;
}

/* Of a rule the class may be gone, or another by now. What comes after the list is noted is met the
 * next time. */
static void bind_all(void) {
    for (uint32_t i = 0; i < watch_rules.count; i++)
        watch_rules.rules[i]->cls =
            watch_objc()->objc_lookUpClass(watch_rules.rules[i]->class_name);
    watch_class_list_note(is_of_rules);
    for (uint32_t i = 0; i < watch_rules.count; i++)
        bind(watch_rules.rules[i]);
}

/* Classes come with libraries that are loaded later, and others are made. */
static void bind_new_classes(void) {
    if (watch_rules.is_active && watch_class_list_has_changed())
        bind_all();
}

/* ---- Beginning and end ---- */

static void read_delay(void) {
    const char *seconds = getenv("LOUPE_WATCH_AFTER");
    double wanted = seconds ? strtod(seconds, NULL) : 0;
    watch_rules.delay = wanted >= 0.01 && wanted <= 86400
                            ? (watch_time)(wanted * (double)WATCH_TICKS_PER_SECOND)
                            : 2 * WATCH_TICKS_PER_SECOND;
}

bool watch_rules_load(const char *files, char *problem, unsigned size) {
    char *names = strdup(files), *rest = names, *name;
    bool is_loaded = names != NULL;
    snprintf(problem, size, "out of memory while reading the rules");
    pthread_mutex_lock(&watch_rules.lock);
    uint32_t before = watch_rules.count;
    read_delay();
    while (is_loaded && (name = strsep(&rest, ":")))
        is_loaded = watch_rule_file_add(name, problem, size);
    if (!is_loaded)
        watch_rules_drop_from(before);
    pthread_mutex_unlock(&watch_rules.lock);
    free(names);
    if (!is_loaded)
        return false;
    watch_rules.is_active = true;
    bind_all();
    watch_clock_call_each_second(bind_new_classes);
    return true;
}

void watch_rules_end(void) {
    watch_rules.is_active = false;
    watch_clock_call_each_second(NULL);
    watch_intercept_end();
    pthread_mutex_lock(&watch_rules.lock);
    watch_rules.count = 0;
    watch_rules.latest_count = 0;
    for (uint32_t i = 0; i < watch_rules.method_count; i++)
        watch_rules.methods[i]->count = 0;
    pthread_mutex_unlock(&watch_rules.lock);
}

void watch_rules_pause(void) {
    watch_rules.is_active = false;
}

void watch_rules_count(uint32_t *ret_rules, uint32_t *ret_without_class) {
    *ret_rules = watch_rules.count;
    *ret_without_class = 0;
    for (uint32_t i = 0; i < watch_rules.count; i++)
        *ret_without_class += !watch_rules.rules[i]->cls;
}

/*
 * What a call of an intercepted method means by the rules: deaths to expect, objects in use again.
 */
#include "objects/clock.h"
#include "objects/latest.h"
#include "shared/pointers.h"
#include "reports/reasons.h"
#include "reports/report.h"
#include "rule_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON = 400 };

static _Thread_local bool is_in_call; /* messages of ours are no events */

/* ---- Objects ---- */

static bool concerns(const struct watched_rule *rule, watch_class cls) {
    watch_class of = rule->cls;
    return of && watch_is_kind_of(cls, of);
}

static bool holds(const struct loupe_rule_condition *condition, struct watch_value value,
                  watch_id self) {
    if (condition->is_nil && !value.is_object)
        return false;
    if (value.is_argument && !condition->is_nil && !condition->is_self)
        value.number = (int32_t)value.number;
    bool is_so = value.number == (condition->is_self ? (int64_t)(intptr_t)self : condition->value);
    return is_so != condition->is_not;
}

static bool conditions_hold(const struct watched_rule *rule, watch_id self,
                            const struct watch_call *call) {
    for (uint32_t i = 0; i < rule->rule->condition_count; i++) {
        struct watch_value value;
        if (!watch_path_value(&rule->conditions[i], self, call, &value) ||
            !holds(&rule->rule->conditions[i], value, self))
            return false;
    }
    return true;
}

static bool is_spared(watch_id object, watch_class cls) {
    for (uint32_t i = 0; i < watch_rules.count; i++) {
        struct watched_rule *rule = watch_rules.rules[i];
        if (rule->rule->kind == LOUPE_RULE_SPARE && concerns(rule, cls) &&
            conditions_hold(rule, object, NULL))
            return true;
    }
    return false;
}

/* ---- Expecting deaths ---- */

struct expecting {
    watch_time delay;
    uint32_t parent;
    const char *reason;
    struct watch_pointers excepted;
    bool is_cut;
};

static void expect_object(watch_id object, void *context);

static void expect_along(watch_id object, watch_class cls, const struct expecting *outer,
                         uint32_t number) {
    char reason[REASON];
    struct expecting inner = {.delay = outer->delay, .parent = number, .reason = reason};
    if (outer->parent == WATCH_NONE)
        snprintf(reason, sizeof(reason), "part of a %s: %s", watch_class_name(cls), outer->reason);
    else
        inner.reason = outer->reason;
    for (uint32_t i = 0; i < watch_rules.count; i++) {
        struct watched_rule *rule = watch_rules.rules[i];
        if (rule->rule->kind == LOUPE_RULE_ALONG && concerns(rule, cls) &&
            conditions_hold(rule, object, NULL))
            watch_path_visit(&rule->path, object, NULL, expect_object, &inner, &inner.is_cut);
        if (inner.is_cut)
            watch_tell("line %u of %s: only 256 steps were followed from a %s", rule->rule->line,
                       rule->origin, watch_class_name(cls));
    }
}

/* Said once for each class; without memory it is said again. */
static void tell_refused(watch_class cls, const char *problem) {
    static struct watch_pointers reported;
    pthread_mutex_lock(&watch_rules.lock);
    bool is_new = !watch_pointers_have(&reported, cls);
    if (is_new)
        watch_pointers_add(&reported, cls);
    pthread_mutex_unlock(&watch_rules.lock);
    if (is_new)
        watch_tell("objects of class %s are not watched: %s", watch_class_name(cls), problem);
}

static void expect_object(watch_id object, void *context) {
    struct expecting *expecting = context;
    const char *problem = watch_why_immortal(object);
    bool is_new;
    if (problem || watch_pointers_have(&expecting->excepted, object))
        return;
    watch_class cls = watch_objc()->object_getClass(object);
    if (is_spared(object, cls))
        return;
    uint32_t number = watch_expect(object, expecting->delay, watch_reason(expecting->reason),
                                   expecting->parent, &is_new, &problem);
    if (problem)
        tell_refused(cls, problem);
    if (is_new)
        expect_along(object, cls, expecting, number);
}

static void except_object(watch_id object, void *context) {
    struct expecting *expecting = context;
    watch_pointers_add(&expecting->excepted, object);
}

static void free_excepted(struct expecting *expecting) {
    watch_pointers_end(&expecting->excepted);
}

/* Visits what a path of a rule leads to, and says so where that is not all. */
static void visit(const struct watched_rule *rule, const struct watch_path *path,
                  const struct watch_call *call, void (*visitor)(watch_id object, void *context),
                  void *context) {
    bool is_cut;
    watch_path_visit(path, call->self, call, visitor, context, &is_cut);
    if (is_cut)
        watch_tell("line %u of %s: only 256 steps were followed", rule->rule->line, rule->origin);
}

static void expect_by(const struct watched_rule *rule, const struct watch_call *call) {
    char reason[REASON];
    __attribute__((cleanup(free_excepted))) struct expecting expecting = {
        .delay = rule->rule->after_ms ? rule->rule->after_ms * WATCH_TICKS_PER_SECOND / 1000
                                      : watch_rules.delay,
        .parent = WATCH_NONE,
        .reason = reason};
    if (rule->rule->reason.length)
        snprintf(reason, sizeof(reason), "%.*s", (int)rule->rule->reason.length,
                 rule->rule->reason.bytes);
    else
        snprintf(reason, sizeof(reason), "-[%s %.*s] was called", rule->class_name,
                 (int)rule->rule->method.length, rule->rule->method.bytes);
    if (rule->rule->except.length)
        visit(rule, &rule->except, call, except_object, &expecting);
    visit(rule, &rule->path, call, expect_object, &expecting);
}

/* ---- Other rules ---- */

static void keep_object(watch_id object, void *unused) {
    (void)unused;
    watch_withdraw(object);
}

static void remember(watch_id object, void *context) {
    const unsigned *place = context;
    watch_latest_set(*place, object);
}

static void follow(struct watched_rule *rule, const struct watch_call *call) {
    if (rule->rule->kind == LOUPE_RULE_EXPECT)
        expect_by(rule, call);
    else if (rule->rule->kind == LOUPE_RULE_KEEP)
        visit(rule, &rule->path, call, keep_object, NULL);
    else
        visit(rule, &rule->path, call, remember, &rule->latest_place);
}

/* ---- A call ---- */

static void leave_call(bool *unused) {
    (void)unused;
    is_in_call = false;
}

static void pop_pool(struct watch_pool *pool) {
    watch_pool_pop(pool);
}

static void ensure_pool(struct watch_pool *pool) {
    if (!pool->token)
        watch_pool_push(pool);
}

/* Whether a condition sends messages: what they leave belongs in a pool, which costs more than all
 * the rest where it is an object. */
static bool asks(const struct watched_rule *rule) {
    bool is_asking = false;
    for (uint32_t i = 0; i < rule->rule->condition_count; i++)
        is_asking = is_asking || rule->conditions[i].step_count;
    return is_asking;
}

void watch_method_called(const struct watch_call *call) {
    struct watch_method_rules *method = call->tag;
    if (!watch_rules.is_active || is_in_call || watch_clock_is_this_thread() || !call->self)
        return;
    is_in_call = true;
    __attribute__((cleanup(leave_call))) bool in_call = true;
    __attribute__((cleanup(pop_pool))) struct watch_pool pool = {NULL};
    watch_class cls = watch_objc()->object_getClass(call->self);
    (void)in_call;
    for (uint32_t i = 0; i < method->count; i++) {
        struct watched_rule *rule = method->items[i];
        if (!concerns(rule, cls))
            continue;
        if (asks(rule))
            ensure_pool(&pool);
        if (!conditions_hold(rule, call->self, call))
            continue;
        ensure_pool(&pool);
        follow(rule, call);
    }
}

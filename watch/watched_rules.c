#include "watched_rules.h"

#include "base/arena.h"
#include "clock.h"
#include "expectations.h"
#include "interception.h"
#include "latest.h"
#include "reasons.h"
#include "report.h"
#include "rules/shipped.h"
#include "snapshot/rules.h"
#include "watched_path.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 1024, MOST_OF_A_METHOD = 32, NAME = 160, REASON = 400 };

struct method_rules;

struct watched_rule {
    const struct loupe_rule *rule;
    char class_name[NAME], origin[NAME];
    _Atomic(watch_class) cls; /* NULL while there is none of that name */
    struct watch_path path, except, conditions[LOUPE_MAX_CONDITIONS];
    struct method_rules *method;
    bool is_shipped, is_bound;
    unsigned latest_place; /* of a rule `spare last` */
};

/* All rules about calls of one selector. */
struct method_rules {
    watch_sel selector;
    struct watched_rule *items[MOST_OF_A_METHOD];
    _Atomic(uint32_t) count;
};

/* Rules are only added: a call may be looking at them on any thread. */
static struct {
    pthread_mutex_t lock;
    struct watched_rule *rules[MOST_RULES];
    _Atomic(uint32_t) count;
    struct method_rules *methods[MOST_RULES];
    uint32_t method_count;
    unsigned latest_count;
    _Atomic(bool) is_active;
    int class_count; /* when methods were last intercepted */
    watch_time delay;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
    for (uint32_t i = 0; i < all.count; i++) {
        struct watched_rule *rule = all.rules[i];
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
    watch_id *excepted;
    uint32_t excepted_count, excepted_capacity;
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
    for (uint32_t i = 0; i < all.count; i++) {
        struct watched_rule *rule = all.rules[i];
        if (rule->rule->kind == LOUPE_RULE_ALONG && concerns(rule, cls) &&
            conditions_hold(rule, object, NULL))
            watch_path_visit(&rule->path, object, NULL, expect_object, &inner, &inner.is_cut);
        if (inner.is_cut)
            watch_tell("line %u of %s: only 256 steps were followed from a %s", rule->rule->line,
                       rule->origin, watch_class_name(cls));
    }
}

/* Said once for each class, as far as there is room to remember. */
static void tell_refused(watch_class cls, const char *problem) {
    enum { REMEMBERED = 64 };
    static watch_class told[REMEMBERED];
    static uint32_t count;
    pthread_mutex_lock(&all.lock);
    bool is_new = true;
    for (uint32_t i = 0; i < count; i++)
        is_new = is_new && told[i] != cls;
    is_new = is_new && count < REMEMBERED;
    if (is_new)
        told[count++] = cls;
    pthread_mutex_unlock(&all.lock);
    if (is_new)
        watch_tell("objects of class %s are not watched: %s", watch_class_name(cls), problem);
}

static void expect_object(watch_id object, void *context) {
    struct expecting *expecting = context;
    const char *problem = watch_why_immortal(object);
    bool is_new;
    for (uint32_t i = 0; i < expecting->excepted_count; i++) {
        if (expecting->excepted[i] == object)
            return;
    }
    if (problem)
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
    if (expecting->excepted_count == expecting->excepted_capacity) {
        uint32_t capacity = expecting->excepted_capacity ? expecting->excepted_capacity * 2 : 16;
        watch_id *items = realloc(expecting->excepted, capacity * sizeof(*items));
        if (!items)
            return;
        expecting->excepted = items;
        expecting->excepted_capacity = capacity;
    }
    expecting->excepted[expecting->excepted_count++] = object;
}

static void free_excepted(struct expecting *expecting) {
    free(expecting->excepted);
}

static void expect_by(const struct watched_rule *rule, const struct watch_call *call) {
    char reason[REASON];
    bool is_cut;
    __attribute__((cleanup(free_excepted))) struct expecting expecting = {
        .delay =
            rule->rule->after_ms ? rule->rule->after_ms * WATCH_TICKS_PER_SECOND / 1000 : all.delay,
        .parent = WATCH_NONE,
        .reason = reason};
    if (rule->rule->reason.length)
        snprintf(reason, sizeof(reason), "%.*s", (int)rule->rule->reason.length,
                 rule->rule->reason.bytes);
    else
        snprintf(reason, sizeof(reason), "-[%s %.*s] was called", rule->class_name,
                 (int)rule->rule->method.length, rule->rule->method.bytes);
    if (rule->rule->except.length)
        watch_path_visit(&rule->except, call->self, call, except_object, &expecting, &is_cut);
    watch_path_visit(&rule->path, call->self, call, expect_object, &expecting, &is_cut);
    if (is_cut)
        watch_tell("line %u of %s: only 256 steps were followed", rule->rule->line, rule->origin);
}

/* ---- Other rules ---- */

static void keep_object(watch_id object, void *unused) {
    (void)unused;
    watch_withdraw(object);
}

static void remember(watch_id object, void *context) {
    const struct watched_rule *rule = context;
    watch_latest_set(rule->latest_place, object);
}

static void follow(struct watched_rule *rule, const struct watch_call *call) {
    bool is_cut;
    if (rule->rule->kind == LOUPE_RULE_EXPECT)
        expect_by(rule, call);
    else if (rule->rule->kind == LOUPE_RULE_KEEP)
        watch_path_visit(&rule->path, call->self, call, keep_object, NULL, &is_cut);
    else
        watch_path_visit(&rule->path, call->self, call, remember, rule, &is_cut);
}

/* ---- A call ---- */

static void leave_call(bool *unused) {
    (void)unused;
    is_in_call = false;
}

static void pop_pool(struct watch_pool *pool) {
    watch_pool_pop(pool);
}

void watch_method_called(const struct watch_call *call) {
    struct method_rules *method = call->tag;
    if (!all.is_active || is_in_call || watch_clock_is_this_thread() || !call->self)
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
        if (!pool.token)
            watch_pool_push(&pool);
        if (conditions_hold(rule, call->self, call))
            follow(rule, call);
    }
}

/* ---- Binding rules to methods ---- */

static void bind(struct watched_rule *rule) {
    bool is_found = true;
    const char *problem = NULL;
    if (!rule->cls)
        rule->cls = watch_objc()->objc_lookUpClass(rule->class_name);
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

static void bind_all(void) {
    for (uint32_t i = 0; i < all.count; i++)
        bind(all.rules[i]);
}

/* Classes come with libraries that are loaded later. */
static void bind_new_classes(void) {
    int count = watch_objc()->objc_getClassList(NULL, 0);
    if (!all.is_active || count == all.class_count)
        return;
    all.class_count = count;
    bind_all();
}

/* ---- Loading ---- */

static struct method_rules *method_named(struct loupe_span name) {
    char text[NAME];
    snprintf(text, sizeof(text), "%.*s", (int)name.length, name.bytes);
    watch_sel selector = watch_objc()->sel_registerName(text);
    for (uint32_t i = 0; i < all.method_count; i++) {
        if (watch_objc()->sel_isEqual(all.methods[i]->selector, selector))
            return all.methods[i];
    }
    struct method_rules *method = calloc(1, sizeof(*method));
    if (method) {
        method->selector = selector;
        all.methods[all.method_count++] = method;
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
        return "no memory is left";
    if (rule->method->count == MOST_OF_A_METHOD)
        return "there are more than 32 rules about this method";
    rule->method->items[rule->method->count] = rule;
    rule->method->count++;
    return NULL;
}

static const char *add_rule(const struct loupe_rule *rule, bool is_shipped) {
    if (rule->kind < LOUPE_RULE_EXPECT)
        return NULL;
    if (all.count == MOST_RULES)
        return "there are more than 1024 rules";
    struct watched_rule *added = calloc(1, sizeof(*added));
    if (!added)
        return "no memory is left";
    added->rule = rule;
    added->is_shipped = is_shipped;
    snprintf(added->class_name, sizeof(added->class_name), "%.*s", (int)rule->class_name.length,
             rule->class_name.bytes);
    const char *slash = strrchr(rule->origin, '/');
    snprintf(added->origin, sizeof(added->origin), "%s", slash ? slash + 1 : rule->origin);
    const char *problem = parse_paths(added);
    if (!problem && rule->kind == LOUPE_RULE_SPARE_LAST && all.latest_count == WATCH_MOST_LATEST)
        problem = "there are more than 64 rules with `spare last`";
    if (!problem)
        problem = add_to_method(added);
    if (problem) {
        free(added);
        return problem;
    }
    if (rule->kind == LOUPE_RULE_SPARE_LAST)
        added->latest_place = all.latest_count++;
    all.rules[all.count] = added;
    all.count++;
    return NULL;
}

static void *get_chunk(void *unused, size_t size) {
    (void)unused;
    return malloc(size);
}

static void put_chunk(void *unused, void *chunk, size_t size) {
    (void)unused;
    (void)size;
    free(chunk);
}

/* The text, the arena and the origin stay: calls may look at rules at any time. */
static bool add_rules(const char *text, const char *origin, bool is_shipped, char *problem,
                      unsigned size) {
    static const struct loupe_chunk_ops chunks = {get_chunk, put_chunk, NULL};
    struct loupe_arena *arena = malloc(sizeof(*arena));
    struct loupe_rules rules;
    struct loupe_error error;
    if (!arena) {
        snprintf(problem, size, "no memory is left for the rules of %s", origin);
        return false;
    }
    loupe_arena_init(arena, &chunks);
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
    FILE *file = fopen(name, "r");
    char *text = file ? calloc(1, LONGEST + 1) : NULL;
    size_t length = text ? fread(text, 1, LONGEST + 1, file) : 0;
    bool is_read = text && !ferror(file) && length <= LONGEST;
    if (!is_read) {
        snprintf(problem, size, "the rules of %s cannot be read: %s", name,
                 length > LONGEST ? "more than a megabyte" : strerror(errno));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static bool load_one(const char *name, char *problem, unsigned size) {
    for (const struct shipped_rules *shipped = shipped_rules; shipped->name; shipped++) {
        if (strcmp(shipped->name, name) == 0)
            return add_rules(shipped->text, shipped->name, true, problem, size);
    }
    char *text = read_file(name, problem, size), *origin = text ? strdup(name) : NULL;
    return origin && add_rules(text, origin, false, problem, size);
}

/* Of files with a mistake nothing is followed. */
static void drop_rules_from(uint32_t first) {
    for (uint32_t i = all.count; i > first; i--) {
        struct method_rules *method = all.rules[i - 1]->method;
        if (method)
            method->count--;
        all.latest_count -= all.rules[i - 1]->rule->kind == LOUPE_RULE_SPARE_LAST;
    }
    all.count = first;
}

static void read_delay(void) {
    const char *seconds = getenv("LOUPE_WATCH_AFTER");
    double wanted = seconds ? strtod(seconds, NULL) : 0;
    all.delay = wanted >= 0.01 && wanted <= 86400
                    ? (watch_time)(wanted * (double)WATCH_TICKS_PER_SECOND)
                    : 2 * WATCH_TICKS_PER_SECOND;
}

bool watch_rules_load(const char *files, char *problem, unsigned size) {
    char *names = strdup(files), *rest = names, *name;
    bool is_loaded = names != NULL;
    snprintf(problem, size, "no memory is left for the rules");
    pthread_mutex_lock(&all.lock);
    uint32_t before = all.count;
    read_delay();
    while (is_loaded && (name = strsep(&rest, ":")))
        is_loaded = load_one(name, problem, size);
    if (!is_loaded)
        drop_rules_from(before);
    pthread_mutex_unlock(&all.lock);
    free(names);
    if (!is_loaded)
        return false;
    all.is_active = true;
    all.class_count = watch_objc()->objc_getClassList(NULL, 0);
    bind_all();
    watch_clock_call_each_second(bind_new_classes);
    return true;
}

void watch_rules_end(void) {
    all.is_active = false;
    watch_clock_call_each_second(NULL);
    watch_intercept_end();
    pthread_mutex_lock(&all.lock);
    all.count = 0;
    all.latest_count = 0;
    for (uint32_t i = 0; i < all.method_count; i++)
        all.methods[i]->count = 0;
    pthread_mutex_unlock(&all.lock);
}

void watch_rules_pause(void) {
    all.is_active = false;
}

void watch_rules_count(uint32_t *ret_rules, uint32_t *ret_without_class) {
    *ret_rules = all.count;
    *ret_without_class = 0;
    for (uint32_t i = 0; i < all.count; i++)
        *ret_without_class += !all.rules[i]->cls;
}

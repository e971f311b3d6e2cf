/*
 * The entry points, and what happens when the library is loaded.
 */
#include "loupe_watch.h"

#include "base/json.h"
#include "objects/clock.h"
#include "objects/expectations.h"
#include "objects/interception.h"
#include "reports/reasons.h"
#include "reports/report.h"
#include "objects/sensor.h"
#include "shared/text_out.h"
#include "followed/watched_rules.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROBLEM = 400 };

static _Thread_local char problem_text[PROBLEM];
static _Atomic(bool) is_child; /* of a fork: without our thread, and with locks that nobody frees */

static enum loupe_watch_result refuse(const char *problem) {
    snprintf(problem_text, sizeof(problem_text), "%s", problem);
    return LOUPE_WATCH_REFUSED;
}

/* NULL, or why nothing can be done here. */
static const char *obstacle(void) {
    if (is_child)
        return "a child of the program that was watched is not watched";
    if (watch_objc()->kind == WATCH_NO_RUNTIME)
        return "there is no Objective-C runtime in this process, or none that is known";
    return NULL;
}

uint32_t loupe_watch_version(void) {
    return LOUPE_WATCH_VERSION;
}

const char *loupe_watch_problem(void) {
    return problem_text;
}

/* ---- Objects ---- */

static bool is_time(double seconds) {
    return seconds >= 0.01 && seconds <= 24 * 60 * 60;
}

static void watch_in_words(const void *object, double seconds, const char **problem) {
    bool is_new;
    watch_expect((watch_id)(uintptr_t)object,
                 (watch_time)(seconds * (double)WATCH_TICKS_PER_SECOND), WATCH_REASON_TIME,
                 WATCH_NONE, &is_new, problem);
}

enum loupe_watch_result loupe_watch(const void *object, double seconds) {
    const char *problem = obstacle();
    if (!problem && !is_time(seconds))
        problem = "it takes from 0.01 seconds to a day";
    if (!problem)
        watch_in_words(object, seconds, &problem);
    return problem ? refuse(problem) : LOUPE_WATCH_OK;
}

void loupe_watch_forget(const void *object) {
    if (!obstacle())
        watch_withdraw((watch_id)(uintptr_t)object);
}

/* ---- Rules and reports ---- */

enum loupe_watch_result loupe_watch_rules(const char *files) {
    char problem[PROBLEM];
    const char *here = obstacle();
    if (here)
        return refuse(here);
    return watch_rules_load(files, problem, sizeof(problem)) ? LOUPE_WATCH_OK : refuse(problem);
}

void loupe_watch_stop(void) {
    if (obstacle())
        return;
    watch_rules_end();
    watch_forget_all();
}

void loupe_watch_on_leak(void (*callback)(const struct loupe_watch_report *report, void *context),
                         void *context) {
    watch_report_to_callback(callback, context);
}

enum loupe_watch_result loupe_watch_report_to(const char *where) {
    const char *problem = watch_report_to(where);
    return problem ? refuse(problem) : LOUPE_WATCH_OK;
}

enum loupe_watch_result loupe_watch_baseline(const char *file) {
    char problem[PROBLEM];
    return watch_read_baseline(file, problem, sizeof(problem)) ? LOUPE_WATCH_OK : refuse(problem);
}

enum loupe_watch_result loupe_watch_filters(const char *file) {
    char problem[PROBLEM];
    return watch_read_filters(file, problem, sizeof(problem)) ? LOUPE_WATCH_OK : refuse(problem);
}

/* ---- For tests ---- */

enum { SLICES_PER_SECOND = 50, SECONDS_OF_TESTS = 2 };

/* Also where the thread has no run loop, or one without anything to wait for, which returns at
 * once. */
static void let_pass(double seconds) {
    struct timespec begun, now, rest = {.tv_nsec = 1000000};
    double passed;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        struct watch_pool pool;
        watch_pool_push(&pool);
        watch_run_loop(seconds);
        watch_pool_pop(&pool);
        clock_gettime(CLOCK_MONOTONIC, &now);
        passed = (double)(now.tv_sec - begun.tv_sec) +
                 (double)(now.tv_nsec - begun.tv_nsec) / 1000000000;
        if (passed < seconds)
            nanosleep(&rest, NULL);
    } while (passed < seconds);
}

bool loupe_expect_dead(const void *object) {
    const char *problem = obstacle();
    enum watch_fate fate = WATCH_UNKNOWN;
    if (!problem && watch_fate_of(object) == WATCH_UNKNOWN)
        watch_in_words(object, SECONDS_OF_TESTS, &problem);
    if (problem) {
        watch_tell("%p cannot be watched: %s", object, problem);
        return false;
    }
    while ((fate = watch_fate_of(object)) == WATCH_AWAITED)
        let_pass(1.0 / (double)SLICES_PER_SECOND);
    return fate != WATCH_LIVES;
}

/* ---- The list ---- */

static char *list_text;

static enum loupe_status append(void *context, const char *bytes, size_t length) {
    watch_text_add_bytes(context, bytes, length);
    return LOUPE_OK;
}

static const char *const state_names[] = {[WATCH_PENDING] = "waiting",
                                          [WATCH_OVERDUE] = "waiting",
                                          [WATCH_REPORTED] = "reported",
                                          [WATCH_BELOW] = "below",
                                          [WATCH_SILENT] = "known"};

static uint64_t in_milliseconds(watch_time ticks) {
    return (uint64_t)ticks * (1000 / WATCH_TICKS_PER_SECOND);
}

struct listing {
    struct loupe_json json;
    watch_time now;
};

/* It is reported when the report is out. */
static const char *name_of_state(const struct watch_expectation *expectation) {
    bool is_to_be_reported = expectation->state == WATCH_REPORTED && !expectation->is_reported;
    return state_names[is_to_be_reported ? WATCH_OVERDUE : expectation->state];
}

/* What died is listed until the clock comes by, as what it was: no other object that is there by
 * now is meant. */
static void put_dead(struct loupe_json *json, const struct watch_expectation *expectation) {
    bool waited = expectation->state == WATCH_PENDING || expectation->state == WATCH_OVERDUE;
    loupe_json_put_address(json, "class", ~expectation->cls);
    if (waited && expectation->died)
        loupe_json_put_uint(json, "died_ms",
                            in_milliseconds(expectation->died - expectation->armed));
}

static void list_one(const struct watch_expectation *expectation, uintptr_t object, bool is_alive,
                     void *context) {
    struct listing *listing = context;
    struct loupe_json *json = &listing->json;
    char words[WATCH_REASON_WORDS];
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "object", object);
    loupe_json_put_string(json, "state", is_alive ? name_of_state(expectation) : "died");
    loupe_json_put_uint(json, "age_ms", in_milliseconds(listing->now - expectation->armed));
    loupe_json_key(json, "left_ms");
    loupe_json_int(json, (int64_t)in_milliseconds(expectation->due) -
                             (int64_t)in_milliseconds(listing->now));
    loupe_json_put_string(
        json, "reason",
        watch_reason_words(expectation->reason, expectation->due - expectation->armed, words));
    if (!is_alive)
        put_dead(json, expectation);
    loupe_json_end_object(json);
}

const char *loupe_watch_list(void) {
    struct watch_text text = {0};
    struct listing listing = {.now = watch_clock_now()};
    struct loupe_json *json = &listing.json;
    uint32_t rules, without_class;
    watch_rules_count(&rules, &without_class);
    loupe_json_init(json, (struct loupe_sink){append, &text});
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", 1);
    loupe_json_put_string(json, "query", "watch-list");
    loupe_json_put_string(json, "status", "ok");
    loupe_json_put_string(json, "sensor", watch_sensor_name());
    loupe_json_put_uint(json, "rules", rules);
    loupe_json_put_uint(json, "rules_without_class", without_class);
    loupe_json_key(json, "objects");
    loupe_json_begin_array(json);
    bool is_listed = !obstacle() && watch_visit_all(list_one, &listing);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_finish(json);
    free(list_text);
    list_text = text.bytes;
    return is_listed && !text.is_cut ? watch_text_get(&text) : "null";
}

/* ---- When the library is loaded ---- */

static void become_child(void) {
    is_child = true;
    watch_rules_pause();
}

static void begin_as_told(void) {
    const char *files = getenv("LOUPE_WATCH"), *reports = getenv("LOUPE_WATCH_REPORT");
    const char *known = getenv("LOUPE_WATCH_BASELINE"), *hiding = getenv("LOUPE_WATCH_FILTERS");
    if (!files || !*files || obstacle())
        return;
    if (reports && loupe_watch_report_to(reports))
        watch_tell("LOUPE_WATCH_REPORT=%s: %s", reports, loupe_watch_problem());
    if (known && loupe_watch_baseline(known))
        watch_tell("LOUPE_WATCH_BASELINE: %s", loupe_watch_problem());
    if (hiding && loupe_watch_filters(hiding))
        watch_tell("LOUPE_WATCH_FILTERS: %s", loupe_watch_problem());
    if (loupe_watch_rules(files))
        watch_tell("nothing is watched: %s", loupe_watch_problem());
}

#ifdef __GLIBC__
/*
 * Classes of the program itself are registered after libraries are loaded, and before main().
 */
typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);
LOUPE_WATCH_API start_function __libc_start_main;

static main_function *program_main;

static int watched_main(int count, char **arguments, char **environment) {
    begin_as_told();
    return program_main(count, arguments, environment);
}

int __libc_start_main(main_function *program, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    start_function *start;
    memcpy(&start, &found, sizeof(found));
    program_main = program;
    return start(watched_main, count, arguments, init, fini, rtld_fini, stack_end);
}
#endif

__attribute__((constructor)) static void loaded(void) {
    pthread_atfork(NULL, NULL, become_child);
#ifndef __GLIBC__
    begin_as_told();
#endif
}

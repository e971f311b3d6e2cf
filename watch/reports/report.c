#include "report.h"

#include "answer.h"
#include "ask.h"
#include "base/json.h"
#include "objects/clock.h"
#include "filters.h"
#include "own_lines.h"
#include "reasons.h"
#include "repeated.h"
#include "shared/text_in.h"
#include "words.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

enum { NAME = 200 };

/* ---- Where reports go ---- */

static struct {
    pthread_mutex_t lock;
    bool is_chosen, to_stderr, to_syslog;
    int file; /* 0: none */
    void (*callback)(const struct loupe_watch_report *, void *);
    void *context;
} sinks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *add_sink(const char *name) {
    if (strcmp(name, "stderr") == 0) {
        sinks.to_stderr = true;
    } else if (strcmp(name, "syslog") == 0) {
        sinks.to_syslog = true;
    } else if (strcmp(name, "none") != 0) {
        const char *problem;
        int file = loupe_open_own(name, true, &problem);
        if (file < 0)
            return problem;
        if (sinks.file)
            close(sinks.file);
        sinks.file = file;
    }
    return NULL;
}

const char *watch_report_to(const char *where) {
    const char *problem = NULL;
    char *names = strdup(where), *rest = names, *name;
    if (!names)
        return "out of memory";
    pthread_mutex_lock(&sinks.lock);
    sinks.is_chosen = true;
    sinks.to_stderr = sinks.to_syslog = false;
    while (!problem && (name = strsep(&rest, ",")))
        problem = *name ? add_sink(name) : "a name is empty";
    if (problem && !sinks.to_syslog && !sinks.file)
        sinks.is_chosen = false; /* that nothing goes nowhere without a word */
    pthread_mutex_unlock(&sinks.lock);
    free(names);
    return problem;
}

void watch_report_to_callback(void (*callback)(const struct loupe_watch_report *report,
                                               void *context),
                              void *context) {
    pthread_mutex_lock(&sinks.lock);
    sinks.callback = callback;
    sinks.context = context;
    pthread_mutex_unlock(&sinks.lock);
}

/* Line by line, as logs want it. */
static void log_text(const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        syslog(LOG_USER | LOG_WARNING, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void write_everywhere(const char *text, const char *json) {
    bool is_default = !sinks.is_chosen && !sinks.callback;
    if (sinks.to_stderr || is_default)
        loupe_say(text);
    if (sinks.to_syslog)
        log_text(text);
    if (sinks.file && json)
        loupe_write_own(sinks.file, json, strlen(json));
}

void watch_tell(const char *format, ...) {
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    int prefix = snprintf(line, sizeof(line), "loupe: ");
    vsnprintf(line + prefix, sizeof(line) - (size_t)prefix - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    pthread_mutex_lock(&sinks.lock);
    write_everywhere(line, NULL);
    /* A file has lines of JSON alone. */
    if (sinks.is_chosen && sinks.file && !sinks.to_stderr && !sinks.to_syslog)
        loupe_say(line);
    pthread_mutex_unlock(&sinks.lock);
}

static void deliver(const struct loupe_watch_report *report) {
    struct watch_text line = {0};
    watch_text_add(&line, "%s\n", report->json);
    pthread_mutex_lock(&sinks.lock);
    void (*callback)(const struct loupe_watch_report *, void *) = sinks.callback;
    void *context = sinks.context;
    write_everywhere(report->text, watch_text_get(&line));
    pthread_mutex_unlock(&sinks.lock);
    watch_text_end(&line);
    if (callback)
        callback(report, context);
}

void loupe_watch_reported(const void *object) {
    (void)object;
    __asm__ volatile("" : : : "memory");
}

/* ---- What is known, and what was told ---- */

/* Only the clock's thread uses these. */
static struct {
    char (*items)[WATCH_FINGERPRINT_SIZE];
    size_t count, capacity;
} reported_fingerprints;

static pthread_mutex_t baseline_lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch_text baseline;

static struct watch_text filters; /* under the lock of the baseline */

bool watch_read_filters(const char *file, char *problem, unsigned size) {
    struct watch_text read;
    if (!watch_filters_read(file, &read, problem, size))
        return false;
    pthread_mutex_lock(&baseline_lock);
    watch_text_end(&filters);
    filters = read;
    pthread_mutex_unlock(&baseline_lock);
    return true;
}

/* A copy, which the caller frees; NULL: there are none. */
static char *copy_filters(void) {
    pthread_mutex_lock(&baseline_lock);
    char *copy = filters.length ? strdup(filters.bytes) : NULL;
    pthread_mutex_unlock(&baseline_lock);
    return copy;
}

/* A line that does not fit is read on as others: no part of it begins with a fingerprint but by
 * intent. */
bool watch_read_baseline(const char *file, char *problem, unsigned size) {
    const char *reason;
    FILE *from = watch_open_text(file, &reason);
    char line[NAME];
    struct watch_text read = {0};
    while (from && fgets(line, sizeof(line), from)) {
        if (strspn(line, "0123456789abcdef") == WATCH_FINGERPRINT_SIZE - 1)
            watch_text_add(&read, "%.16s\n", line);
    }
    bool is_read = from && !ferror(from) && !read.is_cut;
    if (!is_read)
        snprintf(problem, size, "the baseline %s cannot be read: %s", file,
                 from ? strerror(errno) : reason);
    if (from)
        fclose(from);
    pthread_mutex_lock(&baseline_lock);
    struct watch_text unused = is_read ? baseline : read;
    baseline = is_read ? read : baseline;
    pthread_mutex_unlock(&baseline_lock);
    watch_text_end(&unused);
    return is_read;
}

static bool is_known(const char *fingerprint) {
    pthread_mutex_lock(&baseline_lock);
    bool is_found = strstr(watch_text_get(&baseline), fingerprint) != NULL;
    pthread_mutex_unlock(&baseline_lock);
    return is_found;
}

/* By the fingerprint of its ring, or what older baselines have for it. */
static bool is_older_known(const struct watch_reading *reading) {
    const struct json_value *knot = answer_own_knot(&reading->cycles);
    const struct json_value *ring = knot ? json_member(knot, "rings")->first : NULL;
    char text[WATCH_FINGERPRINT_SIZE];
    if (!ring)
        return false;
    struct loupe_span older = json_text(ring, "older_fingerprint");
    loupe_format(text, sizeof(text), "%.*s", (int)older.length, older.bytes);
    return older.length && is_known(text);
}

/* Whether the same mistake was shown in full before. Without memory it is shown again. */
static bool was_reported(const char *fingerprint) {
    for (size_t i = 0; i < reported_fingerprints.count; i++) {
        if (strcmp(reported_fingerprints.items[i], fingerprint) == 0)
            return true;
    }
    if (reported_fingerprints.count == reported_fingerprints.capacity) {
        size_t capacity = reported_fingerprints.capacity ? reported_fingerprints.capacity * 2 : 16;
        void *items = realloc(reported_fingerprints.items, capacity * WATCH_FINGERPRINT_SIZE);
        if (!items)
            return false;
        reported_fingerprints.items = items;
        reported_fingerprints.capacity = capacity;
    }
    strcpy(reported_fingerprints.items[reported_fingerprints.count++], fingerprint);
    return false;
}

/* The classes of reported objects, for when they are taken back: by then they may be gone. */
struct reported {
    struct reported *next;
    uint32_t number;
    char class_name[];
};
static struct reported *reported_classes;

static void remember_class(uint32_t number, const char *name) {
    struct reported *item = malloc(sizeof(*item) + strlen(name) + 1);
    if (!item)
        return;
    item->next = reported_classes;
    item->number = number;
    strcpy(item->class_name, name);
    reported_classes = item;
}

static void take_class(uint32_t number, char *dst, size_t cap) {
    struct reported **at = &reported_classes;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    snprintf(dst, cap, "%s", *at ? (*at)->class_name : "object");
    if (*at) {
        struct reported *found = *at;
        *at = found->next;
        free(found);
    }
}

/* ---- Composing ---- */

static bool is_unicode_wanted(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        const char *value = getenv(variables[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8");
    }
    return false;
}

static enum loupe_status append(void *context, const char *bytes, size_t length) {
    watch_text_add_bytes(context, bytes, length);
    return LOUPE_OK;
}

static const char *const event_names[] = {"leak", "late", "again"};

static bool is_whole(const struct watch_text *answer) {
    return watch_answer_is(watch_answer_member(watch_text_get(answer), "status"), "ok");
}

/* The answers of the helper are JSON already. */
static void compose_json(const struct loupe_watch_report *report,
                         const struct watch_answers *answers, struct watch_text *out) {
    struct loupe_json json;
    bool is_incomplete = answers && (!is_whole(&answers->cycles) ||
                                     (answers->incoming.length && !is_whole(&answers->incoming)));
    loupe_json_init(&json, (struct loupe_sink){append, out});
    loupe_json_begin_object(&json);
    loupe_json_put_uint(&json, "loupe", 1);
    loupe_json_put_string(&json, "query", "watch");
    loupe_json_put_string(&json, "status", is_incomplete ? "incomplete" : "ok");
    loupe_json_put_string(&json, "event", event_names[report->event]);
    loupe_json_put_address(&json, "object", (uintptr_t)report->object);
    loupe_json_put_string(&json, "class", report->class_name);
    loupe_json_put_string(&json, "reason", report->reason);
    loupe_json_put_uint(&json, "late_ms", (uint64_t)(report->seconds * 1000));
    loupe_json_put_uint(&json, "children", report->children);
    loupe_json_put_string(&json, "fingerprint", report->fingerprint);
    loupe_json_put_string(&json, "problem", answers ? answers->problem : NULL);
    loupe_json_finish(&json);
    if (answers && answers->cycles.length)
        watch_text_add(out, ",\"cycles\":%s", watch_text_get(&answers->cycles));
    if (answers && answers->incoming.length)
        watch_text_add(out, ",\"incoming\":%s", watch_text_get(&answers->incoming));
    watch_text_add(out, "}");
}

static double seconds_since(watch_time due) {
    return (double)(watch_clock_now() - due) / (double)WATCH_TICKS_PER_SECOND;
}

/* Its memory belongs to nobody, says the allocator: the sensor could not know. */
static bool is_dead(const struct watch_reading *reading) {
    const struct json_value *error = json_member(reading->cycles.root, "error");
    return loupe_span_equals(json_text(error, "detail"), "freed");
}

static bool is_covered(const struct watch_reading *reading) {
    return json_is_true(reading->incoming.root, "covered");
}

static struct answer_watched watched_of(const struct loupe_watch_report *report) {
    return (struct answer_watched){.address = (uintptr_t)report->object,
                                   .class_name = loupe_span_of(report->class_name),
                                   .reason = loupe_span_of(report->reason),
                                   .children = report->children};
}

/* A debugger that stops where the object is reported finds it in the list as reported. */
static void tell_leak(uint32_t number, struct loupe_watch_report *report,
                      const struct watch_answers *answers, const struct watch_reading *reading) {
    struct watch_text text = {0}, json = {0};
    struct answer_watched watched = watched_of(report);
    watched.problem = reading->problem;
    if (report->fingerprint && was_reported(report->fingerprint))
        watched.repeated = loupe_span_of(report->fingerprint);
    watch_words(reading, &watched, is_unicode_wanted(), &text);
    compose_json(report, answers, &json);
    report->text = watch_text_get(&text);
    report->json = watch_text_get(&json);
    deliver(report);
    watch_mark_reported(number);
    loupe_watch_reported(report->object);
    watch_text_end(&text);
    watch_text_end(&json);
}

static void report_found(const struct watch_due *due, const struct watch_answers *answers,
                         const struct watch_reading *reading, struct watch_repeated *repeated) {
    char class_name[NAME], fingerprint[WATCH_FINGERPRINT_SIZE], words[WATCH_REASON_WORDS];
    const char *reason = watch_reason_words(due->reason, due->delay, words);
    watch_fingerprint(reading, reason, fingerprint);
    if (is_dead(reading)) {
        watch_bury(due->number);
    } else if (is_covered(reading) || (*fingerprint && is_known(fingerprint)) ||
               is_older_known(reading)) {
        watch_silence(due->number);
    } else {
        struct loupe_watch_report report = {
            .event = LOUPE_WATCH_LEAK,
            .object = (const void *)~due->hidden,
            .class_name = watch_class_of_answer(reading, class_name, sizeof(class_name)),
            .reason = reason,
            .seconds = seconds_since(due->due),
            .children = due->children,
            .fingerprint = *fingerprint ? fingerprint : NULL};
        if (repeated)
            watch_repeated_add(repeated, fingerprint, report.class_name);
        remember_class(due->number, report.class_name);
        tell_leak(due->number, &report, answers, reading);
    }
}

/* One like many before it. */
static void report_like_others(const struct watch_due *due, struct watch_repeated *repeated) {
    char problem[NAME], words[WATCH_REASON_WORDS];
    struct watch_answers answers = {.problem = problem};
    struct watch_reading reading;
    snprintf(problem, sizeof(problem),
             "%llu of its class, for this reason, were one mistake: fingerprint %s",
             (unsigned long long)repeated->reported, repeated->fingerprint);
    watch_read_answers(&answers, &reading);
    struct loupe_watch_report report = {.event = LOUPE_WATCH_LEAK,
                                        .object = (const void *)~due->hidden,
                                        .class_name = repeated->class_name,
                                        .reason =
                                            watch_reason_words(due->reason, due->delay, words),
                                        .seconds = seconds_since(due->due),
                                        .children = due->children};
    repeated->reported++;
    remember_class(due->number, report.class_name);
    tell_leak(due->number, &report, &answers, &reading);
    watch_reading_end(&reading);
}

static void report_leak(const struct watch_due *due) {
    struct watch_answers answers;
    struct watch_reading reading;
    struct watch_repeated *repeated = watch_repeated_find(due->cls, due->reason);
    if (repeated && watch_repeated_is_enough(repeated)) {
        report_like_others(due, repeated);
        return;
    }
    char *hiding = copy_filters();
    watch_ask_helper(due->hidden, hiding, &answers);
    free(hiding);
    watch_read_answers(&answers, &reading);
    report_found(due, &answers, &reading, repeated);
    watch_mark_reported(due->number);
    watch_reading_end(&reading);
    watch_answers_end(&answers);
}

static void report_end(const struct watch_due *due, enum loupe_watch_event event) {
    struct watch_text text = {0}, json = {0};
    char class_name[NAME], words[WATCH_REASON_WORDS];
    take_class(due->number, class_name, sizeof(class_name));
    struct loupe_watch_report report = {.event = event,
                                        .object = (const void *)~due->hidden,
                                        .class_name = class_name,
                                        .reason =
                                            watch_reason_words(due->reason, due->delay, words),
                                        .seconds = seconds_since(due->due)};
    struct answer_watched watched = watched_of(&report);
    watch_end_words(&watched, event == LOUPE_WATCH_LATE, (uint64_t)(report.seconds * 1000), &text);
    compose_json(&report, NULL, &json);
    report.text = watch_text_get(&text);
    report.json = watch_text_get(&json);
    deliver(&report);
    watch_text_end(&text);
    watch_text_end(&json);
}

void watch_report_due(const struct watch_due *due, void *unused) {
    (void)unused;
    if (due->kind == WATCH_DUE_REPORT)
        report_leak(due);
    else
        report_end(due, due->kind == WATCH_DUE_LATE ? LOUPE_WATCH_LATE : LOUPE_WATCH_AGAIN);
}

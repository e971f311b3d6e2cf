/* loupe suspects: what should be gone by rules and is not, and who keeps most of a heap. */
#include "amounts.h"
#include "answers/texts.h"
#include "capture.h"
#include "cycles/fingerprint.h"
#include "held_suspects.h"
#include "mistakes/known_mistakes.h"
#include "leaked_suspects.h"
#include "native_words.h"
#include "pictures/picture_patterns.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "share_suspects.h"
#include "show_trace.h"

#include <stdlib.h>

enum { DEFAULT_LIMIT = 20 };

struct findings {
    struct held_suspects held;
    struct leaked_suspects leaked;
    struct share_suspects owners;
    struct heap_gates gates;
    uint32_t hidden; /* by the baseline: groups of all three */
};

/* ---- How many are shown ---- */

static uint32_t shown_of(const struct held_suspects *suspects, uint32_t groups) {
    const struct verb_values *options = &suspects->question->query->options;
    uint64_t limit = options->has_limit ? options->limit : DEFAULT_LIMIT;
    return limit && limit < groups ? (uint32_t)limit : groups;
}

/* ---- JSON ---- */

static void report_group(struct loupe_json *json, const struct held_suspects *suspects,
                         const struct held_suspect *first) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    uint32_t begin = (uint32_t)(first - suspects->items), end = held_suspects_end(suspects, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind", "rule");
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(snapshot, snapshot->classes[first->node]));
    report_rule(json, first->rule);
    loupe_json_put_uint(json, "count", end - begin);
    loupe_json_put_uint(json, "retained", first->group_retained);
    loupe_json_key(json, "addresses");
    loupe_json_begin_array(json);
    for (uint32_t i = begin; i < end; i++)
        loupe_json_address(json, loupe_snapshot_address(snapshot, suspects->items[i].node));
    loupe_json_end_array(json);
    loupe_json_key(json, "path");
    loupe_report_trace(json, &suspects->question->tracer, &first->trace);
    loupe_json_end_object(json);
}

static int report(const struct findings *findings) {
    const struct held_suspects *suspects = &findings->held;
    const struct leaked_suspects *leaked = &findings->leaked;
    const struct share_suspects *owners = &findings->owners;
    uint32_t shown = shown_of(suspects, suspects->group_count);
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    struct loupe_json json;
    int status = CLI_OK;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "suspects", snapshot, leaked->not_looked_at);
    loupe_json_put_uint(&json, "found", suspects->count);
    loupe_json_put_uint(&json, "held_by_suspects", suspects->by_others);
    loupe_json_put_uint(&json, "not_held", suspects->not_held);
    loupe_json_put_uint(&json, "retained", suspects->total.bytes);
    loupe_json_put_uint(&json, "retained_objects", suspects->total.objects);
    loupe_json_put_uint(&json, "groups", suspects->group_count);
    loupe_json_put_uint(&json, "alive", owners->alive);
    loupe_json_key(&json, "suspects");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++)
        report_group(&json, suspects, suspects->groups[i]);
    share_suspects_report(&json, owners);
    loupe_json_end_array(&json);
    if (snapshot->native)
        status = leaked_suspects_report(&json, leaked, shown_of(suspects, leaked->group_count));
    if (suspects->question->query->options.baseline)
        loupe_json_put_uint(&json, "hidden_by_baseline", findings->hidden);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return status;
}

/* ---- Text ---- */

static void show_known_mistake(const struct loupe_pattern *pattern) {
    if (pattern)
        printf("  " ANSWER_KNOWN_MISTAKE "%s\n", cli_printable(pattern->name));
}

static void show_group(const struct held_suspects *suspects, const struct loupe_patterns *mistakes,
                       const struct held_suspect *first) {
    const struct loupe_snapshot *snapshot = suspects->question->query->snapshot;
    uint32_t begin = (uint32_t)(first - suspects->items), end = held_suspects_end(suspects, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    printf("\n%s × %s, %s%sfingerprint %s\n", cli_count(end - begin),
           cli_printable(loupe_snapshot_class_name(snapshot, snapshot->classes[first->node])),
           first->rule->reason.length ? cli_printable(first->rule->reason) : "",
           first->rule->reason.length ? "; " : "", fingerprint);
    if (first->trace.level == LOUPE_LEVEL_LATE)
        printf("  Held only over unretained references, untyped pointers, soft references or known "
               "library "
               "leaks\n");
    if (first->trace.level == LOUPE_LEVEL_STACK)
        printf("  Held only from the stack of running code\n");
    show_trace(&suspects->question->tracer, &first->trace, suspects->dominators);
    if (first->trace.level == LOUPE_LEVEL_STACK && snapshot->native)
        show_ring_of_suspect(suspects->question->query, first->node);
    show_known_mistake(loupe_known_mistake_of_trace(mistakes, snapshot, &first->trace));
    show_equal_ones(snapshot, &first->node, sizeof(*first), end - begin);
}

static void show_hidden(const struct findings *findings) {
    if (findings->hidden)
        printf("\nHidden by the baseline: %s cause%s\n", cli_count(findings->hidden),
               findings->hidden == 1 ? "" : "s");
    heap_gates_show(&findings->gates, findings->held.question->query);
}

/* "; no owner over 10 %": nothing keeps so much of the heap. */
static struct words no_owner(const struct share_suspects *owners) {
    return owners->count ? words_say("%s", "")
                         : words_say("; no owner over %u %%", owners->percent);
}

static int show(const struct findings *findings) {
    const struct held_suspects *suspects = &findings->held;
    const struct leaked_suspects *leaked = &findings->leaked;
    uint32_t shown = shown_of(suspects, suspects->group_count);
    bool is_native = suspects->question->query->snapshot->native;
    int status = CLI_OK;
    if (suspects->count)
        printf("%s object%s should be gone but %s held (%s distinct cause%s); %s %s object%s, %s "
               "alive\n",
               cli_count(suspects->count), suspects->count == 1 ? "" : "s",
               suspects->count == 1 ? "is" : "are", cli_count(suspects->group_count),
               suspects->group_count == 1 ? "" : "s",
               suspects->count == 1 ? "it keeps" : "they keep", cli_count(suspects->total.objects),
               suspects->total.objects == 1 ? "" : "s", cli_bytes(suspects->total.bytes));
    else
        printf("No %ssuspects (%s rules%s)\n", findings->hidden ? "other " : "",
               cli_count(suspects->question->rules.count), no_owner(&findings->owners).text);
    struct loupe_patterns mistakes = patterns_shipped(&suspects->question->arena);
    for (uint32_t i = 0; i < shown; i++)
        show_group(suspects, &mistakes, suspects->groups[i]);
    if (shown < suspects->group_count)
        printf("\n… and %s more causes (--limit 0 shows all)\n",
               cli_count(suspects->group_count - shown));
    if (suspects->by_others)
        printf("\n%s more should be gone and %s held by these only\n",
               cli_count(suspects->by_others), suspects->by_others == 1 ? "is" : "are");
    if (is_native)
        status = leaked_suspects_show(leaked, shown_of(suspects, leaked->group_count));
    else if (suspects->not_held)
        printf("\n%s object%s that should be gone will be freed: %s\n",
               cli_count(suspects->not_held), suspects->not_held == 1 ? "" : "s",
               suspects->not_held == 1 ? "it is garbage" : "they are garbage");
    share_suspects_show(&findings->owners);
    show_hidden(findings);
    heap_print_notes(suspects->question->query, true);
    return status;
}

/* An incomplete answer passes no gate. */
static int status_of(const struct findings *findings) {
    const struct heap_query *query = findings->held.question->query;
    const struct verb_values *options = &query->options;
    bool compares = options->baseline && !options->write_baseline;
    bool gate = options->fail_if_found || compares;
    bool incomplete =
        findings->leaked.not_looked_at || (gate && loupe_snapshot_is_incomplete(query->snapshot));
    bool found = findings->held.count || findings->leaked.group_count || findings->owners.count;
    if (incomplete && !options->allow_incomplete)
        return CLI_INCOMPLETE;
    return gate && found && !options->write_baseline ? CLI_FOUND : CLI_OK;
}

/* False: no memory. */
static bool hide_known(struct findings *findings) {
    bool held_done, leaked_done;
    findings->hidden = held_suspects_hide(&findings->held, &findings->gates, &held_done);
    findings->hidden += leaked_suspects_hide(&findings->leaked, &findings->gates, &leaked_done);
    share_suspects_hide(&findings->owners, &findings->gates);
    findings->hidden += findings->owners.hidden;
    return held_done && leaked_done;
}

static int answer_with(struct findings *findings) {
    const struct heap_query *query = findings->held.question->query;
    if (!hide_known(findings))
        return heap_ended(query);
    int status = heap_gates_finish(&findings->gates, query);
    if (!status)
        status = heap_begin_output(query);
    if (!status)
        status = query->options.json ? report(findings) : show(findings);
    return status ? status : status_of(findings);
}

static int answer(struct findings *findings) {
    int status = leaked_suspects_find(&findings->leaked, &findings->held);
    int owners_status = share_suspects_find(&findings->owners, findings->held.question);
    if (!status)
        status = owners_status ? owners_status : answer_with(findings);
    share_suspects_deinit(&findings->owners);
    leaked_suspects_deinit(&findings->leaked);
    return status;
}

static int ask(struct findings *findings, struct heap_query *query) {
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    status = held_suspects_find(&findings->held, &question) ? answer(findings) : heap_ended(query);
    held_suspects_deinit(&findings->held);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_suspects(struct heap_query *query) {
    struct findings findings = {.hidden = 0};
    int status = heap_gates_init(&findings.gates, query);
    if (status)
        return status;
    status = ask(&findings, query);
    heap_gates_deinit(&findings.gates);
    return status;
}

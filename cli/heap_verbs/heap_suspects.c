/* loupe suspects: what should be gone by rules and is not, and who keeps most of a heap. */
#include "base/text.h"
#include "heap_questions/suspects/causes.h"
#include "heap_verbs/native_cycles.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_gates.h"
#include "heaps/heap_question.h"
#include "text/native_text.h"
#include "pictures/picture_patterns.h"

#include <string.h>

enum { SHOWN_UNLESS_TOLD = 20, DEFAULT_PERCENT = 10, WHOLE = 100 };

/* "10", "10%". */
int heap_read_percent(const struct heap_query *query, uint32_t *ret) {
    const char *text = query->options.share, *cursor = text;
    uint64_t percent = DEFAULT_PERCENT;
    if (text && (!loupe_parse_decimal(&cursor, text + strlen(text), WHOLE, &percent) ||
                 (cursor[0] == '%' ? cursor[1] : cursor[0]) || percent == 0))
        return heap_fail(query, LOUPE_EUSAGE,
                         "--share takes a percentage from 1 to 100 (such as 10%%), not '%s'",
                         cli_printable(loupe_span_of(text)));
    *ret = (uint32_t)percent;
    return CLI_OK;
}

static bool knows(void *ctx, uint64_t fingerprint, const char *what, struct loupe_span name) {
    return heap_gates_know_suspect(ctx, fingerprint, what, name);
}

static int say(const struct heap_query *query, const struct loupe_causes *causes,
               struct heap_gates *gates) {
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, causes->leaked.not_looked_at);
    if (status)
        return status;
    enum loupe_status made =
        loupe_report_causes(&said.json, causes, heap_query_most(query, SHOWN_UNLESS_TOLD));
    if (query->options.baseline)
        loupe_json_put_uint(&said.json, "hidden_by_baseline", causes->hidden);
    heap_gates_report(gates, query, &said.json);
    return heap_answer_end(&said, NULL, made);
}

/* An incomplete answer passes no gate. */
static int status_of(const struct heap_query *query, const struct loupe_causes *causes) {
    const struct verb_values *options = &query->options;
    bool compares = options->baseline && !options->write_baseline;
    bool gate = options->fail_if_found || compares;
    bool incomplete =
        causes->leaked.not_looked_at || (gate && loupe_snapshot_is_incomplete(query->snapshot));
    bool found = causes->held.count || causes->leaked.group_count || causes->owners.count;
    if (incomplete && !options->allow_incomplete)
        return CLI_INCOMPLETE;
    return gate && found && !options->write_baseline ? CLI_FOUND : CLI_OK;
}

/* ---- The question ---- */

static int answer(const struct heap_query *query, const struct loupe_causes *causes,
                  struct heap_gates *gates) {
    int status = heap_gates_finish(gates, query);
    if (!status)
        status = say(query, causes, gates);
    return status ? status : status_of(query, causes);
}

static int ask(const struct heap_query *query, uint32_t percent, struct heap_gates *gates) {
    struct heap_question question;
    struct loupe_causes causes;
    struct loupe_heap_cycles_asked rings = heap_cycles_asked(query, gates);
    struct loupe_known_causes known = {.ctx = gates, .knows = knows};
    struct loupe_causes_asked asked = {
        .percent = percent, .rings = &rings, .names = &words_names, .known = &known};
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    struct loupe_patterns mistakes = patterns_shipped(&question.heap.arena);
    asked.mistakes = &mistakes;
    heap_question_search_both(&question);
    status = loupe_causes_find(&causes, &question.heap, &asked) ? heap_ended(query)
                                                                : answer(query, &causes, gates);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_suspects(struct heap_query *query) {
    struct heap_gates gates;
    uint32_t percent = 0;
    int status = heap_read_percent(query, &percent);
    if (!status)
        status = heap_gates_init(&gates, query);
    if (status)
        return status;
    status = ask(query, percent, &gates);
    heap_gates_deinit(&gates);
    return status;
}

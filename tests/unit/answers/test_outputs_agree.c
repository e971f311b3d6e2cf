/*
 * One heap, one answer: of 200 drawn heaps every output says the same of each knot. What is asked
 * of the heap's answer is its severity, verdict, fingerprint and best advice; what is looked at is
 * the text of each host, the page, the drawing and the reports.
 */
#include "answers/parts/gathered_text.h"
#include "answers/parts/knot_text.h"
#include "graphs/brute_force.h"
#include "check.h"
#include "graphs/drawn_graph.h"
#include "pictures/answer.h"
#include "pictures/dot/dot.h"
#include "pictures/page/page.h"
#include "pictures/reports/reports.h"
#include "report/objects/report_cycles.h"

#include <stdlib.h>
#include <string.h>

enum { HEAPS = 200, MOST_NODES = 10 };

static struct drawn_graph drawn;
static struct loupe_arena arena;

/* ---- The answer ---- */

static char *answer_of(struct drawn_graph *graph) {
    struct drawn_text text = {0};
    struct loupe_cycles cycles;
    struct loupe_cycles_options options = {.max_rings = 4};
    struct loupe_envelope envelope = {
        .query = "retain-cycles", .engine = "drawn", .abi = "apple", .pointer_size = 8};
    CHECK_EQ(drawn_graph_build(graph, 0), LOUPE_OK);
    CHECK_EQ(loupe_cycles_find(&graph->graph, &graph->describer, &options, &arena, &cycles),
             LOUPE_OK);
    struct loupe_cycles_answer answer = {.envelope = &envelope,
                                         .graph = &graph->graph,
                                         .describer = &graph->describer,
                                         .options = &options,
                                         .cycles = &cycles,
                                         .memory = &graph->memory,
                                         .findings = &graph->findings,
                                         .arena = &arena};
    struct loupe_json json;
    loupe_json_init(&json, drawn_text_sink(&text));
    CHECK_EQ(loupe_report_cycles(&json, &answer), LOUPE_OK);
    CHECK_EQ(loupe_json_finish(&json), LOUPE_OK);
    return text.text;
}

/* ---- Looking for words ---- */

static bool has(struct loupe_span text, struct loupe_span words) {
    for (size_t at = 0; at + words.length <= text.length; at++) {
        if (!memcmp(text.bytes + at, words.bytes, words.length))
            return true;
    }
    return !words.length;
}

static unsigned count(struct loupe_span text, const char *words) {
    size_t length = strlen(words);
    unsigned found = 0;
    for (size_t at = 0; at + length <= text.length; at++)
        found += !memcmp(text.bytes + at, words, length);
    return found;
}

/* The line that begins with those words, behind them; empty: there is none. */
static struct loupe_span line_behind(struct loupe_span text, const char *words) {
    size_t length = strlen(words);
    for (size_t at = 0; at + length <= text.length; at++) {
        if ((at && text.bytes[at - 1] != '\n') || memcmp(text.bytes + at, words, length) != 0)
            continue;
        const char *begin = text.bytes + at + length, *end = text.bytes + text.length;
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        return (struct loupe_span){begin, (size_t)((newline ? newline : end) - begin)};
    }
    return (struct loupe_span){NULL, 0};
}

/* ---- Text, of each host ---- */

static const struct json_value *knot_of(const struct answer *answer,
                                        const struct picture_finding *finding) {
    JSON_EACH(knot, json_member(answer->root, "knots")) {
        if (json_texts_equal(json_text(knot, "fingerprint"), finding->fingerprint) &&
            json_texts_equal(json_text(knot, "verdict"), finding->verdict))
            return knot;
    }
    return NULL;
}

/* What is to be done at first: alone, or with others. */
static struct loupe_span best_advice(const struct picture_finding *finding) {
    for (uint32_t i = 0; i < finding->change_count; i++) {
        if (finding->changes[i].together)
            return finding->changes[i].text;
    }
    return finding->change_count ? finding->changes->text : (struct loupe_span){NULL, 0};
}

static void check_text(const struct answer *answer, const struct picture_finding *finding,
                       enum answer_host host) {
    struct gathered_text text = {.arena = &arena};
    struct answer_look look = {.host = host, .unicode = true};
    struct answer_knot_notes notes = {.is_lost = false};
    struct answer_lines lines;
    const struct json_value *knot = knot_of(answer, finding);
    CHECK(knot);
    answer_lines_init(&lines, answer, &look, gathered_text_sink(&text));
    answer_say_knot_heading(&lines, knot);
    CHECK_EQ(answer_say_knot(&lines, knot, &notes), LOUPE_OK);
    struct loupe_span said = gathered_text_get(&text);
    struct loupe_span advice = best_advice(finding), first = line_behind(said, "    • ");
    CHECK_EQ(loupe_span_equals(finding->verdict, "leaked"),
             has(line_behind(said, ""), loupe_span_of(", leaked: ")));
    CHECK_EQ(loupe_span_equals(finding->verdict, "held"),
             has(line_behind(said, ""), loupe_span_of(", held: ")));
    CHECK_EQ(finding->certain, !loupe_span_starts_with(said, "Possible ") &&
                                   !loupe_span_starts_with(said, "An object that may "));
    CHECK(first.length >= advice.length &&
          (!advice.length || !memcmp(first.bytes, advice.bytes, advice.length)));
    CHECK_EQ(!advice.length, !first.length);
}

/* ---- Pictures and reports ---- */

static struct loupe_span page_of(const struct picture *picture) {
    struct gathered_text text = {.arena = &arena};
    CHECK_EQ(page_write_data(picture, gathered_text_sink(&text)), LOUPE_OK);
    return gathered_text_get(&text);
}

static struct loupe_span drawing_of(const struct picture *picture) {
    struct gathered_text text = {.arena = &arena};
    CHECK_EQ(picture_write_dot(picture, true, gathered_text_sink(&text)), LOUPE_OK);
    return gathered_text_get(&text);
}

static struct loupe_span report_of(const struct picture *picture,
                                   const struct report_format *format) {
    struct gathered_text text = {.arena = &arena};
    struct report_run run = {.picture = picture, .version = "1", .number = 1};
    CHECK_EQ(format->write(&run, gathered_text_sink(&text)), LOUPE_OK);
    return gathered_text_get(&text);
}

/* So many are errors as the answer says. */
static void check_errors(const struct picture *picture, struct loupe_span text, const char *mark) {
    unsigned errors = 0;
    for (uint32_t i = 0; i < picture->finding_count; i++)
        errors += picture->findings[i].severity == LOUPE_SEVERITY_ERROR;
    CHECK_EQ(count(text, mark), errors);
}

static void check_advice(const struct picture *picture, struct loupe_span text) {
    for (uint32_t i = 0; i < picture->finding_count; i++)
        CHECK(has(text, best_advice(&picture->findings[i])));
}

/* Behind the rules, which have levels of their own. */
static struct loupe_span results_of(struct loupe_span sarif) {
    static const char key[] = "\"results\":[";
    size_t at = 0;
    while (at < sarif.length && !has((struct loupe_span){sarif.bytes, at}, loupe_span_of(key)))
        at++;
    return (struct loupe_span){sarif.bytes + at, sarif.length - at};
}

static void check_fingerprints(const struct picture *picture, struct loupe_span text) {
    for (uint32_t i = 0; i < picture->finding_count; i++)
        CHECK(has(text, picture->findings[i].fingerprint));
}

static void check_outputs(const struct picture *picture) {
    struct loupe_span page = page_of(picture), sarif = report_of(picture, &report_sarif),
                      github = report_of(picture, &report_github),
                      gitlab = report_of(picture, &report_gitlab);
    check_errors(picture, page, "\"severity\":\"error\"");
    check_errors(picture, github, "::error ");
    check_errors(picture, gitlab, "\"severity\":\"major\"");
    check_errors(picture, results_of(sarif), "\"level\":\"error\"");
    check_errors(picture, report_of(picture, &report_markdown), "| **error** |");
    check_advice(picture, page);
    check_advice(picture, github);
    check_advice(picture, gitlab);
    check_advice(picture, sarif);
    check_fingerprints(picture, page);
    check_fingerprints(picture, sarif);
    check_fingerprints(picture, gitlab);
    check_fingerprints(picture, drawing_of(picture));
    check_fingerprints(picture, report_of(picture, &report_junit));
}

/* What the answer says is what the picture has. */
static void check_finding(const struct answer *answer, const struct picture_finding *finding) {
    const struct json_value *knot = knot_of(answer, finding);
    bool is_leaked = loupe_span_equals(finding->verdict, "leaked") && finding->certain;
    CHECK(knot);
    CHECK(loupe_span_equals(json_text(knot, "severity"), loupe_severity_name(finding->severity)));
    CHECK_EQ(is_leaked, finding->severity == LOUPE_SEVERITY_ERROR);
    CHECK_EQ(is_leaked, loupe_span_equals(json_text(knot, "degree"), "unowned"));
    check_text(answer, finding, ANSWER_IN_DEBUGGER);
    check_text(answer, finding, ANSWER_IN_TERMINAL);
    check_text(answer, finding, ANSWER_IN_PROGRAM);
}

/* Some references are only assumed to own, and some objects have an owner that nobody knows. */
static void draw_heap(uint64_t *random) {
    struct brute_force brute;
    drawn_graph_init(&drawn);
    brute_draw(&drawn, random, MOST_NODES);
    brute_force(&drawn, &brute);
    for (uint32_t i = 0; i < drawn.edge_count; i++) {
        if (drawn_random(random) % 4 == 0)
            drawn.edges[i].ownership = LOUPE_ASSUMED;
    }
    for (uint32_t i = 0; i < drawn.node_count; i++) {
        if (drawn_random(random) % 5 == 0)
            drawn.nodes[i].retain_count = drawn.nodes[i].references + 1;
    }
}

static uint32_t check_heap(uint64_t *random) {
    struct answer answer;
    struct picture picture;
    struct loupe_error err = {0};
    const struct json_value *root;
    draw_heap(random);
    loupe_arena_init(&arena, &drawn_chunks);
    char *text = answer_of(&drawn);
    CHECK_EQ(json_read(loupe_span_of(text), &arena, &root, &err), LOUPE_OK);
    CHECK_EQ(answer_open(&answer, root, &arena), LOUPE_OK);
    CHECK_EQ(picture_of_answer(root, &arena, &picture, &err), LOUPE_OK);
    for (uint32_t i = 0; i < picture.finding_count; i++)
        check_finding(&answer, &picture.findings[i]);
    check_outputs(&picture);
    uint32_t found = picture.finding_count;
    answer_close(&answer);
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
    free(text);
    return found;
}

static void test_drawn_heaps(void) {
    uint64_t random = 33;
    uint32_t found = 0;
    for (unsigned i = 0; i < HEAPS; i++)
        found += check_heap(&random);
    CHECK(found > HEAPS / 2);
}

int main(void) {
    RUN(test_drawn_heaps);
    return check_report();
}

/* Knots of a native heap: written as the answer that they are, and read by who words it. */
#include "text/show_knot.h"

#include "answers/parts/gathered_text.h"
#include "answers/parts/knot_text.h"
#include "answers/reports/heaps/leak_entry.h"
#include "shared/cli.h"
#include "shared/look.h"
#include "pictures/picture_patterns.h"
#include "report/heaps/report_leaks.h"

#include <stdio.h>

struct knot_scene knot_scene_of(struct loupe_heap_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_cycles *cycles, struct loupe_arena *arena) {
    graph->names = &words_names;
    return (struct knot_scene){.graph = graph,
                               .describer = describer,
                               .cycles = cycles,
                               .mistakes = patterns_shipped(arena)};
}

/* ---- The answer ---- */

static struct loupe_span mistake_of(const void *ctx, const struct loupe_knot_facts *knot) {
    const struct knot_scene *scene = ctx;
    const struct loupe_pattern *pattern =
        loupe_known_mistake_of_knot(&scene->mistakes, scene->graph, knot);
    return pattern ? pattern->name : (struct loupe_span){"", 0};
}

/* Of this knot alone. */
static enum loupe_status write_knot(struct shown_knot *shown, struct gathered_text *text) {
    static const uint32_t first = 0;
    const struct knot_scene *scene = shown->scene;
    struct loupe_knot_facts knot = *shown->facts;
    struct loupe_cycles cycles = *scene->cycles;
    struct loupe_cycles_options options = {.focus = knot.contains_focus ? 0 : LOUPE_NO_NODE};
    struct loupe_cycles_answer answer = {.heap = scene->graph,
                                         .graph = &scene->graph->graph,
                                         .describer = scene->describer,
                                         .options = &options,
                                         .cycles = &cycles,
                                         .arena = &shown->arena};
    struct loupe_heap_shown only = {
        .order = &first, .order_count = 1, .mistake = mistake_of, .ctx = scene};
    struct loupe_json json;
    cycles.knots = &knot;
    cycles.knot_count = 1;
    loupe_json_init(&json, gathered_text_sink(text));
    loupe_json_begin_object(&json);
    enum loupe_status status = loupe_report_heap_knots(&json, scene->graph, &answer, &only);
    loupe_json_end_object(&json);
    return status ? status : loupe_json_finish(&json);
}

void shown_knot_open(const struct knot_scene *scene, const struct loupe_knot_facts *facts,
                     struct shown_knot *ret) {
    struct loupe_error err = {0};
    const struct json_value *root;
    *ret = (struct shown_knot){.scene = scene, .facts = facts};
    loupe_arena_init(&ret->arena, &cli_chunks);
    struct gathered_text text = {.arena = &ret->arena};
    enum loupe_status status = write_knot(ret, &text);
    if (!status)
        status = json_read(gathered_text_get(&text), &ret->arena, &root, &err);
    if (!status)
        status = answer_open(&ret->answer, root, &ret->arena);
    if (!status)
        ret->knot = json_member(root, "knots")->first;
}

void shown_knot_close(struct shown_knot *shown) {
    if (shown->knot)
        answer_close(&shown->answer);
    loupe_arena_deinit(&shown->arena);
}

/* ---- Text ---- */

/* Onto standard output. */
static void begin_lines(const struct shown_knot *shown, struct answer_lines *ret) {
    struct answer_look look = look_of_tool();
    answer_lines_init(ret, &shown->answer, &look, cli_stdout_sink());
}

static void print_line(const struct answer_lines *lines) {
    fwrite(lines->line.bytes, 1, lines->line.length, stdout);
}

void show_knot_size(const struct shown_knot *shown) {
    struct answer_lines lines;
    begin_lines(shown, &lines);
    if (shown->knot)
        answer_say_size(&lines, shown->knot);
    print_line(&lines);
}

void show_verdict(const struct shown_knot *shown) {
    struct answer_lines lines;
    begin_lines(shown, &lines);
    if (shown->knot)
        answer_say_verdict(&lines, shown->knot);
    print_line(&lines);
}

void show_knot(const struct shown_knot *shown) {
    struct answer_lines lines;
    begin_lines(shown, &lines);
    if (!shown->knot) {
        printf("  (not shown: out of memory)\n");
        return;
    }
    struct answer_knot_notes notes = {.mistake = json_text(shown->knot, "mistake")};
    if (answer_say_knot(&lines, shown->knot, &notes))
        printf("  (not shown: out of memory)\n");
    answer_say_ring_allocations(&lines, shown->knot);
}

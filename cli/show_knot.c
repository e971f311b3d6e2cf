/* Knots of a native heap: written as the answer that they are, and read by who words it. */
#include "show_knot.h"

#include "amounts.h"
#include "answers/gathered_text.h"
#include "answers/knot_text.h"
#include "cli.h"
#include "look.h"
#include "pictures/picture_patterns.h"
#include "report/report_cycles.h"
#include "report/report_graph.h"
#include "show_stack.h"

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

static enum loupe_status write_answer(const struct loupe_cycles_answer *answer,
                                      const struct loupe_knot_facts *knot,
                                      struct loupe_json *json) {
    struct loupe_named_nodes named;
    enum loupe_status status = loupe_report_list_named(answer, &named);
    if (status)
        return status;
    loupe_json_begin_object(json);
    loupe_report_objects(json, answer->graph, answer->describer, named.nodes, named.count);
    loupe_json_key(json, "knots");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_report_knot(json, answer, knot, loupe_report_edges_shown(answer->cycles));
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    return loupe_json_finish(json);
}

/* Of this knot alone. One that is lost is judged by its own verdict. */
static enum loupe_status write_knot(struct shown_knot *shown, struct gathered_text *text) {
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
    struct loupe_json json;
    knot.verdict = scene->lost ? *scene->lost : knot.verdict;
    cycles.knots = &knot;
    cycles.knot_count = 1;
    loupe_json_init(&json, gathered_text_sink(text));
    return write_answer(&answer, &knot, &json);
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
    const struct knot_scene *scene = shown->scene;
    const struct loupe_pattern *mistake =
        loupe_known_mistake_of_knot(&scene->mistakes, scene->graph, shown->facts);
    struct answer_knot_notes notes = {.is_lost = scene->lost};
    struct answer_lines lines;
    if (mistake)
        notes.mistake = mistake->name;
    begin_lines(shown, &lines);
    if (!shown->knot || answer_say_knot(&lines, shown->knot, &notes))
        printf("  (not shown: out of memory)\n");
    for (uint32_t i = 0; i < shown->facts->rings.count; i++)
        show_allocations_of_ring(scene->graph, &shown->facts->rings.items[i]);
}

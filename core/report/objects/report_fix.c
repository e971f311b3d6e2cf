/* A fix: the reference that has to go, what to change for it, and what comes of that. */
#include "report/objects/report_fix.h"

#include "report/report_graph.h"

struct loupe_adviser loupe_report_adviser(const struct loupe_cycles_answer *answer,
                                          const struct loupe_knot_facts *knot) {
    return (struct loupe_adviser){
        .graph = answer->graph,
        .describer = answer->describer,
        .knot = knot,
        .without_weak_references =
            answer->without_weak_references ||
            (answer->heap && !loupe_heap_has_weak_references(answer->heap->snapshot))};
}

static void write_edge(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                       uint32_t from, uint32_t edge) {
    loupe_report_edge(json, answer->graph, answer->describer, from, edge);
}

/* ---- Advice ---- */

static void write_subjects(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                           const struct loupe_advice *advice) {
    loupe_json_key(json, "subjects");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < advice->count; i++) {
        const struct loupe_subject *subject = &advice->subjects[i];
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "do", loupe_change_name(subject->change));
        loupe_json_key(json, "edge");
        write_edge(json, answer, subject->from, subject->edge);
        if (subject->in_edge != LOUPE_NO_EDGE) {
            loupe_json_key(json, "in");
            write_edge(json, answer, subject->in_from, subject->in_edge);
        }
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_conditions(struct loupe_json *json, const struct loupe_advice *advice) {
    loupe_json_key(json, "conditions");
    loupe_json_begin_array(json);
    if (advice->unowned_name)
        loupe_json_string(json, "unowned-name");
    if (advice->only_holder)
        loupe_json_string(json, "only-holder");
    if (advice->frees_at_once)
        loupe_json_string(json, "frees-at-once");
    loupe_json_end_array(json);
}

enum { LONGEST_ADVICE = 512 };

/* What it means in the source; as a sentence where somebody with names of places is there to say
 * it. */
static void write_advice(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                         const struct loupe_knot_facts *knot, uint32_t number) {
    static const char *const reaches[] = {[LOUPE_REACHES_RING] = "ring",
                                          [LOUPE_REACHES_KNOT] = "knot",
                                          [LOUPE_REACHES_EVERYWHERE] = "everywhere"};
    struct loupe_adviser adviser = loupe_report_adviser(answer, knot);
    struct loupe_advice advice;
    char text[LONGEST_ADVICE];
    loupe_advise(&adviser, &knot->fixes.items[number], &advice);
    loupe_json_put_string(json, "do", loupe_change_name(advice.subjects->change));
    write_subjects(json, answer, &advice);
    loupe_json_put_string(json, "reach", reaches[advice.reach]);
    write_conditions(json, &advice);
    loupe_json_put_uint(json, "rank", number + 1);
    if (!answer->heap || !answer->heap->names)
        return;
    answer->heap->names->fix(answer->heap, &advice, text, sizeof(text));
    loupe_json_put_string(json, "text", text);
}

/* ---- The whole ---- */

/* What it does for the objects that should go, and what speaks against it. */
static void write_use(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                      const struct loupe_fix *fix) {
    loupe_json_key(json, "frees");
    if (fix->frees == LOUPE_FREES_UNKNOWN)
        loupe_json_null(json);
    else
        loupe_json_bool(json, fix->frees == LOUPE_FREES);
    loupe_json_key(json, "kept_by");
    if (fix->kept_by == LOUPE_NO_NODE)
        loupe_json_null(json);
    else
        loupe_json_address(json, loupe_graph_address(answer->graph, fix->kept_by));
    loupe_json_key(json, "against");
    loupe_json_begin_array(json);
    if (!fix->practicable)
        loupe_json_string(json, "system-ivar");
    if (fix->doubtful)
        loupe_json_string(json, "unowned-name");
    if (fix->only_holder)
        loupe_json_string(json, "only-holder");
    if (fix->frees_at_once)
        loupe_json_string(json, "frees-at-once");
    loupe_json_end_array(json);
}

void loupe_report_fix(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                      const struct loupe_knot_facts *knot, uint32_t number) {
    const struct loupe_fix *fix = &knot->fixes.items[number];
    loupe_json_begin_object(json);
    write_advice(json, answer, knot, number);
    loupe_json_key(json, "edge");
    write_edge(json, answer, fix->from, fix->edge);
    loupe_json_put_string(json, "reason", fix->reason);
    loupe_json_put_string(json, "breaks", fix->breaks_knot ? "knot" : "ring");
    loupe_json_key(json, "everywhere");
    if (fix->tried_everywhere)
        loupe_json_string(json, fix->breaks_everywhere ? "knot" : "ring");
    else
        loupe_json_null(json);
    write_use(json, answer, fix);
    loupe_json_put_bool(json, "enough", loupe_fix_is_enough(fix, knot->contains_seed));
    loupe_json_put_bool(json, "together", fix->together);
    loupe_json_put_uint(json, "parallel", fix->parallel_count);
    loupe_json_key(json, "with");
    loupe_json_begin_array(json);
    /* Cap: the field parallel has the count. */
    for (uint32_t i = 0; i < fix->parallel_count && i < LOUPE_MAX_FIX_PARALLELS; i++)
        write_edge(json, answer, fix->from, fix->parallels[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

#include "heap_questions/suspects/causes.h"

static enum loupe_status hide(struct loupe_causes *causes, const struct loupe_known_causes *known) {
    uint32_t leaked;
    enum loupe_status status = loupe_held_suspects_hide(&causes->held, known, &causes->hidden);
    if (!status)
        status = loupe_leaked_suspects_hide(&causes->leaked, known, &leaked);
    if (status)
        return status;
    loupe_share_suspects_hide(&causes->owners, known);
    causes->hidden += leaked + causes->owners.hidden;
    return LOUPE_OK;
}

enum loupe_status loupe_causes_find(struct loupe_causes *causes,
                                    struct loupe_heap_question *question,
                                    const struct loupe_causes_asked *asked) {
    *causes = (struct loupe_causes){.own = {.rings = *asked->rings,
                                            .chunks = question->chunks,
                                            .names = asked->names,
                                            .mistakes = asked->mistakes}};
    enum loupe_status status = loupe_held_suspects_find(&causes->held, question);
    if (!status)
        status = loupe_leaked_suspects_find(&causes->leaked, &causes->held, asked->rings);
    if (!status)
        status = loupe_share_suspects_find(&causes->owners, question, asked->names, asked->percent);
    return status ? status : hide(causes, asked->known);
}

/* ---- JSON ---- */

static void report_totals(struct loupe_json *json, const struct loupe_causes *causes) {
    const struct loupe_held_suspects *held = &causes->held;
    loupe_json_put_uint(json, "found", held->count);
    loupe_json_put_uint(json, "held_by_suspects", held->by_others);
    loupe_json_put_uint(json, "not_held", held->not_held);
    loupe_json_put_uint(json, "retained", held->total.bytes);
    loupe_json_put_uint(json, "retained_objects", held->total.objects);
    loupe_json_put_uint(json, "retained_others", held->total.others);
    loupe_json_put_uint(json, "groups", held->group_count);
    loupe_json_put_uint(json, "rules", held->question->rules.count);
    loupe_json_put_uint(json, "alive", causes->owners.alive);
    loupe_json_put_uint(json, "percent", causes->owners.percent);
    loupe_json_put_uint(json, "hidden_owners", causes->owners.hidden);
}

static enum loupe_status report(struct loupe_json *json, const struct loupe_causes *causes,
                                struct loupe_shown_stacks *stacks, uint32_t shown) {
    report_totals(json, causes);
    loupe_json_key(json, "suspects");
    loupe_json_begin_array(json);
    enum loupe_status status =
        loupe_report_held_suspects(json, &causes->held, &causes->own, stacks, shown);
    loupe_report_share_suspects(json, &causes->owners, stacks);
    loupe_json_end_array(json);
    if (!status && causes->own.rings.snapshot->native)
        status = loupe_report_leaked_suspects(json, &causes->leaked, &causes->own, shown);
    loupe_report_shown_stacks(json, stacks);
    return status;
}

enum loupe_status loupe_report_causes(struct loupe_json *json, const struct loupe_causes *causes,
                                      uint32_t most) {
    struct loupe_shown_stacks stacks;
    enum loupe_status status =
        loupe_shown_stacks_init(&stacks, causes->own.rings.snapshot, causes->own.chunks);
    if (status)
        return status;
    status = report(json, causes, &stacks, most ? most : UINT32_MAX);
    loupe_shown_stacks_deinit(&stacks);
    return status;
}

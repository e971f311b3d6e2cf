#include "heap_questions/causes.h"

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
    *causes = (struct loupe_causes){.names = asked->names};
    enum loupe_status status = loupe_held_suspects_find(&causes->held, question);
    if (!status)
        status = loupe_leaked_suspects_find(&causes->leaked, &causes->held, asked->rings);
    if (!status)
        status = loupe_share_suspects_find(&causes->owners, question, asked->names, asked->percent);
    return status ? status : hide(causes, asked->known);
}

/* ---- JSON ---- */

static void report_held(struct loupe_json *json, const struct loupe_held_suspects *held) {
    loupe_json_put_uint(json, "found", held->count);
    loupe_json_put_uint(json, "held_by_suspects", held->by_others);
    loupe_json_put_uint(json, "not_held", held->not_held);
    loupe_json_put_uint(json, "retained", held->total.bytes);
    loupe_json_put_uint(json, "retained_objects", held->total.objects);
    loupe_json_put_uint(json, "groups", held->group_count);
}

enum loupe_status loupe_report_causes(struct loupe_json *json, const struct loupe_causes *causes,
                                      uint32_t most) {
    uint32_t shown = most ? most : UINT32_MAX;
    report_held(json, &causes->held);
    loupe_json_put_uint(json, "alive", causes->owners.alive);
    loupe_json_key(json, "suspects");
    loupe_json_begin_array(json);
    loupe_report_held_suspects(json, &causes->held, shown);
    loupe_report_share_suspects(json, &causes->owners);
    loupe_json_end_array(json);
    if (!causes->leaked.rings.snapshot->native)
        return LOUPE_OK;
    return loupe_report_leaked_suspects(json, &causes->leaked, causes->names, shown);
}

#include "heap_questions/cycles/own_cycle.h"

#include "mistakes/known_mistakes.h"
#include "report/heaps/report_leaks.h"

/* Of all knots that it leads to, its own. */
static enum loupe_status report(struct loupe_json *json, struct loupe_heap_cycles *found,
                                const struct loupe_patterns *patterns) {
    uint32_t knots = found->cycles.knot_count;
    bool *is_hidden = loupe_arena_alloc_array(&found->arena, knots, sizeof(*is_hidden));
    if (!is_hidden)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < knots; i++)
        is_hidden[i] = !found->cycles.knots[i].contains_seed;
    struct loupe_cycles_answer answer = {.heap = &found->graph,
                                         .graph = &found->graph.graph,
                                         .describer = &found->describer,
                                         .options = &found->options,
                                         .cycles = &found->cycles,
                                         .arena = &found->arena};
    struct loupe_mistakes_of_knots mistakes = {.patterns = patterns, .graph = &found->graph};
    struct loupe_heap_shown shown = {
        .is_hidden = is_hidden, .mistake = loupe_name_mistake_of_knot, .ctx = &mistakes};
    return loupe_report_heap_knots(json, &found->graph, &answer, &shown);
}

enum loupe_status loupe_report_own_cycle(struct loupe_json *json,
                                         const struct loupe_own_cycle_asked *asked, uint32_t node) {
    struct loupe_heap_cycles found;
    struct loupe_heap_cycles_asked rings = asked->rings;
    rings.object = node;
    enum loupe_status status = loupe_heap_cycles_find(&found, &rings, asked->chunks);
    found.graph.names = asked->names;
    if (!status)
        status = report(json, &found, asked->mistakes);
    loupe_heap_cycles_deinit(&found);
    return status;
}

#include "growth.h"

#include "known_mistakes.h"

#include <string.h>

/* So many objects are looked at, the newest by their place in the heap. */
enum { LOOKED_AT = 8 };

static bool is_named(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static const struct pattern *pattern_of_path(struct heap_question *question,
                                             const struct patterns *patterns,
                                             const struct loupe_shortest *shortest, uint32_t node) {
    struct loupe_trace trace;
    return loupe_trace_shortest(&question->tracer, shortest, node, NULL, &trace)
               ? NULL
               : known_mistake_of_trace(patterns, &question->tracer, &trace);
}

const struct pattern *growth_pattern(struct heap_question *question,
                                     const struct patterns *patterns,
                                     struct loupe_span class_name) {
    const struct loupe_snapshot *snapshot = question->query->snapshot;
    const struct loupe_shortest *shortest = heap_question_shortest(question, NULL);
    const struct pattern *found = NULL;
    uint32_t looked_at = 0;
    for (uint32_t node = snapshot->columns.nodes; shortest && node-- && looked_at < LOOKED_AT;) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
        if (!is_named(name, class_name) || loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE)
            continue;
        looked_at++;
        found = pattern_of_path(question, patterns, shortest, node);
        if (found)
            break;
    }
    return found;
}

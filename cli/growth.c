#include "growth.h"

#include <string.h>

/* So many objects are looked at, the newest by their place in the heap, and so many steps before
 * each: what collects is near to what it collects. */
enum { LOOKED_AT = 8, NEAREST = 16 };

static bool is_named(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static bool add_thing(struct picture *picture, const struct loupe_snapshot *snapshot,
                      uint32_t node) {
    struct picture_thing *thing = picture_add_thing(picture);
    uint32_t is = loupe_snapshot_class_at(snapshot, node);
    if (!thing)
        return false;
    thing->kind = loupe_span_of(is == LOUPE_NONE ? "object" : "class");
    thing->class_name =
        loupe_snapshot_class_name(snapshot, is == LOUPE_NONE ? snapshot->classes[node] : is);
    return true;
}

static void name_arrow(const struct loupe_tracer *tracer, uint32_t from, uint32_t to,
                       struct picture_arrow *arrow) {
    uint32_t link =
        loupe_path_link(&tracer->columns, tracer->policy->paths, tracer->policy->late, from, to);
    struct loupe_link_name name = {.kind = LOUPE_LINK_NAME_UNKNOWN};
    if (link != LOUPE_NO_EDGE)
        loupe_snapshot_name_link(tracer->snapshot, from, link, &name);
    arrow->path = name.name;
    arrow->kind = loupe_span_of(name.kind == LOUPE_LINK_NAME_STATIC    ? "static"
                                : name.kind == LOUPE_LINK_NAME_ELEMENT ? "element"
                                                                       : "field");
}

/* The end of the path to a node, as a finding: things are numbered from the object back. */
static const struct pattern *pattern_of_path(struct heap_question *question,
                                             const struct patterns *patterns,
                                             const struct loupe_shortest *shortest, uint32_t node) {
    const struct loupe_tracer *tracer = &question->tracer;
    struct picture picture;
    struct picture_arrow arrows[NEAREST] = {{0}};
    uint32_t order[NEAREST], count = 0;
    picture_init(&picture, &question->arena);
    if (!add_thing(&picture, tracer->snapshot, node))
        return NULL;
    for (uint32_t before; count < NEAREST; node = before) {
        before = loupe_path_before(shortest, node);
        if (before == LOUPE_NO_NODE || !add_thing(&picture, tracer->snapshot, before))
            break;
        arrows[count] = (struct picture_arrow){.from = count + 1, .to = count};
        name_arrow(tracer, before, node, &arrows[count++]);
    }
    for (uint32_t i = 0; i < count; i++)
        order[i] = count - 1 - i;
    struct picture_ring ring = {.arrows = {order, count}, .length = count};
    struct picture_finding finding = {.kind = PICTURE_PATH,
                                      .arrows = arrows,
                                      .arrow_count = count,
                                      .rings = &ring,
                                      .ring_count = 1};
    return pattern_of_finding(patterns, &picture, &finding);
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

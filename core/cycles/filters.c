#include "cycles/filters.h"

#include <string.h>

/*
 * UIKit's own rings. The names are those of iOS releases from 9 on; a name that is gone matches
 * nothing.
 */
const struct loupe_filter loupe_standard_filters[] = {
    {"UIView", "_subviewCache", NULL, "UIView drops its cache of subviews itself"},
    {"UIHeldAction", "m_target", NULL, "UIKit ends held actions itself"},
    {"UITouch", "_view", NULL, "touches live until the gesture ends"},
    {"UITouch", "_gestureRecognizers", NULL, "touches live until the gesture ends"},
    {"UITouch", "_window", NULL, "touches live until the gesture ends"},
    {"UITouch", "_warpedIntoView", NULL, "touches live until the gesture ends"},
    {"_UIViewControllerOneToOneTransitionContext", "_toViewController", NULL,
     "transition contexts live until the transition ends"},
    {"_UIViewControllerOneToOneTransitionContext", "_fromViewController", NULL,
     "transition contexts live until the transition ends"},
    {"UIGestureRecognizer", "_gestureEnvironment", NULL,
     "UIKit owns the environment that all gesture recognizers share"},
};

const uint32_t loupe_standard_filter_count =
    sizeof(loupe_standard_filters) / sizeof(*loupe_standard_filters);

struct filtering {
    struct loupe_graph *graph;
    const struct loupe_describer *describer;
    const struct loupe_filter *filters;
    uint32_t count;
    struct loupe_map first_of_tag; /* node tag -> first filter for that class, or count */
};

static bool is_kind_of(const struct filtering *f, uint32_t node, const char *class_name) {
    return !class_name || f->describer->is_kind_of(f->describer->ctx, f->graph, node, class_name);
}

/* Asked once per tag, because nodes of one tag have one class. */
static enum loupe_status first_filter(struct filtering *f, uint32_t node, uint32_t *ret) {
    uint32_t tag = loupe_graph_node(f->graph, node)->tag;
    if (loupe_map_find(&f->first_of_tag, tag, ret))
        return LOUPE_OK;
    uint32_t first = 0;
    while (first < f->count && !is_kind_of(f, node, f->filters[first].source))
        first++;
    *ret = first;
    return loupe_map_put(&f->first_of_tag, tag, first);
}

static bool matches(const struct filtering *f, const struct loupe_filter *filter, uint32_t from,
                    uint32_t to, const char *path) {
    return (!filter->path || strcmp(filter->path, path) == 0) &&
           is_kind_of(f, from, filter->source) && is_kind_of(f, to, filter->target);
}

static void filter_edge(const struct filtering *f, uint32_t first, uint32_t from, uint32_t id,
                        uint64_t *hidden) {
    struct loupe_edge *edge = loupe_graph_edge(f->graph, id);
    struct loupe_edge_label label;
    f->describer->label(f->describer->ctx, f->graph, from, id, &label);
    for (uint32_t i = first; i < f->count; i++) {
        if (matches(f, &f->filters[i], from, edge->to, label.path)) {
            edge->hidden = (uint8_t)(i + 1);
            hidden[i]++;
            return;
        }
    }
}

static enum loupe_status filter_nodes(struct filtering *f, uint64_t *hidden) {
    for (uint32_t node = 0; node < f->graph->opened; node++) {
        uint32_t first;
        enum loupe_status status = first_filter(f, node, &first);
        if (status)
            return status;
        if (first == f->count)
            continue;
        uint32_t end = loupe_graph_edges_end(f->graph, node);
        for (uint32_t id = loupe_graph_node(f->graph, node)->first_edge; id < end; id++)
            filter_edge(f, first, node, id, hidden);
    }
    return LOUPE_OK;
}

enum loupe_status loupe_filters_apply(struct loupe_graph *graph,
                                      const struct loupe_describer *describer,
                                      const struct loupe_filter *filters, uint32_t count,
                                      uint64_t *hidden_ret) {
    struct filtering f = {
        .graph = graph, .describer = describer, .filters = filters, .count = count};
    if (!count)
        return LOUPE_OK;
    memset(hidden_ret, 0, count * sizeof(*hidden_ret));
    loupe_map_init(&f.first_of_tag, graph->nodes.chunks);
    enum loupe_status status = filter_nodes(&f, hidden_ret);
    loupe_map_deinit(&f.first_of_tag);
    return status;
}

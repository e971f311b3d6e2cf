/* What to change, in words a person can act on, for one reference of a ring. */
#include "native_words.h"

#include <string.h>

struct fixing {
    const struct loupe_heap_graph *graph;
    const struct loupe_knot_facts *knot;
    bool weak;
};

static struct words class_of(const struct fixing *f, uint32_t node) {
    return words_of_class(f->graph->snapshot, loupe_heap_graph_node(f->graph, node));
}

static struct words object_of(const struct fixing *f, uint32_t node) {
    return words_of_object(f->graph->snapshot, loupe_heap_graph_node(f->graph, node));
}

static enum loupe_node_kind kind_of(const struct fixing *f, uint32_t node) {
    return loupe_node_kind(loupe_graph_node(&f->graph->graph, node));
}

static bool ends_in(const char *text, const char *tail) {
    size_t length = strlen(text), tail_length = strlen(tail);
    return length >= tail_length && strcmp(text + length - tail_length, tail) == 0;
}

/* A reference of a node on one of the shown rings, of a kind; LOUPE_NO_EDGE: there is none. */
static uint32_t ring_edge(const struct fixing *f, uint32_t node, enum loupe_edge_kind kind) {
    for (uint32_t i = 0; i < f->knot->rings.count; i++) {
        const struct loupe_ring *ring = &f->knot->rings.items[i];
        for (uint32_t j = 0; j < ring->length; j++) {
            if (loupe_ring_from(&f->graph->graph, ring, j) == node &&
                loupe_graph_edge(&f->graph->graph, ring->edges[j]).kind == kind)
                return ring->edges[j];
        }
    }
    return LOUPE_NO_EDGE;
}

/* ---- By kind ---- */

static bool is_name(const struct words *path) {
    return path->text[0] != '+';
}

static struct words of_byref(const struct words *path) {
    if (strpbrk(path->text, ".["))
        return words_say("make %s weak, or set it to nil when the block is done", path->text);
    return words_say(
        "declare the __block variable%s%s __weak, or set it to nil when the block is done",
        is_name(path) ? " " : "", is_name(path) ? path->text : "");
}

static struct words of_capture(const struct fixing *f, uint32_t from, uint32_t to,
                               const struct words *path) {
    struct words block = words_of_block(f->graph->snapshot, loupe_heap_graph_node(f->graph, from));
    struct words what = is_name(path) ? *path : words_say("the variable at %s", path->text);
    if (kind_of(f, to) == LOUPE_NODE_BLOCK)
        return words_say("do not capture the block %s strongly in %s: use a weak copy", what.text,
                         block.text);
    if (kind_of(f, to) != LOUPE_NODE_BYREF)
        return words_say("capture %s weakly in %s", what.text, block.text);
    uint32_t held = ring_edge(f, to, LOUPE_EDGE_BYREF);
    if (held == LOUPE_NO_EDGE)
        return words_say(
            "set the __block variable %s to nil when the block is done, or make it weak",
            what.text);
    struct words inner = words_of_path(f->graph, to, held);
    return of_byref(&inner);
}

static struct words of_target(const struct fixing *f, uint32_t from, uint32_t to) {
    struct words owner = class_of(f, from), held = class_of(f, to);
    const char *end = strstr(owner.text, "dispatch") ? "cancel" : "invalidate";
    if (kind_of(f, to) == LOUPE_NODE_BLOCK || ends_in(held.text, "BlockTarget"))
        return words_say("%s the %s when its block is no longer needed", end, owner.text);
    if (ends_in(owner.text, "Invocation") || ends_in(owner.text, "Thread") ||
        ends_in(owner.text, "ThreadData") || ends_in(owner.text, "Performer"))
        return words_say("let the %s go before the %s should, or give it another target",
                         owner.text, held.text);
    return words_say(
        "%s the %s before the %s should go (-dealloc is too late), or use a block that "
        "captures the target weakly",
        end, owner.text, held.text);
}

/* A collection or a timer, which nothing else keeps as a rule. */
static bool is_tool(const char *class_name) {
    while (*class_name == '_')
        class_name++;
    return strncmp(class_name, "NS", 2) == 0 || strncmp(class_name, "GS", 2) == 0;
}

static struct words of_ivar(const struct fixing *f, uint32_t from, uint32_t edge, uint32_t to,
                            const struct words *path) {
    struct words owner = class_of(f, from), held = class_of(f, to);
    struct words slot = words_say("%s.%s", owner.text, path->text);
    if (kind_of(f, to) == LOUPE_NODE_BLOCK)
        return words_say("set %s to nil when the block is no longer needed", slot.text);
    uint32_t acts = ring_edge(f, to, LOUPE_EDGE_TARGET);
    if (acts != LOUPE_NO_EDGE)
        return of_target(f, to, loupe_graph_target(&f->graph->graph, acts));
    if (ends_in(held.text, "Timer"))
        return words_say("invalidate the timer in %s when it is no longer needed", slot.text);
    if (is_tool(held.text))
        return words_say("set %s to nil when it is no longer needed", slot.text);
    uint32_t link = words_link(f->graph, from, edge);
    const struct loupe_label *label =
        link == LOUPE_NO_EDGE ? NULL : loupe_native_label(f->graph->snapshot, link);
    if (label && (label->flags & LOUPE_LABEL_MANUAL))
        return words_say("hold %s without retaining it", slot.text);
    return f->weak ? words_say("make %s weak", slot.text)
                   : words_say("set %s to nil when it is no longer needed", slot.text);
}

static struct words of_edge(const struct fixing *f, uint32_t from, uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(&f->graph->graph, edge_id);
    struct words path = words_of_path(f->graph, from, edge_id);
    struct words owner = class_of(f, from), held = class_of(f, edge.to);
    struct words holder = object_of(f, from);
    switch ((enum loupe_edge_kind)edge.kind) {
    case LOUPE_EDGE_IVAR:
        return of_ivar(f, from, edge_id, edge.to, &path);
    case LOUPE_EDGE_CAPTURE:
        return of_capture(f, from, edge.to, &path);
    case LOUPE_EDGE_BYREF:
        return of_byref(&path);
    case LOUPE_EDGE_ASSOCIATION:
        return words_say("associate %s with the %s through a weak wrapper, or remove it", path.text,
                         owner.text);
    case LOUPE_EDGE_ELEMENT:
        return words_say("take the %s out of the %s, or hold it there weakly", held.text,
                         holder.text);
    case LOUPE_EDGE_KEY:
        return words_say("do not use the %s as a key of the %s, or use a map table with weak keys",
                         held.text, holder.text);
    case LOUPE_EDGE_VALUE:
        return words_say("remove %s from the %s, or use a map table with weak values", path.text,
                         holder.text);
    case LOUPE_EDGE_TARGET:
        return of_target(f, from, edge.to);
    case LOUPE_EDGE_USER_INFO:
        return words_say("do not pass the %s as user info of the %s: pass a weak wrapper",
                         held.text, owner.text);
    default:
        return words_say("make the reference %s of the %s weak", path.text, holder.text);
    }
}

struct words words_of_fix(const struct loupe_heap_graph *graph, const struct loupe_knot_facts *knot,
                          const struct loupe_fix *fix, bool weak) {
    struct fixing f = {.graph = graph, .knot = knot, .weak = weak};
    uint32_t to = loupe_graph_target(&graph->graph, fix->edge);
    struct words path = words_of_path(graph, fix->from, fix->edge);
    struct words owner = class_of(&f, fix->from), held = class_of(&f, to);
    if (fix->doubtful)
        return words_say("check that %s.%s does not retain the %s", owner.text, path.text,
                         held.text);
    struct words text = of_edge(&f, fix->from, fix->edge);
    for (uint32_t i = 0; i < fix->parallel_count && i < LOUPE_MAX_FIX_PARALLELS; i++) {
        struct words more = of_edge(&f, fix->from, fix->parallels[i]);
        if (!strstr(text.text, more.text))
            text = words_say("%s and %s", text.text, more.text);
    }
    return fix->only_holder ? words_say("%s, if something else keeps the %s", text.text, held.text)
                            : text;
}

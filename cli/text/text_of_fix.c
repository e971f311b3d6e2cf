/* What to change, in words a person can act on: what answers/ asks of a graph. */
#include "shared/cli.h"
#include "text/native_text.h"

#include "answers/fix_sentence.h"
#include "cycles/system_classes.h"

/* The texts of one reference. */
struct texts {
    struct text path, owner, held, holder, block, collection, declared, closure;
};

static bool is_manual(const struct loupe_heap_graph *graph, uint32_t link) {
    const struct loupe_label *label =
        link == LOUPE_NO_EDGE ? NULL : loupe_native_label(graph->snapshot, link);
    return label && label->flags & LOUPE_LABEL_MANUAL;
}

static bool is_part(const struct loupe_heap_graph *graph, uint32_t link) {
    const struct loupe_label *label =
        link == LOUPE_NO_EDGE ? NULL : loupe_native_label(graph->snapshot, link);
    return label && label->flags & LOUPE_LABEL_PART;
}

static struct text closure_of(const struct loupe_heap_graph *graph, uint32_t link) {
    const struct loupe_label *label =
        link == LOUPE_NO_EDGE ? NULL : loupe_native_label(graph->snapshot, link);
    bool is_captured = label && label->kind == LOUPE_EDGE_CAPTURE;
    return text_say(
        "%s", cli_printable(is_captured ? loupe_snapshot_string(graph->snapshot, label->declared_by)
                                        : loupe_span_of("")));
}

static struct text declaration_of(const struct loupe_heap_graph *graph, uint32_t from,
                                  uint32_t edge) {
    uint32_t link = words_link(graph, from, edge);
    return text_of_declaration(
        graph->snapshot, link == LOUPE_NO_EDGE ? NULL : loupe_native_label(graph->snapshot, link));
}

/* The ivar that has the collection in which something is: "Wire.readers". */
static struct text collection_of(const struct loupe_heap_graph *graph,
                                 const struct loupe_subject *subject) {
    if (subject->in_edge == LOUPE_NO_EDGE)
        return (struct text){.text = ""};
    struct text owner =
        text_of_class(graph->snapshot, loupe_heap_graph_node(graph, subject->in_from));
    struct text path = text_of_path(graph, subject->in_from, subject->in_edge);
    struct text member;
    answer_name_member(member.text, sizeof(member.text), subject->change, owner.text, path.text);
    return member;
}

static struct answer_subject describe(const struct loupe_heap_graph *graph,
                                      const struct loupe_subject *subject, struct texts *texts) {
    const struct loupe_snapshot *snapshot = graph->snapshot;
    struct loupe_edge edge = loupe_graph_edge(&graph->graph, subject->edge);
    uint32_t from = loupe_heap_graph_node(graph, subject->from);
    uint32_t to = loupe_heap_graph_node(graph, edge.to);
    texts->path = text_of_path(graph, subject->from, subject->edge);
    texts->owner = text_of_class(snapshot, from);
    texts->held = text_of_class(snapshot, to);
    texts->holder = text_of_object(snapshot, from);
    texts->block = text_of_block(snapshot, from);
    texts->collection = collection_of(graph, subject);
    texts->closure = closure_of(graph, words_link(graph, subject->from, subject->edge));
    texts->declared = subject->in_edge == LOUPE_NO_EDGE
                          ? declaration_of(graph, subject->from, subject->edge)
                          : declaration_of(graph, subject->in_from, subject->in_edge);
    return (struct answer_subject){
        .change = subject->change,
        .kind = (enum loupe_edge_kind)edge.kind,
        .path = texts->path.text,
        .owner = texts->owner.text,
        .held = texts->held.text,
        .holder = texts->holder.text,
        .block = texts->block.text,
        .collection = texts->collection.text,
        .declared = texts->declared.text,
        .closure = texts->closure.text,
        .is_part = is_part(graph, words_link(graph, subject->from, subject->edge)),
        .held_is_block = loupe_native_node_kind(snapshot, to) == LOUPE_NODE_BLOCK,
        .owner_is_memory = loupe_is_class_of_memory(loupe_native_class_name(snapshot, from)),
        .owner_is_object = loupe_native_node_kind(snapshot, from) == LOUPE_NODE_OBJECT,
        .is_manual = is_manual(graph, words_link(graph, subject->from, subject->edge))};
}

struct text text_of_advice(const struct loupe_heap_graph *graph,
                           const struct loupe_advice *advice) {
    struct texts texts[1 + LOUPE_MAX_FIX_PARALLELS];
    struct answer_subject subjects[1 + LOUPE_MAX_FIX_PARALLELS];
    struct answer_fix fix = {.subjects = subjects,
                             .count = advice->count,
                             .unowned_name = advice->unowned_name,
                             .only_holder = advice->only_holder,
                             .frees_at_once = advice->frees_at_once};
    struct text ret;
    for (uint32_t i = 0; i < advice->count; i++)
        subjects[i] = describe(graph, &advice->subjects[i], &texts[i]);
    answer_fix_sentence(&fix, ret.text, sizeof(ret.text));
    return ret;
}

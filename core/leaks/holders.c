/* Who holds an object, in a whole heap: what refers to it, what of that roots reach, and by
 * which ways.
 */
#include "leaks/holder_search.h"

#include <string.h>

/* ---- What is known to own nothing ---- */

static bool is_source_of(const struct loupe_snapshot *snapshot, uint32_t class_number,
                         const struct loupe_filter *filter) {
    if (!filter->source)
        return true;
    if (snapshot->class_table[class_number].kind == LOUPE_CLASS_BLOCKS &&
        strcmp(filter->source, "block") == 0)
        return true;
    /* Cap: the note of too many fields. */
    for (unsigned i = 0; i < LOUPE_MOST_SUPERCLASSES && class_number < snapshot->class_count; i++) {
        if (loupe_span_equals(loupe_snapshot_class_name(snapshot, class_number), filter->source))
            return true;
        class_number = snapshot->class_table[class_number].superclass;
    }
    return false;
}

/* By class: whether a filter is about its references. */
static bool *find_concerned(const struct loupe_holder_search *search) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    bool *concerned =
        loupe_arena_alloc_array(search->arena, snapshot->class_count, sizeof(*concerned));
    for (uint32_t class_number = 0; concerned && class_number < snapshot->class_count;
         class_number++) {
        concerned[class_number] = false;
        for (uint32_t i = 0; i < search->known.count && !concerned[class_number]; i++)
            concerned[class_number] = is_source_of(snapshot, class_number, &search->known.items[i]);
    }
    return concerned;
}

static uint32_t list_concerned(const struct loupe_holder_search *search, const bool *concerned,
                               uint32_t *nodes) {
    uint32_t count = 0;
    for (uint32_t node = 0; node < search->links.columns.nodes; node++) {
        if (concerned[search->snapshot->classes[node]])
            nodes[count++] = node;
    }
    return count;
}

static enum loupe_status rule_out_references_of(struct loupe_holder_search *search,
                                                const uint32_t *nodes, uint32_t count) {
    struct loupe_heap_choice choice = {
        .nodes = nodes, .count = count, .kinds = LOUPE_LINKS_OWNED, .with_targets = true};
    struct loupe_heap_graph graph;
    uint64_t *hidden = loupe_arena_alloc_array(search->arena, search->known.count, sizeof(*hidden));
    if (!hidden)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_heap_graph_of(search->snapshot, &choice, search->links.chunks, search->arena, &graph);
    if (status)
        return status;
    struct loupe_describer describer = loupe_describe_heap(&graph);
    status = loupe_filters_apply(&graph.graph, &describer, search->known.items, search->known.count,
                                 hidden);
    if (!status)
        loupe_heap_graph_rule_out(&graph, search->kinds);
    loupe_heap_graph_deinit(&graph);
    return status;
}

static enum loupe_status rule_out(struct loupe_holder_search *search) {
    if (!search->known.count)
        return LOUPE_OK;
    const bool *concerned = find_concerned(search);
    uint32_t *nodes =
        concerned ? loupe_numbers_get(search->links.chunks, search->links.columns.nodes) : NULL;
    if (!nodes)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        rule_out_references_of(search, nodes, list_concerned(search, concerned, nodes));
    loupe_numbers_put(search->links.chunks, &nodes, search->links.columns.nodes);
    return status;
}

/* ---- The search ---- */

/* By root: as good as its kind is. */
static uint8_t *find_levels(const struct loupe_holder_search *search) {
    uint32_t count = search->links.columns.root_count;
    uint8_t *ret = loupe_arena_alloc(search->arena, (size_t)count + 1);
    for (uint32_t i = 0; ret && i < count; i++)
        ret[i] = (uint8_t)loupe_root_level((enum loupe_root_kind)search->snapshot->roots[i].kind);
    return ret;
}

static enum loupe_status find_paths(struct loupe_holder_search *search) {
    search->links.root_levels = find_levels(search);
    return search->links.root_levels
               ? loupe_incoming_search_paths(&search->links, LOUPE_LINKS_MAYBE)
               : LOUPE_ENOMEM;
}

static enum loupe_status find_alive(struct loupe_holder_search *search) {
    struct loupe_amount ignored;
    enum loupe_status status =
        loupe_marks_init(&search->alive, search->links.chunks, search->links.columns.nodes);
    return status ? status
                  : loupe_reach(&search->snapshot->columns, loupe_link_policies[0].alive,
                                &search->alive, &ignored);
}

/* ---- What leads to the node ---- */

static bool is_shared(const void *ctx, uint32_t link) {
    const struct loupe_holder_search *search = ctx;
    const struct loupe_label *label = loupe_native_label(search->snapshot, link);
    return label && label->flags & LOUPE_LABEL_SHARED;
}

static bool can_be_ruled_out(const void *ctx, uint32_t from, uint32_t link, enum loupe_doubt *ret) {
    const struct loupe_holder_search *search = ctx;
    const struct loupe_label *label = loupe_native_label(search->snapshot, link);
    (void)from;
    if (label && label->doubts <= LOUPE_MUCH_DOUBT)
        *ret = (enum loupe_doubt)label->doubts;
    return true;
}

static bool was_ruled_out(const void *ctx, uint32_t link) {
    const uint8_t *before = ((const struct loupe_holder_search *)ctx)->snapshot->columns.kinds;
    return before && before[link] != LOUPE_LINK_UNOWNED;
}

static uint32_t retains_of(const void *ctx, uint32_t root) {
    return ((const struct loupe_holder_search *)ctx)->snapshot->native->root_places[root].retains;
}

static void find_links(struct loupe_holder_search *search, struct loupe_incoming *incoming) {
    struct loupe_owner_counts *owners = &search->links.owners;
    search->facts = (struct loupe_incoming_facts){.ctx = search,
                                                  .is_shared = is_shared,
                                                  .can_be_ruled_out = can_be_ruled_out,
                                                  .was_ruled_out = was_ruled_out,
                                                  .retains = retains_of};
    search->links.facts = &search->facts;
    search->links.alive = &search->alive;
    owners->known =
        loupe_native_retain_count(search->snapshot, search->links.node, &owners->retains);
    loupe_incoming_search_links(&search->links, incoming);
}

/* ---- What the verdict rests on ---- */

static void note_word(struct loupe_holders *ret, loupe_addr place) {
    ret->evidence.other_words++;
    if (place && ret->words.example_count < LOUPE_SHOWN_WORDS)
        ret->words.examples[ret->words.example_count++] = place;
}

static void note_memory(const struct loupe_holder_search *search, struct loupe_holders *ret) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    for (uint32_t i = 0; i < search->links.memory.count; i++) {
        const struct loupe_link_found *found = &search->links.memory.items[i];
        uint32_t slot = snapshot->native->slots[found->link];
        note_word(ret, slot < LOUPE_SLOT_SPECIAL
                           ? loupe_snapshot_address(snapshot, found->from) + slot
                           : 0);
    }
    ret->evidence.other_words += search->links.memory.found - search->links.memory.count;
}

static void note_roots(const struct loupe_holder_search *search, struct loupe_holders *ret) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    for (uint32_t i = 0; i < search->links.columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->node != search->links.node)
            continue;
        if (root->kind == LOUPE_ROOT_OTHER_MEMORY)
            note_word(ret, snapshot->native->root_places[i].slot);
        ret->incoming.words[root->kind]++;
        ret->incoming.owned_by_roots += snapshot->native->root_places[i].retains;
    }
}

static enum loupe_status find_kept(const struct loupe_holder_search *search,
                                   struct loupe_holders *ret) {
    struct loupe_columns from_node = search->snapshot->columns;
    struct loupe_marks marks;
    loupe_link_kinds alive = loupe_link_policies[0].alive;
    if (loupe_is_marked(&search->alive, search->links.node))
        return loupe_retained_by_set(
            &search->snapshot->columns, alive,
            &(struct loupe_node_set){.nodes = &search->links.node, .count = 1},
            search->links.chunks, &ret->keeps);
    enum loupe_status status = loupe_marks_init(&marks, search->links.chunks, from_node.nodes);
    if (status)
        return status;
    memcpy(marks.words, search->alive.words, ((size_t)from_node.nodes / 64 + 1) * sizeof(uint64_t));
    from_node.roots = &search->links.node;
    from_node.root_count = 1;
    status = loupe_reach(&from_node, alive, &marks, &ret->keeps);
    loupe_marks_deinit(&marks);
    return status;
}

/* ---- All of it ---- */

static enum loupe_status find(struct loupe_holder_search *search, struct loupe_holders *ret) {
    enum loupe_status status = loupe_kinds_copy(search->snapshot, search->links.chunks,
                                                &search->links.columns, &search->kinds);
    if (!status)
        status = rule_out(search);
    if (!status)
        status = find_paths(search);
    if (!status)
        status = find_alive(search);
    if (status)
        return status;
    note_roots(search, ret);
    find_links(search, &ret->incoming);
    note_memory(search, ret);
    status = find_kept(search, ret);
    if (!status)
        status = loupe_holders_show(search, ret);
    return status ? status : loupe_incoming_search_rootless(&search->links, &ret->incoming);
}

/* Whether the node reaches a holder of it along what may own: else it is in no knot. */
static enum loupe_status is_in_knot(const struct loupe_holder_search *search, bool *ret) {
    struct loupe_columns from_node = search->links.columns;
    struct loupe_marks reached;
    struct loupe_amount ignored;
    enum loupe_status status = loupe_marks_init(&reached, search->links.chunks, from_node.nodes);
    if (status)
        return status;
    from_node.roots = &search->links.node;
    from_node.root_count = 1;
    status = loupe_reach(&from_node, LOUPE_LINKS_OWNED, &reached, &ignored);
    *ret = false;
    for (uint32_t i = 0; !status && i < search->links.holders.count; i++)
        *ret = *ret || loupe_is_marked(&reached, search->links.holders.items[i].from);
    loupe_marks_deinit(&reached);
    return status;
}

/* What lasts and leads to its best holder is no leak, unless that is in a knot. */
static bool is_held_for_long(const struct loupe_holders *holders) {
    return holders->incoming.edge_count && holders->incoming.edges[0].is_reached_without_stacks;
}

static enum loupe_status ask_leaks(const struct loupe_holder_search *search,
                                   struct loupe_holders *ret) {
    bool may_leak = false;
    if (!loupe_object_may_be_below_leak(&ret->incoming, &ret->evidence, &ret->verdict))
        return LOUPE_OK;
    enum loupe_status status = is_in_knot(search, &may_leak);
    if (status || (!may_leak && is_held_for_long(ret)))
        return status;
    status = loupe_holders_ask_leaks(search, &ret->evidence.leak);
    if (!status)
        loupe_object_verdict_find(&ret->heap.graph, &ret->incoming, &ret->evidence, &ret->verdict);
    return status;
}

static enum loupe_status judge(const struct loupe_holder_search *search,
                               struct loupe_holders *ret) {
    struct loupe_object_evidence *evidence = &ret->evidence;
    bool sees_all = !loupe_snapshot_is_incomplete(search->snapshot);
    evidence->known =
        loupe_native_retain_count(search->snapshot, search->links.node, &evidence->retains);
    evidence->searched = sees_all;
    evidence->searched_bytes = search->snapshot->bytes;
    evidence->is_lost = sees_all && !loupe_is_marked(&search->alive, search->links.node);
    ret->words.was_searched = loupe_object_needs_search(&ret->incoming, evidence);
    loupe_object_verdict_find(&ret->heap.graph, &ret->incoming, evidence, &ret->verdict);
    return ask_leaks(search, ret);
}

static void end_search(struct loupe_holder_search *search) {
    loupe_kinds_put(search->snapshot, search->links.chunks, &search->kinds);
    loupe_incoming_search_end(&search->links);
    if (search->alive.words)
        loupe_marks_deinit(&search->alive);
}

enum loupe_status loupe_holders_find(const struct loupe_snapshot *snapshot, uint32_t node,
                                     struct loupe_filters known,
                                     const struct loupe_chunk_ops *chunks,
                                     struct loupe_arena *arena, struct loupe_holders *ret) {
    struct loupe_holder_search *search = loupe_arena_alloc(arena, sizeof(*search));
    memset(ret, 0, sizeof(*ret));
    ret->snapshot = snapshot;
    loupe_vector_init(&ret->roots, chunks, sizeof(struct loupe_root));
    loupe_vector_init(&ret->nonowning.items, chunks, sizeof(struct loupe_nonowning_ref));
    if (!search)
        return LOUPE_ENOMEM;
    *search = (struct loupe_holder_search){.snapshot = snapshot,
                                           .arena = arena,
                                           .known = known,
                                           .links = {.chunks = chunks, .node = node}};
    enum loupe_status status = find(search, ret);
    if (!status)
        status = judge(search, ret);
    end_search(search);
    if (status)
        loupe_holders_deinit(ret);
    return status;
}

void loupe_holders_deinit(struct loupe_holders *holders) {
    if (holders->paths.to)
        loupe_paths_from_roots_deinit(&holders->paths);
    if (holders->heap.snapshot)
        loupe_heap_graph_deinit(&holders->heap);
    loupe_vector_deinit(&holders->roots);
    loupe_vector_deinit(&holders->nonowning.items);
}

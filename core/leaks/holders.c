/* Who holds an object, in a whole heap: what refers to it, what of that roots reach, and by
 * which ways.
 */
#include "leaks/holder_search.h"

#include <string.h>

enum loupe_root_kind loupe_kind_of_root(const struct loupe_snapshot_root *root) {
    switch ((enum loupe_snapshot_root_kind)root->kind) {
    case LOUPE_HEAP_ROOT_GLOBAL:
        return LOUPE_ROOT_DATA;
    case LOUPE_HEAP_ROOT_THREAD_LOCAL:
        return LOUPE_ROOT_THREAD_LOCAL;
    case LOUPE_HEAP_ROOT_KERNEL:
        return LOUPE_ROOT_KERNEL;
    case LOUPE_HEAP_ROOT_POOL:
        return LOUPE_ROOT_POOL;
    case LOUPE_HEAP_ROOT_STACK:
        return LOUPE_ROOT_STACK;
    case LOUPE_HEAP_ROOT_REGISTER:
        return LOUPE_ROOT_REGISTER;
    case LOUPE_HEAP_ROOT_STICKY_CLASS:
        return LOUPE_ROOT_CLASS;
    default:
        return LOUPE_ROOT_MEMORY;
    }
}

/* ---- What is known to own nothing ---- */

static bool is_source_of(const struct loupe_snapshot *snapshot, uint32_t class_number,
                         const struct loupe_filter *filter) {
    if (!filter->source)
        return true;
    if (snapshot->class_table[class_number].kind == LOUPE_CLASS_BLOCKS &&
        strcmp(filter->source, "block") == 0)
        return true;
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
    for (uint32_t node = 0; node < search->columns.nodes; node++) {
        if (concerned[search->snapshot->classes[node]])
            nodes[count++] = node;
    }
    return count;
}

static enum loupe_status rule_out_references_of(struct loupe_holder_search *search,
                                                const uint32_t *nodes, uint32_t count) {
    struct loupe_heap_graph graph;
    uint64_t *hidden = loupe_arena_alloc_array(search->arena, search->known.count, sizeof(*hidden));
    if (!hidden)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        loupe_heap_graph_of(search->snapshot, nodes, count, LOUPE_LINKS_OWNED, true, search->chunks,
                            search->arena, &graph);
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
    uint32_t *nodes = concerned ? loupe_numbers_get(search->chunks, search->columns.nodes) : NULL;
    if (!nodes)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        rule_out_references_of(search, nodes, list_concerned(search, concerned, nodes));
    loupe_numbers_put(search->chunks, &nodes, search->columns.nodes);
    return status;
}

/* ---- The search ---- */

/* By root: as good as its kind is. */
static uint8_t *find_levels(const struct loupe_holder_search *search) {
    static const uint8_t levels[] = {LOUPE_LEVEL_NORMAL, LOUPE_LEVEL_NORMAL, LOUPE_LEVEL_LATE,
                                     LOUPE_LEVEL_STACK};
    uint32_t count = search->columns.root_count;
    uint8_t *ret = loupe_arena_alloc(search->arena, (size_t)count + 1);
    for (uint32_t i = 0; ret && i < count; i++)
        ret[i] = levels[loupe_root_rank(loupe_kind_of_root(&search->snapshot->roots[i]))];
    return ret;
}

static enum loupe_status find_paths(struct loupe_holder_search *search) {
    struct loupe_shortest_options options = {.kinds = LOUPE_LINKS_MAYBE,
                                             .root_levels = find_levels(search)};
    struct loupe_marks ends;
    enum loupe_status status = options.root_levels
                                   ? loupe_marks_init(&ends, search->chunks, search->columns.nodes)
                                   : LOUPE_ENOMEM;
    if (status)
        return status;
    loupe_mark(&ends, search->node);
    options.ends = &ends;
    status = loupe_shortest_find_ranks(&search->columns, &options, search->chunks,
                                       &search->shortest, &search->ranks);
    loupe_marks_deinit(&ends);
    return status;
}

static enum loupe_status find_alive(struct loupe_holder_search *search) {
    struct loupe_amount ignored;
    enum loupe_status status =
        loupe_marks_init(&search->alive, search->chunks, search->columns.nodes);
    return status ? status
                  : loupe_reach(&search->snapshot->columns, loupe_link_policies[0].alive,
                                &search->alive, &ignored);
}

/* ---- What leads to the node ---- */

static bool is_better(const struct loupe_link_found *a, const struct loupe_link_found *b) {
    unsigned level_of_a = a->rank >> 30, level_of_b = b->rank >> 30;
    if (level_of_a != level_of_b)
        return level_of_a < level_of_b;
    return a->is_assumed != b->is_assumed ? b->is_assumed : a->rank < b->rank;
}

static void keep_best(struct loupe_links_found *links, struct loupe_link_found added) {
    uint32_t place = links->count;
    links->found++;
    while (place > 0 && is_better(&added, &links->items[place - 1]))
        place--;
    if (place == LOUPE_MAX_INCOMING)
        return;
    uint32_t last = links->count < LOUPE_MAX_INCOMING ? links->count++ : LOUPE_MAX_INCOMING - 1;
    memmove(&links->items[place + 1], &links->items[place],
            (last - place) * sizeof(links->items[0]));
    links->items[place] = added;
}

static bool is_shared(const struct loupe_holder_search *search, uint32_t link) {
    const struct loupe_label *label = loupe_native_label(search->snapshot, link);
    return label && label->flags & LOUPE_LABEL_SHARED;
}

static enum loupe_doubt doubt_of(const struct loupe_holder_search *search, uint32_t link) {
    const struct loupe_label *label = loupe_native_label(search->snapshot, link);
    return label && label->doubts <= LOUPE_MUCH_DOUBT ? (enum loupe_doubt)label->doubts
                                                      : LOUPE_NO_DOUBT;
}

/* What is known of all that may own the node. Its roots are noted. */
static void count_owners(struct loupe_holder_search *search,
                         const struct loupe_incoming *incoming) {
    const struct loupe_columns *columns = &search->columns;
    struct loupe_owner_counts *owners = &search->owners;
    *owners = (struct loupe_owner_counts){.certain = incoming->owned_by_roots,
                                          .words = loupe_lasting_words(incoming)};
    owners->known = loupe_native_retain_count(search->snapshot, search->node, &owners->retains);
    for (uint32_t link = 0; link < columns->first[columns->nodes]; link++) {
        bool is_assumed = search->kinds[link] == LOUPE_LINK_ASSUMED;
        if (columns->to[link] == search->node &&
            (is_assumed || search->kinds[link] == LOUPE_LINK_STRONG))
            loupe_owner_counts_add(owners, is_assumed, is_shared(search, link),
                                   doubt_of(search, link));
    }
}

static void take_link(struct loupe_holder_search *search, uint32_t from, uint32_t link,
                      struct loupe_incoming *incoming) {
    struct loupe_link_found found = {.from = from,
                                     .link = link,
                                     .rank =
                                         from == search->node ? LOUPE_NO_PATH : search->ranks[from],
                                     .is_assumed = search->kinds[link] == LOUPE_LINK_ASSUMED};
    const uint8_t *before = search->snapshot->columns.kinds;
    switch ((enum loupe_link_kind)search->kinds[link]) {
    case LOUPE_LINK_STRONG:
    case LOUPE_LINK_ASSUMED:
        if (found.is_assumed)
            found.owns_nothing_since =
                loupe_owns_nothing_since(&search->owners, doubt_of(search, link));
        if (found.owns_nothing_since) {
            keep_best(&search->ruled_out, found);
            break;
        }
        incoming->shared += is_shared(search, link);
        incoming->assumed += found.is_assumed;
        keep_best(&search->holders, found);
        break;
    case LOUPE_LINK_CONSERVATIVE:
        keep_best(&search->memory, found);
        break;
    case LOUPE_LINK_UNOWNED:
        keep_best(before && before[link] != LOUPE_LINK_UNOWNED ? &search->ruled_out
                                                               : &search->nonowning,
                  found);
        break;
    case LOUPE_LINK_WEAK:
        keep_best(&search->nonowning, found);
        break;
    default:
        break;
    }
}

static void take_links(struct loupe_holder_search *search, struct loupe_incoming *incoming) {
    const struct loupe_columns *columns = &search->columns;
    for (uint32_t from = 0; from < columns->nodes; from++) {
        for (uint32_t link = columns->first[from]; link < columns->first[from + 1]; link++) {
            if (columns->to[link] == search->node)
                take_link(search, from, link, incoming);
        }
    }
    incoming->edges_found = search->holders.found;
    incoming->memory_found = search->memory.found;
    incoming->ruled_out_found = search->ruled_out.found;
}

/* ---- What the verdict rests on ---- */

static void note_word(struct loupe_holders *ret, loupe_addr place) {
    ret->evidence.other_words++;
    if (place && ret->words.example_count < LOUPE_SHOWN_WORDS)
        ret->words.examples[ret->words.example_count++] = place;
}

static void note_memory(const struct loupe_holder_search *search, struct loupe_holders *ret) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    for (uint32_t i = 0; i < search->memory.count; i++) {
        const struct loupe_link_found *found = &search->memory.items[i];
        uint32_t slot = snapshot->native->slots[found->link];
        note_word(ret, slot < LOUPE_SLOT_SPECIAL
                           ? loupe_snapshot_address(snapshot, found->from) + slot
                           : 0);
    }
    ret->evidence.other_words += search->memory.found - search->memory.count;
}

static void note_roots(const struct loupe_holder_search *search, struct loupe_holders *ret) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    for (uint32_t i = 0; i < search->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        enum loupe_root_kind kind = loupe_kind_of_root(root);
        if (root->node != search->node)
            continue;
        if (kind == LOUPE_ROOT_MEMORY)
            note_word(ret, snapshot->native->root_places[i].slot);
        ret->incoming.words[kind]++;
        ret->incoming.owned_by_roots += snapshot->native->root_places[i].retains;
    }
}

static enum loupe_status find_kept(const struct loupe_holder_search *search,
                                   struct loupe_holders *ret) {
    struct loupe_columns from_node = search->snapshot->columns;
    struct loupe_marks marks;
    loupe_link_kinds alive = loupe_link_policies[0].alive;
    if (loupe_is_marked(&search->alive, search->node))
        return loupe_retained_by_set(&search->snapshot->columns, alive, &search->node, 1,
                                     search->chunks, &ret->keeps);
    enum loupe_status status = loupe_marks_init(&marks, search->chunks, from_node.nodes);
    if (status)
        return status;
    memcpy(marks.words, search->alive.words, ((size_t)from_node.nodes / 64 + 1) * sizeof(uint64_t));
    from_node.roots = &search->node;
    from_node.root_count = 1;
    status = loupe_reach(&from_node, alive, &marks, &ret->keeps);
    loupe_marks_deinit(&marks);
    return status;
}

/* ---- Holders without a path ---- */

/* Marks what the node leads to along links of the kinds. */
static enum loupe_status mark_reached(const struct loupe_holder_search *search,
                                      loupe_link_kinds kinds, struct loupe_marks *ret) {
    struct loupe_columns from_node = search->columns;
    struct loupe_amount ignored;
    enum loupe_status status = loupe_marks_init(ret, search->chunks, from_node.nodes);
    if (status)
        return status;
    from_node.roots = &search->node;
    from_node.root_count = 1;
    status = loupe_reach(&from_node, kinds, ret, &ignored);
    if (status)
        loupe_marks_deinit(ret);
    return status;
}

static void count_references(const struct loupe_holder_search *search, uint32_t *references) {
    const struct loupe_columns *columns = &search->columns;
    for (uint32_t link = 0; link < columns->first[columns->nodes]; link++) {
        const struct loupe_label *label = loupe_native_label(search->snapshot, link);
        if (loupe_link_counts(columns, link, LOUPE_LINKS_OWNED))
            references[columns->to[link]] += !(label && label->flags & LOUPE_LABEL_SHARED);
    }
    for (uint32_t i = 0; i < columns->root_count; i++)
        references[columns->roots[i]] += search->snapshot->native->root_places[i].retains;
}

static void tell_of_rootless(const struct loupe_holder_search *search,
                             const struct loupe_marks *reached, const struct loupe_marks *for_sure,
                             const uint32_t *references, struct loupe_incoming *incoming) {
    for (uint32_t i = 0; i < search->holders.count; i++) {
        const struct loupe_link_found *found = &search->holders.items[i];
        struct loupe_incoming_edge *held = &incoming->edges[i];
        if (found->rank != LOUPE_NO_PATH)
            continue;
        bool is_strong = search->kinds[found->link] == LOUPE_LINK_STRONG;
        held->references = references[found->from];
        held->is_lost = !loupe_is_marked(&search->alive, found->from);
        if (loupe_is_marked(reached, found->from))
            held->closing = is_strong && loupe_is_marked(for_sure, found->from)
                                ? LOUPE_CLOSES_A_RING
                                : LOUPE_MAY_CLOSE_A_RING;
    }
}

static enum loupe_status look_at_rootless(const struct loupe_holder_search *search,
                                          struct loupe_incoming *incoming) {
    uint32_t last = search->holders.count; /* those without a path come last */
    uint32_t nodes = search->columns.nodes;
    struct loupe_marks reached, for_sure;
    if (!last || search->holders.items[last - 1].rank != LOUPE_NO_PATH)
        return LOUPE_OK;
    enum loupe_status status = mark_reached(search, LOUPE_LINKS_OWNED, &reached);
    if (status)
        return status;
    status = mark_reached(search, 1u << LOUPE_LINK_STRONG, &for_sure);
    if (!status) {
        uint32_t *references = loupe_numbers_get(search->chunks, nodes);
        status = references ? LOUPE_OK : LOUPE_ENOMEM;
        if (references) {
            memset(references, 0, nodes * sizeof(*references));
            count_references(search, references);
            tell_of_rootless(search, &reached, &for_sure, references, incoming);
        }
        loupe_numbers_put(search->chunks, &references, nodes);
        loupe_marks_deinit(&for_sure);
    }
    loupe_marks_deinit(&reached);
    return status;
}

/* ---- All of it ---- */

static enum loupe_status find(struct loupe_holder_search *search, struct loupe_holders *ret) {
    enum loupe_status status =
        loupe_kinds_copy(search->snapshot, search->chunks, &search->columns, &search->kinds);
    if (!status)
        status = rule_out(search);
    if (!status)
        status = find_paths(search);
    if (!status)
        status = find_alive(search);
    if (status)
        return status;
    note_roots(search, ret);
    count_owners(search, &ret->incoming);
    take_links(search, &ret->incoming);
    note_memory(search, ret);
    status = find_kept(search, ret);
    if (!status)
        status = loupe_holders_show(search, ret);
    return status ? status : look_at_rootless(search, &ret->incoming);
}

static void judge(const struct loupe_holder_search *search, struct loupe_holders *ret) {
    struct loupe_object_evidence *evidence = &ret->evidence;
    bool sees_all = !loupe_snapshot_is_incomplete(search->snapshot);
    evidence->known = loupe_native_retain_count(search->snapshot, search->node, &evidence->retains);
    evidence->searched = sees_all;
    evidence->searched_bytes = search->snapshot->bytes;
    evidence->is_lost = sees_all && !loupe_is_marked(&search->alive, search->node);
    ret->words.was_searched = loupe_object_needs_search(&ret->incoming, evidence);
    loupe_object_verdict_find(&ret->heap.graph, &ret->incoming, evidence, &ret->verdict);
}

static void end_search(struct loupe_holder_search *search) {
    uint32_t nodes = search->snapshot->columns.nodes;
    loupe_kinds_put(search->snapshot, search->chunks, &search->kinds);
    if (search->ranks) {
        loupe_shortest_deinit(&search->shortest);
        loupe_numbers_put(search->chunks, &search->ranks, nodes);
    }
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
    *search = (struct loupe_holder_search){
        .snapshot = snapshot, .chunks = chunks, .arena = arena, .known = known, .node = node};
    enum loupe_status status = find(search, ret);
    if (!status)
        judge(search, ret);
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

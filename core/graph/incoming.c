#include "graph/incoming.h"

#include <string.h>

uint64_t loupe_words_without_stacks(const struct loupe_incoming *incoming) {
    return incoming->words[LOUPE_ROOT_GIVEN] + incoming->words[LOUPE_ROOT_GLOBAL] +
           incoming->words[LOUPE_ROOT_THREAD_LOCAL] + incoming->words[LOUPE_ROOT_KERNEL];
}

/* ---- Paths ---- */

enum loupe_status loupe_incoming_search_paths(struct loupe_incoming_search *search,
                                              loupe_link_kinds kinds) {
    struct loupe_marks ends;
    enum loupe_status status = loupe_marks_init(&ends, search->chunks, search->columns.nodes);
    if (status)
        return status;
    loupe_mark(&ends, search->node);
    struct loupe_shortest_options options = {
        .kinds = kinds, .root_levels = search->root_levels, .ends = &ends};
    status = loupe_shortest_find_ranks(&search->columns, &options, search->chunks,
                                       &search->shortest, &search->ranks);
    loupe_marks_deinit(&ends);
    return status;
}

void loupe_incoming_search_end(struct loupe_incoming_search *search) {
    if (!search->ranks)
        return;
    loupe_shortest_deinit(&search->shortest);
    loupe_numbers_put(search->chunks, &search->ranks, search->columns.nodes);
}

/* ---- What leads to the node ---- */

static bool is_better(const struct loupe_link_found *a, const struct loupe_link_found *b) {
    if (a->rank >> LOUPE_RANK_SHIFT != b->rank >> LOUPE_RANK_SHIFT)
        return a->rank < b->rank;
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

static bool is_shared(const struct loupe_incoming_search *search, uint32_t link) {
    return search->facts->is_shared(search->facts->ctx, link);
}

/* What is known of all that may own the node. */
static void count_owner(struct loupe_incoming_search *search, uint32_t from, uint32_t link) {
    enum loupe_link_kind kind = loupe_link_kind(&search->columns, link);
    enum loupe_doubt doubt = LOUPE_NO_DOUBT;
    if (kind == LOUPE_LINK_ASSUMED)
        search->facts->can_be_ruled_out(search->facts->ctx, from, link, &doubt);
    if (kind == LOUPE_LINK_ASSUMED || kind == LOUPE_LINK_STRONG)
        loupe_owner_counts_add(&search->owners, kind == LOUPE_LINK_ASSUMED, is_shared(search, link),
                               doubt);
}

static void take_owner(struct loupe_incoming_search *search, struct loupe_link_found *found,
                       struct loupe_incoming *incoming) {
    enum loupe_doubt doubt = LOUPE_NO_DOUBT;
    if (found->is_assumed &&
        search->facts->can_be_ruled_out(search->facts->ctx, found->from, found->link, &doubt))
        found->owns_nothing_since = loupe_owns_nothing_since(&search->owners, doubt);
    if (found->owns_nothing_since) {
        keep_best(&search->ruled_out, *found);
        return;
    }
    incoming->shared += is_shared(search, found->link);
    incoming->assumed += found->is_assumed;
    keep_best(&search->holders, *found);
}

static void take_link(struct loupe_incoming_search *search, uint32_t from, uint32_t link,
                      struct loupe_incoming *incoming) {
    const struct loupe_incoming_facts *facts = search->facts;
    enum loupe_link_kind kind = loupe_link_kind(&search->columns, link);
    struct loupe_link_found found = {.from = from,
                                     .link = link,
                                     .rank =
                                         from == search->node ? LOUPE_NO_PATH : search->ranks[from],
                                     .is_assumed = kind == LOUPE_LINK_ASSUMED};
    switch (kind) {
    case LOUPE_LINK_STRONG:
    case LOUPE_LINK_ASSUMED:
        take_owner(search, &found, incoming);
        break;
    case LOUPE_LINK_CONSERVATIVE:
        keep_best(&search->memory, found);
        break;
    case LOUPE_LINK_UNOWNED:
        keep_best(!facts->was_ruled_out || facts->was_ruled_out(facts->ctx, link)
                      ? &search->ruled_out
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

/* Twice over all links: what one of them owns depends on the others. */
void loupe_incoming_search_links(struct loupe_incoming_search *search,
                                 struct loupe_incoming *incoming) {
    const struct loupe_columns *columns = &search->columns;
    search->owners.certain = incoming->owned_by_roots;
    search->owners.words = loupe_words_without_stacks(incoming);
    for (int is_counted = 0; is_counted < 2; is_counted++) {
        for (uint32_t from = 0; from < columns->nodes; from++) {
            for (uint32_t link = columns->first[from]; link < columns->first[from + 1]; link++) {
                if (loupe_link_target(columns, link) != search->node)
                    continue;
                if (is_counted)
                    take_link(search, from, link, incoming);
                else
                    count_owner(search, from, link);
            }
        }
    }
    incoming->edges_found = search->holders.found;
    incoming->memory_found = search->memory.found;
    incoming->ruled_out_found = search->ruled_out.found;
}

/* ---- Holders without a path ---- */

enum { OWNED = 1u << LOUPE_LINK_STRONG | 1u << LOUPE_LINK_ASSUMED };

/* Marks what the node leads to along links of the kinds. */
static enum loupe_status mark_reached(const struct loupe_incoming_search *search,
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

static void count_references(const struct loupe_incoming_search *search, uint32_t *references) {
    const struct loupe_columns *columns = &search->columns;
    for (uint32_t link = 0; link < columns->first[columns->nodes]; link++) {
        if (loupe_link_counts(columns, link, OWNED))
            references[loupe_link_target(columns, link)] += !is_shared(search, link);
    }
    for (uint32_t root = 0; root < columns->root_count; root++)
        references[columns->roots[root]] += search->facts->retains(search->facts->ctx, root);
}

static void tell_of_rootless(const struct loupe_incoming_search *search,
                             const struct loupe_marks *reached, const struct loupe_marks *for_sure,
                             const uint32_t *references, struct loupe_incoming *incoming) {
    for (uint32_t i = 0; i < search->holders.count; i++) {
        const struct loupe_link_found *found = &search->holders.items[i];
        struct loupe_incoming_edge *held = &incoming->edges[i];
        if (found->rank != LOUPE_NO_PATH)
            continue;
        held->references = references[found->from];
        held->is_lost = search->alive && !loupe_is_marked(search->alive, found->from);
        if (loupe_is_marked(reached, found->from))
            held->closing = !found->is_assumed && loupe_is_marked(for_sure, found->from)
                                ? LOUPE_CLOSES_A_RING
                                : LOUPE_MAY_CLOSE_A_RING;
    }
}

enum loupe_status loupe_incoming_search_rootless(const struct loupe_incoming_search *search,
                                                 struct loupe_incoming *incoming) {
    uint32_t last = search->holders.count; /* those without a path come last */
    uint32_t nodes = search->columns.nodes;
    struct loupe_marks reached, for_sure;
    if (!last || search->holders.items[last - 1].rank != LOUPE_NO_PATH)
        return LOUPE_OK;
    enum loupe_status status = mark_reached(search, OWNED, &reached);
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

/* ---- Of a walk ---- */

struct walk {
    const struct loupe_graph *graph;
    const struct loupe_describer *describer;
    const struct loupe_vector *roots;
};

static const struct loupe_root *root_at(const struct walk *walk, uint32_t index) {
    return loupe_vector_at(walk->roots, index, sizeof(struct loupe_root));
}

static bool walk_is_shared(const void *ctx, uint32_t link) {
    return loupe_graph_edge_facts(((const struct walk *)ctx)->graph, link)->shared;
}

/* What a property declares is owned with good reason. */
static bool walk_can_be_ruled_out(const void *ctx, uint32_t from, uint32_t link,
                                  enum loupe_doubt *ret) {
    const struct walk *walk = ctx;
    if (loupe_graph_edge_facts(walk->graph, link)->ownership != LOUPE_ASSUMED)
        return false;
    if (walk->describer && walk->describer->doubt)
        *ret = walk->describer->doubt(walk->describer->ctx, walk->graph, from, link);
    return true;
}

static uint32_t walk_retains(const void *ctx, uint32_t root) {
    return root_at(ctx, root)->retains;
}

static void note_roots(const struct walk *walk, uint32_t node, struct loupe_incoming *incoming) {
    for (uint32_t i = 0; i < walk->roots->count; i++) {
        const struct loupe_root *root = root_at(walk, i);
        if (root->node != node)
            continue;
        incoming->words[root->kind]++;
        incoming->owned_by_roots += root->retains;
        if (incoming->root_count < LOUPE_MAX_INCOMING)
            incoming->roots[incoming->root_count++] = i;
    }
}

/* Where a path begins. Those that are known already are of the same tree. */
static uint32_t root_of(const struct loupe_shortest *shortest,
                        const struct loupe_paths_from_roots *paths, uint32_t node) {
    while (paths->to[node].root == LOUPE_NO_ROOT &&
           loupe_path_before(shortest, node) != LOUPE_NO_NODE)
        node = shortest->from[node];
    return paths->to[node].root == LOUPE_NO_ROOT ? shortest->from[node] : paths->to[node].root;
}

/* Of a holder and, as far as it is shown, what its path goes through. */
static void keep_path(const struct loupe_incoming_search *search,
                      const struct loupe_link_found *found, struct loupe_paths_from_roots *paths) {
    uint32_t node = found->from, length = found->rank & LOUPE_RANK_LENGTH;
    if (found->rank == LOUPE_NO_PATH)
        return;
    uint32_t root = root_of(&search->shortest, paths, node);
    /* Cap: the field way_length. */
    for (uint32_t i = 0; i <= LOUPE_MAX_PATH_SHOWN && node != LOUPE_NO_NODE; i++, length--) {
        struct loupe_root_path *path = &paths->to[node];
        uint32_t before = loupe_path_before(&search->shortest, node);
        if (path->root == LOUPE_NO_ROOT) {
            *path = (struct loupe_root_path){.root = root, .length = length};
            if (before != LOUPE_NO_NODE) {
                path->from = before;
                path->edge = loupe_path_link(&search->columns, OWNED, 0, before, node);
            }
        }
        node = before;
    }
}

static uint32_t keep_edges(const struct loupe_links_found *links,
                           const struct loupe_paths_from_roots *paths,
                           struct loupe_incoming_edge *ret) {
    for (uint32_t i = 0; i < links->count; i++) {
        const struct loupe_link_found *found = &links->items[i];
        ret[i] = (struct loupe_incoming_edge){.from = found->from,
                                              .edge = found->link,
                                              .path = {.root = LOUPE_NO_ROOT},
                                              .owns_nothing_since = found->owns_nothing_since};
        if (found->rank != LOUPE_NO_PATH)
            ret[i].path = paths->to[found->from];
    }
    return links->count;
}

static enum loupe_status find(struct loupe_incoming_search *search, const struct walk *walk,
                              struct loupe_paths_from_roots *paths, struct loupe_incoming *ret) {
    enum loupe_status status = loupe_incoming_search_paths(search, OWNED);
    if (status)
        return status;
    note_roots(walk, search->node, ret);
    if (walk->describer && walk->describer->retain_count)
        search->owners.known = walk->describer->retain_count(walk->describer->ctx, walk->graph,
                                                             search->node, &search->owners.retains);
    loupe_incoming_search_links(search, ret);
    loupe_numbers_put(search->chunks, &search->ranks, search->columns.nodes);
    status = loupe_paths_from_roots_init(paths, search->columns.nodes, search->chunks);
    for (uint32_t i = 0; !status && i < search->holders.count; i++)
        keep_path(search, &search->holders.items[i], paths);
    loupe_shortest_deinit(&search->shortest);
    if (status)
        return status;
    ret->edge_count = keep_edges(&search->holders, paths, ret->edges);
    ret->ruled_out_count = keep_edges(&search->ruled_out, paths, ret->ruled_out);
    status = loupe_incoming_search_rootless(search, ret);
    if (status)
        loupe_paths_from_roots_deinit(paths);
    return status;
}

/* Of each root its node and how good it is. */
static void list_roots(const struct walk *walk, uint32_t *nodes, uint8_t *levels) {
    for (uint32_t i = 0; i < walk->roots->count; i++) {
        nodes[i] = root_at(walk, i)->node;
        levels[i] = (uint8_t)loupe_root_level(root_at(walk, i)->kind);
    }
}

enum loupe_status loupe_incoming_find(const struct loupe_graph *graph, uint32_t node,
                                      const struct loupe_describer *describer,
                                      const struct loupe_vector *roots,
                                      struct loupe_paths_from_roots *paths_ret,
                                      struct loupe_incoming *ret) {
    const struct loupe_chunk_ops *chunks = graph->nodes.chunks;
    struct walk walk = {.graph = graph, .describer = describer, .roots = roots};
    struct loupe_incoming_facts facts = {.ctx = &walk,
                                         .is_shared = walk_is_shared,
                                         .can_be_ruled_out = walk_can_be_ruled_out,
                                         .retains = walk_retains};
    uint32_t *nodes = loupe_numbers_get(chunks, roots->count);
    uint8_t *levels = loupe_chunk_get(chunks, (size_t)roots->count + 1);
    struct loupe_incoming_search *search = loupe_chunk_get(chunks, sizeof(*search));
    enum loupe_status status = nodes && levels && search ? LOUPE_OK : LOUPE_ENOMEM;
    memset(ret, 0, sizeof(*ret));
    if (!status) {
        list_roots(&walk, nodes, levels);
        *search = (struct loupe_incoming_search){.columns = graph->columns,
                                                 .root_levels = levels,
                                                 .chunks = chunks,
                                                 .facts = &facts,
                                                 .node = node,
                                                 .owners = {.known = LOUPE_COUNT_UNKNOWN}};
        search->columns.roots = nodes;
        search->columns.root_count = roots->count;
        status = find(search, &walk, paths_ret, ret);
    }
    loupe_chunk_put(chunks, search, sizeof(*search));
    loupe_chunk_put(chunks, levels, (size_t)roots->count + 1);
    loupe_numbers_put(chunks, &nodes, roots->count);
    return status;
}

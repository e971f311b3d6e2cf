#include "edges/details/object_evidence.h"

#include "edges/details/describe.h"
#include "runtime/allocation.h"
#include "runtime/free_chunks.h"
#include "runtime/freed.h"

/* ---- Places that are known ---- */

struct known_places {
    struct loupe_map map;
    enum loupe_status status;
};

static void know(struct known_places *known, loupe_addr slot) {
    if (slot && !known->status)
        known->status = loupe_map_put(&known->map, slot, 0);
}

static void know_edges(struct known_places *known, struct loupe_walk *walk,
                       const struct loupe_graph *graph, uint32_t seed) {
    struct loupe_describer describer = loupe_describe(walk);
    for (uint32_t from = 0; from < graph->opened; from++) {
        uint32_t end = loupe_graph_edges_end(graph, from);
        for (uint32_t id = loupe_graph_first_edge(graph, from); id < end; id++) {
            struct loupe_edge_label label;
            if (loupe_graph_target(graph, id) != seed)
                continue;
            describer.label(describer.ctx, graph, from, id, &label);
            know(known, label.slot);
        }
    }
}

/* Slots that own nothing, and words that are counted as roots. */
static void know_others(struct known_places *known, struct loupe_walk *walk,
                        const struct loupe_graph *graph, uint32_t seed,
                        const struct loupe_roots *roots) {
    struct loupe_describer describer = loupe_describe(walk);
    for (uint32_t i = 0; i < walk->nonowning.items.count; i++) {
        const struct loupe_nonowning_ref *nonowning = loupe_nonowning_at(&walk->nonowning, i);
        struct loupe_edge_label label;
        if (nonowning->edge.to != seed)
            continue;
        describer.label_nonowning(describer.ctx, graph, nonowning, &label);
        know(known, label.slot);
    }
    for (uint32_t i = 0; i < roots->items.count; i++) {
        const struct loupe_root *root =
            loupe_vector_at(&roots->items, i, sizeof(struct loupe_root));
        if (root->node == seed)
            know(known, root->slot);
    }
}

static loupe_addr place_at(const struct loupe_word_search *search, uint32_t number) {
    return *(const loupe_addr *)loupe_vector_at(&search->places, number, sizeof(loupe_addr));
}

/* The first place that is not below an address; they ascend. */
static uint32_t first_place(const struct loupe_word_search *search, loupe_addr address) {
    uint32_t low = 0, high = search->places.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (place_at(search, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is left over in the runtime's tables. */
static void know_unused(struct known_places *known, struct loupe_target *target,
                        const struct loupe_word_search *search) {
    struct loupe_range stretch;
    uint64_t cursor = 0;
    if (!search->places.count || !target->abi->next_unused)
        return;
    while (target->abi->next_unused(target, &cursor, &stretch) &&
           !loupe_memory_interrupted(target->memory)) {
        for (uint32_t i = first_place(search, stretch.start);
             i < search->places.count && place_at(search, i) < stretch.end; i++)
            know(known, place_at(search, i));
    }
}

/* Of an object with many such words none is worth the reads. */
static bool is_freed(struct loupe_memory *memory, const struct loupe_word_search *search,
                     loupe_addr place) {
    enum { MOST_LOOKED_AT = 256 };
    return search->places.count <= MOST_LOOKED_AT && loupe_is_free_word(memory, place);
}

static void count_other_words(const struct known_places *known, struct loupe_memory *memory,
                              const struct loupe_word_search *search,
                              struct loupe_object_evidence *evidence,
                              struct loupe_object_words *words) {
    for (uint32_t i = 0; i < search->places.count; i++) {
        loupe_addr place = place_at(search, i);
        uint32_t ignored;
        if (loupe_map_find(&known->map, place, &ignored))
            continue;
        if (is_freed(memory, search, place)) {
            evidence->freed_words++;
            continue;
        }
        evidence->other_words++;
        if (words->example_count < LOUPE_SHOWN_WORDS)
            words->examples[words->example_count++] = place;
    }
}

/* ---- The search ---- */

static enum loupe_status search_all(struct loupe_word_search *search, struct loupe_memory *memory,
                                    const struct loupe_scene *scene) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&scene->writable); i++)
        status = loupe_word_search_add(search, memory, *loupe_ranges_at(&scene->writable, i));
    return status;
}

static enum loupe_status weigh(struct loupe_walk *walk, const struct loupe_evidence_asked *asked,
                               const struct loupe_word_search *search,
                               struct loupe_gathered_evidence *ret) {
    struct known_places known = {.status = LOUPE_OK};
    loupe_map_init(&known.map, walk->target->chunks);
    know_edges(&known, walk, asked->graph, asked->seed);
    know_others(&known, walk, asked->graph, asked->seed, asked->roots);
    know_unused(&known, walk->target, search);
    if (!known.status)
        count_other_words(&known, walk->target->memory, search, &ret->evidence, &ret->words);
    loupe_map_deinit(&known.map);
    ret->evidence.searched_bytes = search->bytes;
    ret->evidence.searched = search->bytes && !search->incomplete;
    ret->words.was_searched = search->bytes != 0;
    return known.status;
}

/* ---- Whether it is one ---- */

static enum loupe_allocation allocation_of(struct loupe_walk *walk, loupe_addr address) {
    struct loupe_object object;
    return loupe_object_at(walk->target, address, &object, NULL)
               ? LOUPE_ALLOCATION_UNKNOWN
               : loupe_allocation_of(walk->target, &object);
}

/* That an instance has no header tells something where all others that are looked at have one. */
static bool only_looks_like_one(struct loupe_walk *walk, const struct loupe_graph *graph,
                                uint32_t seed) {
    enum { LOOKED_AT = 64, ENOUGH = 8 };
    enum loupe_allocation own = allocation_of(walk, loupe_graph_address(graph, seed));
    uint32_t with_header = 0;
    if (own != LOUPE_ALLOCATION_NOT_SEEN)
        return own == LOUPE_ALLOCATION_IMPOSSIBLE;
    /* Cap: enough to tell; without them nothing is told. */
    for (uint32_t node = 0; node < loupe_graph_node_count(graph) && node < LOOKED_AT; node++) {
        enum loupe_allocation other = node == seed
                                          ? LOUPE_ALLOCATION_UNKNOWN
                                          : allocation_of(walk, loupe_graph_address(graph, node));
        if (other == LOUPE_ALLOCATION_NOT_SEEN)
            return false;
        with_header += other == LOUPE_ALLOCATION_BEGINS;
    }
    return with_header >= ENOUGH;
}

enum loupe_status loupe_object_evidence_gather(struct loupe_walk *walk,
                                               const struct loupe_evidence_asked *asked,
                                               struct loupe_gathered_evidence *ret) {
    const struct loupe_graph *graph = asked->graph;
    struct loupe_object_evidence *evidence = &ret->evidence;
    struct loupe_describer describer = loupe_describe(walk);
    uint32_t seed = asked->seed;
    loupe_addr address = loupe_graph_address(graph, seed);
    struct loupe_word_search search;
    struct loupe_freed freed;
    uint64_t size = 0;
    ret->words = (struct loupe_object_words){.example_count = 0};
    *evidence = (struct loupe_object_evidence){
        .was_freed = loupe_freed_at(walk->target, address, &freed) && freed.certain,
        .only_looks_like = only_looks_like_one(walk, graph, seed)};
    evidence->known = describer.retain_count(describer.ctx, graph, seed, &evidence->retains);
    if (!loupe_object_needs_search(asked->incoming, evidence))
        return LOUPE_OK;
    describer.size(describer.ctx, graph, seed, &size);
    loupe_word_search_init(&search, walk->target->chunks, address, size);
    enum loupe_status status = search_all(&search, walk->target->memory, asked->scene);
    if (search.interrupted)
        loupe_findings_add(&walk->target->findings, LOUPE_FINDING_INTERRUPTED, address);
    if (!status)
        status = weigh(walk, asked, &search, ret);
    loupe_word_search_deinit(&search);
    return status;
}

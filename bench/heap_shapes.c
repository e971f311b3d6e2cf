#include "heap_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 64, OBJECT_SIZE = 48 };
#define HEAP_START 0x600000000000u

static const char *const paths[] = {"_first", "_second", "_third", "_parent", "self", "_handler"};
enum { PATH_FIRST, PATH_PARENT = 3, PATH_SELF, PATH_HANDLER };

const char *heap_shape_name(enum heap_shape shape) {
    static const char *const names[] = {"mixed", "parents", "random"};
    return names[shape];
}

static void *get(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "no memory for the heap\n");
        exit(1);
    }
    return memory;
}

static uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13; /* xorshift64 (Marsaglia 2003) */
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint32_t below(uint64_t *state, uint32_t limit) {
    return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* ---- Making ---- */

/* References in the order of making; sorted by source when all are there. */
struct draft {
    uint32_t *from;
    struct heap_reference *references;
    size_t count;
};

static void refer(struct draft *draft, uint32_t from, uint32_t to, enum loupe_edge_kind kind,
                  unsigned path) {
    draft->from[draft->count] = from;
    draft->references[draft->count++] =
        (struct heap_reference){.to = to, .path = (uint8_t)path, .kind = (uint8_t)kind};
}

/*
 * A program of groups (screens, documents) of 256 objects, of which the last 156 are leaves like
 * strings. A group's first object is owned by an older group's first, the others by older objects
 * of the group. Of 1000 objects 10 hold their owner, 10 are blocks that capture theirs and 5 close
 * a ring of three with their owner's owner. The last hundredth of the heap is a tree with parent
 * pointers throughout. All other references lead to leaves anywhere or to younger objects of the
 * group, and close nothing.
 */
enum { GROUP = 256, OWNING = 100 };

static uint32_t owner_in_group(uint64_t *random, uint32_t object) {
    uint32_t place = object % GROUP;
    if (!place)
        return object / GROUP / 8 * GROUP;
    return object - place + below(random, place < OWNING ? place : OWNING);
}

static void share(struct draft *draft, uint64_t *random, uint32_t groups) {
    uint32_t place = below(random, OWNING), from = below(random, groups) * GROUP + place;
    uint32_t to = below(random, 10) < 7
                      ? below(random, groups) * GROUP + OWNING + below(random, GROUP - OWNING)
                      : from + 1 + below(random, OWNING - place);
    refer(draft, from, to, LOUPE_EDGE_IVAR, PATH_FIRST + below(random, 3));
}

static void draft_mixed(struct draft *draft, uint32_t objects, uint64_t *random) {
    uint32_t *owner = get(objects, sizeof(*owner));
    uint32_t groups = (objects - objects / 100) / GROUP, tree = groups * GROUP;
    for (uint32_t i = 1; i < objects; i++) {
        bool in_tree = i >= tree;
        owner[i] = i == tree ? 0 : in_tree ? tree + (i - tree - 1) / 2 : owner_in_group(random, i);
        refer(draft, owner[i], i, LOUPE_EDGE_IVAR, PATH_FIRST + below(random, 3));
        uint32_t luck = i % GROUP < OWNING ? below(random, 1000) : 1000;
        if ((in_tree && i > tree) || luck < 10)
            refer(draft, i, owner[i], LOUPE_EDGE_IVAR, PATH_PARENT);
        else if (luck < 20)
            refer(draft, i, owner[i], LOUPE_EDGE_CAPTURE, PATH_SELF);
        else if (luck < 25)
            refer(draft, i, owner[owner[i]], LOUPE_EDGE_IVAR, PATH_HANDLER);
    }
    while (draft->count < (size_t)objects * 3)
        share(draft, random, groups);
    free(owner);
}

static void draft_parents(struct draft *draft, uint32_t objects) {
    for (uint32_t i = 1; i < objects; i++) {
        refer(draft, (i - 1) / 3, i, LOUPE_EDGE_IVAR, PATH_FIRST);
        refer(draft, i, (i - 1) / 3, LOUPE_EDGE_IVAR, PATH_PARENT);
    }
}

static void draft_random(struct draft *draft, uint32_t objects, uint64_t *random) {
    for (uint32_t i = 1; i < objects; i++)
        refer(draft, below(random, i), i, LOUPE_EDGE_IVAR, PATH_FIRST);
    while (draft->count < (size_t)objects * 3) {
        uint32_t from = below(random, objects);
        refer(draft, from, below(random, objects), LOUPE_EDGE_IVAR, PATH_FIRST + below(random, 3));
    }
}

static void sort_by_source(struct heap *heap, const struct draft *draft) {
    heap->first = get((size_t)heap->objects + 2, sizeof(*heap->first));
    heap->references = get(draft->count, sizeof(*heap->references));
    for (size_t i = 0; i < draft->count; i++)
        heap->first[draft->from[i] + 2]++;
    for (uint32_t i = 0; i < heap->objects; i++)
        heap->first[i + 2] += heap->first[i + 1];
    for (size_t i = 0; i < draft->count; i++)
        heap->references[heap->first[draft->from[i] + 1]++] = draft->references[i];
}

static void shuffle_places(struct heap *heap, uint64_t *random) {
    heap->place = get(heap->objects, sizeof(*heap->place));
    heap->object_at = get(heap->objects, sizeof(*heap->object_at));
    for (uint32_t i = 0; i < heap->objects; i++) {
        uint32_t j = below(random, i + 1);
        heap->object_at[i] = heap->object_at[j];
        heap->object_at[j] = i;
    }
    for (uint32_t i = 0; i < heap->objects; i++)
        heap->place[heap->object_at[i]] = i;
}

void heap_make(struct heap *heap, enum heap_shape shape, uint32_t objects) {
    uint64_t random = 0x2545f4914f6cdd1du;
    size_t room = (size_t)objects * 4;
    struct draft draft = {.from = get(room, sizeof(*draft.from)),
                          .references = get(room, sizeof(*draft.references))};
    *heap = (struct heap){.objects = objects};
    if (shape == HEAP_MIXED)
        draft_mixed(&draft, objects, &random);
    else if (shape == HEAP_PARENTS)
        draft_parents(&draft, objects);
    else
        draft_random(&draft, objects, &random);
    sort_by_source(heap, &draft);
    free(draft.from);
    free(draft.references);
    shuffle_places(heap, &random);
}

void heap_free(struct heap *heap) {
    free(heap->first);
    free(heap->references);
    free(heap->place);
    free(heap->object_at);
}

/* ---- Walking ---- */

loupe_addr heap_address(const struct heap *heap, uint32_t object) {
    return HEAP_START + (loupe_addr)heap->place[object] * OBJECT_SIZE;
}

static const uint32_t *place_of(const struct heap *heap, loupe_addr address) {
    return &heap->object_at[(address - HEAP_START) / OBJECT_SIZE];
}

uint32_t heap_object(const struct heap *heap, loupe_addr address) {
    return *place_of(heap, address);
}

uint32_t heap_tag(uint32_t object) {
    return loupe_node_tag(LOUPE_NODE_OBJECT, object % CLASSES);
}

/* Nodes that are expanded together, and references of them that are looked up together. */
enum { NODES_AT_ONCE = 32, REFERENCES_AT_ONCE = 128 };

static enum loupe_status add_reference(const struct heap *heap, struct loupe_graph *graph,
                                       const struct heap_reference *reference, uint32_t slot) {
    loupe_addr address = heap_address(heap, reference->to);
    uint32_t to;
    if (!loupe_graph_find(graph, address, &to)) {
        enum loupe_status status =
            loupe_graph_add_node(graph, address, heap_tag(reference->to), &to);
        if (status)
            return status;
    }
    struct loupe_edge edge = {
        .to = to, .offset = 8 * (slot + 1), .detail = reference->path, .kind = reference->kind};
    return loupe_graph_add_edge(graph, &edge);
}

static void fetch_references(const struct heap *heap, const struct loupe_graph *graph,
                             const uint32_t *objects, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        loupe_prefetch(&heap->first[objects[i]]);
    for (uint32_t i = 0; i < count; i++)
        loupe_prefetch(&heap->references[heap->first[objects[i]]]);
    for (unsigned step = 0; step < 2; step++) {
        uint32_t fetched = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t end = heap->first[objects[i] + 1];
            for (uint32_t r = heap->first[objects[i]]; r < end && fetched < REFERENCES_AT_ONCE;
                 r++, fetched++) {
                if (step == 0)
                    loupe_prefetch(&heap->place[heap->references[r].to]);
                else
                    loupe_graph_prefetch(graph, heap_address(heap, heap->references[r].to));
            }
        }
    }
}

/* Reads ahead as the walk over a real heap does: this is about the graph, not about these arrays.
 */
static enum loupe_status expand(void *ctx, struct loupe_graph *graph) {
    const struct heap *heap = ctx;
    uint32_t objects[NODES_AT_ONCE];
    uint32_t first = graph->opened, count = loupe_graph_node_count(graph) - first;
    if (count > NODES_AT_ONCE)
        count = NODES_AT_ONCE;
    for (uint32_t i = 0; i < count; i++)
        loupe_prefetch(place_of(heap, loupe_graph_address(graph, first + i)));
    for (uint32_t i = 0; i < count; i++)
        objects[i] = heap_object(heap, loupe_graph_address(graph, first + i));
    fetch_references(heap, graph, objects, count);
    for (uint32_t i = 0; i < count; i++) {
        loupe_graph_open_next(graph);
        uint32_t start = heap->first[objects[i]], end = heap->first[objects[i] + 1];
        for (uint32_t r = start; r < end; r++) {
            enum loupe_status status = add_reference(heap, graph, &heap->references[r], r - start);
            if (status)
                return status;
        }
    }
    return LOUPE_OK;
}

struct loupe_expander heap_expander(struct heap *heap) {
    return (struct loupe_expander){.ctx = heap, .expand = expand};
}

/* ---- Describing ---- */

static struct loupe_span class_name(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    static const char names[CLASSES + 1] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
    (void)ctx;
    uint32_t number = loupe_node_class(loupe_graph_node(graph, node));
    return (struct loupe_span){.bytes = names + number, .length = 1};
}

static bool is_kind_of(void *ctx, const struct loupe_graph *graph, uint32_t node,
                       const char *name) {
    return loupe_span_equals(class_name(ctx, graph, node), name);
}

static void label(void *ctx, const struct loupe_graph *graph, uint32_t from, uint32_t edge_id,
                  struct loupe_edge_label *ret) {
    (void)ctx;
    const struct loupe_edge_facts *edge = loupe_graph_edge_facts(graph, edge_id);
    *ret = (struct loupe_edge_label){.has_offset = true,
                                     .offset = edge->offset,
                                     .slot = loupe_graph_address(graph, from) + edge->offset};
    loupe_format(ret->name, sizeof(ret->name), "%s", paths[edge->detail]);
    loupe_format(ret->path, sizeof(ret->path), "%s", paths[edge->detail]);
}

static enum loupe_retain_count retain_count(void *ctx, const struct loupe_graph *graph,
                                            uint32_t node, uint64_t *ret) {
    (void)ctx;
    (void)graph;
    *ret = 1 + node % 3;
    return LOUPE_COUNT_KNOWN;
}

static bool size(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *ret) {
    (void)ctx;
    (void)graph;
    (void)node;
    *ret = OBJECT_SIZE;
    return true;
}

struct loupe_describer heap_describer(struct heap *heap) {
    return (struct loupe_describer){.ctx = heap,
                                    .class_name = class_name,
                                    .is_kind_of = is_kind_of,
                                    .label = label,
                                    .retain_count = retain_count,
                                    .size = size};
}

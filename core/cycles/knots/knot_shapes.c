/* The knots of a heap, those alike together. */
#include "cycles/knots/knot_shapes.h"

#include "base/fnv.h"
#include "base/numbers.h"
#include "base/sort.h"
#include "cycles/knots/fingerprint.h"

/* ---- Rings ---- */

uint32_t loupe_knot_shapes_ring(struct loupe_knot_shapes *shapes, uint32_t knot) {
    loupe_heap_ring_nodes(&shapes->rings, knot, shapes->nodes);
    return shapes->rings.of[knot].length;
}

uint32_t loupe_knot_shapes_link(const struct loupe_knot_shapes *shapes, uint32_t length,
                                uint32_t i) {
    const struct loupe_tracer *tracer = shapes->tracer;
    return loupe_path_link(&tracer->columns, tracer->policy->knots, tracer->policy->late,
                           shapes->nodes[i], shapes->nodes[(i + 1) % length]);
}

static uint64_t hash_step(const struct loupe_knot_shapes *shapes, uint32_t length, uint32_t i) {
    const struct loupe_snapshot *snapshot = shapes->tracer->snapshot;
    struct loupe_link_name name;
    loupe_snapshot_name_link(snapshot, shapes->nodes[i], loupe_knot_shapes_link(shapes, length, i),
                             &name);
    uint64_t hash = loupe_fnv_span(
        LOUPE_FNV_BASIS, loupe_snapshot_class_name(snapshot, snapshot->classes[shapes->nodes[i]]));
    return loupe_fnv_span(loupe_fnv_number(hash, name.kind), name.name);
}

static uint64_t fingerprint_of(struct loupe_knot_shapes *shapes, uint32_t knot) {
    uint32_t length = loupe_knot_shapes_ring(shapes, knot);
    for (uint32_t i = 0; i < length; i++)
        shapes->hashes[i] = hash_step(shapes, length, i);
    return loupe_fingerprint_ring(shapes->hashes, length);
}

/* ---- Shapes ---- */

static bool is_larger(const void *ctx, const void *a, const void *b) {
    const struct loupe_knot_shape *x = a, *y = b;
    (void)ctx;
    return x->bytes != y->bytes ? x->bytes > y->bytes : x->knot < y->knot;
}

/* Those alike together, the largest of them first. */
static bool is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_knot_shape *x = a, *y = b;
    return x->fingerprint != y->fingerprint ? x->fingerprint < y->fingerprint
                                            : is_larger(ctx, a, b);
}

static void merge_alike(struct loupe_knot_shapes *shapes) {
    uint32_t kept = 0;
    loupe_sort(shapes->items, shapes->count, sizeof(*shapes->items), is_before, NULL);
    for (uint32_t i = 0; i < shapes->count; i++) {
        struct loupe_knot_shape *shape = &shapes->items[i],
                                *last = &shapes->items[kept ? kept - 1 : 0];
        if (!kept || last->fingerprint != shape->fingerprint) {
            shapes->items[kept++] = *shape;
            continue;
        }
        last->count++;
        last->objects += shape->objects;
        last->bytes += shape->bytes;
    }
    shapes->count = kept;
    loupe_sort(shapes->items, shapes->count, sizeof(*shapes->items), is_larger, NULL);
}

static uint32_t longest_ring(const struct loupe_knot_shapes *shapes) {
    uint32_t longest = 0;
    for (uint32_t knot = 0; knot < shapes->knots.count; knot++) {
        uint32_t length = shapes->rings.of[knot].length;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static size_t hashes_size(const struct loupe_knot_shapes *shapes) {
    return ((size_t)shapes->room + 1) * sizeof(*shapes->hashes);
}

static size_t items_size(const struct loupe_knot_shapes *shapes) {
    return ((size_t)shapes->knots.count + 1) * sizeof(*shapes->items);
}

static enum loupe_status list_shapes(struct loupe_knot_shapes *shapes, uint32_t only) {
    shapes->room = longest_ring(shapes);
    shapes->nodes = loupe_numbers_get(shapes->chunks, shapes->room);
    shapes->hashes = loupe_chunk_get(shapes->chunks, hashes_size(shapes));
    shapes->items = loupe_chunk_get(shapes->chunks, items_size(shapes));
    if (!shapes->nodes || !shapes->hashes || !shapes->items)
        return LOUPE_ENOMEM;
    for (uint32_t knot = 0; knot < shapes->knots.count; knot++) {
        const struct loupe_heap_ring *ring = &shapes->rings.of[knot];
        if (only != LOUPE_NO_NODE && shapes->knots.of[only] != knot)
            continue;
        shapes->items[shapes->count++] =
            (struct loupe_knot_shape){.fingerprint = fingerprint_of(shapes, knot),
                                      .knot = knot,
                                      .count = 1,
                                      .objects = ring->objects,
                                      .bytes = ring->bytes};
    }
    merge_alike(shapes);
    return LOUPE_OK;
}

static enum loupe_status find(struct loupe_knot_shapes *shapes) {
    const struct loupe_tracer *tracer = shapes->tracer;
    struct loupe_amount alive;
    enum loupe_status status = loupe_heap_knots_find(&tracer->columns, tracer->policy->knots, NULL,
                                                     shapes->chunks, &shapes->knots);
    if (!status)
        status =
            loupe_heap_rings_find(&tracer->columns, tracer->policy->knots, &shapes->knots,
                                  (struct loupe_heap_likeness){0}, shapes->chunks, &shapes->rings);
    if (!status)
        status = loupe_marks_init(&shapes->alive, shapes->chunks, tracer->columns.nodes);
    if (!status)
        status = loupe_reach(&tracer->columns, tracer->policy->alive, &shapes->alive, &alive);
    return status;
}

void loupe_knot_shapes_deinit(struct loupe_knot_shapes *shapes) {
    if (shapes->nodes)
        loupe_numbers_put(shapes->chunks, &shapes->nodes, shapes->room);
    loupe_chunk_put(shapes->chunks, shapes->hashes, hashes_size(shapes));
    loupe_chunk_put(shapes->chunks, shapes->items, items_size(shapes));
    if (shapes->knots.chunks)
        loupe_heap_knots_deinit(&shapes->knots);
    if (shapes->rings.chunks)
        loupe_heap_rings_deinit(&shapes->rings);
    if (shapes->alive.chunks)
        loupe_marks_deinit(&shapes->alive);
}

bool loupe_knot_shapes_is_alive(const struct loupe_knot_shapes *shapes,
                                const struct loupe_knot_shape *shape) {
    return loupe_is_marked(&shapes->alive, shapes->knots.first[shape->knot]);
}

enum loupe_status loupe_knot_shapes_find(struct loupe_knot_shapes *shapes,
                                         const struct loupe_tracer *tracer,
                                         const struct loupe_chunk_ops *chunks, uint32_t only) {
    *shapes = (struct loupe_knot_shapes){.tracer = tracer, .chunks = chunks};
    enum loupe_status status = find(shapes);
    return status ? status : list_shapes(shapes, only);
}

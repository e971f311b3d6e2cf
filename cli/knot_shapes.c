#include "knot_shapes.h"

#include "base/fnv.h"
#include "cycles/fingerprint.h"

#include <stdlib.h>

/* ---- Rings ---- */

uint32_t knot_shapes_ring(struct knot_shapes *shapes, uint32_t knot) {
    loupe_heap_ring_nodes(&shapes->rings, knot, shapes->nodes);
    return shapes->rings.of[knot].length;
}

uint32_t knot_shapes_link(const struct knot_shapes *shapes, uint32_t length, uint32_t i) {
    const struct loupe_tracer *tracer = &shapes->question->tracer;
    return loupe_path_link(&tracer->columns, tracer->policy->knots, tracer->policy->late,
                           shapes->nodes[i], shapes->nodes[(i + 1) % length]);
}

static uint64_t hash_step(const struct knot_shapes *shapes, uint32_t length, uint32_t i) {
    const struct loupe_snapshot *snapshot = shapes->question->query->snapshot;
    struct loupe_link_name name;
    loupe_snapshot_name_link(snapshot, shapes->nodes[i], knot_shapes_link(shapes, length, i),
                             &name);
    uint64_t hash = loupe_fnv_span(
        LOUPE_FNV_BASIS, loupe_snapshot_class_name(snapshot, snapshot->classes[shapes->nodes[i]]));
    return loupe_fnv_span(loupe_fnv_number(hash, name.kind), name.name);
}

static uint64_t fingerprint_of(struct knot_shapes *shapes, uint32_t knot) {
    uint32_t length = knot_shapes_ring(shapes, knot);
    for (uint32_t i = 0; i < length; i++)
        shapes->hashes[i] = hash_step(shapes, length, i);
    return loupe_fingerprint_ring(shapes->hashes, length);
}

/* ---- Shapes ---- */

static int compare_fingerprints(const void *a, const void *b) {
    const struct knot_shape *x = a, *y = b;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->knot > y->knot) - (x->knot < y->knot);
}

static int compare_sizes(const void *a, const void *b) {
    const struct knot_shape *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->knot > y->knot) - (x->knot < y->knot);
}

static void merge_alike(struct knot_shapes *shapes) {
    uint32_t kept = 0;
    qsort(shapes->items, shapes->count, sizeof(*shapes->items), compare_fingerprints);
    for (uint32_t i = 0; i < shapes->count; i++) {
        struct knot_shape *shape = &shapes->items[i], *last = &shapes->items[kept ? kept - 1 : 0];
        if (!kept || last->fingerprint != shape->fingerprint) {
            shapes->items[kept++] = *shape;
            continue;
        }
        last->count++;
        last->objects += shape->objects;
        last->bytes += shape->bytes;
    }
    shapes->count = kept;
    qsort(shapes->items, shapes->count, sizeof(*shapes->items), compare_sizes);
}

static uint32_t longest_ring(const struct knot_shapes *shapes) {
    uint32_t longest = 0;
    for (uint32_t knot = 0; knot < shapes->knots.count; knot++) {
        uint32_t length = shapes->rings.of[knot].length;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool list_shapes(struct knot_shapes *shapes, uint32_t only) {
    uint32_t longest = longest_ring(shapes);
    shapes->nodes = malloc(((size_t)longest + 1) * sizeof(*shapes->nodes));
    shapes->hashes = malloc(((size_t)longest + 1) * sizeof(*shapes->hashes));
    shapes->items = calloc((size_t)shapes->knots.count + 1, sizeof(*shapes->items));
    if (!shapes->nodes || !shapes->hashes || !shapes->items)
        return false;
    for (uint32_t knot = 0; knot < shapes->knots.count; knot++) {
        const struct loupe_heap_ring *ring = &shapes->rings.of[knot];
        if (only != LOUPE_NO_NODE && shapes->knots.of[only] != knot)
            continue;
        shapes->items[shapes->count++] =
            (struct knot_shape){.fingerprint = fingerprint_of(shapes, knot),
                                .knot = knot,
                                .count = 1,
                                .objects = ring->objects,
                                .bytes = ring->bytes};
    }
    merge_alike(shapes);
    return true;
}

static enum loupe_status find(struct knot_shapes *shapes) {
    const struct loupe_tracer *tracer = &shapes->question->tracer;
    struct loupe_amount alive;
    enum loupe_status status = loupe_heap_knots_find(&tracer->columns, tracer->policy->knots, NULL,
                                                     &heap_chunks, &shapes->knots);
    if (!status)
        status =
            loupe_heap_rings_find(&tracer->columns, tracer->policy->knots, &shapes->knots,
                                  (struct loupe_heap_likeness){0}, &heap_chunks, &shapes->rings);
    if (!status)
        status = loupe_marks_init(&shapes->alive, &heap_chunks, tracer->columns.nodes);
    if (!status)
        status = loupe_reach(&tracer->columns, tracer->policy->alive, &shapes->alive, &alive);
    return status;
}

void knot_shapes_deinit(struct knot_shapes *shapes) {
    if (shapes->knots.chunks)
        loupe_heap_knots_deinit(&shapes->knots);
    if (shapes->rings.chunks)
        loupe_heap_rings_deinit(&shapes->rings);
    if (shapes->alive.chunks)
        loupe_marks_deinit(&shapes->alive);
    free(shapes->nodes);
    free(shapes->hashes);
    free(shapes->items);
}

bool knot_shapes_is_alive(const struct knot_shapes *shapes, const struct knot_shape *shape) {
    return loupe_is_marked(&shapes->alive, shapes->knots.first[shape->knot]);
}

bool knot_shapes_find(struct knot_shapes *shapes, struct heap_question *question, uint32_t only) {
    *shapes = (struct knot_shapes){.question = question};
    return !find(shapes) && list_shapes(shapes, only);
}

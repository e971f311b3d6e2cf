#include "depth_first_foil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *get(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) {
        fprintf(stderr, "foil: no memory\n");
        abort();
    }
    return memory;
}

void foil_init(struct foil *foil, const struct drawn_graph *drawn, uint32_t limit) {
    *foil = (struct foil){.drawn = drawn,
                          .limit = limit,
                          .entered = get(drawn->node_count, sizeof(*foil->entered)),
                          .place = get(drawn->node_count, sizeof(*foil->place))};
}

void foil_deinit(struct foil *foil) {
    for (uint32_t i = 0; i < foil->ring_count; i++)
        free(foil->rings[i].nodes);
    free(foil->rings);
    free(foil->entered);
    free(foil->place);
}

struct frame {
    uint32_t node;
    uint32_t next; /* of the drawing's edges */
};

static void add_ring(struct foil *foil, const struct frame *first, uint32_t length) {
    if (foil->ring_count == foil->ring_capacity) {
        foil->ring_capacity = foil->ring_capacity * 2 + 16;
        foil->rings = realloc(foil->rings, foil->ring_capacity * sizeof(*foil->rings));
        if (!foil->rings)
            abort();
    }
    struct foil_ring *ring = &foil->rings[foil->ring_count++];
    *ring = (struct foil_ring){.nodes = get(length, sizeof(*ring->nodes)), .length = length};
    for (uint32_t i = 0; i < length; i++)
        ring->nodes[i] = first[i].node;
}

/* The target of the node's next reference, if there is one more. */
static bool next_child(const struct foil *foil, struct frame *frame, uint32_t *ret) {
    for (; frame->next < foil->drawn->edge_count; frame->next++) {
        if (foil->drawn->edges[frame->next].from == frame->node) {
            *ret = foil->drawn->edges[frame->next++].to;
            return true;
        }
    }
    return false;
}

void foil_walk(struct foil *foil, uint32_t candidate) {
    struct frame *stack = get(foil->drawn->node_count, sizeof(*stack));
    uint32_t depth = 1;
    stack[0] = (struct frame){.node = candidate};
    while (depth) {
        struct frame *top = &stack[depth - 1];
        uint32_t child;
        if (!foil->place[top->node]) {
            if (foil->entered[top->node]) {
                depth--;
                continue;
            }
            foil->entered[top->node] = true;
            foil->place[top->node] = depth;
        }
        if (!next_child(foil, top, &child)) {
            foil->place[top->node] = 0;
            depth--;
        } else if (foil->place[child]) {
            uint32_t first = foil->place[child] - 1;
            add_ring(foil, stack + first, depth - first);
        } else if (depth < foil->limit) {
            stack[depth++] = (struct frame){.node = child};
        }
    }
    free(stack);
}

uint32_t foil_shortest_through(const struct foil *foil, uint32_t node) {
    uint32_t shortest = 0;
    for (uint32_t i = 0; i < foil->ring_count; i++) {
        const struct foil_ring *ring = &foil->rings[i];
        for (uint32_t j = 0; j < ring->length; j++) {
            if (ring->nodes[j] == node && (!shortest || ring->length < shortest))
                shortest = ring->length;
        }
    }
    return shortest;
}

#include "contestants.h"

#include <gc/gc.h>
#include <stdlib.h>
#include <string.h>

/* Of the sizes that the compiler and the runtime give nodes, blocks and variables. */
struct node {
    void *isa, *next, *other, *handler;
    long number;
};
struct block {
    void *isa;
    long flags;
    void *invoke, *descriptor;
    struct node *first, *second;
    struct variable *variable;
};
struct variable {
    void *isa;
    struct variable *forwarding;
    long flags;
    void *keep, *destroy;
    struct node *value;
};

static double mark_started, mark_took;

static void on_event(GC_EventType event) {
    if (event == GC_EVENT_MARK_START)
        mark_started = bench_milliseconds();
    else if (event == GC_EVENT_MARK_END)
        mark_took = bench_milliseconds() - mark_started;
}

void collector_init(void) {
    setenv("GC_MARKERS", "1", 1);
    GC_INIT();
    GC_set_on_collection_event(on_event);
}

static struct node *build(const struct shape *shape) {
    struct node **nodes = GC_MALLOC(shape->count * sizeof(*nodes));
    for (uint32_t i = 0; i < shape->count; i++)
        nodes[i] = GC_MALLOC(sizeof(struct node));
    for (uint32_t i = 0; !shape_is_last(shape, i); i++) {
        nodes[i]->next = nodes[i + 1];
        nodes[i]->other = nodes[shape_other(shape, i, 0)];
        if (!shape_has_block(i))
            continue;
        struct block *block = GC_MALLOC(sizeof(*block));
        nodes[i]->handler = block;
        block->first = nodes[shape_other(shape, i, 1)];
        block->second = nodes[shape_other(shape, i, 2)];
        if (shape_has_variable(i)) {
            struct variable *variable = GC_MALLOC(sizeof(*variable));
            variable->forwarding = variable;
            variable->value = nodes[shape_other(shape, i, 3)];
            block->variable = variable;
        }
    }
    struct node *first = nodes[0];
    memset(nodes, 0, shape->count * sizeof(*nodes));
    GC_FREE(nodes);
    return first;
}

double collector_mark(const struct shape *shape) {
    enum { RUNS = 5 };
    struct node *root = build(shape);
    double best = 0;
    for (int run = 0; run < RUNS; run++) {
        GC_gcollect();
        if (run == 0 || mark_took < best)
            best = mark_took;
    }
    GC_reachable_here(root);
    return best;
}

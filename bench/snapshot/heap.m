#include "heap.h"

#import <Foundation/Foundation.h>

#include "../helper/shape.h"

#include <stdlib.h>

struct raw {
    struct raw *next;
    void *object;
    long numbers[];
};

@interface Node : NSObject {
  @public
    Node *next;
    struct raw *raw;
    long number;
}
@end
@implementation Node
@end

void *heap_build(uint32_t blocks) {
    uint32_t count = blocks / 2;
    Node **nodes = calloc(count, sizeof(*nodes));
    struct raw **raws = calloc(count, sizeof(*raws));
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = [Node new];
        raws[i] = calloc(1, sizeof(struct raw) + shape_random(i) % 10 * sizeof(long));
    }
    for (uint32_t i = 0; i < count; i++) {
        nodes[i]->next = [nodes[shape_random(4 * i) % count] retain];
        nodes[i]->raw = raws[shape_random(4 * i + 1) % count];
        nodes[i]->number = shape_random(i);
        raws[i]->next = raws[shape_random(4 * i + 2) % count];
        raws[i]->object = nodes[shape_random(4 * i + 3) % count];
    }
    free(raws);
    return nodes;
}

#include "nodes.h"

#include <Foundation/Foundation.h>
#include <objc/runtime.h>
#include <stdlib.h>

@interface Node : NSObject {
  @public
    Node *next;
    Node *other;
    void (^handler)(void);
    long number;
}
@end
@implementation Node
@end

static void give_block(Node *node, Node *first, Node *second, Node *variable_value) {
    if (variable_value) {
        __block Node *variable = variable_value;
        node->handler = ^{
            (void)first;
            (void)second;
            (void)variable;
        };
    } else {
        node->handler = ^{
            (void)first;
            (void)second;
        };
    }
}

/* As in every real program, some objects have others associated: two that are not walked here. */
static void associate_elsewhere(void) {
    static char key;
    static __strong Node *from;
    from = [Node new];
    objc_setAssociatedObject(from, &key, [Node new], OBJC_ASSOCIATION_RETAIN);
}

void *nodes_build(const struct shape *shape) {
    __strong Node **nodes = (__strong Node **)calloc(shape->count, sizeof(Node *));
    for (uint32_t i = 0; i < shape->count; i++)
        nodes[i] = [Node new];
    for (uint32_t i = 0; !shape_is_last(shape, i); i++) {
        nodes[i]->next = nodes[i + 1];
        nodes[i]->other = nodes[shape_other(shape, i, 0)];
        if (shape_has_block(i))
            give_block(nodes[i], nodes[shape_other(shape, i, 1)], nodes[shape_other(shape, i, 2)],
                       shape_has_variable(i) ? nodes[shape_other(shape, i, 3)] : nil);
    }
    associate_elsewhere();
    Node *first = nodes[0];
    for (uint32_t i = 0; i < shape->count; i++)
        nodes[i] = nil;
    free(nodes);
    return (__bridge_retained void *)first;
}

void nodes_take_apart(void *first) {
    for (Node *node = (__bridge_transfer Node *)first; node;) {
        Node *next = node->next;
        node->next = node->other = nil;
        node->handler = nil;
        node = next;
    }
}

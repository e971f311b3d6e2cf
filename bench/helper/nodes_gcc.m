/*
 * The heap of shape.h on GCC's runtime, where blocks own nothing and every count is kept by hand:
 * objects stand in for blocks and variables, word for word, so that naive.c finds its way in them.
 */
#include "nodes.h"

#include <Foundation/Foundation.h>
#include <stdlib.h>

@class Node;

@interface Variable : NSObject {
  @public
    long forwarding, flags, keep, destroy;
    Node *value;
}
@end
@implementation Variable
@end

@interface Handler : NSObject {
  @public
    long flags, invoke, descriptor;
    Node *first, *second;
    Variable *variable;
}
@end
@implementation Handler
@end

@interface Node : NSObject {
  @public
    Node *next;
    Node *other;
    Handler *handler;
    long number;
}
@end
@implementation Node
@end

/* As in a block's, the second word is the size. */
static const unsigned long with_variable[] = {0, 7 * sizeof(void *)},
                           without_variable[] = {0, 6 * sizeof(void *)};

static Handler *make_handler(Node *first, Node *second, Node *variable_value) {
    Handler *handler = [Handler new];
    handler->first = [first retain];
    handler->second = [second retain];
    handler->descriptor = (long)(variable_value ? with_variable : without_variable);
    if (variable_value) {
        handler->variable = [Variable new];
        handler->variable->value = [variable_value retain];
    }
    return handler;
}

void *nodes_build(const struct shape *shape) {
    Node **nodes = calloc(shape->count, sizeof(*nodes));
    for (uint32_t i = 0; i < shape->count; i++)
        nodes[i] = [Node new];
    for (uint32_t i = 0; !shape_is_last(shape, i); i++) {
        nodes[i]->next = nodes[i + 1]; /* which new made the node's */
        nodes[i]->other = [nodes[shape_other(shape, i, 0)] retain];
        if (shape_has_block(i))
            nodes[i]->handler =
                make_handler(nodes[shape_other(shape, i, 1)], nodes[shape_other(shape, i, 2)],
                             shape_has_variable(i) ? nodes[shape_other(shape, i, 3)] : nil);
    }
    Node *first = nodes[0];
    free(nodes);
    return first;
}

static void release_handler(Handler *handler) {
    [handler->first release];
    [handler->second release];
    if (handler->variable) {
        [handler->variable->value release];
        [handler->variable release];
    }
    [handler release];
}

/* The last reference to a node is that of the one before it, unless a later one refers back. */
void nodes_take_apart(void *first) {
    for (Node *node = first; node;) {
        Node *next = node->next;
        [node->other release];
        if (node->handler)
            release_handler(node->handler);
        node->next = node->other = nil;
        node->handler = nil;
        [node release];
        node = next;
    }
}

/*
 * How fast the helper walks a program's objects, beside one mark of the same heap by Boehm's
 * collector, in the same process and run, and beside one system call for each word.
 *
 * usage: helper [COUNT...]
 */
#include "contestants.h"

#include <Foundation/Foundation.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

double bench_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

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

/* The first node; it is kept by nobody else. */
static Node *build(const struct shape *shape) {
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
    Node *first = nodes[0];
    for (uint32_t i = 0; i < shape->count; i++)
        nodes[i] = nil;
    free(nodes);
    return first;
}

/* Releases iteratively what build() made: a chain would be released recursively. */
static void take_apart(Node *first) {
    for (Node *node = first; node;) {
        Node *next = node->next;
        node->next = node->other = nil;
        node->handler = nil;
        node = next;
    }
}

static void run(struct shape shape) {
    Node *first = build(&shape);
    const void *seed = (__bridge const void *)first;
    size_t objects = shape_objects(&shape), naive_objects;
    struct walk_times loupe = loupe_walks(seed, objects + 1);
    double naive = naive_walk(seed, &naive_objects);
    double mark = collector_mark(&shape);
    if (loupe.objects != objects || naive_objects != objects) {
        fprintf(stderr, "%zu objects: Loupe walked %zu, the naive way %zu\n", objects,
                loupe.objects, naive_objects);
        exit(1);
    }
    printf("%9zu %-8s %8.2f %8.2f %8.2f %8.2f %9.1f   %5.2f %5.2f %7.1f   %5.0f\n", objects,
           shape.has_cycles ? "one knot" : "no knot", mark, loupe.walk, loupe.cycles, loupe.whole,
           naive, loupe.walk / mark, loupe.whole / mark, naive / loupe.walk,
           loupe.walk * 1e6 / (double)objects);
    take_apart(first);
}

int main(int argc, char **argv) {
    static const uint32_t usual[] = {10000, 100000, 1000000};
    collector_init();
    printf("                             milliseconds                            ratios\n"
           "  objects shape        mark     walk   cycles    whole     naive    "
           "walk whole   naive   ns per\n"
           "                                                                   "
           "/mark /mark   /walk   object\n");
    for (int i = 0; i < (argc > 1 ? argc - 1 : 3); i++) {
        uint32_t count = argc > 1 ? (uint32_t)atoi(argv[i + 1]) : usual[i];
        @autoreleasepool {
            run((struct shape){.count = count, .has_cycles = false});
            run((struct shape){.count = count, .has_cycles = true});
        }
    }
    return 0;
}

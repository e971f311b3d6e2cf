/*
 * How fast the helper walks a program's objects, beside one mark of the same heap by Boehm's
 * collector, in the same process and run, and beside one system call for each word.
 *
 * usage: helper [COUNT...]
 */
#include "contestants.h"
#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double bench_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void run(struct shape shape) {
    void *seed = nodes_build(&shape);
    size_t objects = shape_objects(&shape), naive_objects;
    struct walk_times loupe = loupe_walks(seed, objects + 1);
    double naive = naive_walk(&naive_own_memory, (uintptr_t)seed, SIZE_MAX, &naive_objects);
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
    nodes_take_apart(seed);
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

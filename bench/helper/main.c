/*
 * How fast the helper walks a program's objects, beside one mark of the same heap by Boehm's
 * collector, in the same process and run, and beside one system call for each word. Each heap has a
 * process of its own: one that was built where others had been freed would lie scattered, which the
 * collector's would not. Built for Apple's layouts, for libobjc2 and for GCC's runtime, so that a
 * walk costs what it does on each of them.
 *
 * usage: helper_walk [COUNT...]
 */
#include "apart.h"
#include "contestants.h"
#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>

static const char *shape_name(struct shape shape) {
    return shape.in_tens ? "many knots" : shape.has_cycles ? "one knot" : "no knot";
}

static void measure(struct shape shape) {
    collector_init();
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
    double ns_each = 1e6 / (double)objects;
    printf(
        "%9zu %-10s %8.2f %8.2f %8.2f %8.2f %8.2f %9.1f   %5.2f %5.2f %7.1f   %6.0f %6.0f %6.0f\n",
        objects, shape_name(shape), mark, loupe.walk, loupe.cycles, loupe.whole, loupe.count, naive,
        loupe.walk / mark, loupe.whole / mark, naive / loupe.walk, mark * ns_each,
        loupe.walk * ns_each, loupe.whole * ns_each);
    fflush(stdout);
    nodes_take_apart(seed);
}

int main(int argc, char **argv) {
    static const uint32_t usual[] = {10000, 100000, 1000000};
    int failed = 0;
    printf(
        "                               milliseconds                                     ratios  "
        "           ns per object\n"
        "  objects shape          mark     walk   cycles    whole    count     naive    "
        "walk whole   naive     mark   walk  whole\n"
        "                                                                              "
        "/mark /mark   /walk\n");
    fflush(stdout);
    for (int i = 0; i < (argc > 1 ? argc - 1 : 3) && !failed; i++) {
        uint32_t count = argc > 1 ? (uint32_t)atoi(argv[i + 1]) : usual[i];
        failed = run_apart(measure, (struct shape){.count = count}) ||
                 run_apart(measure, (struct shape){.count = count, .has_cycles = true}) ||
                 run_apart(measure, (struct shape){.count = count, .in_tens = true});
    }
    return failed;
}

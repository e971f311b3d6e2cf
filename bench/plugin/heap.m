/*
 * The program whose heap is walked from outside: builds it and then comes to the same stop again
 * and again, because what lldb has read it keeps until the process moves.
 *
 * usage: plugin_heap COUNT [acyclic]        nodes, see ../helper/shape.h
 */
#include "nodes.h"

#include <stdlib.h>

__attribute__((noinline)) void bench_heap_ready(void *seed);

void bench_heap_ready(void *seed) {
    __asm__ volatile("" : : "r"(seed) : "memory");
}

int main(int argc, char **argv) {
    struct shape shape = {.count = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000,
                          .has_cycles = argc < 3};
    void *first = nodes_build(&shape);
    for (;;)
        bench_heap_ready(first);
}

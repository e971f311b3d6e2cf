/*
 * What a snapshot by the helper costs, beside one mark of a like heap by Boehm's collector in the
 * same run. Or it waits, so that a core can be made of it.
 *
 * usage: heap_snapshot BLOCKS [wait]
 */
#define _GNU_SOURCE
#include "heap.h"

#include "../helper/shape.h"
#include "loupe_helper.h"

#include <gc/gc.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 5 };

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- The collector ---- */

static double mark_began, mark_took;

static void on_event(GC_EventType event) {
    if (event == GC_EVENT_MARK_START)
        mark_began = milliseconds();
    else if (event == GC_EVENT_MARK_END)
        mark_took = milliseconds() - mark_began;
}

struct cell {
    void *words[8];
};

/* The same graph, of blocks of the same sizes. */
static struct cell **build_like(uint32_t blocks) {
    uint32_t count = blocks / 2;
    struct cell **cells = GC_MALLOC(2 * (size_t)count * sizeof(*cells));
    for (uint32_t i = 0; i < count; i++) {
        cells[2 * i] = GC_MALLOC(48);
        cells[2 * i + 1] = GC_MALLOC(16 + shape_random(i) % 10 * 8 + 8);
    }
    for (uint32_t i = 0; i < count; i++) {
        cells[2 * i]->words[1] = cells[2 * (shape_random(4 * i) % count)];
        cells[2 * i]->words[2] = cells[2 * (shape_random(4 * i + 1) % count) + 1];
        cells[2 * i + 1]->words[0] = cells[2 * (shape_random(4 * i + 2) % count) + 1];
        cells[2 * i + 1]->words[1] = cells[2 * (shape_random(4 * i + 3) % count)];
    }
    return cells;
}

static double mark(uint32_t blocks) {
    struct cell **volatile cells = build_like(blocks);
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        GC_gcollect();
        best = mark_took < best ? mark_took : best;
    }
    return cells ? best : 0;
}

/* ---- The snapshot ---- */

static double snapshot(uint32_t blocks) {
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        double began = milliseconds();
        const char *answer = loupe_snapshot_with(NULL, 0, LOUPE_ASK_OTHERS_WAIT, NULL);
        double took = milliseconds() - began;
        const char *nodes = strstr(answer, "\"stats\":{\"objects\":");
        if (!nodes || strtoul(nodes + strlen("\"stats\":{\"objects\":"), NULL, 10) < blocks) {
            fprintf(stderr, "%s\n", answer);
            exit(1);
        }
        best = took < best ? took : best;
    }
    return best;
}

int main(int argc, char **argv) {
    uint32_t blocks = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000;
    setenv("GC_MARKERS", "1", 1);
    GC_INIT();
    GC_set_on_collection_event(on_event);
    void *volatile heap = heap_build(blocks);
    double took = snapshot(blocks), marked = argc > 2 ? 0 : mark(blocks);
    if (argc > 2) {
        printf("%d\n", (int)getpid());
        fflush(stdout);
        pause();
    }
    printf("%9u blocks: snapshot %8.1f ms, mark %8.1f ms, ratio %5.2f, %4.0f ns a block\n", blocks,
           took, marked, took / marked, took * 1e6 / blocks);
    return heap == NULL;
}

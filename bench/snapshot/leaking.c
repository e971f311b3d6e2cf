/*
 * A program of malloc blocks alone that knows what it leaks: 1,000 lists of ten blocks, 500 rings
 * of five and 777 single ones, 13,277 blocks, among BLOCKS others that it keeps: half of them are
 * linked one to the next, each of these has one of the others. Then it waits, so that a core can be
 * made of it.
 *
 * usage: leaking_blocks BLOCKS
 */
#define _GNU_SOURCE
#include "../helper/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct block {
    struct block *next, *other;
    char text[];
};

static struct block *kept;

static struct block *new_block(uint32_t number) {
    struct block *block = calloc(1, sizeof(*block) + shape_random(number) % 64);
    if (!block)
        exit(1);
    return block;
}

static void keep(uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        struct block *block = new_block(i);
        block->next = kept;
        block->other = new_block(~i);
        kept = block;
    }
}

/* The last one leads to the first one, or nowhere. */
static void leak(uint32_t length, int is_ring) {
    struct block *first = new_block(length), *last = first;
    for (uint32_t i = 1; i < length; i++)
        last = last->next = new_block(i);
    last->next = is_ring ? first : NULL;
}

static void leak_all(void) {
    for (uint32_t i = 0; i < 1000; i++)
        leak(10, 0);
    for (uint32_t i = 0; i < 500; i++)
        leak(5, 1);
    for (uint32_t i = 0; i < 777; i++)
        leak(1, 0);
}

/* Over what is left of the frames and registers of the above. */
static void forget(void) {
    volatile char left[1 << 14];
    memset((void *)(uintptr_t)left, 0, sizeof(left));
}

int main(int argc, char **argv) {
    leak_all();
    keep(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1000000);
    forget();
    printf("%d\n", (int)getpid());
    fflush(stdout);
    pause();
    return kept == NULL;
}

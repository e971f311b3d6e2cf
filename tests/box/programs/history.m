/*
 * history.m - libloupe_record, inserted, with LOUPE_RECORD=Thing,Below,Nobody: who counted an object,
 * when it was given up, and that this stands beside blocks of many threads, for which tables grow.
 */
#import <Foundation/Foundation.h>
#include "loupe_helper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void logger(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                    uintptr_t result, uint32_t skipped_frames);
extern logger *malloc_logger;
extern _Atomic(unsigned) logged_blocks; /* of logger.c */

static int failed;

static void expect(const char *answer, const char *text, int line) {
    if (strstr(answer, text))
        return;
    printf("line %d: no %s in %.4000s\n", line, text, answer);
    failed = 1;
}
#define EXPECT(answer, text) expect(answer, text, __LINE__)

@interface Thing : NSObject {
  @public
    Thing *_other;
}
@end
@implementation Thing
@end

@interface Below : Thing
@end
@implementation Below
@end

static const char *history_of(const void *object) {
    return loupe_ask("history", object, 0, 0, 0, 0);
}

__attribute__((noinline)) static void retain_it(Thing *thing) {
    [thing retain];
    __asm__ volatile("" ::: "memory"); /* no jump: the frame is told */
}

__attribute__((noinline)) static void release_it(Thing *thing) {
    [thing release];
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void autorelease_it(Thing *thing) {
    [thing autorelease];
    __asm__ volatile("" ::: "memory");
}

/* ---- Many blocks ---- */

enum { THREADS = 4, EACH = 3000, ALONE = 45000 };
static void *kept[THREADS][EACH], *alone[ALONE];

static void *allocate(void *blocks) {
    void **mine = blocks;
    for (unsigned i = 0; i < EACH; i++) {
        mine[i] = malloc(16 + i % 200);
        if (i % 3 == 0) {
            free(mine[i / 2]);
            mine[i / 2] = i / 2 == i ? NULL : realloc(malloc(8), 32);
        }
    }
    return NULL;
}

static void allocate_in_threads(void) {
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < ALONE; i++)
        alone[i] = malloc(16);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, allocate, kept[i]);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void free_all(void) {
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned j = 0; j < EACH; j++)
            free(kept[i][j]);
    for (unsigned i = 0; i < ALONE; i++)
        free(alone[i]);
}

__attribute__((noinline)) static void make_ring(void) {
    Below *below = [Below new];
    below->_other = below;
}

/* ---- Questions ---- */

__attribute__((noinline)) static void ask_about_one(Thing *thing) {
    retain_it(thing);
    retain_it(thing);
    release_it(thing);
    @autoreleasepool {
        retain_it(thing);
        autorelease_it(thing);
    }
    const char *told = history_of(thing);
    EXPECT(told, "\"status\":\"ok\"");
    EXPECT(told, "retain_it");
    EXPECT(told, "release_it");
    EXPECT(told, "autorelease_it");
    EXPECT(told, "ask_about_one"); /* found by tables: there are no frame pointers */
}

static void ask_about_one_that_died(Thing *thing) {
    release_it(thing);
    release_it(thing);
    EXPECT(history_of(thing), "\"kind\":\"dealloc\"");
}

/* Who was there before the recorder is told, too. Pages that the system maps are no blocks. */
static void check_logger(void) {
    enum { MAPS = 16, ALLOCATES = 2 };
    static char page[16];
    unsigned before = logged_blocks;
    malloc_logger(MAPS | ALLOCATES, 0, sizeof(page), 0, (uintptr_t)page, 0);
    alone[0] = malloc(10);
    free(alone[0]);
    if (logged_blocks < before + 2) {
        printf("the first logger is told no longer\n");
        failed = 1;
    }
}

int main(void) {
    check_logger();
    Thing *thing = [Thing new];
    Below *below = [Below new];
    allocate_in_threads();
    ask_about_one(thing);
    retain_it(below);
    EXPECT(history_of(below), "retain_it");
    ask_about_one_that_died(thing);
    make_ring();
    EXPECT(loupe_leaks(), "make_ring");
    free_all();
    return failed;
}

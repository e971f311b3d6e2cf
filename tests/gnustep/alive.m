/*
 * For tests of whole heaps: main() is called twice, and each object that Foundation made meanwhile
 * and did not free goes to a file, of whatever class:
 *
 *     again 0xADDRESS CLASS     of the first time: it leaked, or a library keeps what it made once
 *     leaked 0xADDRESS CLASS    of the second time
 */
#import "watched.h"

#import <objc/runtime.h>

#include "after_main.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_OBJECTS = 1 << 14, RUNS = 2 };

static struct made {
    uintptr_t disguised; /* its address; it keeps nothing alive */
    int run;             /* 0: it was freed */
} objects[MOST_OBJECTS];

static unsigned object_count;
static int run; /* 0: nothing is recorded */

static bool is_made(id object) {
    for (unsigned i = object_count; i-- > 0;)
        if (objects[i].run && objects[i].disguised == ~(uintptr_t)object)
            return true;
    return false;
}

/* Foundation makes strings for a moment in frames of its functions. */
static bool is_on_stack(id object) {
    enum { LARGEST_STACK = 8 << 20 };
    return (uintptr_t)object - (uintptr_t)__builtin_frame_address(0) < LARGEST_STACK;
}

/* NSAllocateObject() gives each object its class by it. */
Class object_setClass(id object, Class cls) {
    static Class (*real)(id, Class);
    if (!real)
        real = (Class(*)(id, Class))dlsym(RTLD_NEXT, "object_setClass");
    if (run && !is_on_stack(object) && !is_made(object)) {
        if (object_count == MOST_OBJECTS)
            exit(2);
        objects[object_count++] = (struct made){.disguised = ~(uintptr_t)object, .run = run};
    }
    return real(object, cls);
}

/* An object begins behind what Foundation keeps in front of it; it may have said that its class is
 * none before. */
void free(void *block) {
    extern void __libc_free(void *);
    uintptr_t size = run ? malloc_usable_size(block) : 0;
    for (unsigned i = 0; size && i < object_count; i++)
        if (~objects[i].disguised - (uintptr_t)block < size)
            objects[i].run = 0;
    __libc_free(block);
}

/* Returns how many of the last time are Watched. */
static unsigned tell_alive(const char *path) {
    unsigned watched = 0;
    FILE *file = fopen(path, "w");
    if (!file)
        exit(2);
    for (unsigned i = 0; i < object_count; i++) {
        id object = (id)(~objects[i].disguised);
        if (!objects[i].run)
            continue;
        fprintf(file, "%s %p %s\n", objects[i].run == RUNS ? "leaked" : "again", (void *)object,
                object_getClassName(object));
        watched += objects[i].run == RUNS && [object isKindOfClass:[Watched class]];
    }
    fclose(file);
    return watched;
}

int __wrap_main(int count, char **arguments) {
    const char *truth = getenv("LOUPE_FIXTURE_TRUTH");
    if (!truth)
        return __real_main(count, arguments);
    int status = 0;
    for (run = 1; run <= RUNS; run++)
        status |= __real_main(count, arguments);
    run = 0;
    status |= tell_alive(truth) != watched_leaked();
    after_main_clear();
    after_main_wait();
    return status;
}

#define _GNU_SOURCE
#include "watch.h"

#include "fixture.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_WATCHED = 512 };

static struct watched {
    const void *object;
    const char *name;
    bool must_leak, freed;
} watched[MAX_WATCHED];

static size_t watched_count;

static void watch(fixture_object object, const char *name, bool must_leak) {
    if (!object || watched_count == MAX_WATCHED)
        exit(2);
    watched[watched_count++] =
        (struct watched){.object = object, .name = name, .must_leak = must_leak};
}

void watch_freed(const void *object) {
    for (size_t i = 0; i < watched_count; i++) {
        if (watched[i].object == object)
            watched[i].freed = true;
    }
}

/* A preloaded library may look at the objects from inside. Never inlined: the place to stop stays
 * the frame of loupe_fixture_ready(). */
__attribute__((noinline)) static void observe_watched(void) {
    typedef void observe_fn(const void *object, const char *name);
    observe_fn *observe = (observe_fn *)dlsym(RTLD_DEFAULT, "loupe_fixture_observe");
    for (size_t i = 0; observe && i < watched_count; i++)
        observe(watched[i].object, watched[i].name);
}

void loupe_fixture_ready(void) {
    observe_watched();
    __asm__ volatile("" : : : "memory");
}

void fixture_expect_leaked(fixture_object object, const char *name) {
    watch(object, name, true);
}

void fixture_expect_freed(fixture_object object, const char *name) {
    watch(object, name, false);
}

void fixture_expect_leaked_at(fixture_object object, const char *name, unsigned index) {
    (void)index;
    fixture_expect_leaked(object, name);
}

void fixture_expect_freed_at(fixture_object object, const char *name, unsigned index) {
    (void)index;
    fixture_expect_freed(object, name);
}

/* Nothing tells how many there are. */
void fixture_expect_leaked_byrefs(unsigned count) {
    (void)count;
}

int fixture_verdict(void) {
    size_t wrong = 0;
    for (size_t i = 0; i < watched_count; i++)
        wrong += watched[i].freed == watched[i].must_leak;
    printf("%zu watched, %zu wrong\n", watched_count, wrong);
    return watched_count && !wrong ? 0 : 1;
}

void watch_tell(const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        exit(2);
    for (size_t i = 0; i < watched_count; i++) {
        fprintf(file, "%s %p %s\n", watched[i].freed ? "freed" : "leaked", watched[i].object,
                watched[i].name);
        watched[i].object = NULL;
    }
    fclose(file);
}

/*
 * Libraries that come and go: where one was unloaded another one may come to stand, and the stacks
 * that are walked through it have to be its own.
 *
 * usage: libraries FIRST.so SECOND.so
 */
#include "recorded_here.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60 };
typedef void *allocate_fn(size_t size);

int main(int argc, char **argv) {
    static const char *const names[] = {"first_allocates", "second_allocates"};
    unsigned wrong = 0, moved = 0;
    void *before = NULL;
    if (argc != 3)
        return 2;
    for (unsigned round = 0; round < ROUNDS; round++) {
        void *library = dlopen(argv[1 + round % 2], RTLD_NOW);
        void *symbol = library ? dlsym(library, names[round % 2]) : NULL;
        allocate_fn *allocate;
        if (!symbol) {
            printf("%s\n", dlerror());
            return 1;
        }
        memcpy(&allocate, &symbol, sizeof(symbol));
        void *block = allocate(100);
        recorded_look();
        wrong += !recorded_is_from(block, allocate);
        moved += round && ((uintptr_t)symbol ^ (uintptr_t)before) >> 12 != 0;
        before = symbol;
        free(block);
        dlclose(library);
    }
    printf("%d libraries, %u of them elsewhere than the one before: %u stacks are wrong\n", ROUNDS,
           moved, wrong);
    return wrong || moved == ROUNDS - 1; /* else nothing was tried */
}

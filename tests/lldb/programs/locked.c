/*
 * Stops where threads hold locks that loading a library needs. The argument says which:
 *
 *   malloc    the asking thread is in malloc(), the program's own
 *   loader    another thread is in the loader, in a callback of dl_iterate_phdr()
 *   word      the same, on a stack of its own, where no frame of the loader is seen
 *   free      nobody holds any, in functions that are only called like the loader's and malloc's
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
static int armed;
static sem_t ready;

__attribute__((noinline)) void locked_here(void) {
    __asm__ volatile("" ::: "memory");
}

/* In the place of the C library's. */
void *malloc(size_t size) {
    if (armed)
        locked_here();
    return __libc_malloc(size);
}

/* The program's own business, whatever they are called. */
__attribute__((noinline, used)) void malloc_statistics(void) {
    locked_here();
    __asm__ volatile("" ::: "memory");
}

static void hold(void) {
    sem_post(&ready);
    for (;;)
        pause();
}

static int in_loader(struct dl_phdr_info *info, size_t size, void *ctx) {
    (void)info;
    (void)size;
    static char stack[64 << 10];
    static ucontext_t here, there;
    if (!ctx)
        hold();
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    makecontext(&there, hold, 0);
    swapcontext(&here, &there);
    return 1;
}

static void *hold_loader(void *ctx) {
    dl_iterate_phdr(in_loader, ctx);
    return NULL;
}

int main(int argc, char **argv) {
    const char *which = argc > 1 ? argv[1] : "free";
    pthread_t thread;
    setbuf(stdout, NULL);
    sem_init(&ready, 0, 0);
    if (strcmp(which, "loader") == 0 || strcmp(which, "word") == 0) {
        pthread_create(&thread, NULL, hold_loader, strcmp(which, "word") ? NULL : &ready);
        sem_wait(&ready);
        locked_here();
    } else if (strcmp(which, "malloc") == 0) {
        armed = 1;
        free(malloc(100));
        armed = 0;
        locked_here();
    } else {
        malloc_statistics();
    }
    puts("went on");
    return 0;
}

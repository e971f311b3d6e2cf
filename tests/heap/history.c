/*
 * A program with a random history of malloc(), calloc(), realloc(), memalign() and free() on
 * several threads, which stand still whenever the test wants to look.
 *
 * usage: history RECORD_FILE COMMANDS_FILE ANSWERS_FILE SEED THREADS OPERATIONS LARGEST TROUBLE
 *   (numbers of open files); for each byte of commands the threads go on for so many operations,
 *   then a byte is answered. TROUBLE is "brk", where somebody else moves the end of the program's
 * data now and then, "no-brk", where it can soon not be moved any more, "split", where the kernel
 * is told that parts of large blocks are needed in other ways, or "none".
 */
#define _GNU_SOURCE
#include "record.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- History ---- */

#ifdef RECORD_BY_WRAPPING
#define malloc_trim(bytes) ((void)0)
#endif

enum { SHELF = 4096, RECORD_BITS = 17 };

struct worker {
    pthread_t thread;
    uint64_t random;
};

static unsigned operations;
static size_t largest;
static void *shelf[SHELF]; /* what is alive; each place is taken by an exchange */
static pthread_barrier_t start, end;

static uint64_t next_random(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Most are small. */
static size_t any_size(uint64_t *random) {
    uint64_t kind = next_random(random) % 100, most = kind < 70 ? 256 : kind < 90 ? 2048 : largest;
    return next_random(random) % (most + 1);
}

static void *any_block(uint64_t *random) {
    size_t size = any_size(random), alignment = (size_t)16 << next_random(random) % 10;
    switch (next_random(random) % 8) {
    case 0:
        return calloc(1, size);
    case 1:
        return memalign(alignment, size);
    default:
        return malloc(size);
    }
}

static void *any_change(void *block, uint64_t *random) {
    unsigned what = next_random(random) % 8;
    if (block && what < 2) {
        void *moved = realloc(block, any_size(random) + 1);
        return moved ? moved : block;
    }
    free(block);
    if (what == 7)
        malloc_trim(0);
    return what < 6 ? any_block(random) : NULL;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (;;) {
        pthread_barrier_wait(&start);
        for (unsigned i = 0; i < operations; i++) {
            void **place = &shelf[next_random(&worker->random) % SHELF];
            void *block = __atomic_exchange_n(place, NULL, __ATOMIC_ACQ_REL);
            block = any_change(block, &worker->random);
            free(__atomic_exchange_n(place, block, __ATOMIC_ACQ_REL));
        }
        pthread_barrier_wait(&end);
    }
    return NULL;
}

static int number(const char *text) {
    return (int)strtol(text, NULL, 0);
}

/* Before anything else of the program asks for memory. */
__attribute__((constructor)) static void open_record(int count, char **arguments) {
    if (count == 9 && !record_here)
        record_here = mmap(NULL, record_size(RECORD_BITS), PROT_READ | PROT_WRITE, MAP_SHARED,
                           number(arguments[1]), 0);
    if (record_here)
        record_here->bits = RECORD_BITS;
}

static void bar_brk(void) {
    enum { ROOM = 1 << 18 };
    char *barrier = (char *)(((uintptr_t)sbrk(0) + ROOM + 4095) & ~(uintptr_t)4095);
    mmap(barrier, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

/* From then on the kernel has a mapping of its own for what is behind it, and tells three of one
 * block. */
static void split_large_blocks(void) {
    enum { PAGE = 4096, LARGE = 1 << 18 };
    for (unsigned i = 0; i < SHELF; i++) {
        if (shelf[i] && malloc_usable_size(shelf[i]) >= LARGE)
            madvise((char *)(((uintptr_t)shelf[i] + LARGE / 2) & ~(uintptr_t)(PAGE - 1)), PAGE,
                    MADV_DONTDUMP);
    }
}

int main(int count, char **arguments) {
    if (count != 9)
        return 2;
    open_record(count, arguments); /* before 2.34 constructors of programs are not run here */
    int commands = number(arguments[2]), answers = number(arguments[3]);
    uint64_t random = strtoull(arguments[4], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
    unsigned threads = (unsigned)number(arguments[5]);
    operations = (unsigned)number(arguments[6]);
    largest = (size_t)number(arguments[7]);
    struct worker *workers = calloc(threads, sizeof(*workers));
    pthread_barrier_init(&start, NULL, threads + 1);
    pthread_barrier_init(&end, NULL, threads + 1);
    pthread_attr_t small_stack;
    pthread_attr_init(&small_stack);
    pthread_attr_setstacksize(&small_stack, 1 << 16);
    for (unsigned i = 0; i < threads; i++) {
        workers[i].random = next_random(&random);
        pthread_create(&workers[i].thread, &small_stack, work, &workers[i]);
    }
    if (strcmp(arguments[8], "no-brk") == 0)
        bar_brk();
    bool moves_brk = strcmp(arguments[8], "brk") == 0, splits = strcmp(arguments[8], "split") == 0;
    for (char byte; read(commands, &byte, 1) == 1;) {
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&end);
        if (moves_brk)
            sbrk((intptr_t)(next_random(&random) % 5000));
        if (splits)
            split_large_blocks();
        if (write(answers, &byte, 1) != 1)
            break;
    }
    _exit(record_here->full ? 3 : 0);
}

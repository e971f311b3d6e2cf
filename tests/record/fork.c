/*
 * A program that forks while its other threads allocate: the child goes on recording in a copy of
 * its own, and neither sees what the other one does.
 */
#include "recorded_here.h"
#include "ways.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 20000, ROUNDS = 12 };

static void **blocks;
static bool is_over;

static void *disturb(void *argument) {
    (void)argument;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        void *some[16];
        for (unsigned i = 0; i < 16; i++)
            some[i] = way_malloc(20 + i);
        for (unsigned i = 0; i < 16; i++)
            free(some[i]);
    }
    return NULL;
}

/* Of every block: as the program knows it. */
static int check(void *(*const *allocated_by)(size_t)) {
    int faults = 0;
    recorded_look();
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i] && !recorded_is_from(blocks[i], allocated_by[i % 2]))
            faults++;
    }
    return faults;
}

static int child(unsigned round) {
    static void *(*const mixed[])(size_t) = {way_calloc, way_malloc};
    for (unsigned i = 0; i < BLOCKS; i += 2) {
        free(blocks[i]);
        blocks[i] = i % (round + 3) ? way_calloc(48) : NULL;
    }
    int faults = check(mixed);
    const struct loupe_record_header *header = recorded_look();
    return faults || header->blocks_left_out || header->stacks_left_out;
}

int main(void) {
    static void *(*const all_malloc[])(size_t) = {way_malloc, way_malloc};
    pthread_t threads[THREADS];
    int faults = 0;
    blocks = mmap(NULL, BLOCKS * sizeof(*blocks), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < BLOCKS; i++)
        blocks[i] = way_malloc(40);
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, disturb, NULL))
            return 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int status = 0;
        pid_t process = fork();
        if (process == 0)
            _exit(child(round));
        if (process < 0 || waitpid(process, &status, 0) != process || status) {
            printf("round %u: the child saw something wrong: %#x\n", round, (unsigned)status);
            faults++;
        }
    }
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int wrong = check(all_malloc);
    printf("%d children, %d blocks of the parent are wrong\n", ROUNDS, wrong);
    return faults || wrong;
}

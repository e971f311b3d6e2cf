/*
 * Many threads that get blocks, give them to each other and free them, while each keeps the truth:
 * which function it was that allocated what is still there. What was recorded has to be just that.
 *
 * usage: stress [THREADS] [ROUNDS] [KEPT_EACH]
 */
#include "recorded_here.h"
#include "ways.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct kept {
    void *block;
    way_fn *way;
};

struct worker {
    pthread_t thread;
    uint64_t random;
    struct kept *kept;
};

static unsigned long rounds, kept_each;
/* Where threads put blocks for others. */
enum { EXCHANGED = 64 };
static struct kept exchange[EXCHANGED];
static pthread_mutex_t exchanges = PTHREAD_MUTEX_INITIALIZER;

static uint64_t draw(struct worker *worker) {
    worker->random = worker->random * 6364136223846793005u + 1442695040888963407u;
    return worker->random >> 33;
}

static struct kept get(struct worker *worker) {
    uint64_t number = draw(worker);
    way_fn *way = ways[number % 64 ? number % CHEAP_WAYS : number / 64 % WAY_COUNT];
    return (struct kept){way(1 + number / 7 % 200), way};
}

static void swap_with_others(struct worker *worker, struct kept *mine) {
    struct kept *place = &exchange[draw(worker) % EXCHANGED], theirs;
    pthread_mutex_lock(&exchanges);
    theirs = *place;
    *place = *mine;
    pthread_mutex_unlock(&exchanges);
    *mine = theirs;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (unsigned long round = 0; round < rounds; round++) {
        struct kept *place = &worker->kept[draw(worker) % kept_each];
        if (draw(worker) % 16 == 0) {
            swap_with_others(worker, place);
        } else {
            free(place->block);
            *place = draw(worker) % 8 ? get(worker) : (struct kept){NULL, NULL};
        }
    }
    return NULL;
}

/* Pages of their own, since blocks are counted. */
static void *pages(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int check(const struct kept *kept, unsigned long count, unsigned long *live) {
    int faults = 0;
    for (unsigned long i = 0; i < count; i++) {
        if (!kept[i].block)
            continue;
        ++*live;
        if (recorded_is_from(kept[i].block, kept[i].way))
            continue;
        if (!faults++)
            printf("a block is %s\n", recorded_is_there(kept[i].block)
                                          ? "recorded with the stack of another one"
                                          : "not recorded");
    }
    return faults;
}

static void drop(struct kept *kept, unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        free(kept[i].block);
}

int main(int argc, char **argv) {
    unsigned long threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 8, live = 0;
    rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
    kept_each = argc > 3 ? strtoul(argv[3], NULL, 10) : 20000;
    struct worker *workers = pages(threads * sizeof(*workers));
    int faults = 0;
    printf("%lu threads\n", threads);
    uint64_t before = recorded_blocks();
    for (unsigned long i = 0; i < threads; i++) {
        workers[i].random = i + 1;
        workers[i].kept = pages(kept_each * sizeof(struct kept));
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            return 1;
    }
    for (unsigned long i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    uint64_t now = recorded_blocks();
    for (unsigned long i = 0; i < threads; i++)
        faults += check(workers[i].kept, kept_each, &live);
    faults += check(exchange, EXCHANGED, &live);
    for (unsigned long i = 0; i < threads; i++)
        drop(workers[i].kept, kept_each);
    drop(exchange, EXCHANGED);
    uint64_t after = recorded_blocks();
    const struct loupe_record_header *header = recorded_look();
    printf("%lu blocks are live, %llu more than before are recorded, %d are wrong; %llu are left "
           "when all are freed; table of 2^%u\n",
           live, (unsigned long long)(now - before), faults, (unsigned long long)(after - before),
           header->level);
    /* What the C library keeps of its own for threads comes and goes. */
    bool counts_agree =
        now - before >= live && now - before - live <= 2 * threads && after - before <= 2 * threads;
    return faults || !counts_agree || header->blocks_left_out || header->stacks_left_out;
}

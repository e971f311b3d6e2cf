/*
 * Signal handlers that allocate, wherever they interrupt: in the program, in malloc, in the
 * recorder itself. The malloc below has no lock (own_malloc.c), so that this is allowed.
 */
#include "recorded_here.h"
#include "ways.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>

enum { BLOCKS = 100, SIGNALS = 3000, PER_SIGNAL = 2 };

static void **by_handler;
static volatile sig_atomic_t signals;

static void handle(int number) {
    (void)number;
    if (signals == SIGNALS)
        return;
    for (unsigned i = 0; i < PER_SIGNAL; i++)
        by_handler[(unsigned)signals * PER_SIGNAL + i] = way_calloc(24);
    signals++;
}

static void *pages(size_t size) {
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void) {
    void **blocks = pages(BLOCKS * sizeof(*blocks));
    struct sigaction action = {.sa_handler = handle};
    struct itimerval often = {.it_interval = {.tv_usec = 50}, .it_value = {.tv_usec = 50}},
                     never = {0};
    unsigned wrong = 0, recorded = 0, inside = 0;
    by_handler = pages(SIGNALS * PER_SIGNAL * sizeof(*by_handler));
    if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
        return 1;
    for (unsigned round = 0; signals < SIGNALS && round < 30000; round++) {
        for (unsigned i = 0; i < BLOCKS; i++) {
            free(blocks[i]);
            blocks[i] = way_malloc(16);
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    recorded_look();
    for (unsigned i = 0; i < BLOCKS; i++)
        wrong += blocks[i] && !recorded_is_from(blocks[i], way_malloc);
    for (int i = 0; i < signals * PER_SIGNAL; i++) {
        /* What a handler gets that interrupted malloc counts as the allocator's own. */
        if (!recorded_is_there(by_handler[i]))
            inside++;
        else if (recorded_is_from(by_handler[i], way_calloc))
            recorded++;
        else
            wrong++;
    }
    printf("%d signals: of the handler %u blocks are recorded, %u were got inside of malloc; %u "
           "are wrong\n",
           (int)signals, recorded, inside, wrong);
    return wrong || !recorded;
}

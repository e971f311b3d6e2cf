/*
 * Threads in all kinds of places, and a stop in one more, which the argument says: in a callback of
 * the C library, in a signal handler, in one on an alternate stack, in a function that calls none,
 * before memory is allocated.
 * The signals are such as debuggers pass on.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sem_t begun, all_begun;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

__attribute__((noinline)) void loupe_fixture_ready(void) {
    __asm__ volatile("" ::: "memory");
}

/* No stack of its own where that is optimized. */
__attribute__((noinline)) int leaf(int value) {
    __asm__ volatile("nop" ::: "memory");
    return value * 3;
}

static int compare(const void *left, const void *right) {
    loupe_fixture_ready();
    return *(const int *)left - *(const int *)right;
}

__attribute__((noinline)) static void sort(void) {
    int values[] = {3, 1, 2};
    qsort(values, 3, sizeof(values[0]), compare);
    __asm__ volatile("" ::: "memory");
}

/* Its stack has no size that the compiler knows. */
__attribute__((noinline)) static void grow(size_t size) {
    volatile char *room = __builtin_alloca(size);
    room[0] = 1;
    sort();
    __asm__ volatile("" ::"r"(room) : "memory");
}

static void on_signal(int number) {
    (void)number;
    grow(100);
}

__attribute__((noinline)) static void allocate(size_t size) {
    loupe_fixture_ready();
    for (int i = 0; i < 3; i++) {
        char *volatile memory = malloc(size << i);
        free(memory);
    }
}

static void *wait_for_condition(void *argument) {
    pthread_setname_np(pthread_self(), "waits");
    pthread_mutex_lock(&mutex);
    sem_post(&begun);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    return argument;
}

static void *poll_nothing(void *argument) {
    pthread_setname_np(pthread_self(), "polls");
    sem_post(&begun);
    for (;;)
        poll(NULL, 0, -1);
    return argument;
}

static void *compute(void *argument) {
    volatile int value = 1;
    pthread_setname_np(pthread_self(), "computes");
    sem_post(&begun);
    sem_wait(&all_begun);
    for (;;)
        value = leaf(value);
    return argument;
}

static void sleep_in_handler(int number) {
    (void)number;
    sem_post(&begun);
    for (;;)
        pause();
}

static void *be_in_handler(void *argument) {
    static char memory[1 << 16];
    stack_t alternate = {.ss_sp = memory, .ss_size = sizeof(memory)};
    struct sigaction action = {.sa_handler = sleep_in_handler, .sa_flags = SA_ONSTACK};
    pthread_setname_np(pthread_self(), "handles");
    sigaltstack(&alternate, NULL);
    sigaction(SIGCHLD, &action, NULL);
    pthread_kill(pthread_self(), SIGCHLD);
    return argument;
}

static void start(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    sem_wait(&begun);
}

int main(int count, char **arguments) {
    static char memory[1 << 16];
    const char *place = count > 1 ? arguments[1] : "callback";
    stack_t alternate = {.ss_sp = memory, .ss_size = sizeof(memory)};
    struct sigaction action = {.sa_handler = on_signal};
    sem_init(&begun, 0, 0);
    sem_init(&all_begun, 0, 0);
    start(wait_for_condition);
    start(poll_nothing);
    start(be_in_handler);
    start(compute);
    sem_post(&all_begun);
    if (strcmp(place, "alternate") == 0) {
        sigaltstack(&alternate, NULL);
        action.sa_flags = SA_ONSTACK;
    }
    sigaction(SIGALRM, &action, NULL);
    if (strcmp(place, "callback") == 0)
        grow((size_t)count * 64);
    else if (strcmp(place, "malloc") == 0)
        allocate((size_t)count * 1000);
    else
        raise(SIGALRM);
    return leaf(count);
}

/*
 * Threads that lose memory and end, whose stacks glibc keeps for the next thread, and one that
 * nobody has joined yet, whose result is no leak. Says "ready" and waits for the end of its input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, LOST = 64 };

static void *lose(void *unused) {
    void *volatile words[LOST]; /* that stay on the stack */
    for (int i = 0; i < LOST; i++)
        words[i] = malloc(1000);
    return words[0] ? unused : NULL;
}

static void *give(void *unused) {
    (void)unused;
    return malloc(2000);
}

/* So that no word of the main thread's stack keeps anything. */
static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[40000];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(void) {
    pthread_t threads[THREADS], last;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, lose, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_create(&last, NULL, give, NULL);
    overwrite_stack();
    sleep(1);
    puts("ready");
    fflush(stdout);
    char byte;
    ssize_t got = read(STDIN_FILENO, &byte, 1);
    void *given;
    pthread_join(last, &given);
    free(given);
    return got < 0;
}

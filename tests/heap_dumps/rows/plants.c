/* Leaks nodes with texts that are nobody's business, in a thread of such a name; then waits. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
    struct node *next;
    char *name;
};

static struct node *volatile last;

static void *work(void *name) {
    pthread_setname_np(pthread_self(), name);
    for (;;)
        pause();
    return NULL;
}

__attribute__((noinline)) static void plant(const char *secret) {
    for (int i = 0; i < 40; i++) {
        struct node *node = malloc(sizeof(*node));
        *node = (struct node){.name = strdup(secret)};
        last = node;
    }
    last = NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, argv[argc - 1]);
    plant(argv[argc - 1]);
    plant(getenv("SECRET_OF_ENVIRONMENT"));
    puts("ready");
    fflush(stdout);
    return getchar() == EOF;
}

/* Leaks a ring, and ends in the way that it is told: see main(). */
#import <Foundation/Foundation.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

@interface Node : NSObject {
  @public
    Node *next;
}
@end
@implementation Node
@end

static __attribute__((noinline)) void leak_ring(void) {
    Node *first = [[Node alloc] init], *second = [[Node alloc] init];
    first->next = second;
    second->next = first;
}

/* So that no stale word on the stack keeps the ring. */
static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[16384];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

static void *make_and_free(void *unused) {
    for (;;) {
        Node *made = [[Node alloc] init];
        free(malloc(1000));
        [made release];
    }
    return unused;
}

static void *end_last(void *unused) {
    sleep(1);
    return unused;
}

static int end_by(const char *way, char *const *again) {
    pthread_t thread;
    if (!strncmp(way, "files=", 6))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)atoi(way + 6), (rlim_t)atoi(way + 6)});
    if (!strcmp(way, "_exit"))
        _exit(0);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "exec"))
        execl(again[0], again[0], "return", (char *)NULL);
    if (!strcmp(way, "fork") && !fork())
        exit(0);
    if (!strcmp(way, "fork_and_exit") && !fork())
        _exit(0);
    if (!strncmp(way, "fork", 4))
        wait(NULL);
    for (unsigned i = 0; !strcmp(way, "threads") && i < 4; i++)
        pthread_create(&thread, NULL, make_and_free, NULL);
    if (!strcmp(way, "threads"))
        sleep(1);
    if (!strcmp(way, "last_thread")) {
        pthread_create(&thread, NULL, end_last, NULL);
        pthread_exit(NULL);
    }
    return 0;
}

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "return";
    if (!strcmp(way, "handler"))
        atexit(leak_ring);
    else
        leak_ring();
    overwrite_stack();
    return end_by(way, arguments);
}

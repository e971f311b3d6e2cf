/* Leaks a ring, and ends in the way that it is told: see main(). */
#define _GNU_SOURCE /* vfork(), usleep() */

#import <Foundation/Foundation.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

/* Leaks objects, and leaves a word that leads to each all over the stack that functions of the end will have. */
static __attribute__((noinline)) void leave_words(void) {
    enum { LEAKED = 64, WORDS = 8192 };
    volatile uintptr_t words[WORDS];
    for (size_t i = 0; i < WORDS; i++)
        words[i] = i < LEAKED ? (uintptr_t)[[Node alloc] init] : words[i % LEAKED];
}

static void *make_and_free(void *unused) {
    for (;;) {
        Node *made = [[Node alloc] init];
        free(malloc(1000));
        [made release];
    }
    return unused;
}

/* As a thread that is stopped in free(): of its block it has where the chunk begins, in a register. */
static void *give_back(void *unused) {
    uintptr_t chunk = (uintptr_t)malloc(1000) - 2 * sizeof(size_t);
    overwrite_stack();
#ifdef __x86_64__ /* what malloc() left in the others */
    __asm__ volatile("xor %%ecx, %%ecx\n xor %%edx, %%edx\n xor %%esi, %%esi\n xor %%edi, %%edi\n"
                     "xor %%r8d, %%r8d\n xor %%r9d, %%r9d\n xor %%r10d, %%r10d\n xor %%r11d, %%r11d" ::
                         : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#endif
    for (;;)
        __asm__ volatile("" : "+r"(chunk)::"memory");
    return unused;
}

/* In vfork() until this process ends. */
static void *lend_memory(void *unused) {
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    return unused;
}

static void *end_last(void *unused) {
    sleep(1);
    return unused;
}

/* Whether a thread of this process waits in the kernel. */
static bool is_one_in_kernel(void) {
    char path[512], text[512];
    bool is_one = false;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && !is_one && (entry = readdir(threads));) {
        snprintf(path, sizeof(path), "/proc/self/task/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (!file)
            continue;
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        is_one = strstr(text, ") D ") != NULL;
        fclose(file);
    }
    if (threads)
        closedir(threads);
    return is_one;
}

static int end_by(const char *way, char *const *again) {
    pthread_t thread;
    if (!strncmp(way, "files=", 6))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)atoi(way + 6), (rlim_t)atoi(way + 6)});
    if (!strcmp(way, "stale"))
        leave_words();
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
    if (!strcmp(way, "giving_back"))
        pthread_create(&thread, NULL, give_back, NULL);
    if (!strcmp(way, "vfork"))
        pthread_create(&thread, NULL, lend_memory, NULL);
    while (!strcmp(way, "vfork") && !is_one_in_kernel())
        usleep(1000);
    if (!strcmp(way, "threads") || !strcmp(way, "giving_back"))
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

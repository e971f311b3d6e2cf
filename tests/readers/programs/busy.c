/*
 * A program with work for every way of waiting, which checks that nothing of it is disturbed: no
 * call ends early or fails because somebody stopped the program for a moment.
 *
 * usage: busy [restless | headless | lent]
 *   restless: threads come and go, children are forked and run programs
 *   lent: a thread waits in vfork() for a child that goes on until the end
 *   headless: the first thread ends at once, the others go on until the program is killed
 *
 * Prints "ready" and then runs until its standard input ends. Exit status 0 and a line "sound", or
 * a line that says what went wrong.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Atomic(bool) over;
static _Atomic(const char *) wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static unsigned long turns, halves[2];

static void check(bool good, const char *what) {
    if (!good)
        atomic_store(&wrong, what);
}

/* Two threads take turns. */
static void *take_turns(void *ctx) {
    unsigned long mine = (uintptr_t)ctx;
    pthread_mutex_lock(&lock);
    while (!atomic_load(&over)) {
        while (turns % 2 != mine && !atomic_load(&over))
            pthread_cond_wait(&turned, &lock);
        turns++;
        halves[mine]++;
        pthread_cond_broadcast(&turned);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *compute(void *ctx) {
    volatile double sum = 0, same = 0;
    while (!atomic_load(&over)) {
        sum = same = 0;
        for (int i = 1; i < 100000; i++) {
            sum += 1.0 / i;
            same += 1.0 / i;
        }
        check(sum == same, "floating point numbers differ");
    }
    return ctx;
}

static void *sleep_often(void *ctx) {
    while (!atomic_load(&over))
        check(nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL) == 0, "nanosleep failed");
    return ctx;
}

static void *poll_often(void *ctx) {
    int ends[2];
    check(pipe(ends) == 0, "pipe failed");
    struct pollfd waited = {.fd = ends[0], .events = POLLIN};
    while (!atomic_load(&over)) {
        fd_set none;
        struct timeval time = {.tv_usec = 10000};
        FD_ZERO(&none);
        check(poll(&waited, 1, 20) == 0, "poll failed");
        check(select(0, &none, NULL, NULL, &time) == 0, "select failed");
    }
    return ctx;
}

static void *wait_for_events(void *ctx) {
    int queue = epoll_create1(0);
    struct epoll_event event;
    while (!atomic_load(&over))
        check(epoll_wait(queue, &event, 1, 20) == 0, "epoll_wait failed");
    close(queue);
    return ctx;
}

static int pipe_to_reader[2];

static void *read_bytes(void *ctx) {
    unsigned char expected = 0, got;
    while (read(pipe_to_reader[0], &got, 1) == 1)
        check(got == expected++, "a byte came twice or never");
    check(atomic_load(&over), "read failed");
    return ctx;
}

static void *write_bytes(void *ctx) {
    for (unsigned char next = 0; !atomic_load(&over); next++) {
        check(write(pipe_to_reader[1], &next, 1) == 1, "write failed");
        if (next % 16 == 0)
            check(usleep(1000) == 0, "usleep failed");
    }
    close(pipe_to_reader[1]);
    return ctx;
}

/* ---- Restless ---- */

static void *do_nothing(void *ctx) {
    return ctx;
}

static void *start_threads(void *ctx) {
    while (!atomic_load(&over)) {
        pthread_t started[4];
        for (int i = 0; i < 4; i++)
            check(pthread_create(&started[i], NULL, do_nothing, NULL) == 0, "no thread");
        for (int i = 0; i < 4; i++)
            pthread_join(started[i], NULL);
    }
    return ctx;
}

static void *start_programs(void *ctx) {
    while (!atomic_load(&over)) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(3);
        }
        check(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                  WEXITSTATUS(status) == 0,
              "a child came to harm");
    }
    return ctx;
}

static void *lend_memory(void *ctx) {
    int status = -1;
    pid_t child = vfork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also where the program is killed before its end */
        while (!atomic_load(&over))
            usleep(1000);
        _exit(0);
    }
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child came to harm");
    return ctx;
}

int main(int argc, char **argv) {
    static void *(*const jobs[])(void *) = {compute,         sleep_often, poll_often,
                                            wait_for_events, read_bytes,  write_bytes};
    pthread_t threads[16];
    unsigned count = 0;
    bool restless = argc > 1 && strcmp(argv[1], "restless") == 0;
    check(pipe(pipe_to_reader) == 0, "no pipe");
    for (uintptr_t i = 0; i < 2; i++)
        pthread_create(&threads[count++], NULL, take_turns, (void *)i);
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
        pthread_create(&threads[count++], NULL, jobs[i], NULL);
    if (restless) {
        pthread_create(&threads[count++], NULL, start_threads, NULL);
        pthread_create(&threads[count++], NULL, start_programs, NULL);
    }
    if (argc > 1 && strcmp(argv[1], "lent") == 0)
        pthread_create(&threads[count++], NULL, lend_memory, NULL);
    puts("ready");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "headless") == 0)
        pthread_exit(NULL);
    char byte;
    ssize_t got;
    while ((got = read(0, &byte, 1)) == 1)
        ;
    check(got == 0, "read of the standard input failed");
    atomic_store(&over, true);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    check(turns == halves[0] + halves[1], "turns were lost");
    puts(wrong ? wrong : "sound");
    return wrong != NULL;
}

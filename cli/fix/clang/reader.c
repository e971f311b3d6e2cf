/* A process in which a compiler reads. */
#define _GNU_SOURCE

#include "fix/clang/reader.h"

#include "shared/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SECONDS = 60 };

/* Of sanitizers' shadows nobody can say how large they are. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define READS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define READS_SANITIZED
#endif
#ifndef READS_SANITIZED
static const rlim_t most_memory = (rlim_t)8 << 30;
#endif

/* ---- In the child ---- */

static bool say(const struct fix_record *record, void *context) {
    return child_send(*(const int *)context, record, sizeof(*record));
}

static void limit(void) {
    const struct rlimit no_core = {0, 0}, seconds = {MOST_SECONDS, MOST_SECONDS};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &seconds);
#ifndef READS_SANITIZED
    const struct rlimit memory = {most_memory, most_memory};
    setrlimit(RLIMIT_DATA, &memory);
#endif
}

static void become_reader(fix_work work, const void *request, int to) {
    const struct fix_record end = {.kind = RECORD_END};
    limit();
    if (child_begin()) {
        work(request, say, &to);
        say(&end, &to);
    }
    _exit(0);
}

/* ---- Who listens ---- */

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* All of one, before the time is over. */
static bool receive(int from, struct fix_record *ret, int64_t end) {
    size_t used = 0;
    while (used < sizeof(*ret)) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        int64_t left = end - milliseconds_now();
        int count = left > 0 ? poll(&ready, 1, (int)left) : 0;
        ssize_t got = count > 0 ? read(from, (char *)ret + used, sizeof(*ret) - used) : -1;
        if ((count < 0 || (count > 0 && got < 0)) && errno == EINTR)
            continue;
        if (count <= 0 || got <= 0)
            return false;
        used += (size_t)got;
    }
    ret->text[sizeof(ret->text) - 1] = '\0';
    return true;
}

static bool listen_to(int from, fix_say take, void *context) {
    int64_t end = milliseconds_now() + INT64_C(1000) * MOST_SECONDS;
    struct fix_record record;
    while (receive(from, &record, end)) {
        if (record.kind == RECORD_END)
            return true;
        if (!take(&record, context))
            return false;
    }
    return false;
}

bool fix_run_reader(fix_work work, const void *request, fix_say take, void *context) {
    int ends[2];
    if (pipe(ends))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_reader(work, request, ends[1]);
    }
    close(ends[1]);
    bool done = child > 0 && listen_to(ends[0], take, context);
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL); /* it has nothing more to say */
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return done;
}

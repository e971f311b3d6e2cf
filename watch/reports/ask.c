#include "ask.h"

#include "answer.h"
#include "objects/clock.h"
#include "loupe_helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

enum { MOST_SECONDS = 30, MOST_MILLISECONDS_OF_WALK = 10000, MOST_MEGABYTES = 64 };

/* ---- In the copy: nothing of libc but system calls ---- */

static void write_all(int to, const char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(to, bytes, length);
        if (written <= 0)
            return;
        bytes += written;
        length -= (size_t)written;
    }
}

/* The first knot that the object is part of comes first. */
static bool is_in_ring(const char *answer) {
    watch_value_at knot = watch_answer_first(watch_answer_member(answer, "knots"));
    for (; knot; knot = watch_answer_next(knot)) {
        if (watch_answer_is_true(watch_answer_member(knot, "contains_seed")))
            return true;
    }
    return false;
}

__attribute__((noinline)) static const char *ask(const char *query, uintptr_t hidden,
                                                 const char *arguments) {
    return loupe_ask_with(query, (const void *)~hidden, 0, 0, MOST_MILLISECONDS_OF_WALK, 0,
                          arguments);
}

static void write_line(int to, const char *answer) {
    write_all(to, answer, strlen(answer));
    write_all(to, "\n", 1);
}

/* In a ring that is leaked, but for what filters hide. */
static bool is_covered(uintptr_t hidden) {
    const char *answer = ask("retain-cycles", hidden, NULL);
    watch_value_at knot = watch_answer_first(watch_answer_member(answer, "knots"));
    while (knot && !watch_answer_is_true(watch_answer_member(knot, "contains_seed")))
        knot = watch_answer_next(knot);
    return watch_answer_is(watch_answer_member(knot, "verdict"), "leaked");
}

__attribute__((noinline)) static _Noreturn void
answer_in_copy(uintptr_t hidden, const char *filters, int to, void *callers) {
    watch_hide_sensors();
    watch_clock_wipe_stack(callers);
    const char *answer = ask("retain-cycles", hidden, filters);
    bool is_enough =
        is_in_ring(answer) || watch_answer_is(watch_answer_member(answer, "status"), "error");
    write_line(to, answer);
    if (!is_enough && filters && is_covered(hidden))
        write_line(to, "{\"covered\":true}");
    else if (!is_enough)
        write_line(to, ask("incoming-refs", hidden, NULL));
    _exit(0);
}

/* Its own frame is the first that is overwritten. */
__attribute__((noinline)) static _Noreturn void leave_callers(uintptr_t hidden, const char *filters,
                                                              int to) {
    answer_in_copy(hidden, filters, to, __builtin_frame_address(0));
}

/* ---- The copy ---- */

/*
 * On Linux without the handlers of pthread_atfork(), which are the program's, and without a signal
 * at its end. Darwin has fork() alone: it runs these handlers, and takes the locks of malloc and of
 * the Objective-C runtime for a moment. Devices with iOS let nobody do it, and the headers of some
 * of their systems do not have it.
 */
static pid_t copy_process(void) {
#if defined(__linux__)
    return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
#elif defined(__APPLE__) && TARGET_OS_IPHONE && !TARGET_OS_SIMULATOR
    errno = EPERM;
    return -1;
#else
    return fork();
#endif
}

#define ASK_IN_LLDB ", which looking at it while it runs takes: ask in lldb"

static const char *why_no_copy(int reason) {
    return reason == EPERM || reason == ENOSYS
               ? "the system does not let this process be copied (iOS, a sandbox)" ASK_IN_LLDB
               : "this process cannot be copied" ASK_IN_LLDB;
}

static void await_end(pid_t copy) {
#ifdef __WALL
    int options = __WALL;
#else
    int options = 0;
#endif
    while (waitpid(copy, NULL, options) < 0 && errno == EINTR)
        ;
}

static uint64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* All that the copy writes. NULL, or why it is not that. */
static const char *read_all(int from, struct watch_text *ret) {
    uint64_t end = milliseconds() + MOST_SECONDS * 1000;
    char buffer[4096];
    for (;;) {
        uint64_t now = milliseconds();
        struct pollfd waiting = {.fd = from, .events = POLLIN};
        if (now >= end || poll(&waiting, 1, (int)(end - now)) == 0)
            return "looking at it took more than 30 seconds: ask in lldb";
        ssize_t got = read(from, buffer, sizeof(buffer));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return NULL;
        watch_text_add_bytes(ret, buffer, (size_t)got);
        if (ret->is_cut)
            return "out of memory: ask in lldb";
        if (ret->length > (size_t)MOST_MEGABYTES << 20)
            return "the report would take more than 64 MB: ask in lldb";
    }
}

/* A copy that ended in the middle of a line has not said it. */
static const char *split_lines(const struct watch_text *all, struct watch_answers *ret) {
    const char *text = watch_text_get(all), *end = text + all->length;
    struct watch_text *const lines[] = {&ret->cycles, &ret->incoming};
    for (unsigned i = 0; i < 2 && text < end; i++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline)
            return "the copy of this process that was asked ended within its answer: ask in lldb";
        watch_text_add_bytes(lines[i], text, (size_t)(newline - text));
        if (lines[i]->is_cut)
            return "out of memory: ask in lldb";
        text = newline + 1;
    }
    return ret->cycles.length
               ? NULL
               : "the copy of this process that was asked ended without an answer: ask in lldb";
}

static const char *take_answers(int from, pid_t copy, struct watch_answers *ret) {
    struct watch_text all = {0};
    const char *problem = read_all(from, &all);
    if (problem)
        kill(copy, SIGKILL);
    else
        problem = split_lines(&all, ret);
    watch_text_end(&all);
    if (problem)
        watch_answers_end(ret);
    return problem;
}

void watch_ask_helper(uintptr_t hidden, const char *filters, struct watch_answers *ret) {
    int ends[2];
    *ret = (struct watch_answers){.problem = "this process has no room for a pipe"};
    if (pipe(ends))
        return;
    pid_t copy = copy_process();
    int reason = errno;
    if (copy == 0) {
        close(ends[0]);
        leave_callers(hidden, filters, ends[1]);
    }
    close(ends[1]);
    if (copy > 0) {
        ret->problem = take_answers(ends[0], copy, ret);
        await_end(copy);
    } else {
        ret->problem = why_no_copy(reason);
    }
    close(ends[0]);
}

void watch_answers_end(struct watch_answers *answers) {
    watch_text_end(&answers->cycles);
    watch_text_end(&answers->incoming);
}

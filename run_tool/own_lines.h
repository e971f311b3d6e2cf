/*
 * own_lines.h - what a library in somebody else's program writes: on standard error, or into a file
 * of reports. Where nobody reads that any more a write ends the program by SIGPIPE, which a line of
 * ours must not.
 */
#ifndef LOUPE_OWN_LINES_H
#define LOUPE_OWN_LINES_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
/* The signal comes to the thread that writes, which does not take it meanwhile: Linux changes the
 * mask of the thread that asks, also without libpthread. */
struct loupe_held_signal {
    sigset_t only, before;
    bool was_waiting;
};

static inline bool loupe_is_signal_waiting(void) {
    sigset_t waiting;
    return !sigpending(&waiting) && sigismember(&waiting, SIGPIPE) == 1;
}

static inline void loupe_hold_signal(struct loupe_held_signal *held) {
    held->was_waiting = loupe_is_signal_waiting();
    sigemptyset(&held->only);
    sigaddset(&held->only, SIGPIPE);
    sigprocmask(SIG_BLOCK, &held->only, &held->before);
}

static inline void loupe_let_signal_go(const struct loupe_held_signal *held) {
    int ignored;
    if (!held->was_waiting && loupe_is_signal_waiting())
        sigwait(&held->only, &ignored);
    sigprocmask(SIG_SETMASK, &held->before, NULL);
}
#else
struct loupe_held_signal {
    char unused;
};

static inline void loupe_hold_signal(struct loupe_held_signal *held) {
    (void)held;
}

static inline void loupe_let_signal_go(const struct loupe_held_signal *held) {
    (void)held;
}
#endif

/* In one call where that is possible: other threads write to the same place. What cannot be
 * written is left out. */
static inline void loupe_write_own(int to, const char *text, size_t length) {
    struct loupe_held_signal held;
    int problem = errno;
    loupe_hold_signal(&held);
    while (length) {
        ssize_t written = write(to, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        length -= (size_t)written;
    }
    loupe_let_signal_go(&held);
    errno = problem;
}

static inline void loupe_say(const char *text) {
    loupe_write_own(STDERR_FILENO, text, strlen(text));
}

#endif

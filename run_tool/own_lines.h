/*
 * own_lines.h - what a library in somebody else's program writes: on standard error, or into a file
 * of reports. Where nobody reads that any more a write ends the program by SIGPIPE, which a line of
 * ours must not; a pipe that nobody has opened yet must not keep it waiting.
 */
#ifndef LOUPE_OWN_LINES_H
#define LOUPE_OWN_LINES_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
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

static inline void loupe_hold_signal(int file, struct loupe_held_signal *held) {
    (void)file;
    held->was_waiting = loupe_is_signal_waiting();
    sigemptyset(&held->only);
    sigaddset(&held->only, SIGPIPE);
    sigprocmask(SIG_BLOCK, &held->only, &held->before);
}

static inline void loupe_let_signal_go(int file, const struct loupe_held_signal *held) {
    int ignored;
    (void)file;
    if (!held->was_waiting && loupe_is_signal_waiting())
        sigwait(&held->only, &ignored);
    sigprocmask(SIG_SETMASK, &held->before, NULL);
}
#elif defined(__APPLE__)
/*
 * The signal comes to the process, whichever thread writes (xnu: dofilewrite() calls psignal()). So
 * the file does not have it sent meanwhile, a socket as well; that is said of what was opened,
 * which others write to, and put back. Of two libraries that write in the same moment one may put
 * it back too early.
 */
struct loupe_held_signal {
    bool was_held;
};

static inline void loupe_hold_signal(int file, struct loupe_held_signal *held) {
    held->was_held = fcntl(file, F_GETNOSIGPIPE) > 0;
    if (!held->was_held)
        fcntl(file, F_SETNOSIGPIPE, 1);
}

static inline void loupe_let_signal_go(int file, const struct loupe_held_signal *held) {
    if (!held->was_held)
        fcntl(file, F_SETNOSIGPIPE, 0);
}
#else
struct loupe_held_signal {
    char unused;
};

static inline void loupe_hold_signal(int file, struct loupe_held_signal *held) {
    (void)file;
    (void)held;
}

static inline void loupe_let_signal_go(int file, const struct loupe_held_signal *held) {
    (void)file;
    (void)held;
}
#endif

/* In one call where that is possible: other threads write to the same place. What cannot be
 * written is left out. */
static inline void loupe_write_own(int to, const char *text, size_t length) {
    struct loupe_held_signal held;
    int problem = errno;
    loupe_hold_signal(to, &held);
    while (length) {
        ssize_t written = write(to, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        length -= (size_t)written;
    }
    loupe_let_signal_go(to, &held);
    errno = problem;
}

static inline void loupe_say(const char *text) {
    loupe_write_own(STDERR_FILENO, text, strlen(text));
}

/* ---- Files that the environment names ---- */

/* What is open already, as /dev/stderr, or a device. */
static inline bool loupe_is_of_system(const char *path) {
    return (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) ||
           strncmp(path, "/proc/", 6) == 0;
}

/* Never waits for who is at the other end of a pipe. One that was open before is what the program
 * was given: it is waited for there, as in all that the program reads and writes itself. */
static inline int loupe_open_unwaited(const char *path, int flags) {
#if defined(__linux__)
    bool is_waited_for = false;
#else
    bool is_waited_for =
        loupe_is_of_system(path); /* no other description: a copy of what is open */
#endif
    int file = open(path, flags | O_CLOEXEC | O_NOCTTY | (is_waited_for ? 0 : O_NONBLOCK), 0600);
    if (file >= 0 && !is_waited_for && loupe_is_of_system(path))
        fcntl(file, F_SETFL, flags & O_APPEND);
    return file;
}

/* -1, or a file to read or to append to: a regular one, or what the system has a name for.
 * *problem_ret says what is wrong. */
static inline int loupe_open_own(const char *path, bool for_reports, const char **problem_ret) {
    /* A link may be anybody's, but for those of the system. */
    int flags = !for_reports               ? O_RDONLY
                : loupe_is_of_system(path) ? O_WRONLY | O_APPEND
                                           : O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
    int file = loupe_open_unwaited(path, flags);
    struct stat about;
    bool is_pipe = false;
    if (file < 0 && errno == ENXIO) /* a pipe without a reader, a socket */
        is_pipe = !loupe_is_of_system(path);
    else if (file >= 0 && !loupe_is_of_system(path))
        is_pipe = fstat(file, &about) || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
    *problem_ret = is_pipe ? "it is not a regular file" : strerror(errno);
    if (is_pipe && file >= 0)
        close(file);
    return is_pipe ? -1 : file;
}

#endif

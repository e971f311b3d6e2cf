/* Preloaded: each nanosleep() of the first thread, which does the work, is told, a line on the
 * standard error. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int nanosleep(const struct timespec *time,
                                                     struct timespec *left) {
    static const char line[] = "slept\n";
    if (syscall(SYS_gettid) == getpid()) {
        ssize_t written = write(STDERR_FILENO, line, sizeof(line) - 1);
        (void)written;
    }
    errno = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return errno ? -1 : 0;
}

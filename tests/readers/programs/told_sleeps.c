/* Preloaded: each nanosleep() of the first thread, which does the work, is told, a line on the
 * standard error. It says whether all that TOLD_PROCESS has of threads but those that wait in the
 * kernel stand still already, so that nothing else can be what is waited for. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The letter behind the name in parentheses; 0: it has ended. */
static char state_of(const char *process, const char *thread) {
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", process, thread);
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : '\0';
}

static bool others_stand_still(const char *process) {
    char path[64];
    bool all = true;
    snprintf(path, sizeof(path), "/proc/%s/task", process);
    DIR *threads = opendir(path);
    for (const struct dirent *entry; threads && (entry = readdir(threads));) {
        char state = entry->d_name[0] == '.' ? '\0' : state_of(process, entry->d_name);
        all &= state == '\0' || state == 'D' || state == 't' || state == 'Z';
    }
    if (threads)
        closedir(threads);
    return all;
}

__attribute__((visibility("default"))) int nanosleep(const struct timespec *time,
                                                     struct timespec *left) {
    const char *process = getenv("TOLD_PROCESS");
    if (syscall(SYS_gettid) == getpid()) {
        const char *line =
            process && others_stand_still(process) ? "slept, others stood still\n" : "slept\n";
        ssize_t written = write(STDERR_FILENO, line, strlen(line));
        (void)written;
    }
    errno = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return errno ? -1 : 0;
}

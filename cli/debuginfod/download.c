#define _DEFAULT_SOURCE /* fork(), setrlimit() */

#include "debuginfod/download.h"

#include "heaps/heap_verb.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 404, NO_PROGRAM = 127, STEP_MILLISECONDS = 50 };
/* What curl ends with. */
enum { CURL_HTTP_ERROR = 22, CURL_WRITE_ERROR = 23, CURL_TIME = 28, CURL_TOO_LARGE = 63 };

/* ---- The process ---- */

struct command {
    char seconds[16], bytes[24];
    const char *words[32];
};

static void make_command(struct command *command, const struct download *download) {
    /* Nothing of its owner's configuration counts; an address is no pattern; only its status is
     * said. */
    const char *const always[] = {"curl",
                                  "-q",
                                  "--silent",
                                  "--globoff",
                                  "--fail",
                                  "--write-out",
                                  "%{stderr}%{http_code}",
                                  "--user-agent",
                                  "loupe",
                                  "--connect-timeout",
                                  "10",
                                  "--max-time",
                                  command->seconds,
                                  "--max-filesize",
                                  command->bytes};
    const char *const here[] = {"--noproxy", "*", "--proto", "=http,https"};
    const char *const elsewhere[] = {"--proto", "=https",        "--location", "--max-redirs",
                                     "3",       "--proto-redir", "=https"};
    size_t count = sizeof(always) / sizeof(always[0]);
    size_t more = download->is_this_machine ? sizeof(here) / sizeof(here[0])
                                            : sizeof(elsewhere) / sizeof(elsewhere[0]);
    snprintf(command->seconds, sizeof(command->seconds), "%u", download->seconds);
    snprintf(command->bytes, sizeof(command->bytes), "%llu",
             (unsigned long long)download->most_bytes);
    memcpy(command->words, always, sizeof(always));
    memcpy(command->words + count, download->is_this_machine ? here : elsewhere,
           more * sizeof(always[0]));
    command->words[count + more] = "--url";
    command->words[count + more + 1] = download->address;
    command->words[count + more + 2] = NULL;
}

/* Between fork() and exec(). */
static void become_curl(const struct command *command, const struct download *download,
                        int report) {
    const struct rlimit most = {(rlim_t)download->most_bytes, (rlim_t)download->most_bytes};
    const struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(download->to, STDOUT_FILENO) < 0 ||
        dup2(report, STDERR_FILENO) < 0 || setrlimit(RLIMIT_FSIZE, &most) ||
        setrlimit(RLIMIT_CORE, &none))
        _exit(NO_PROGRAM);
    execvp("curl", (char *const *)(uintptr_t)command->words);
    _exit(NO_PROGRAM);
}

/* ---- Its end ---- */

static uint64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Reads what it says until it ends, or its time is over. False: then. */
static bool listen_to(int report, char *text, size_t room, uint64_t end) {
    for (size_t used = 0;;) {
        struct pollfd ready = {.fd = report, .events = POLLIN};
        if (*heap_stop || milliseconds_now() >= end)
            return false;
        if (poll(&ready, 1, STEP_MILLISECONDS) <= 0)
            continue;
        char bytes[64];
        ssize_t got = read(report, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        for (ssize_t i = 0; i < got && used + 1 < room; i++)
            text[used++] = bytes[i];
        text[used] = 0;
    }
}

static enum download_result result_of(int status, unsigned code) {
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXFSZ ? DOWNLOAD_TOO_LARGE : DOWNLOAD_FAILED;
    switch (WEXITSTATUS(status)) {
    case 0:
        return DOWNLOAD_DONE;
    case CURL_HTTP_ERROR:
        return code == NOT_FOUND ? DOWNLOAD_NOT_THERE : DOWNLOAD_FAILED;
    case CURL_TOO_LARGE:
        return DOWNLOAD_TOO_LARGE;
    case CURL_TIME:
        return DOWNLOAD_TOO_LONG;
    case NO_PROGRAM:
        return DOWNLOAD_NO_CURL;
    default:
        return DOWNLOAD_FAILED;
    }
}

enum download_result download(const struct download *download, unsigned *code_ret) {
    char code[16] = "";
    struct command command;
    int report[2], status = 0;
    *code_ret = 0;
    make_command(&command, download);
    if (pipe(report))
        return DOWNLOAD_FAILED;
    fcntl(report[0], F_SETFD, FD_CLOEXEC);
    fcntl(report[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_curl(&command, download, report[1]);
    close(report[1]);
    uint64_t end = milliseconds_now() + (uint64_t)download->seconds * 1000 + 1000;
    bool ended = child > 0 && listen_to(report[0], code, sizeof(code), end);
    close(report[0]);
    if (child < 0)
        return DOWNLOAD_FAILED;
    if (!ended)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *code_ret = (unsigned)strtoul(code, NULL, 10);
    return ended ? result_of(status, *code_ret) : DOWNLOAD_TOO_LONG;
}

#define _GNU_SOURCE

#include "run_tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* From the folder of a library in a build tree, and from lib/loupe/ where it is installed. */
static const char *const places[] = {"/../cli/loupe", "/../../bin/loupe"};

bool loupe_find_tool(const char *named, char path[LOUPE_TOOL_PATH]) {
    Dl_info about;
    if (named)
        return snprintf(path, LOUPE_TOOL_PATH, "%s", named) < LOUPE_TOOL_PATH &&
               !access(path, X_OK);
    if (!dladdr((const void *)places, &about) || !about.dli_fname)
        return false;
    const char *slash = strrchr(about.dli_fname, '/');
    int folder = slash ? (int)(slash - about.dli_fname) : 0;
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++)
        if (snprintf(path, LOUPE_TOOL_PATH, "%.*s%s", folder, about.dli_fname, places[i]) <
                LOUPE_TOOL_PATH &&
            !access(path, X_OK))
            return true;
    return false;
}

__attribute__((noinline)) void loupe_overwrite_stack(unsigned pages) {
    enum { PAGE = 4096 };
    volatile char room[PAGE];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
    if (pages > 1)
        loupe_overwrite_stack(pages - 1);
    room[0] = 0; /* so that each call has a frame of its own */
}

/* What another thread starts meanwhile must not keep it open, where the system can promise that. */
static bool open_pipe(int ends[2]) {
#ifdef __linux__
    return !pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends))
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
#endif
}

/* Of the program's environment what says how text may look, and how long the program may stand
 * still. Nothing else: a variable of the loader would have it load the library again. */
static const char *const passed[] = {"LOUPE_GLYPHS", "LC_ALL",   "LC_CTYPE",       "LANG",
                                     "TERM",         "NO_COLOR", "LOUPE_MAX_PAUSE"};
enum { PASSED = sizeof(passed) / sizeof(passed[0]), LONGEST_PASSED = 64 };

struct environment {
    char texts[PASSED][LONGEST_PASSED];
    char *entries[PASSED + 1];
};

static void take_environment(struct environment *ret) {
    size_t count = 0;
    for (size_t i = 0; i < PASSED; i++) {
        const char *value = getenv(passed[i]);
        char *text = ret->texts[count];
        if (value && snprintf(text, LONGEST_PASSED, "%s=%s", passed[i], value) < LONGEST_PASSED)
            ret->entries[count++] = text;
    }
    ret->entries[count] = NULL;
}

/* What the child becomes. */
struct tool {
    const char *path;
    const char *const *words;
    struct environment environment;
    int output, errors;
};

/* Between fork() and exec() of a program with threads: nothing but system calls. It waits until the
 * other end of the gate is closed: then it may read the program. */
static void become_tool(const struct tool *tool, const int gate[2]) {
    char byte;
    /* Errors first: the descriptor that is given for them may be that of standard output. */
    int kept = dup(tool->errors);
    dup2(tool->output, STDOUT_FILENO);
    dup2(kept, STDERR_FILENO);
    fcntl(STDOUT_FILENO, F_SETFD, 0); /* the output may have been there before */
    close(kept);
    close(gate[1]);
    while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
        ;
    execve(tool->path, (char *const *)(void *)tool->words, tool->environment.entries);
    _exit(LOUPE_TOOL_NOT_STARTED);
}

/* -1: it was not started. */
static pid_t start(struct tool *tool) {
    int gate[2];
    take_environment(&tool->environment);
    if (!open_pipe(gate))
        return -1;
    pid_t child = fork();
    if (child == 0)
        become_tool(tool, gate);
#ifdef __linux__
    if (child > 0) /* where only those may be read that allow it (Yama); elsewhere nobody asks */
        prctl(PR_SET_PTRACER, (unsigned long)child, 0, 0, 0);
#endif
    close(gate[0]);
    close(gate[1]);
    return child;
}

static int status_of(pid_t child) {
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) /* as in a program that ignores SIGCHLD: nobody keeps the status */
            return LOUPE_TOOL_NOT_STARTED;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : LOUPE_TOOL_NOT_STARTED;
}

int loupe_run_tool(const char *path, const char *const words[], int output, int errors) {
    struct tool tool = {.path = path, .words = words, .output = output, .errors = errors};
    return status_of(start(&tool));
}

/* All that comes until the other end is closed, and a NUL. */
static char *read_all(int from, size_t most) {
    size_t room = 1 << 12, length = 0;
    char *text = malloc(room + 1);
    ssize_t got = 1;
    while (text && got && length < most) {
        if (length == room) {
            char *larger = realloc(text, 2 * room + 1);
            if (!larger)
                free(text);
            text = larger;
            room *= 2;
        }
        got = text ? read(from, text + length, room - length) : 0;
        length += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno != EINTR)
            break;
    }
    if (text && !got)
        text[length] = '\0';
    else
        free(text);
    return got ? NULL : text;
}

int loupe_run_tool_reading(const char *path, const char *const words[], int errors, size_t most,
                           char **text_ret) {
    int ends[2];
    *text_ret = NULL;
    if (!open_pipe(ends))
        return LOUPE_TOOL_NOT_STARTED;
    struct tool tool = {.path = path, .words = words, .output = ends[1], .errors = errors};
    pid_t child = start(&tool);
    close(ends[1]);
    if (child > 0)
        *text_ret = read_all(ends[0], most);
    close(ends[0]); /* who has more to say ends by that */
    return status_of(child);
}

/*
 * libloupe_leaks: preloaded into a program, says on its standard error what the program leaked when
 * it ends (docs/leaks_at_exit.md).
 *
 * It runs when the program's own functions for its end have run, and those of its libraries not
 * yet. The tool `loupe`, a process of its own, reads this one, all of whose threads it stops. Where
 * that cannot be, as under a debugger, the helper makes a snapshot for it, in memory, and says that
 * other threads ran.
 *
 * The variables of the environment are those of whoever started the program, so a program that has
 * more rights than them ignores all of them.
 */
#define _GNU_SOURCE

#include "loupe_helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NOT_STARTED = 127, HIGHEST_STATUS = 255 };

/* ---- What was asked for ---- */

struct wish {
    const char *report; /* file for what is said; NULL: standard error */
    const char *tool;   /* NULL: where it is beside this library */
    int status;         /* of the program, if something leaks; 0: its own */
};

static void say(const char *text, const char *about) {
    fprintf(stderr, "loupe: %s%s\n", text, about);
}

static bool read_wish(struct wish *ret) {
    const char *wanted = getenv("LOUPE_LEAKS"), *status = getenv("LOUPE_LEAKS_EXIT");
    if (!wanted || getauxval(AT_SECURE))
        return false;
    if (strcmp(wanted, "at-exit") != 0) {
        say("LOUPE_LEAKS can be at-exit, nothing else", "");
        return false;
    }
    *ret = (struct wish){.report = getenv("LOUPE_LEAKS_FILE"), .tool = getenv("LOUPE_TOOL")};
    if (!status)
        return true;
    char *end;
    long number = strtol(status, &end, 10);
    if (*end || end == status || number < 0 || number > HIGHEST_STATUS) {
        say("LOUPE_LEAKS_EXIT has to be a number from 0 to 255", "");
        return false;
    }
    ret->status = (int)number;
    return true;
}

/* ---- The tool ---- */

/* From build/at_exit/, and from lib/loupe/ where it is installed. */
static const char *const places[] = {"/../cli/loupe", "/../../bin/loupe"};

static bool find_tool(const struct wish *wish, char path[PATH_SIZE]) {
    Dl_info about;
    if (wish->tool)
        return snprintf(path, PATH_SIZE, "%s", wish->tool) < PATH_SIZE && !access(path, X_OK);
    if (!dladdr((const void *)places, &about) || !about.dli_fname)
        return false;
    const char *slash = strrchr(about.dli_fname, '/');
    int folder = slash ? (int)(slash - about.dli_fname) : 0;
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++)
        if (snprintf(path, PATH_SIZE, "%.*s%s", folder, about.dli_fname, places[i]) < PATH_SIZE &&
            !access(path, X_OK))
            return true;
    return false;
}

/* Between fork() and exec() of a program with threads: nothing but system calls. It waits until the
 * other end of the pipe is closed. */
static void become_tool(const char *tool, const char *target, int output, const int gate[2]) {
    char *const words[] = {(char *)"loupe", (char *)"leaks", (char *)target, NULL};
    char *const nothing[] = {NULL}; /* the program's environment would load this library again */
    char byte;
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    close(gate[1]);
    while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
        ;
    execve(tool, words, nothing);
    _exit(NOT_STARTED);
}

/* Target: the number of this process, or a file. */
static int run_tool(const char *tool, const char *target, int output) {
    int status, gate[2];
    if (pipe2(gate, O_CLOEXEC))
        return NOT_STARTED;
    pid_t child = fork();
    if (child == 0)
        become_tool(tool, target, output, gate);
    if (child > 0) /* where only those may be read that allow it (Yama); elsewhere nobody asks */
        prctl(PR_SET_PTRACER, (unsigned long)child, 0, 0, 0);
    close(gate[0]);
    close(gate[1]);
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) /* as in a program that ignores SIGCHLD: nobody keeps the status */
            return NOT_STARTED;
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_STARTED;
}

/* ---- The end ---- */

static int open_report(const struct wish *wish) {
    int file = wish->report ? open(wish->report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                            : dup(STDERR_FILENO);
    if (file < 0 && wish->report)
        say("LOUPE_LEAKS_FILE cannot be written: ", strerror(errno));
    return file;
}

static bool make_snapshot(const char *path) {
    const char *answer = loupe_snapshot(path);
    if (!strstr(answer, "\"status\":\"error\""))
        return true;
    const char *message = strstr(answer, "\"message\":");
    say("no leaks were looked for: ", message ? message + strlen("\"message\":") : answer);
    return false;
}

static int report_by_snapshot(const char *tool, int output) {
    char snapshot[64];
    int status = 0, memory = memfd_create("loupe", 0);
    if (memory < 0) {
        say("no leaks were looked for: ", strerror(errno));
        return NOT_STARTED;
    }
    snprintf(snapshot, sizeof(snapshot), "/proc/self/fd/%d", memory);
    if (make_snapshot(snapshot))
        status = run_tool(tool, snapshot, output);
    close(memory);
    return status;
}

static bool is_traced(void) {
    char text[PATH_SIZE] = "";
    FILE *file = fopen("/proc/self/status", "re");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *tracer = strstr(text, "TracerPid:");
    return !tracer || atoi(tracer + strlen("TracerPid:"));
}

/* The helper answers at once about no object of a program without the runtime, as the shell that
 * started another one, which has nothing to report. */
static bool has_runtime(void) {
    return !strstr(loupe_ask("methods", NULL, 0, 0, 0, 0), "\"code\":\"no-runtime\"");
}

static int report_leaks(const struct wish *wish) {
    char tool[PATH_SIZE], process[16];
    int status = NOT_STARTED, output;
    if (!has_runtime())
        return 0;
    if (!find_tool(wish, tool)) {
        say("leaks are told by the tool loupe, which is not beside this library: name it in "
            "LOUPE_TOOL",
            "");
        return NOT_STARTED;
    }
    if ((output = open_report(wish)) < 0)
        return NOT_STARTED;
    snprintf(process, sizeof(process), "%d", (int)getpid());
    status = is_traced() ? report_by_snapshot(tool, output) : run_tool(tool, process, output);
    close(output);
    if (status == NOT_STARTED)
        say("the tool did not start: ", tool);
    return status;
}

/* The output of the program is written before the report, and before an exit of ours. */
__attribute__((destructor)) static void end_of_program(void) {
    struct wish wish;
    if (!read_wish(&wish))
        return;
    fflush(NULL);
    if (report_leaks(&wish) && wish.status)
        _exit(wish.status);
}

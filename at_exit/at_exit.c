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
#include "own_lines.h"
#include "run_tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the stack as much as the functions below have while the tool reads; a thread may have little.
 */
enum { STATUS_TEXT_SIZE = 4096, HIGHEST_STATUS = 255, STACK_PAGES = 3 };

/* ---- What was asked for ---- */

struct wish {
    const char *report;             /* file for what is said; NULL: standard error */
    const char *tool;               /* NULL: where it is beside this library */
    const char *filters, *baseline; /* files; NULL: none */
    bool of_all;                    /* programs: of those without any runtime too */
    bool of_objc;                   /* programs: of those with an Objective-C runtime alone */
    bool in_json;
    int status; /* of the program, if something leaks; 0: its own */
};

static void say(const char *text, const char *about) {
    char line[LOUPE_TOOL_PATH + 200];
    snprintf(line, sizeof(line), "loupe: %s%s\n", text, about);
    loupe_say(line);
}

static bool read_wish(struct wish *ret) {
    const char *wanted = getenv("LOUPE_LEAKS"), *status = getenv("LOUPE_LEAKS_EXIT");
    const char *format = getenv("LOUPE_LEAKS_FORMAT");
    if (!wanted || getauxval(AT_SECURE))
        return false;
    bool of_all = strcmp(wanted, "at-exit-of-all") == 0;
    bool of_objc = strcmp(wanted, "at-exit-of-objc") == 0;
    if (!of_all && !of_objc && strcmp(wanted, "at-exit") != 0) {
        say("LOUPE_LEAKS can be at-exit, at-exit-of-objc or at-exit-of-all, nothing else", "");
        return false;
    }
    if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
        say("LOUPE_LEAKS_FORMAT can be text or json, nothing else", "");
        return false;
    }
    *ret = (struct wish){.of_all = of_all,
                         .of_objc = of_objc,
                         .in_json = format && strcmp(format, "json") == 0,
                         .report = getenv("LOUPE_LEAKS_FILE"),
                         .tool = getenv("LOUPE_TOOL"),
                         .filters = getenv("LOUPE_LEAKS_FILTERS"),
                         .baseline = getenv("LOUPE_LEAKS_BASELINE")};
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

/* ---- The end ---- */

/* Target: the number of this process, or a file. */
static int run_leaks(const struct wish *wish, const char *tool, const char *target, int output) {
    enum { MOST_WORDS = 12 };
    const char *words[MOST_WORDS] = {"loupe", "leaks", target};
    unsigned count = 3;
    if (wish->filters && *wish->filters) {
        words[count++] = "--filters";
        words[count++] = wish->filters;
    }
    if (wish->baseline && *wish->baseline) {
        words[count++] = "--baseline";
        words[count++] = wish->baseline;
    }
    if (wish->in_json) {
        words[count++] = "--json";
        words[count++] = "--limit";
        words[count++] = "0";
    }
    int status = loupe_run_tool(tool, words, output, wish->in_json ? STDERR_FILENO : output);
    if (status == LOUPE_TOOL_NOT_STARTED)
        say("loupe did not start: ", tool);
    return status;
}

/* Standard error as it is: a program that may open no file more has no copy of it. */
static int open_report(const struct wish *wish) {
    if (!wish->report)
        return STDERR_FILENO;
    const char *problem;
    int file = loupe_open_own(wish->report, true, &problem);
    if (file < 0)
        say("LOUPE_LEAKS_FILE cannot be written: ", problem);
    return file;
}

/* The tool would wait at a pipe, and the program for the tool. */
static bool can_be_read(const char *file, const char *refusal) {
    const char *problem;
    if (!file || !*file)
        return true;
    int opened = loupe_open_own(file, false, &problem);
    if (opened < 0)
        say(refusal, problem);
    else
        close(opened);
    return opened >= 0;
}

static bool make_snapshot(const char *path) {
    const char *answer = loupe_snapshot(path);
    if (!strstr(answer, "\"status\":\"error\""))
        return true;
    static const char key[] = "\"message\":\"";
    const char *message = strstr(answer, key);
    message = message ? message + strlen(key) : answer;
    char text[LOUPE_TOOL_PATH];
    snprintf(text, sizeof(text), "%.*s", (int)strcspn(message, "\""), message);
    say("leak check not run: ", text);
    return false;
}

static int report_by_snapshot(const struct wish *wish, const char *tool, int output) {
    char snapshot[64];
    int status = LOUPE_TOOL_NOT_STARTED, memory = memfd_create("loupe", 0);
    if (memory < 0) {
        say("leak check not run: ", strerror(errno));
        return status;
    }
    snprintf(snapshot, sizeof(snapshot), "/proc/self/fd/%d", memory);
    if (make_snapshot(snapshot))
        status = run_leaks(wish, tool, snapshot, output);
    close(memory);
    return status;
}

static bool is_traced(void) {
    char text[STATUS_TEXT_SIZE] = "";
    FILE *file = fopen("/proc/self/status", "re");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *tracer = strstr(text, "TracerPid:");
    return !tracer || atoi(tracer + strlen("TracerPid:"));
}

/* A program of C alone is most often the shell that started another one, which has nothing to
 * report. The helper answers at once about no object of a program without the Objective-C runtime;
 * one of C++ throws. */
static bool has_runtime(const struct wish *wish) {
    return (!wish->of_objc && dlsym(RTLD_DEFAULT, "__cxa_throw")) ||
           !strstr(loupe_ask("methods", NULL, 0, 0, 0, 0), "\"code\":\"no-runtime\"");
}

static int report_leaks(const struct wish *wish) {
    char tool[LOUPE_TOOL_PATH], process[16];
    int status = LOUPE_TOOL_NOT_STARTED, output;
    if (!wish->of_all && !has_runtime(wish))
        return 0;
    if (!loupe_find_tool(wish->tool, tool)) {
        say(LOUPE_NO_TOOL, "");
        return LOUPE_TOOL_NOT_STARTED;
    }
    if (!can_be_read(wish->filters, "LOUPE_LEAKS_FILTERS cannot be read: ") ||
        !can_be_read(wish->baseline, "LOUPE_LEAKS_BASELINE cannot be read: ") ||
        (output = open_report(wish)) < 0)
        return LOUPE_TOOL_NOT_STARTED;
    snprintf(process, sizeof(process), "%d", (int)getpid());
    status = is_traced() ? report_by_snapshot(wish, tool, output)
                         : run_leaks(wish, tool, process, output);
    if (wish->report)
        close(output);
    return status;
}

/* The output of the program is written before the report, and before an exit of ours. */
__attribute__((destructor)) static void end_of_program(void) {
    struct wish wish;
    if (!read_wish(&wish))
        return;
    fflush(NULL);
    loupe_overwrite_stack(STACK_PAGES);
    if (report_leaks(&wish) && wish.status)
        _exit(wish.status);
}

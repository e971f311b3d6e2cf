#define _GNU_SOURCE

#include "loupe_testing.h"

#include "loupe_helper.h"
#include "loupe_watch.h"
#include "older_leaks.h"
#include "run_tool.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, SECONDS_TO_DIE = 1, STACK_PAGES = 8, LONGEST_ANSWER = 64 << 20 };

/* ---- Failures ---- */

static loupe_testing_listener listener;

void loupe_testing_on_failure(loupe_testing_listener one) {
    listener = one;
}

/* The head of a report, which follows on standard error; the listener is told behind that. */
struct failure {
    const char *file;
    int line;
    char message[512];
};

static void begin_failure(struct failure *failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void begin_failure(struct failure *failure, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(failure->message, sizeof(failure->message), format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "%s:%d: error: %s\n", failure->file, failure->line, failure->message);
    fflush(stderr);
}

static bool end_failure(const struct failure *failure) {
    if (listener)
        listener(failure->message, failure->file, failure->line);
    return false;
}

/* ---- The tool ---- */

static bool find_tool(char path[LOUPE_TOOL_PATH]) {
    if (loupe_find_tool(getenv("LOUPE_TOOL"), path))
        return true;
    fprintf(stderr, "loupe: " LOUPE_NO_TOOL "\n");
    return false;
}

/* The exit status. What it prints goes to standard error. */
static int show(const char *const words[]) {
    char tool[LOUPE_TOOL_PATH];
    return find_tool(tool) ? loupe_run_tool(tool, words, STDERR_FILENO, STDERR_FILENO)
                           : LOUPE_TOOL_NOT_STARTED;
}

/* The same; what it prints, freed by the caller. NULL: it cannot be had. */
static int run_tool(const char *const words[], char **text_ret) {
    char tool[LOUPE_TOOL_PATH];
    *text_ret = NULL;
    return find_tool(tool)
               ? loupe_run_tool_reading(tool, words, STDERR_FILENO, LONGEST_ANSWER, text_ret)
               : LOUPE_TOOL_NOT_STARTED;
}

/* The same, of which nobody reads what it prints. */
static int run_unread(const char *const words[]) {
    char *unread;
    int status = run_tool(words, &unread);
    free(unread);
    return status;
}

/* ---- Snapshots ---- */

/* A file that is there and empty; its name says what will be in it. */
static bool make_file(char name[PATH_SIZE]) {
    static const char ending[] = ".loupe";
    const char *folder = getenv("TMPDIR");
    snprintf(name, PATH_SIZE, "%s/loupe-test-XXXXXX%s", folder && *folder ? folder : "/tmp",
             ending);
    int file = mkstemps(name, sizeof(ending) - 1);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* By the tool, which stops all threads; where that cannot be, by the helper, which cannot. */
static bool take_snapshot(char name[PATH_SIZE]) {
    bool is_taken = false;
    if (!make_file(name))
        return false;
#ifdef __linux__
    char process[16];
    snprintf(process, sizeof(process), "%d", (int)getpid());
    const char *const words[] = {"loupe", "snapshot", process, name, NULL};
    is_taken = run_unread(words) == 0;
#endif
    return is_taken || !strstr(loupe_snapshot(name), "\"status\":\"error\"");
}

/* ---- Cycles ---- */

static void show_cycles(const void *object) {
    char snapshot[PATH_SIZE], address[24];
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)(size_t)object);
    const char *const words[] = {"loupe", "cycles", snapshot, address, NULL};
    if (!take_snapshot(snapshot) || show(words) == LOUPE_TOOL_NOT_STARTED)
        fprintf(stderr, "%s\n", loupe_retain_cycles(object));
    unlink(snapshot);
}

/* Under manual retain and release a class records of no reference whether it owns, as GCC's runtime
 * does of none at all: a cycle that is only possible would otherwise pass for none. The gates of
 * the tool let none pass either. */
static bool is_possibly_in_cycle(const void *object) {
    return !strstr(loupe_retain_cycles(object), "\"knots\":[]");
}

bool loupe_testing_no_cycles(const void *object, const char *expression, const char *file,
                             int line) {
    struct failure failure = {.file = file, .line = line};
    unsigned cycles = loupe_count_cycles(object);
    if (!cycles && !is_possibly_in_cycle(object))
        return true;
    if (!cycles) {
        begin_failure(
            &failure,
            "%s is possibly in, or reaches, a retain cycle: it is not recorded which of its "
            "references own",
            expression);
        show_cycles(object);
        return end_failure(&failure);
    }
    if (cycles == UINT_MAX) {
        begin_failure(&failure, "whether %s is in a retain cycle cannot be told", expression);
        fprintf(stderr, "%s\n", loupe_retain_cycles(object));
        return end_failure(&failure);
    }
    begin_failure(&failure, "%s is in, or reaches, %u retain cycle%s", expression, cycles,
                  cycles == 1 ? "" : "s");
    show_cycles(object);
    return end_failure(&failure);
}

/* ---- Death ---- */

void loupe_testing_expect(const void *object) {
    if (object)
        loupe_watch(object, SECONDS_TO_DIE);
}

/* The report of an object that lives is written while it is waited for, before the line. */
bool loupe_testing_died(const void *object, const char *expression, const char *file, int line) {
    struct failure failure = {.file = file, .line = line};
    if (object && loupe_expect_dead(object))
        return true;
    begin_failure(&failure,
                  object ? "the object of %s lives: the report is above" : "%s made no object",
                  expression);
    return end_failure(&failure);
}

/* ---- Leaks ---- */

static char before[PATH_SIZE];

void loupe_testing_before(void) {
    loupe_overwrite_stack(STACK_PAGES);
    if (!take_snapshot(before))
        before[0] = '\0';
}

/* What is told of two snapshots, as JSON, freed by the caller; NULL: nothing. */
static char *compare(const char *after) {
    const char *const words[] = {"loupe", "diff", before, after, "--json", NULL};
    char *text;
    if (run_tool(words, &text) != LOUPE_TOOL_NOT_STARTED)
        return text;
    free(text);
    return NULL;
}

/* Those of which there are more than before; where that cannot be told, all. */
static void show_new_leaks(const char *after, const char *news) {
    char older[PATH_SIZE];
    const char *const all[] = {"loupe", "leaks", after, NULL};
    const char *const compared[] = {"loupe", "leaks", after, "--baseline", older, NULL};
    const char *const written[] = {"loupe", "leaks", before, "--write-baseline", older, NULL};
    bool has_file = make_file(older);
    bool is_known =
        has_file && run_unread(written) != LOUPE_TOOL_NOT_STARTED && loupe_leave_out(older, news);
    show(is_known ? compared : all);
    if (has_file)
        unlink(older);
}

/* Whether there are more leaks in the second snapshot; -1: it cannot be told. */
static int more_leaks(const char *news) {
    static const char none[] = "\"more_leaks\":[]", some[] = "\"more_leaks\":[";
    if (!news)
        return -1;
    return strstr(news, none) ? 0 : strstr(news, some) ? 1 : -1;
}

bool loupe_testing_no_leaks(const char *expression, const char *file, int line) {
    struct failure failure = {.file = file, .line = line};
    char after[PATH_SIZE];
    loupe_overwrite_stack(STACK_PAGES);
    bool taken = take_snapshot(after);
    char *news = taken && before[0] ? compare(after) : NULL;
    int leaks = more_leaks(news);
    if (leaks) {
        begin_failure(&failure, leaks > 0 ? "%s leaks" : "whether %s leaks cannot be told",
                      expression);
        if (leaks > 0)
            show_new_leaks(after, strstr(news, "\"more_leaks\":["));
        end_failure(&failure);
    }
    free(news);
    unlink(after);
    unlink(before);
    before[0] = '\0';
    return !leaks;
}

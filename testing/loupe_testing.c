#define _GNU_SOURCE

#include "loupe_testing.h"

#include "loupe_helper.h"
#include "loupe_watch.h"
#include "run_tool.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, SECONDS_TO_DIE = 1, STACK = 32 << 10 };

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

/* The exit status. What it prints goes to output. */
static int run_tool(const char *const words[], int output) {
    char tool[LOUPE_TOOL_PATH];
    if (loupe_find_tool(getenv("LOUPE_TOOL"), tool))
        return loupe_run_tool(tool, words, output, STDERR_FILENO);
    fprintf(stderr, "loupe: reports are made by the tool loupe, which is not beside this "
                    "library: name it in LOUPE_TOOL\n");
    return LOUPE_TOOL_NOT_STARTED;
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
    FILE *unread = tmpfile();
    snprintf(process, sizeof(process), "%d", (int)getpid());
    const char *const words[] = {"loupe", "snapshot", process, name, NULL};
    is_taken = unread && run_tool(words, fileno(unread)) == 0;
    if (unread)
        fclose(unread);
#endif
    return is_taken || !strstr(loupe_snapshot(name), "\"status\":\"error\"");
}

/* Words of the caller's that are left on the stack would keep what it leaked. */
static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[STACK];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

/* ---- Cycles ---- */

static void show_cycles(const void *object) {
    char snapshot[PATH_SIZE], address[24];
    snprintf(address, sizeof(address), "0x%llx", (unsigned long long)(size_t)object);
    const char *const words[] = {"loupe", "cycles", snapshot, address, NULL};
    if (!take_snapshot(snapshot) || run_tool(words, STDERR_FILENO) == LOUPE_TOOL_NOT_STARTED)
        fprintf(stderr, "%s\n", loupe_retain_cycles(object));
    unlink(snapshot);
}

/* GCC's runtime records of no reference whether it owns: there no cycle is certain, and one that is
 * possible would otherwise pass for none. */
static bool is_possibly_in_cycle(const void *object) {
    const char *answer = loupe_retain_cycles(object);
    return strstr(answer, "\"abi\":\"gcc\"") && !strstr(answer, "\"knots\":[]");
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
            "%s is possibly in, or leads to, a retain cycle: this runtime does not record "
            "which references own",
            expression);
        show_cycles(object);
        return end_failure(&failure);
    }
    if (cycles == UINT_MAX) {
        begin_failure(&failure, "whether %s is in a retain cycle cannot be told", expression);
        fprintf(stderr, "%s\n", loupe_retain_cycles(object));
        return end_failure(&failure);
    }
    begin_failure(&failure, "%s is in, or leads to, %u retain cycle%s", expression, cycles,
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
    overwrite_stack();
    if (!take_snapshot(before))
        before[0] = '\0';
}

/* Whether there are more leaks in the second snapshot; -1: it cannot be told. */
static int compare(const char *after) {
    static const char none[] = "\"more_leaks\":[]", some[] = "\"more_leaks\":[";
    const char *const words[] = {"loupe", "diff", before, after, "--json", NULL};
    FILE *file = tmpfile();
    int status = file ? run_tool(words, fileno(file)) : LOUPE_TOOL_NOT_STARTED, result = -1;
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : 0;
    char *text = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (text) {
        rewind(file);
        size_t got = fread(text, 1, (size_t)size, file);
        text[got] = '\0';
        result = strstr(text, none) ? 0 : strstr(text, some) ? 1 : -1;
    }
    free(text);
    if (file)
        fclose(file);
    return status == LOUPE_TOOL_NOT_STARTED ? -1 : result;
}

bool loupe_testing_no_leaks(const char *expression, const char *file, int line) {
    struct failure failure = {.file = file, .line = line};
    char after[PATH_SIZE];
    overwrite_stack();
    bool taken = take_snapshot(after);
    int leaks = taken && before[0] ? compare(after) : -1;
    if (leaks) {
        begin_failure(&failure, leaks > 0 ? "%s leaks" : "whether %s leaks cannot be told",
                      expression);
        const char *const words[] = {"loupe", "leaks", after, NULL};
        if (leaks > 0)
            run_tool(words, STDERR_FILENO);
        end_failure(&failure);
    }
    unlink(after);
    unlink(before);
    before[0] = '\0';
    return !leaks;
}

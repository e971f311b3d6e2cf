/*
 * Preloaded into fixtures: asserts of each object that the fixture watches, at the place where a
 * debugger would stop, that it is in no cycle, and says what the helper answers beside; and at the
 * end of the program that nothing leaked since. The heap of both moments is kept in files that
 * begin with LOUPE_TEST_SNAPSHOT: as the tool and as the helper sees it.
 */
#include "loupe_helper.h"
#include "loupe_testing.h"
#include "run_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_RINGS = 2000 /* more than any fixture has */ };

void loupe_fixture_observe(const void *object, const char *name)
    __attribute__((visibility("default")));

static void keep_snapshot(const char *moment) {
    char process[16], file[4096];
    const char *start = getenv("LOUPE_TEST_SNAPSHOT"), *tool = getenv("LOUPE_TOOL");
    snprintf(process, sizeof(process), "%d", (int)getpid());
    snprintf(file, sizeof(file), "%s.%s.loupe", start ? start : "", moment);
    const char *const words[] = {"loupe", "snapshot", process, file, NULL};
    if (!start || !tool || loupe_run_tool(tool, words, STDERR_FILENO, STDERR_FILENO))
        _exit(3);
    snprintf(file, sizeof(file), "%s.%s.inside.loupe", start, moment);
    loupe_snapshot(file);
}

static int is_kept;

void loupe_fixture_observe(const void *object, const char *name) {
    if (!is_kept++) {
        keep_snapshot("stop");
        loupe_testing_before();
    }
    fprintf(stderr, "asserting %p %s\n", object,
            loupe_ask("retain-cycles", object, 0, MAX_RINGS, 0, 0));
    int holds = loupe_testing_no_cycles(object, name, "fixture", 1);
    fprintf(stderr, "holds %d\n", holds);
}

__attribute__((destructor)) static void end(void) {
    if (!is_kept)
        return;
    fprintf(stderr, "ending\n");
    int holds = loupe_testing_no_leaks("the fixture", "fixture", 2);
    fprintf(stderr, "holds %d\n", holds);
    keep_snapshot("end");
}

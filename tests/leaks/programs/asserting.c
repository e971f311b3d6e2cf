/*
 * Preloaded into fixtures: asserts of each object that the fixture watches, at the place where a
 * debugger would stop, that it is in no cycle, and says what the helper answers beside. The heap of
 * that moment is kept in LOUPE_TEST_SNAPSHOT.
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

static void keep_snapshot(void) {
    char process[16];
    const char *file = getenv("LOUPE_TEST_SNAPSHOT"), *tool = getenv("LOUPE_TOOL");
    snprintf(process, sizeof(process), "%d", (int)getpid());
    const char *const words[] = {"loupe", "snapshot", process, file, NULL};
    if (!file || !tool || loupe_run_tool(tool, words, STDERR_FILENO, STDERR_FILENO))
        exit(3);
}

void loupe_fixture_observe(const void *object, const char *name) {
    static int is_kept;
    if (!is_kept++)
        keep_snapshot();
    fprintf(stderr, "asserting %p %s\n", object,
            loupe_ask("retain-cycles", object, 0, MAX_RINGS, 0, 0));
    int holds = loupe_testing_no_cycles(object, name, "fixture", 1);
    fprintf(stderr, "holds %d\n", holds);
}

/*
 * Preloaded into fixtures: asks the helper about each object that the fixture watches, at the place
 * where a debugger would stop, and prints "name question answer". What it counts is an answer, too.
 */
#include "loupe_helper.h"

#include <stdio.h>

enum { MAX_RINGS = 2000 /* more than any fixture has */ };

void loupe_fixture_observe(const void *object, const char *name)
    __attribute__((visibility("default")));

static void ask(const char *question, const void *object, const char *name) {
    printf("%s %s %s\n", name, question, loupe_ask(question, object, 0, MAX_RINGS, 0, 0));
}

void loupe_fixture_observe(const void *object, const char *name) {
    ask("retain-cycles", object, name);
    printf("%s count-cycles {\"cycles\":%u}\n", name, loupe_count_cycles(object));
    ask("block-layout", object, name);
    ask("ivar-layout", object, name);
    ask("dispose-probe", object, name);
}

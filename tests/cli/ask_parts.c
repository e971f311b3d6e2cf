/*
 * Parts of the tool alone: how much memory there is below a folder that stands for /, and what
 * progress shows by a clock that the test moves.
 *
 * usage: ask_parts room FOLDER
 *        ask_parts progress WORD...; words: begin=WHAT at=DONE/OF clock=MILLISECONDS look clear
 */
#include "heaps/progress.h"
#include "shared/memory_room.h"

#include <stdlib.h>
#include <string.h>

static uint64_t clock_of_test;

static uint64_t now(void) {
    return clock_of_test;
}

static void carry_out(struct progress *progress, char *word) {
    char *value = strchr(word, '=');
    value = value ? value + 1 : word;
    if (strncmp(word, "begin=", 6) == 0) {
        progress->what = value;
        progress->name = "a.hprof";
        progress->began = clock_of_test;
    } else if (strncmp(word, "at=", 3) == 0) {
        char *of = strchr(value, '/');
        progress->done = strtoull(value, NULL, 10);
        progress->of = of ? strtoull(of + 1, NULL, 10) : 0;
    } else if (strncmp(word, "clock=", 6) == 0) {
        clock_of_test = strtoull(value, NULL, 10);
    } else if (strcmp(word, "look") == 0) {
        progress_look(progress);
    } else {
        progress_clear(progress);
    }
}

int main(int argc, char **argv) {
    struct progress progress = {.now = now, .terminal = stdout};
    if (argc == 3 && strcmp(argv[1], "room") == 0) {
        struct memory_room room = memory_room_below(argv[2]);
        printf("%llu %s\n", (unsigned long long)room.left, room.by);
        return 0;
    }
    for (int i = 2; i < argc; i++)
        carry_out(&progress, argv[i]);
    return 0;
}

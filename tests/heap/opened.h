/* opened.h - files of snapshots that a test looks at. */
#ifndef LOUPE_TESTS_HEAP_OPENED_H
#define LOUPE_TESTS_HEAP_OPENED_H

#include "leaks/leaks.h"
#include "snapshot/snapshot.h"

struct opened {
    const char *path;
    uint8_t *bytes;
    struct loupe_snapshot snapshot;
    struct loupe_arena arena;
    struct loupe_leaks leaks;
};

/* Ends the program where it is no snapshot of an Objective-C heap. */
void opened_init(struct opened *opened, const char *path);
void opened_deinit(struct opened *opened);

#endif

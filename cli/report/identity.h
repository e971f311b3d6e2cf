/*
 * identity.h - which program, on which machine: what a heap says of that by itself, as far as it is
 * on a list. All else that a program keeps about its surroundings (properties, environment,
 * arguments) is nobody's business.
 */
#ifndef LOUPE_REPORT_IDENTITY_H
#define LOUPE_REPORT_IDENTITY_H

#include "heaps/opened/heap_file.h"

enum { IDENTITY_MOST_ITEMS = 24, IDENTITY_LONGEST_TEXT = 200 };

struct identity_item {
    const char *name; /* "java.version", "android.sdk" */
    struct loupe_span text;
};

struct heap_identity {
    struct loupe_span app, version; /* empty: not known */
    struct identity_item items[IDENTITY_MOST_ITEMS];
    unsigned count;
    char build_id[2 * LOUPE_IMAGE_ID_SIZE + 1]; /* of the program of a core or process, in hex */
};

/* Texts are in the arena. LOUPE_ENOMEM. */
enum loupe_status identity_find(const struct heap_file *file, struct loupe_arena *arena,
                                struct heap_identity *ret);

#endif

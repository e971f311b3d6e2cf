/*
 * truth.h - what a program knows of its own objects: lines of a name and an address. Addresses are
 * kept in disguise until they are written, so that the truth holds nothing.
 */
#ifndef LOUPE_TESTS_TRUTH_H
#define LOUPE_TESTS_TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_LINES = 1024 };

static struct {
    const char *name; /* lasts as long */
    uintptr_t disguised;
} lines[MOST_LINES];
static unsigned line_count;

static void note_place(const char *name, const void *object) {
    if (line_count == MOST_LINES)
        exit(2);
    lines[line_count].name = name;
    lines[line_count++].disguised = ~(uintptr_t)object;
}

static void write_truth(const char *path) {
    FILE *file = fopen(path, "w");
    unsigned i;
    for (i = 0; file && i < line_count; i++)
        fprintf(file, "%s 0x%lx\n", lines[i].name, (unsigned long)~lines[i].disguised);
    if (!file || fclose(file))
        exit(2);
}

#endif

/*
 * detecting.h - hands a real block's dispose helper a copy of the block made of detectors. Shared
 * by the tests of detectors with and without ARC.
 */
#ifndef LOUPE_TESTS_DETECTING_H
#define LOUPE_TESTS_DETECTING_H

#include "check.h"
#include "probe/detectors.h"
#include "memory/pages.h"

#include <stdlib.h>

enum { BLOCK_HEADER_WORDS = 4 };

struct literal {
    void *isa;
    int flags, reserved;
    void *invoke;
    struct {
        unsigned long reserved, size;
        void (*copy)(void *, const void *);
        void (*dispose)(const void *);
    } * descriptor;
};

/* What the last probe told, by the word behind the header. */
static uint8_t releases[LOUPE_DETECTORS_MAX];
static bool tested_weak;

static void run_dispose(void *ctx, void *subject) {
    ((struct literal *)ctx)->descriptor->dispose(subject);
}

/* Returns the number of words behind the header. */
static unsigned probe(void *block_pointer) {
    struct literal *block = block_pointer;
    unsigned count = (unsigned)(block->descriptor->size + 7) / 8 - BLOCK_HEADER_WORDS;
    uintptr_t *copy = calloc(BLOCK_HEADER_WORDS + count, sizeof(*copy));
    memcpy(copy, block, BLOCK_HEADER_WORDS * sizeof(*copy));
    struct loupe_regions regions;
    struct loupe_images images;
    struct loupe_detectors detectors;
    const char *why;
    CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_OK);
    loupe_images_init(&images, &regions, &loupe_pages);
    if (CHECK(loupe_detectors_init(&detectors, &images, "apple", count, &why))) {
        loupe_detectors_run(&detectors, (struct loupe_detector_call){run_dispose, block}, copy,
                            copy + BLOCK_HEADER_WORDS, releases);
        tested_weak = detectors.tests_weak;
        loupe_detectors_deinit(&detectors);
    }
    loupe_images_deinit(&images);
    loupe_regions_deinit(&regions);
    free(copy);
    return count;
}

#endif

/*
 * drawn_picture.h - one picture with everything in it that Loupe follows, for tests that damage it.
 */
#ifndef LOUPE_TESTS_DRAWN_PICTURE_H
#define LOUPE_TESTS_DRAWN_PICTURE_H

#include "objects/drawn_objects.h"

struct drawn_picture {
    struct drawn_heap heap;
    struct drawn_world world;
    loupe_addr seed;  /* an object that reaches everything */
    loupe_addr block; /* with one capture of each kind */
};

/* drawn_world_deinit(&picture->world) closes it. */
void drawn_picture_init(struct drawn_picture *picture, enum drawn_form form);

#endif

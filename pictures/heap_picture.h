/*
 * heap_picture.h - a whole snapshot as a picture.
 */
#ifndef LOUPE_PICTURES_HEAP_PICTURE_H
#define LOUPE_PICTURES_HEAP_PICTURE_H

#include "base/json.h"
#include "pictures/picture.h"

struct heap_picture {
    uint64_t objects;
};

/* The member `heap` of a page's data. */
enum loupe_status heap_picture_write(const struct heap_picture *heap, struct loupe_json *json);

#endif

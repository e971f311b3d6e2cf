/*
 * images.h - all that is loaded: the program, what is inserted, and what they need.
 *
 * The order is dyld's: the program first, then what is inserted, then the rest as it is met.
 * Libraries are looked for as dyld does, with one folder in the place of "/" (box_root), where the
 * doubles of the system's libraries stand.
 */
#ifndef LOUPE_BOX_IMAGES_H
#define LOUPE_BOX_IMAGES_H

#include "image.h"

enum { BOX_MOST_IMAGES = 512 };

struct box_images {
    struct box_image *items[BOX_MOST_IMAGES];
    unsigned count;
};

extern struct box_images box_images;
extern const char *box_root;
/* Libraries of box_root stand in the shared region, as those of a Mac do. */
extern bool box_has_shared_cache;

/* Loads the program and all that it takes, binds it, and runs what is to run before main(). */
void box_images_start(const char *program, const char *const *inserted, unsigned inserted_count);

/* Loads a library while the program runs. NULL: there is none of that name. */
struct box_image *box_images_open(const char *name, const struct box_image *from);

/* A symbol in the order of the images; 0: none. */
uint64_t box_images_find(const char *name);
struct box_image *box_images_holding(uint64_t address);

/* A function of the box that the doubles of the system's libraries call; 0: none. */
uint64_t box_host_function(const char *name);

#endif

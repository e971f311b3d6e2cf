/*
 * place_in_image.h - what code is called that has no name: its image, and how far into that it
 * stands.
 */
#ifndef LOUPE_PLACE_IN_IMAGE_H
#define LOUPE_PLACE_IN_IMAGE_H

#include "base/target/memory.h"

/*
 * Writes "PhotoBrowser+0x1190", the same in each run of one build, cut to cap bytes with its NUL. A
 * look at all sections of all images. False: it is in none, or nobody tells.
 */
bool loupe_place_in_image(const struct loupe_memory *memory, loupe_addr address, char *dst,
                          size_t cap);

#endif

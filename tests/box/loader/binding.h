/*
 * binding.h - making the words of an image lead where they should.
 *
 * An import names a library by its number among those of the image (two levels of names), itself,
 * the program, every image in the order of loading (flat), or what all images share of that name
 * (weak: C++). What is not there ends the box, unless it may be missing. Then those replacements
 * apply that inserted libraries name in `__interpose`, in every image but the one that names them
 * (dyld-1160, dyld/JustInTimeLoader.cpp and DyldRuntimeState: as there, only of libraries that are
 * there at the start).
 */
#ifndef LOUPE_BOX_BINDING_H
#define LOUPE_BOX_BINDING_H

#include "image.h"

struct box_import {
    const char *name;
    int ordinal;
    bool is_weak; /* may be missing: then 0 */
    int64_t addend;
};

/* The address, without the addend; 0: it may be missing, and is. */
uint64_t box_resolve(struct box_image *image, const struct box_import *import);

/* All fixups of an image, of whichever form. */
void box_image_bind(struct box_image *image);
void box_fix_chains(struct box_image *image);
void box_fix_by_opcodes(struct box_image *image);

/* Remembers the replacements of an image. */
void box_interpose_add(const struct box_image *image);

#endif

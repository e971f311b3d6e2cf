/*
 * dyld.h - what dyld keeps and does for others, beside loading (dyld-1160): the list of images for
 * debuggers (include/mach-o/dyld_images.h), those who are told of images, and names by dladdr() and
 * dlsym() (dyld/DyldAPIs.cpp).
 *
 * The structure of the list stands at 8 modulo 16 and the list may cross any border, as nothing
 * promises more.
 */
#ifndef LOUPE_BOX_DYLD_H
#define LOUPE_BOX_DYLD_H

#include "../loader/image.h"

/* Where the list of images is put. */
enum box_list_place {
    BOX_LIST_ANYWHERE,
    BOX_LIST_ACROSS_MEGABYTE, /* half of it on either side of a multiple of 1 MB; what leads to it
                                 is that of dyld's second version, behind which no memory can be
                                 read */
};
extern enum box_list_place box_dyld_list_place;

/* Makes the list, of all that is loaded. */
void box_dyld_begin(void);
/* Where it is: dyld_all_image_infos. */
uintptr_t box_dyld_list(void);
/* Images from that number on are new: they go to the list and to those who asked to be told. */
void box_dyld_tell_new(unsigned first);
void box_dyld_call_new(unsigned first); /* the second half of it */
/* The image's initializers are about to run. */
void box_dyld_tell_initialized(const struct box_image *image);

/* The path of an image as the program knows it: without the folder that stands for "/". */
const char *box_path_inside(const struct box_image *image);

/* task_info() with TASK_DYLD_INFO. */
int host_task_info(uint32_t task, uint32_t flavor, int *info, uint32_t *count);

#endif

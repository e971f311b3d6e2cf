/*
 * own_images.h - the unwind tables of the images of this process, without a lock of the dynamic
 * loader, which a stopped thread may hold.
 *
 * The list is made when a place is first asked for that it does not have, and made again when the
 * loader has changed its own. Any number of threads and signal handlers may ask at once.
 */
#ifndef LOUPE_STACKS_OWN_IMAGES_H
#define LOUPE_STACKS_OWN_IMAGES_H

#include "image/image.h"

/* False: no loaded image holds the place. */
bool loupe_own_images_find(loupe_addr place, struct loupe_unwind_tables *ret);

/* ---- What each system implements ---- */

/*
 * Calls for the address of each image's header, in any order, until visit returns false. False:
 * the list was just being changed, or cannot be read.
 */
bool loupe_own_images_visit(struct loupe_memory *memory, bool (*visit)(void *ctx, loupe_addr start),
                            void *ctx);

#endif

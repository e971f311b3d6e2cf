#include "images/images.h"

/* Before <mach-o/dyld_images.h>, which needs it and does not say so. */
#include <mach/mach.h>

#include <mach-o/dyld_images.h>
#include <stddef.h>
#include <string.h>

enum { MAX_IMAGES = 1 << 16 };

static enum loupe_status add_image(struct loupe_images *images, loupe_addr load_address,
                                   loupe_addr path) {
    struct loupe_loaded_image *loaded;
    enum loupe_status status = loupe_images_add(images, load_address, &loaded);
    /* The local symbols of images in the shared cache are not there. */
    if (loaded)
        loaded->path = loupe_images_text(images, path);
    if (loaded && loaded->image.in_shared_cache)
        loaded->image.table.count = 0;
    return status;
}

/*
 * The list that dyld keeps for debuggers. Without an array dyld is just changing it. What stands at
 * its start is the same in every release; newer headers have more after that, and ask for an
 * alignment that older systems do not keep.
 */
enum loupe_status loupe_images_list(struct loupe_images *images) {
    enum { KNOWN = offsetof(struct dyld_all_image_infos, notification), ALIGNMENT = 8 };
    struct task_dyld_info info;
    mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
    if (task_info(mach_task_self(), TASK_DYLD_INFO, (task_info_t)&info, &count))
        return LOUPE_OK;
    const void *start = loupe_images_bytes(images, info.all_image_info_addr, KNOWN, ALIGNMENT);
    struct dyld_all_image_infos all;
    if (start)
        memcpy(&all, start, KNOWN);
    if (!start || !all.infoArray || all.infoArrayCount > MAX_IMAGES)
        return LOUPE_OK;
    const struct dyld_image_info *items =
        loupe_images_bytes(images, (uintptr_t)all.infoArray, all.infoArrayCount * sizeof(*items),
                           _Alignof(struct dyld_image_info));
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; items && !status && i < all.infoArrayCount; i++)
        status = add_image(images, (uintptr_t)items[i].imageLoadAddress,
                           (uintptr_t)items[i].imageFilePath);
    return status;
}

/* Mach-O has its symbols in memory, with the rest of the link-edit segment. */
void loupe_image_file_open(struct loupe_loaded_image *loaded,
                           const struct loupe_chunk_ops *chunks) {
    (void)loaded;
    (void)chunks;
}

void loupe_image_file_close(struct loupe_image_file *file, const struct loupe_chunk_ops *chunks) {
    (void)file;
    (void)chunks;
}

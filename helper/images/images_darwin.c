/* Which images are loaded here, by the list that dyld keeps. */
#include "images/images.h"

/* Before <mach-o/dyld_images.h>, which needs it and does not say so. */
#include <mach/mach.h>

#include <mach-o/dyld_images.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_IMAGES = 1 << 16, MAX_PATH = 1024 };

/* All is copied: where other threads run nothing can be read in place. */
static struct loupe_span copy_text(struct loupe_images *images, loupe_addr address) {
    char text[MAX_PATH];
    size_t length;
    if (loupe_memory_read_string(&images->memory, address, text, sizeof(text), &length))
        return (struct loupe_span){0};
    struct loupe_span span = {.bytes = text, .length = length};
    span.bytes = loupe_arena_copy_string(&images->texts, span);
    return span.bytes ? span : (struct loupe_span){0};
}

static enum loupe_status add_image(struct loupe_images *images,
                                   const struct dyld_image_info *info) {
    struct loupe_loaded_image *loaded;
    enum loupe_status status = loupe_images_add(images, (uintptr_t)info->imageLoadAddress, &loaded);
    if (!loaded) {
        images->is_partial = true; /* its header cannot be read */
        return status;
    }
    loaded->path = copy_text(images, (uintptr_t)info->imageFilePath);
    /* The local symbols of images in the shared cache are not there. */
    if (loaded->image.in_shared_cache)
        loaded->image.table.count = 0;
    return status;
}

/*
 * The list that dyld keeps for debuggers. Without an array dyld is just changing it. What stands at
 * its start is the same in every release; newer headers have more after that, and ask for an
 * alignment that older systems do not keep.
 */
static bool read_list(struct loupe_images *images, struct dyld_all_image_infos *ret) {
    enum { KNOWN = offsetof(struct dyld_all_image_infos, notification) };
    struct task_dyld_info found;
    mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
    return !task_info(mach_task_self(), TASK_DYLD_INFO, (task_info_t)&found, &count) &&
           !loupe_memory_read(&images->memory, found.all_image_info_addr, ret, KNOWN) &&
           ret->infoArray;
}

enum loupe_status loupe_images_list(struct loupe_images *images) {
    struct dyld_all_image_infos all;
    enum loupe_status status = LOUPE_OK;
    uint32_t told = read_list(images, &all) ? all.infoArrayCount : 0;
    uint32_t count = told < MAX_IMAGES ? told : MAX_IMAGES;
    images->is_partial = !told || told > count;
    for (uint32_t i = 0; !status && i < count; i++) {
        struct dyld_image_info info;
        if (loupe_memory_read(&images->memory, (uintptr_t)(all.infoArray + i), &info, sizeof(info)))
            images->is_partial = true;
        else
            status = add_image(images, &info);
    }
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

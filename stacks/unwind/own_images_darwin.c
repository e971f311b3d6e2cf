/* Images of this process for the unwinder, by dyld's list. */
#include "unwind/own_images.h"

/* Before <mach-o/dyld_images.h>, which needs it and does not say so. */
#include <mach/mach.h>

#include <mach-o/dyld_images.h>
#include <stddef.h>

/* The list that dyld keeps for debuggers. It has none while it changes it. Newer headers have more
 * after what is read here than older systems have in memory. */
bool loupe_own_images_visit(struct loupe_memory *memory, bool (*visit)(void *ctx, loupe_addr start),
                            void *ctx) {
    enum {
        MOST_IMAGES = 1 << 16,
        KNOWN = offsetof(struct dyld_all_image_infos, dyldImageLoadAddress) + sizeof(void *)
    };
    struct task_dyld_info found;
    mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
    struct dyld_all_image_infos infos;
    if (task_info(mach_task_self(), TASK_DYLD_INFO, (task_info_t)&found, &count) ||
        loupe_memory_read(memory, found.all_image_info_addr, &infos, KNOWN) || !infos.infoArray ||
        infos.infoArrayCount > MOST_IMAGES)
        return false;
    if (!visit(ctx, (uintptr_t)infos.dyldImageLoadAddress))
        return true;
    for (uint32_t i = 0; i < infos.infoArrayCount; i++) {
        struct dyld_image_info info;
        if (loupe_memory_read(memory, (uintptr_t)(infos.infoArray + i), &info, sizeof(info)))
            return false;
        if (!visit(ctx, (uintptr_t)info.imageLoadAddress))
            return true;
    }
    return true;
}

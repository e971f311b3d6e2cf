#pragma once
#include <stdint.h>
struct mach_header;
struct dyld_image_info {
    const struct mach_header *imageLoadAddress;
    const char *imageFilePath;
    uintptr_t imageFileModDate;
};
struct dyld_all_image_infos {
    uint32_t version;
    uint32_t infoArrayCount;
    const struct dyld_image_info *infoArray;
    void (*notification)(int mode, uint32_t count, const struct dyld_image_info info[]);
    _Bool processDetachedFromSharedRegion;
    _Bool libSystemInitialized;
    const struct mach_header *dyldImageLoadAddress;
};

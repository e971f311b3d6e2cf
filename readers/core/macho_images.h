/*
 * macho_images.h - which images a core of Darwin has: by the note that LLDB writes about them, else
 * by the list that dyld keeps for debuggers, else by the headers that stand in memory.
 */
#ifndef LOUPE_READERS_MACHO_IMAGES_H
#define LOUPE_READERS_MACHO_IMAGES_H

#include "core/core.h"

/* Where the note "all image infos" stands in the file; size 0: there is none. */
struct loupe_macho_infos {
    uint64_t offset, size;
};

/* Images of the shared cache that are not in the core are counted. LOUPE_ENOMEM. */
enum loupe_status loupe_macho_images_list(struct loupe_reader *reader,
                                          const struct loupe_core_file *file,
                                          const struct loupe_macho_infos *infos);

#endif

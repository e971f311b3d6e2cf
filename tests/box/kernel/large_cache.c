#include "large_cache.h"

#include "../loader/image.h"
#include "map.h"

#include <sys/mman.h>
#include <unistd.h>

/* Code and constants by turns, so that neighbours differ. */
void box_large_cache_fill(uint64_t size, unsigned mappings) {
    uint64_t step = box_page_down(size / mappings), start = box_shared_region_take(step * mappings);
    int file = memfd_create("large cache", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size))
        box_fail("no file for a large cache");
    for (unsigned i = 0; i < mappings; i++, start += step) {
        int execute = i % 2 ? BOX_PROT_EXECUTE : 0;
        if (mmap((void *)(uintptr_t)start, step, PROT_READ, MAP_PRIVATE | MAP_FIXED, file,
                 (off_t)(step * i)) == MAP_FAILED)
            box_fail("no room for a large cache");
        box_map_enter(&(struct box_entry){.start = start,
                                          .end = start + step,
                                          .protection = BOX_PROT_READ | execute,
                                          .most = BOX_PROT_READ | execute,
                                          .offset = step * i,
                                          .is_file = true,
                                          .is_shared = true});
    }
    close(file);
}

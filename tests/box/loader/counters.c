#include "counters.h"

#include "../kernel/map.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_file(const struct box_image *image, const char *folder, uint64_t size) {
    char path[PATH_MAX];
    const char *slash = strrchr(image->path, '/');
    snprintf(path, sizeof(path), "%s/%s.counters", folder, slash ? slash + 1 : image->path);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, (off_t)size))
        box_fail("cannot write %s", path);
    return file;
}

void box_counters_share(const struct box_image *image, const struct macho_segment *segment) {
    const char *folder = getenv("BOX_COVERAGE");
    if (!folder || strncmp(segment->name, "__COUNTERS", sizeof(segment->name)) != 0)
        return;
    uint64_t size = box_page_up(segment->memory_size);
    int file = open_file(image, folder, size);
    if (mmap(box_image_at(image, segment->address), size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
        box_fail("cannot map the counters of %s", image->path);
    close(file);
}

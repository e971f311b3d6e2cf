/* Which image an address is in. */
#include "scene/place_in_image.h"

#include "base/target/process.h"
#include "base/text.h"

struct looking {
    const struct loupe_memory *memory;
    loupe_addr address;
    loupe_addr start; /* of the image's first section */
    bool found;
    char *dst;
    size_t cap;
};

static enum loupe_status look_at_section(void *visitor,
                                         const struct loupe_process_section *section) {
    struct looking *looking = visitor;
    if (!section->loaded)
        return LOUPE_OK;
    if (section->size && section->start < looking->start)
        looking->start = section->start;
    looking->found |= looking->address - section->start < section->size;
    return LOUPE_OK;
}

static const char *file_name(const char *path) {
    const char *name = path;
    for (; *path; path++) {
        if (*path == '/' && path[1])
            name = path + 1;
    }
    return name;
}

static enum loupe_status look_at_image(void *visitor, uint32_t image, const char *path) {
    struct looking *looking = visitor;
    const struct loupe_memory *memory = looking->memory;
    if (looking->found)
        return LOUPE_OK;
    looking->start = UINT64_MAX;
    enum loupe_status status =
        memory->ops->process->sections(memory->ctx, image, look_at_section, looking);
    if (!status && looking->found)
        loupe_format(looking->dst, looking->cap, "%s+0x%llx", file_name(path),
                     (unsigned long long)(looking->address - looking->start));
    return status;
}

bool loupe_place_in_image(const struct loupe_memory *memory, loupe_addr address, char *dst,
                          size_t cap) {
    const struct loupe_process_ops *process = memory->ops->process;
    struct looking looking = {.memory = memory, .address = address, .dst = dst, .cap = cap};
    if (!process || !process->images || !process->sections)
        return false;
    enum loupe_status status = process->images(memory->ctx, look_at_image, &looking);
    /* Which other images there are does not matter. */
    return (!status || status == LOUPE_EFAULT) && looking.found;
}

/*
 * Any bytes as a core file: opened, and asked for all that a reader offers.
 */
#include "fuzz_target.h"

#include "target/reader.h"

#include <string.h>

enum { MOST_READ = 64 };

struct seen {
    struct loupe_memory *memory;
    unsigned regions;
    loupe_addr end;
};

static enum loupe_status see_region(void *ctx, const struct loupe_process_region *region) {
    struct seen *seen = ctx;
    uint8_t bytes[16];
    FUZZ_CHECK(region->start < region->end && region->start >= seen->end);
    seen->end = region->end;
    if (seen->regions++ < MOST_READ) {
        loupe_memory_read(seen->memory, region->start, bytes, 1);
        loupe_memory_read(seen->memory, region->end - 1, bytes, 1);
        loupe_memory_read(seen->memory, region->start + (region->end - region->start) / 2, bytes,
                          sizeof(bytes));
    }
    return LOUPE_OK;
}

static enum loupe_status see_section(void *ctx, const struct loupe_process_section *section) {
    (void)ctx;
    FUZZ_CHECK(section->name != NULL);
    return LOUPE_OK;
}

static enum loupe_status see_image(void *ctx, uint32_t image, const char *path) {
    struct seen *seen = ctx;
    FUZZ_CHECK(path != NULL);
    enum loupe_status status =
        seen->memory->ops->process->sections(seen->memory->ctx, image, see_section, NULL);
    return status == LOUPE_EFAULT ? LOUPE_OK : status;
}

static enum loupe_status see_thread(void *ctx, uint32_t thread,
                                    const struct loupe_process_thread *about) {
    static const char *const names[] = {"rsp", "sp", "esp", "x0", "r12", "tpidr", "fs_base", ""};
    struct seen *seen = ctx;
    uint64_t value, offset;
    uint32_t line;
    char text[64];
    (void)about;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!seen->memory->ops->process->thread_register(seen->memory->ctx, thread, names[i],
                                                         &value))
            continue;
        loupe_memory_name_address(seen->memory, value, text, sizeof(text), &offset);
        loupe_memory_line_of_address(seen->memory, value, text, sizeof(text), &line);
    }
    return LOUPE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* Files that a core names are not looked for on this machine. */
    struct loupe_reader_options options = {.chunks = &fuzz_chunks, .without_files = true};
    struct loupe_reader *reader;
    struct loupe_error error = {.code = LOUPE_OK};
    loupe_addr found;
    if (loupe_core_open(data, size, &options, &reader, &error)) {
        FUZZ_CHECK(*error.message);
        return 0;
    }
    struct seen seen = {.memory = loupe_reader_memory(reader)};
    const struct loupe_process_ops *process = seen.memory->ops->process;
    process->regions(seen.memory->ctx, see_region, &seen);
    process->images(seen.memory->ctx, see_image, &seen);
    process->threads(seen.memory->ctx, see_thread, &seen);
    loupe_memory_find_symbol(seen.memory, "exported", &found);
    loupe_memory_find_symbol(seen.memory, "no_such_symbol", &found);
    loupe_reader_close(reader);
    return 0;
}

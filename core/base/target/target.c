#include "base/target/target.h"

#include <string.h>

static void *get_from_arena(void *ctx, size_t size) {
    return loupe_arena_alloc(ctx, size);
}

static void leave_in_arena(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)chunk;
    (void)size;
}

void loupe_target_init(struct loupe_target *target, struct loupe_memory *memory,
                       const struct loupe_chunk_ops *chunks) {
    *target = (struct loupe_target){.memory = memory, .chunks = chunks};
    loupe_arena_init(&target->arena, chunks);
    target->arena_chunks = (struct loupe_chunk_ops){
        .get = get_from_arena, .put = leave_in_arena, .ctx = &target->arena};
}

void loupe_target_deinit(struct loupe_target *target) {
    loupe_arena_deinit(&target->arena);
}

/* Looks for the NUL in steps that do not cross pages: what lies behind it may be unreadable. */
static enum loupe_status string_length(struct loupe_memory *memory, loupe_addr address, size_t max,
                                       size_t *ret) {
    enum { STEP = 256 };
    char bounce[STEP];
    size_t length = 0;
    while (length < max) {
        size_t step = STEP - (size_t)((address + length) % STEP);
        if (step > max - length)
            step = max - length;
        const uint8_t *bytes = loupe_memory_view(memory, address + length, step, bounce);
        if (!bytes)
            return LOUPE_EFAULT;
        const uint8_t *end = memchr(bytes, 0, step);
        if (end) {
            *ret = length + (size_t)(end - bytes);
            return LOUPE_OK;
        }
        length += step;
    }
    return LOUPE_ELIMIT;
}

enum loupe_status loupe_target_string(struct loupe_target *target, loupe_addr address, size_t max,
                                      const char **ret) {
    size_t length;
    enum loupe_status status = string_length(target->memory, address, max, &length);
    if (status)
        return status;
    char *copy = loupe_arena_alloc(&target->arena, length + 1);
    if (!copy)
        return LOUPE_ENOMEM;
    status = loupe_memory_read(target->memory, address, copy, length);
    if (!status)
        *ret = copy;
    return status;
}

/*
 * Memory that Darwin made for a stack, by what stands at its end. Debuggers do not tell there what
 * a region was made for, and a thread's registers do not lead to what the system keeps of it.
 *
 * What stands where: a thread that is not the first has its struct pthread_s above its stack, in
 * the same memory (libpthread-539); above that of the first one are the texts that the kernel
 * starts a program with, of which "executable_path=" is always one (xnu-10063,
 * bsd/kern/kern_exec.c).
 */
#include "scene/parts.h"

#include "base/text.h"

enum {
    WORD = 8,
    LOOKED_AT = 32 << 10, /* bytes at the end of a region */
    PTHREAD_STACK_END = 176,
    PTHREAD_STACK_START = 184,
    PTHREAD_VALUES = 224, /* the first of which leads to the struct itself */
};

static bool is_pthread(struct loupe_memory *memory, loupe_addr place,
                       const struct loupe_process_region *region, loupe_addr stack_pointer) {
    uint64_t self, start, end;
    return !loupe_memory_read_word(memory, place + PTHREAD_VALUES, &self) && self == place &&
           !loupe_memory_read_word(memory, place + PTHREAD_STACK_END, &end) &&
           !loupe_memory_read_word(memory, place + PTHREAD_STACK_START, &start) &&
           start <= stack_pointer && stack_pointer < end && end <= place && start >= region->start;
}

static bool has_text(const uint8_t *bytes, size_t size, const char *text) {
    struct loupe_span all = {.bytes = (const char *)bytes, .length = size};
    return loupe_span_contains(all, text);
}

/* Looks overlap, so that no text is cut. */
static bool ends_with_texts(struct loupe_memory *memory, loupe_addr start, loupe_addr end) {
    static const char text[] = "executable_path=/";
    uint8_t bounce[LOUPE_PAGE_SIZE];
    for (loupe_addr at = start; at < end; at += sizeof(bounce) / 2) {
        size_t size = end - at < sizeof(bounce) ? (size_t)(end - at) : sizeof(bounce);
        const uint8_t *bytes = loupe_memory_view(memory, at, size, bounce);
        if (bytes && has_text(bytes, size, text))
            return true;
    }
    return false;
}

bool loupe_scene_is_darwins_stack(struct loupe_memory *memory,
                                  const struct loupe_process_region *region,
                                  loupe_addr stack_pointer) {
    loupe_addr start =
        region->end - region->start > LOOKED_AT ? region->end - LOOKED_AT : region->start;
    if (memory->machine.pointer_size != WORD)
        return false;
    for (loupe_addr at = start; at + PTHREAD_VALUES + WORD <= region->end; at += 2 * WORD)
        if (is_pthread(memory, at, region, stack_pointer))
            return true;
    return ends_with_texts(memory, start, region->end);
}

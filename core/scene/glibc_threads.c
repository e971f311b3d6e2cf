#include "scene/glibc_threads.h"

enum { MAX_THREADS = 1 << 16 /* of one list */ };

struct layout {
    loupe_addr lists[2];                   /* heads: threads with stacks of glibc's, and others */
    uint32_t next, link, id, pthread_size; /* offsets of fields; the size of struct pthread */
};

static bool read_symbol(struct loupe_memory *memory, const char *name, uint32_t offset,
                        uint32_t *ret) {
    loupe_addr address;
    return !loupe_memory_find_symbol(memory, name, &address) &&
           !loupe_memory_read_u32(memory, address + offset, ret);
}

/* Of a field: its size in bits, how many there are, its offset. */
static bool read_offset(struct loupe_memory *memory, const char *name, uint32_t *ret) {
    return read_symbol(memory, name, 2 * sizeof(uint32_t), ret);
}

static bool read_layout(struct loupe_memory *memory, struct layout *ret) {
    loupe_addr global;
    uint32_t used, user;
    if (loupe_memory_find_symbol(memory, "_rtld_global", &global) ||
        !read_offset(memory, "_thread_db_rtld_global__dl_stack_used", &used) ||
        !read_offset(memory, "_thread_db_rtld_global__dl_stack_user", &user) ||
        !read_offset(memory, "_thread_db_list_t_next", &ret->next) ||
        !read_offset(memory, "_thread_db_pthread_list", &ret->link) ||
        !read_offset(memory, "_thread_db_pthread_tid", &ret->id) ||
        !read_symbol(memory, "_thread_db_sizeof_pthread", 0, &ret->pthread_size))
        return false;
    ret->lists[0] = global + used;
    ret->lists[1] = global + user;
    return true;
}

/* The register holds the address of struct pthread, on ARM that of its end. */
static loupe_addr thread_pointer_of(const struct loupe_memory *memory, const struct layout *layout,
                                    loupe_addr pthread) {
    return memory->machine.arch == LOUPE_ARCH_ARM64 ? pthread + layout->pthread_size : pthread;
}

void loupe_glibc_threads(struct loupe_target *target,
                         void (*visit)(void *visitor, const struct loupe_glibc_thread *thread),
                         void *visitor) {
    struct loupe_memory *memory = target->memory;
    struct layout layout;
    if (!read_layout(memory, &layout))
        return;
    for (unsigned list = 0; list < sizeof(layout.lists) / sizeof(layout.lists[0]); list++) {
        loupe_addr head = layout.lists[list], at = head;
        for (unsigned i = 0; i < MAX_THREADS; i++) {
            uint32_t id;
            if (loupe_memory_read_pointer(memory, at + layout.next, &at) || at == head ||
                loupe_memory_read_u32(memory, at - layout.link + layout.id, &id))
                break;
            visit(visitor, &(struct loupe_glibc_thread){.id = id,
                                                        .thread_pointer = thread_pointer_of(
                                                            memory, &layout, at - layout.link)});
        }
    }
}

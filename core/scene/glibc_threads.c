#include "scene/glibc_threads.h"

enum { MAX_THREADS = 1 << 16 /* of one list */ };

struct layout {
    loupe_addr lists[2]; /* heads: threads with stacks of glibc's, and others */
    loupe_addr kept;     /* the same of stacks that are kept, which stands behind these */
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
    ret->kept = ret->lists[1] + 2 * memory->machine.pointer_size;
    return true;
}

/* The register holds the address of struct pthread, on ARM that of its end. */
static loupe_addr thread_pointer_of(const struct loupe_memory *memory, const struct layout *layout,
                                    loupe_addr pthread) {
    return memory->machine.arch == LOUPE_ARCH_ARM64 ? pthread + layout->pthread_size : pthread;
}

/* A thread of a list, by its struct pthread and its number. */
typedef void visit_member(void *ctx, loupe_addr pthread, uint32_t id);

static void visit_list(struct loupe_memory *memory, const struct layout *layout, loupe_addr head,
                       visit_member *visit, void *ctx) {
    loupe_addr at = head;
    /* Cap: not_scanned: thread-local. */
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        uint32_t id;
        if (loupe_memory_read_pointer(memory, at + layout->next, &at) || at == head ||
            loupe_memory_read_u32(memory, at - layout->link + layout->id, &id))
            break;
        visit(ctx, at - layout->link, id);
    }
}

/* ---- Those that run ---- */

struct running {
    const struct loupe_memory *memory;
    const struct layout *layout;
    void (*visit)(void *visitor, const struct loupe_glibc_thread *thread);
    void *visitor;
};

static void visit_running(void *ctx, loupe_addr pthread, uint32_t id) {
    const struct running *running = ctx;
    running->visit(running->visitor,
                   &(struct loupe_glibc_thread){.id = id,
                                                .thread_pointer = thread_pointer_of(
                                                    running->memory, running->layout, pthread)});
}

void loupe_glibc_threads(struct loupe_target *target,
                         void (*visit)(void *visitor, const struct loupe_glibc_thread *thread),
                         void *visitor) {
    struct loupe_memory *memory = target->memory;
    struct layout layout;
    struct running running = {memory, &layout, visit, visitor};
    if (!read_layout(memory, &layout))
        return;
    for (unsigned list = 0; list < sizeof(layout.lists) / sizeof(layout.lists[0]); list++)
        visit_list(memory, &layout, layout.lists[list], visit_running, &running);
}

/* ---- Those that have ended ---- */

struct ended {
    void (*visit)(void *visitor, loupe_addr pthread);
    void *visitor;
};

/* The kernel puts 0 in place of the number when no code of a thread can run any more, and joining
 * it -1. */
static void visit_ended(void *ctx, loupe_addr pthread, uint32_t id) {
    const struct ended *ended = ctx;
    if (!id || id == UINT32_MAX)
        ended->visit(ended->visitor, pthread);
}

/* Whether a list begins there: what follows the head leads back to it. */
static bool is_list(struct loupe_memory *memory, const struct layout *layout, loupe_addr head) {
    uint32_t back;
    loupe_addr first, before;
    return read_offset(memory, "_thread_db_list_t_prev", &back) &&
           !loupe_memory_read_pointer(memory, head + layout->next, &first) &&
           !loupe_memory_read_pointer(memory, first + back, &before) && before == head;
}

void loupe_glibc_ended_threads(struct loupe_target *target,
                               void (*visit)(void *visitor, loupe_addr pthread), void *visitor) {
    struct loupe_memory *memory = target->memory;
    struct layout layout;
    struct ended ended = {visit, visitor};
    if (!read_layout(memory, &layout))
        return;
    visit_list(memory, &layout, layout.lists[0], visit_ended, &ended);
    if (is_list(memory, &layout, layout.kept))
        visit_list(memory, &layout, layout.kept, visit_ended, &ended);
}

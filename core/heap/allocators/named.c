/*
 * Allocators that are known by name, by a library or a symbol that only they have. Their tables are
 * not read.
 */
#include "heap/allocators/allocation_scan.h"

#include <string.h>

struct named {
    const char *name, *image, *symbol; /* image: a part of the name of its file; NULL: none */
    bool says_states;                  /* a byte before each block tells whether it is in use */
};

static const struct named known[] = {
    {.name = "AddressSanitizer", .image = "libasan", .symbol = "__asan_init", .says_states = true},
    {.name = "AddressSanitizer", .image = "libclang_rt.asan", .says_states = true},
    {.name = "HWAddressSanitizer", .image = "libhwasan", .symbol = "__hwasan_init"},
    {.name = "ThreadSanitizer", .image = "libtsan", .symbol = "__tsan_init"},
    {.name = "ThreadSanitizer", .image = "libclang_rt.tsan"},
    {.name = "MemorySanitizer", .symbol = "__msan_init"},
    {.name = "LeakSanitizer", .image = "liblsan", .symbol = "__lsan_init"},
    {.name = "Guard Malloc", .image = "libgmalloc"},
    {.name = "jemalloc", .image = "libjemalloc", .symbol = "je_mallctl"},
    {.name = "jemalloc", .symbol = "mallctl"},
    {.name = "tcmalloc", .image = "libtcmalloc", .symbol = "tc_malloc"},
    {.name = "mimalloc", .image = "libmimalloc", .symbol = "mi_malloc"},
    {.name = "Scudo", .image = "libscudo", .symbol = "__scudo_print_stats"},
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

struct search {
    uint32_t seen; /* set of 1 << number in known[] */
};

static const char *file_of(const char *path) {
    const char *file = path;
    for (; *path; path++)
        if (*path == '/')
            file = path + 1;
    return file;
}

static enum loupe_status see_image(void *visitor, uint32_t image, const char *path) {
    struct search *search = visitor;
    const char *file = file_of(path);
    (void)image;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < KNOWN; i++)
        if (known[i].image && strncmp(file, known[i].image, strlen(known[i].image)) == 0)
            search->seen |= 1u << i;
    return LOUPE_OK;
}

static void see_symbols(const struct loupe_memory *memory, struct search *search) {
    loupe_addr ignored;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < KNOWN; i++)
        if (known[i].symbol && !loupe_memory_find_symbol(memory, known[i].symbol, &ignored))
            search->seen |= 1u << i;
}

static bool is_added(const struct loupe_allocation_scan *scan, const char *name) {
    for (uint32_t i = 0; i < scan->blocks->allocators.count; i++)
        if (strcmp(loupe_allocation_scan_at(scan, i)->name, name) == 0)
            return true;
    return false;
}

enum loupe_status loupe_take_named(struct loupe_allocation_scan *scan) {
    const struct loupe_memory *memory = scan->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    struct search search = {0};
    enum loupe_status status = LOUPE_OK;
    if (process && process->images)
        status = process->images(memory->ctx, see_image, &search);
    see_symbols(memory, &search);
    status = status == LOUPE_EFAULT ? LOUPE_OK : status;
    /* Cap: all of a table. */
    for (unsigned i = 0; !status && i < KNOWN; i++) {
        struct loupe_allocator allocator = {
            .name = known[i].name, .guessed = true, .doubt = LOUPE_GUESSED_DOUBT};
        if (!(search.seen >> i & 1) || is_added(scan, known[i].name))
            continue;
        status = loupe_allocation_scan_allocator(scan, allocator, &scan->unread);
        scan->has_unread = true;
        scan->says_states |= known[i].says_states;
    }
    return status;
}

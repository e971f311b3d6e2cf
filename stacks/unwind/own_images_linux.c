/* Images of this process for the unwinder, by the loader's lists, those of other namespaces too. */
#include "unwind/own_images.h"

#include "kernel/system.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

enum { MOST_IMAGES = 1 << 16 /* a list that is being changed may lead anywhere */ };

struct program {
    loupe_addr start; /* of the executable's header */
    loupe_addr loader_list;
};

static bool find_loader_list(struct loupe_memory *memory, loupe_addr entry, struct program *ret) {
    ElfW(Dyn) dynamic;
    for (;; entry += sizeof(dynamic)) {
        if (loupe_memory_read(memory, entry, &dynamic, sizeof(dynamic)))
            return false;
        if (dynamic.d_tag == DT_DEBUG)
            ret->loader_list = dynamic.d_un.d_ptr;
        if (dynamic.d_tag == DT_NULL)
            return true;
    }
}

/* What the kernel told the program at its start. */
struct start {
    loupe_addr headers, count; /* of the program's segments */
    loupe_addr kernel_image;
};

static bool read_start(const char *path, struct start *ret) {
    ElfW(auxv_t) entry;
    int file = loupe_system_open(path);
    *ret = (struct start){0};
    if (file < 0)
        return false;
    while (loupe_system_read(file, &entry, sizeof(entry)) == (long)sizeof(entry) &&
           entry.a_type != AT_NULL) {
        if (entry.a_type == AT_PHDR)
            ret->headers = entry.a_un.a_val;
        if (entry.a_type == AT_PHNUM)
            ret->count = entry.a_un.a_val;
        if (entry.a_type == AT_SYSINFO_EHDR)
            ret->kernel_image = entry.a_un.a_val;
    }
    loupe_system_close(file);
    return ret->headers != 0;
}

/* By the file: getauxval() is a function that the program may have put another in the place of.
 * Where the first thread has ended that of the process is empty; an emulator (qemu-user) plays that
 * alone. */
static struct start how_it_started(void) {
    struct start start;
    if (read_start("/proc/self/auxv", &start) || read_start("/proc/thread-self/auxv", &start))
        return start;
    /* There is no /proc here. */
    return (struct start){getauxval(AT_PHDR), getauxval(AT_PHNUM), getauxval(AT_SYSINFO_EHDR)};
}

static bool find_program(struct loupe_memory *memory, const struct start *start,
                         struct program *ret) {
    loupe_addr headers = start->headers, count = start->count;
    loupe_addr bias = 0, first = UINT64_MAX, dynamic = 0;
    *ret = (struct program){0};
    for (loupe_addr i = 0; i < count; i++) {
        ElfW(Phdr) header;
        if (loupe_memory_read(memory, headers + i * sizeof(header), &header, sizeof(header)))
            return false;
        if (header.p_type == PT_PHDR)
            bias = headers - header.p_vaddr;
        if (header.p_type == PT_LOAD && header.p_vaddr - header.p_offset < first)
            first = header.p_vaddr - header.p_offset;
        if (header.p_type == PT_DYNAMIC)
            dynamic = header.p_vaddr;
    }
    ret->start = first == UINT64_MAX ? 0 : first + bias;
    return !dynamic || find_loader_list(memory, dynamic + bias, ret);
}

static bool visit_list(struct loupe_memory *memory, loupe_addr entry,
                       bool (*visit)(void *ctx, loupe_addr start), void *ctx) {
    /* Cap: false: there may be more. */
    for (unsigned i = 0; entry && i < MOST_IMAGES; i++) {
        struct link_map image;
        if (loupe_memory_read(memory, entry, &image, sizeof(image)))
            return false;
        /* 0 is a program that stands where it was linked to, which is known already. */
        if (image.l_addr && !visit(ctx, image.l_addr))
            return true;
        entry = (uintptr_t)image.l_next;
    }
    return !entry;
}

/* Each namespace has a list; later ones are linked from version 2 on. */
static bool visit_namespaces(struct loupe_memory *memory, loupe_addr list,
                             bool (*visit)(void *ctx, loupe_addr start), void *ctx) {
    enum { MOST_NAMESPACES = 16, WITH_NEXT = 2 };
    /* Cap: all that the loader has. */
    for (unsigned i = 0; list && i < MOST_NAMESPACES; i++) {
        struct r_debug head;
        if (loupe_memory_read(memory, list, &head, sizeof(head)) ||
            !visit_list(memory, (uintptr_t)head.r_map, visit, ctx))
            return false;
        loupe_addr next = 0;
        if (head.r_version >= WITH_NEXT &&
            loupe_memory_read(memory, list + sizeof(head), &next, sizeof(void *)))
            return false;
        list = next;
    }
    return true;
}

bool loupe_own_images_visit(struct loupe_memory *memory, bool (*visit)(void *ctx, loupe_addr start),
                            void *ctx) {
    struct program program;
    struct start start = how_it_started();
    if (!find_program(memory, &start, &program) || (program.start && !visit(ctx, program.start)) ||
        (start.kernel_image && !visit(ctx, start.kernel_image)))
        return false;
    return visit_namespaces(memory, program.loader_list, visit, ctx);
}

#define _GNU_SOURCE
#include "process_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct process_reader *reader = ctx;
    struct iovec to = {.iov_base = dst, .iov_len = len};
    struct iovec from = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
    return process_vm_readv(reader->pid, &to, 1, &from, 1, 0) == (ssize_t)len ? LOUPE_OK
                                                                              : LOUPE_EFAULT;
}

/* ---- /proc/PID/maps ---- */

struct mapping {
    struct loupe_process_region region;
    unsigned long long inode;
    char path[512];
};

static FILE *open_maps(const struct process_reader *reader) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/maps", reader->pid);
    return fopen(path, "r");
}

static bool next_mapping(FILE *maps, struct mapping *ret) {
    char line[1024], protection[8];
    unsigned long long start, end;
    *ret = (struct mapping){0};
    if (!fgets(line, sizeof(line), maps))
        return false;
    sscanf(line, "%llx-%llx %7s %*x %*s %llu %511[^\n]", &start, &end, protection, &ret->inode,
           ret->path);
    ret->region = (struct loupe_process_region){.start = start,
                                                .end = end,
                                                .readable = protection[0] == 'r',
                                                .writable = protection[1] == 'w',
                                                .is_stack = strcmp(ret->path, "[stack]") == 0};
    return true;
}

static bool is_left_out(const struct process_reader *reader, const struct mapping *mapping) {
    return reader->without && strstr(mapping->path, reader->without);
}

static enum loupe_status visit_regions(void *ctx, loupe_region_visit visit, void *visitor) {
    const struct process_reader *reader = ctx;
    FILE *maps = open_maps(reader);
    struct mapping mapping;
    enum loupe_status status = maps ? LOUPE_OK : LOUPE_EFAULT;
    while (!status && next_mapping(maps, &mapping))
        if (!is_left_out(reader, &mapping))
            status = visit(visitor, &mapping.region);
    if (maps)
        fclose(maps);
    return status;
}

/* Numbered by the line of the first mapping; one that has several runs of mappings comes again. */
static enum loupe_status visit_images(void *ctx, loupe_image_visit visit, void *visitor) {
    const struct process_reader *reader = ctx;
    FILE *maps = open_maps(reader);
    struct mapping mapping;
    char last[512] = "";
    enum loupe_status status = maps ? LOUPE_OK : LOUPE_EFAULT;
    for (uint32_t line = 0; !status && next_mapping(maps, &mapping); line++) {
        if (mapping.inode && !is_left_out(reader, &mapping) && strcmp(mapping.path, last) != 0) {
            strcpy(last, mapping.path);
            status = visit(visitor, line, mapping.path);
        }
    }
    if (maps)
        fclose(maps);
    return status;
}

/* What of a file can be written, and what follows without one, as .bss does. */
static enum loupe_status visit_sections(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                        void *visitor) {
    FILE *maps = open_maps(ctx);
    struct mapping mapping;
    char path[512] = "";
    enum loupe_status status = maps ? LOUPE_OK : LOUPE_EFAULT;
    for (uint32_t line = 0; !status && next_mapping(maps, &mapping); line++) {
        if (line == image)
            strcpy(path, mapping.path);
        bool is_bss = !mapping.inode && !mapping.path[0];
        if (line > image && !is_bss && strcmp(path, mapping.path) != 0)
            break;
        struct loupe_process_section section = {.name = "",
                                                .start = mapping.region.start,
                                                .size = mapping.region.end - mapping.region.start,
                                                .loaded = true,
                                                .writable = mapping.region.writable};
        if (line >= image && mapping.region.readable)
            status = visit(visitor, &section);
        if (is_bss && line > image)
            break;
    }
    if (maps)
        fclose(maps);
    return status;
}

static const struct loupe_process_ops process_ops = {
    .regions = visit_regions, .images = visit_images, .sections = visit_sections};

void process_reader_init(struct process_reader *reader, int pid) {
    *reader =
        (struct process_reader){.pid = pid, .ops = {.read = read_bytes, .process = &process_ops}};
}

void process_reader_memory(struct process_reader *reader, const struct loupe_chunk_ops *chunks,
                           struct loupe_memory *ret) {
    loupe_memory_init(
        ret, &reader->ops, reader,
        (struct loupe_machine){.pointer_size = sizeof(void *), .arch = LOUPE_ARCH_X86_64}, chunks);
}

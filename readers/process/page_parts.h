/*
 * page_parts.h - what the files that make a page map (page_map.h) do for one another.
 */
#ifndef LOUPE_READERS_PAGE_PARTS_H
#define LOUPE_READERS_PAGE_PARTS_H

#include "base/vector.h"
#include "linux/proc_maps.h"
#include "process/page_map.h"

struct loupe_page_map {
    const struct loupe_chunk_ops *chunks;
    int process;          /* or one of its threads */
    uint64_t page;        /* bytes */
    int pages;            /* /proc/PID/pagemap; -1: not opened */
    bool is_lazy;         /* what follows is not known yet */
    uint32_t plain_reads; /* that did without it */
    bool knows_service, may_serve_files;
    struct loupe_vector parts; /* what is not read where it is mapped, ascending */
    struct loupe_vector files; /* of struct loupe_page_file */
    struct loupe_arena texts;
    int opened; /* the last file that was read; -1: none */
    uint32_t opened_file;
    /* What is not looked at, of memory that the process may write to. */
    struct loupe_process_unread unread[LOUPE_UNREAD_COUNT];
};

enum loupe_page_source {
    LOUPE_PAGES_ZERO,        /* nobody wrote to them */
    LOUPE_PAGES_OF_FILE,     /* as its bytes are */
    LOUPE_PAGES_BEHIND_FILE, /* where it is mapped further than it goes: nobody can have written */
    LOUPE_PAGES_OF_OTHERS,   /* who fills them in when they are looked at */
    LOUPE_PAGES_OF_KERNEL,   /* its library, which is the same in this process, at `offset` */
    LOUPE_PAGES_HIDDEN       /* nobody but the kernel knows whether something stands there */
};

struct loupe_page_part {
    loupe_addr start, end;
    enum loupe_page_source source;
    uint32_t file;
    uint64_t offset; /* in the file; of the kernel: an address here */
};

/* A file by one of its mappings. */
struct loupe_page_file {
    loupe_addr start, end;
    uint32_t device_major, device_minor;
    uint64_t inode;
    const char *path;
};

/* ---- page_files_linux.c ---- */

/* The file of a mapping, added unless it is known. LOUPE_ENOMEM. */
enum loupe_status loupe_page_files_find(struct loupe_page_map *map,
                                        const struct loupe_proc_mapping *mapping, uint32_t *ret);
/* It, opened until another one is; -1: it cannot be, or is no plain file. */
int loupe_page_files_open(struct loupe_page_map *map, uint32_t file);
/* Bytes of a file as they are mapped: zeroes behind its end, up to the end of that page. */
enum loupe_status loupe_page_files_read(struct loupe_page_map *map, uint32_t file, uint64_t offset,
                                        void *dst, size_t len);

#endif

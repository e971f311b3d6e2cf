/* Which pages of a process are there, and where what is not there stands. */
#define _GNU_SOURCE

#include "process/page_parts.h"
#include "process/proc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Words of pagemap: one for each page. */
#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_OF_FILE (UINT64_C(1) << 61) /* or shared; else the process's own copy */

/* What the kernel maps into every process. */
#define LOUPE_KERNEL_LIBRARY "[vdso]"

enum {
    PATH_SIZE = 64,
    WORDS = 1 << 13,          /* of pagemap that are asked for at once */
    PLAIN_PAGES = 256,        /* of a read that may do without the map */
    PLAIN_READS = 64,         /* such reads; a question with more is worth the map */
    MOST_OF_REGION_SHIFT = 36 /* what is larger nobody reads as a whole (scene/reserved.c) */
};

static struct loupe_page_part *part_at(const struct loupe_page_map *map, uint32_t number) {
    return loupe_vector_at(&map->parts, number, sizeof(struct loupe_page_part));
}

/* ---- Parts ---- */

static bool goes_on(const struct loupe_page_part *last, const struct loupe_page_part *part) {
    return last->end == part->start && last->source == part->source &&
           ((part->source != LOUPE_PAGES_OF_FILE && part->source != LOUPE_PAGES_OF_KERNEL) ||
            (last->file == part->file && last->offset + (last->end - last->start) == part->offset));
}

static enum loupe_status add_part(struct loupe_page_map *map, struct loupe_page_part part) {
    struct loupe_page_part *last = map->parts.count ? part_at(map, map->parts.count - 1) : NULL;
    if (part.start >= part.end)
        return LOUPE_OK;
    if (last && goes_on(last, &part)) {
        last->end = part.end;
        return LOUPE_OK;
    }
    struct loupe_page_part *added = loupe_vector_add(&map->parts);
    if (!added)
        return LOUPE_ENOMEM;
    *added = part;
    return LOUPE_OK;
}

/* ---- What is not there, in one mapping ---- */

struct search {
    struct loupe_page_map *map;
    const struct loupe_page_map_stop *stop;
    struct loupe_proc_mapping mapping;
    struct loupe_proc_pages pages;
    enum loupe_page_source source; /* of its pages that are not there */
    uint64_t there;                /* bits of pagemap of which one says that a page is there, */
    uint64_t not_there;            /* and of which none may be set */
    uint32_t file;
    loupe_addr kernel_library; /* where this process has it */
    const char *mounts;        /* NULL: no file is filled in by others */
    uint64_t *words;           /* of pagemap */
};

/* How much of a file from an offset on, in whole pages, is a hole, or is none. A file system that
 * knows of no holes has data throughout; behind the end of a file there is nothing. */
static uint64_t length_of_stretch(int file, off_t offset, uint64_t page,
                                  enum loupe_page_source *ret) {
    struct stat about;
    off_t data = lseek(file, offset, SEEK_DATA), end = -1;
    *ret = LOUPE_PAGES_OF_FILE;
    if (data >= offset && (uint64_t)(data - offset) >= page) {
        *ret = LOUPE_PAGES_ZERO;
        return (uint64_t)(data - offset) / page * page;
    }
    if (data >= offset)
        end = lseek(file, data, SEEK_HOLE);
    else if (errno == ENXIO && !fstat(file, &about)) {
        end = about.st_size;
        *ret = end > offset ? LOUPE_PAGES_ZERO : LOUPE_PAGES_BEHIND_FILE;
    }
    return end > offset ? ((uint64_t)(end - offset) + page - 1) / page * page : UINT64_MAX;
}

/* The holes, of which there may be gigabytes, apart from the rest. */
static enum loupe_status add_part_of_file(struct search *search, loupe_addr start, loupe_addr end) {
    const struct loupe_proc_mapping *mapping = &search->mapping;
    int file = loupe_page_files_open(search->map, search->file);
    enum loupe_status status = LOUPE_OK;
    for (loupe_addr at = start, next; !status && at < end; at = next) {
        uint64_t offset = at - mapping->start + mapping->offset;
        enum loupe_page_source source;
        uint64_t length = length_of_stretch(file, (off_t)offset, search->map->page, &source);
        next = length < end - at ? at + length : end;
        status = add_part(search->map, (struct loupe_page_part){.start = at,
                                                                .end = next,
                                                                .source = source,
                                                                .file = search->file,
                                                                .offset = offset});
    }
    return status;
}

/* Memory that is shared without a file of its own can be swapped out without a word in pagemap; of
 * a device nobody expects anything. */
static bool may_hold_something(const struct search *search) {
    static const char *const of_memory[] = {"/dev/zero", "/dev/shm/", "/memfd:", "/SYSV",
                                            "/anon_hugepage"};
    struct loupe_span path = search->mapping.path;
    if (search->source == LOUPE_PAGES_OF_OTHERS)
        return true;
    for (size_t i = 0; i < sizeof(of_memory) / sizeof(of_memory[0]); i++)
        if (loupe_span_starts_with(path, of_memory[i]))
            return search->pages.swapped;
    return loupe_span_starts_with(path, "/") && !loupe_span_starts_with(path, "/dev/");
}

static void count_not_read(struct search *search, loupe_addr start, loupe_addr end) {
    enum loupe_unread_reason reason =
        search->source == LOUPE_PAGES_OF_OTHERS ? LOUPE_UNREAD_OF_OTHERS : LOUPE_UNREAD_HIDDEN;
    struct loupe_process_unread *unread = &search->map->unread[reason];
    if (!search->mapping.writable)
        return;
    if (!unread->bytes)
        *unread = (struct loupe_process_unread){.reason = reason, .first = start};
    unread->bytes += end - start;
    unread->is_loss |= may_hold_something(search);
}

static enum loupe_status add_absent(struct search *search, loupe_addr start, loupe_addr end) {
    if (start >= end)
        return LOUPE_OK;
    if (search->source == LOUPE_PAGES_OF_FILE)
        return add_part_of_file(search, start, end);
    if (search->source != LOUPE_PAGES_ZERO)
        count_not_read(search, start, end);
    return add_part(search->map,
                    (struct loupe_page_part){.start = start,
                                             .end = end,
                                             .source = search->source,
                                             .offset = search->kernel_library +
                                                       (start - search->mapping.start)});
}

static bool is_over(const struct search *search) {
    return search->stop && search->stop->wanted && search->stop->wanted(search->stop->ctx);
}

/* Words of pagemap from a page on, as many as are told; 0: none. */
static size_t read_words(const struct loupe_page_map *map, loupe_addr at, uint64_t pages,
                         uint64_t *words, size_t room) {
    size_t wanted = pages < room ? (size_t)pages : room;
    ssize_t got =
        pread(map->pages, words, wanted * sizeof(*words), (off_t)(at / map->page * sizeof(*words)));
    return got > 0 ? (size_t)got / sizeof(*words) : 0;
}

/* What nobody tells about is read as it stands. */
static enum loupe_status search_mapping(struct search *search) {
    const struct loupe_page_map *map = search->map;
    loupe_addr at = search->mapping.start, absent = at;
    enum loupe_status status = LOUPE_OK;
    while (!status && at < search->mapping.end && !is_over(search)) {
        size_t count =
            read_words(map, at, (search->mapping.end - at) / map->page, search->words, WORDS);
        if (!count)
            break;
        for (size_t i = 0; !status && i < count; i++, at += map->page) {
            uint64_t word = search->words[i];
            if (!(word & search->there) || word & search->not_there)
                continue;
            status = add_absent(search, absent, at);
            absent = at + map->page;
        }
    }
    return status ? status : add_absent(search, absent, at);
}

/* ---- What kind of memory it is ---- */

static bool is_mounted_from_others(const char *mounts, const struct loupe_proc_mapping *mapping) {
    struct loupe_proc_mount mount;
    while (mounts && loupe_proc_mounts_next(&mounts, &mount))
        if (mount.device_major == mapping->device_major &&
            mount.device_minor == mapping->device_minor)
            return loupe_span_starts_with(mount.type, "fuse") &&
                   !loupe_span_equals(mount.type, "fusectl");
    return false;
}

/* Memory of no file has no path, or a word of the kernel's in brackets; large pages have a file
 * that nobody can write to. */
static bool is_anonymous(const struct loupe_proc_mapping *mapping) {
    if (!mapping->inode)
        return !mapping->path.length || loupe_span_starts_with(mapping->path, "[");
    return !mapping->shared && loupe_span_equals(mapping->path, "/anon_hugepage (deleted)");
}

/* The kernel's library in this process; 0: it has none, or another one than the target, which then
 * is of another width. */
static loupe_addr find_kernel_library(const struct loupe_proc_mapping *wanted) {
    size_t length;
    char *maps = loupe_proc_read_whole("/proc/self/maps", &length);
    const char *cursor = maps;
    struct loupe_proc_mapping own;
    loupe_addr found = 0;
    while (!found && maps && loupe_proc_maps_next(&cursor, &own))
        if (loupe_span_equals(own.path, LOUPE_KERNEL_LIBRARY) &&
            own.end - own.start == wanted->end - wanted->start &&
            !(own.end >> 32) == !(wanted->end >> 32))
            found = own.start;
    free(maps);
    return found;
}

/* What somebody else fills in and was swapped out may be his again; and a page of a file of others,
 * which is no copy of the process's own, can go at any time. */
static enum loupe_status find_source(struct search *search) {
    const struct loupe_proc_mapping *mapping = &search->mapping;
    bool is_file_of_others = mapping->inode && is_mounted_from_others(search->mounts, mapping);
    search->source = LOUPE_PAGES_HIDDEN;
    search->there = IS_PRESENT | IS_SWAPPED;
    search->not_there = 0;
    if (search->pages.handled || is_file_of_others) {
        search->source = LOUPE_PAGES_OF_OTHERS;
        search->there = IS_PRESENT;
        search->not_there = is_file_of_others ? IS_OF_FILE : 0;
        return LOUPE_OK;
    }
    if (loupe_span_equals(mapping->path, LOUPE_KERNEL_LIBRARY)) {
        search->kernel_library = find_kernel_library(mapping);
        search->source = search->kernel_library ? LOUPE_PAGES_OF_KERNEL : LOUPE_PAGES_HIDDEN;
        return LOUPE_OK;
    }
    if (is_anonymous(mapping)) {
        search->source = LOUPE_PAGES_ZERO;
        return LOUPE_OK;
    }
    enum loupe_status status =
        mapping->inode ? loupe_page_files_find(search->map, mapping, &search->file) : LOUPE_OK;
    if (!status && mapping->inode && loupe_page_files_open(search->map, search->file) >= 0)
        search->source = LOUPE_PAGES_OF_FILE;
    return status;
}

static enum loupe_status take_mapping(struct search *search) {
    const struct loupe_proc_mapping *mapping = &search->mapping;
    bool is_too_large = mapping->end - mapping->start > UINT64_C(1) << MOST_OF_REGION_SHIFT;
    if (!mapping->readable || is_too_large || loupe_span_starts_with(mapping->path, "[vvar") ||
        loupe_span_starts_with(mapping->path, "[vsyscall"))
        return LOUPE_OK;
    enum loupe_status status = find_source(search);
    return status ? status : search_mapping(search);
}

/* ---- All of it ---- */

static char *read_file_of_process(int process, const char *name, size_t *length_ret) {
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/%s", process, name);
    return loupe_proc_read_whole(path, length_ret);
}

/* Whether the process has the device open through which a server of files is asked: then its files
 * are its own to fill in. Nobody tells: it may be. */
static bool may_serve_files(int process) {
    char path[PATH_SIZE], target[PATH_SIZE];
    bool serves = false;
    snprintf(path, sizeof(path), "/proc/%d/fd", process);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && !serves && (entry = readdir(folder));) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        serves = strcmp(target, "/dev/fuse") == 0;
    }
    if (folder)
        closedir(folder);
    return serves || !folder;
}

static bool may_have_files_of_its_own(struct loupe_page_map *map) {
    if (!map->knows_service)
        map->may_serve_files = may_serve_files(map->process);
    map->knows_service = true;
    return map->may_serve_files;
}

static enum loupe_status search_all(struct search *search) {
    size_t length;
    int process = search->map->process;
    char *smaps = read_file_of_process(process, "smaps", &length);
    char *mounts = may_have_files_of_its_own(search->map)
                       ? read_file_of_process(process, "mountinfo", &length)
                       : NULL;
    const char *cursor = smaps;
    enum loupe_status status = LOUPE_OK;
    search->mounts = mounts;
    while (!status && smaps && loupe_proc_smaps_next(&cursor, &search->mapping, &search->pages))
        status = take_mapping(search);
    free(smaps);
    free(mounts);
    return status;
}

static enum loupe_status take(struct loupe_page_map *map, const struct loupe_page_map_stop *stop) {
    if (map->pages < 0)
        return LOUPE_OK;
    struct search search = {
        .map = map, .stop = stop, .words = loupe_chunk_get(map->chunks, WORDS * sizeof(uint64_t))};
    if (!search.words)
        return LOUPE_ENOMEM;
    enum loupe_status status = search_all(&search);
    loupe_chunk_put(map->chunks, search.words, WORDS * sizeof(uint64_t));
    return status;
}

static struct loupe_page_map *begin(int process, const struct loupe_chunk_ops *chunks) {
    char path[PATH_SIZE];
    struct loupe_page_map *map = loupe_chunk_get(chunks, sizeof(*map));
    if (!map)
        return NULL;
    snprintf(path, sizeof(path), "/proc/%d/pagemap", process);
    *map = (struct loupe_page_map){.chunks = chunks,
                                   .process = process,
                                   .page = (uint64_t)sysconf(_SC_PAGESIZE),
                                   .pages = open(path, O_RDONLY | O_CLOEXEC),
                                   .opened = -1};
    loupe_vector_init(&map->parts, chunks, sizeof(struct loupe_page_part));
    loupe_vector_init(&map->files, chunks, sizeof(struct loupe_page_file));
    loupe_arena_init(&map->texts, chunks);
    return map;
}

struct loupe_page_map *loupe_page_map_open(int process, const struct loupe_chunk_ops *chunks,
                                           const struct loupe_page_map_stop *stop) {
    struct loupe_page_map *map = begin(process, chunks);
    if (!map || !take(map, stop))
        return map;
    loupe_page_map_close(map);
    return NULL;
}

struct loupe_page_map *loupe_page_map_open_lazily(int process,
                                                  const struct loupe_chunk_ops *chunks) {
    struct loupe_page_map *map = begin(process, chunks);
    if (map)
        map->is_lazy = true;
    return map;
}

static enum loupe_status take_lazily(struct loupe_page_map *map) {
    enum loupe_status status = map->is_lazy ? take(map, NULL) : LOUPE_OK;
    map->is_lazy = map->is_lazy && status;
    return status;
}

void loupe_page_map_close(struct loupe_page_map *map) {
    if (!map)
        return;
    if (map->pages >= 0)
        close(map->pages);
    if (map->opened >= 0)
        close(map->opened);
    loupe_vector_deinit(&map->parts);
    loupe_vector_deinit(&map->files);
    loupe_arena_deinit(&map->texts);
    loupe_chunk_put(map->chunks, map, sizeof(*map));
}

/* ---- Asking for some ---- */

/* The first part that ends behind an address; NULL: none does. */
static const struct loupe_page_part *part_after(const struct loupe_page_map *map, loupe_addr addr) {
    uint32_t low = 0, high = map->parts.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part_at(map, middle)->end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->parts.count ? part_at(map, low) : NULL;
}

static const struct loupe_page_part *part_around(const struct loupe_page_map *map, loupe_addr addr,
                                                 loupe_addr end, loupe_addr *end_ret) {
    const struct loupe_page_part *part = part_after(map, addr);
    bool is_inside = part && part->start <= addr;
    loupe_addr limit = !part ? end : is_inside ? part->end : part->start;
    *end_ret = limit < end ? limit : end;
    return is_inside ? part : NULL;
}

enum loupe_status loupe_page_map_visit_unread(struct loupe_page_map *map, loupe_unread_visit visit,
                                              void *visitor) {
    enum loupe_status status = take_lazily(map);
    for (unsigned i = 0; !status && i < LOUPE_UNREAD_COUNT; i++)
        if (map->unread[i].bytes)
            status = visit(visitor, &map->unread[i]);
    return status;
}

bool loupe_page_map_is_present(struct loupe_page_map *map, loupe_addr addr, loupe_addr end,
                               loupe_addr *end_ret) {
    take_lazily(map);
    return !part_around(map, addr, end, end_ret);
}

loupe_addr loupe_page_map_zeroes(struct loupe_page_map *map, loupe_addr addr) {
    loupe_addr end;
    if (take_lazily(map))
        return addr;
    const struct loupe_page_part *part = part_around(map, addr, UINT64_MAX, &end);
    bool has_bytes =
        !part || part->source == LOUPE_PAGES_OF_FILE || part->source == LOUPE_PAGES_OF_KERNEL;
    return has_bytes ? addr : end;
}

static enum loupe_status read_part(struct loupe_page_map *map, const struct loupe_page_part *part,
                                   loupe_addr addr, void *dst, size_t len) {
    if (part->source == LOUPE_PAGES_OF_FILE)
        return loupe_page_files_read(map, part->file, part->offset + (addr - part->start), dst,
                                     len);
    if (part->source == LOUPE_PAGES_OF_KERNEL)
        memcpy(dst, (const uint8_t *)(uintptr_t)part->offset + (addr - part->start), len);
    else if (part->source == LOUPE_PAGES_ZERO)
        memset(dst, 0, len);
    else
        return LOUPE_EFAULT;
    return LOUPE_OK;
}

/* Whether all pages of a range are there and are read as they stand, whatever kind of memory it is.
 */
static bool are_plainly_there(struct loupe_page_map *map, loupe_addr addr, size_t len) {
    uint64_t words[PLAIN_PAGES];
    loupe_addr first = addr / map->page * map->page;
    uint64_t pages = (addr - first + len + map->page - 1) / map->page;
    if (pages > PLAIN_PAGES || read_words(map, first, pages, words, PLAIN_PAGES) != pages)
        return false;
    for (uint64_t i = 0; i < pages; i++)
        if (!(words[i] & IS_PRESENT) || (words[i] & IS_OF_FILE && may_have_files_of_its_own(map)))
            return false;
    return true;
}

enum loupe_status loupe_page_map_read(struct loupe_page_map *map, loupe_addr addr, void *dst,
                                      size_t len, loupe_page_map_read_present *read, void *ctx) {
    uint8_t *to = dst;
    loupe_addr end = addr + len, next;
    if (end < addr)
        return LOUPE_EFAULT;
    if (map->is_lazy && map->plain_reads < PLAIN_READS && are_plainly_there(map, addr, len)) {
        map->plain_reads++;
        return read(ctx, addr, dst, len);
    }
    enum loupe_status status = take_lazily(map);
    for (; !status && addr < end; to += next - addr, addr = next) {
        const struct loupe_page_part *part = part_around(map, addr, end, &next);
        size_t size = (size_t)(next - addr);
        status = part ? read_part(map, part, addr, to, size) : read(ctx, addr, to, size);
    }
    return status;
}

/* What is mapped here, by /proc/self/maps, and reads that cannot fault. */
#include "memory/pages.h"
#include "linux/proc_maps.h"
#include "kernel/records.h"
#include "memory/regions.h"
#include "kernel/servers.h"
#include "kernel/system.h"
#include "memory/untouched.h"

#include <sys/uio.h>

/* Room for the map of most processes, and what more lines than a process may have take: what is
 * asked of the kernel costs time even where nothing is written to it. */
enum { MAP_CAPACITY = 256 << 10, LARGEST_MAP_CAPACITY = 64 << 20, PAGES_PER_CHECK = 256 };

/* ---- The list ---- */

/* The bytes of a file, as far as there is room: how many. 0: it cannot be read. */
static size_t read_file(const char *path, char *text, size_t room) {
    int file = loupe_system_open(path);
    size_t length = 0;
    long got;
    while (file >= 0 && length < room &&
           (got = loupe_system_read(file, text + length, room - length)) > 0)
        length += (size_t)got;
    if (file >= 0)
        loupe_system_close(file);
    return length;
}

/* LOUPE_ELIMIT: the map is longer than that. */
static enum loupe_status read_map_into(struct loupe_regions *regions, size_t capacity) {
    char *text = loupe_chunk_get(regions->chunks, capacity);
    regions->map = text;
    regions->map_capacity = text ? capacity : 0;
    if (!text)
        return LOUPE_ENOMEM;
    size_t room = capacity - 1, length = read_file("/proc/self/maps", text, room);
    /* When the first thread has ended, which the others may outlive, the process has no map. */
    if (!length)
        length = read_file("/proc/thread-self/maps", text, room);
    text[length] = '\0';
    if (!length)
        return LOUPE_EFAULT;
    return length < room ? LOUPE_OK : LOUPE_ELIMIT;
}

static enum loupe_status read_map(struct loupe_regions *regions) {
    enum { MORE = 4 };
    enum loupe_status status = read_map_into(regions, MAP_CAPACITY);
    /* Cap: no memory. */
    for (size_t capacity = MAP_CAPACITY * MORE;
         status == LOUPE_ELIMIT && capacity <= LARGEST_MAP_CAPACITY; capacity *= MORE) {
        loupe_regions_unlist(regions);
        status = read_map_into(regions, capacity);
    }
    return status == LOUPE_ELIMIT ? LOUPE_ENOMEM : status;
}

/*
 * Reading a device may do something. The kernel's own pages ([vvar], [vsyscall]) are not memory in
 * the usual sense and hold no objects.
 */
static bool is_memory(const struct loupe_proc_mapping *mapping) {
    struct loupe_span path = mapping->path;
    if (loupe_span_starts_with(path, "/dev/"))
        return loupe_span_starts_with(path, "/dev/shm/") ||
               loupe_span_starts_with(path, "/dev/zero");
    return !loupe_span_starts_with(path, "[vvar") && !loupe_span_starts_with(path, "[vsyscall");
}

/* The library that the kernel gives to programs is no memory of theirs either, though it can be
 * read. */
static bool is_of_file(const struct loupe_proc_mapping *mapping) {
    return mapping->inode || loupe_span_equals(mapping->path, "[vdso]");
}

static enum loupe_status add_mapping(struct loupe_regions *regions,
                                     const struct loupe_proc_mapping *mapping, bool is_handled) {
    enum loupe_backing backing = is_of_file(mapping) ? LOUPE_FILE : LOUPE_ANONYMOUS;
    if (!mapping->readable || !is_memory(mapping))
        return LOUPE_OK;
    return loupe_regions_add(regions, mapping->start, mapping->end,
                             is_handled ? LOUPE_HANDLED : backing);
}

static enum loupe_status list_map(struct loupe_regions *regions) {
    const char *cursor = regions->map;
    struct loupe_proc_mapping mapping;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_proc_maps_next(&cursor, &mapping))
        status = add_mapping(regions, &mapping, false);
    return status;
}

/* As the map, but it tells more, and costs time for each page that the process has. */
static enum loupe_status list_details(void *visitor, const char *text) {
    struct loupe_proc_mapping mapping;
    struct loupe_proc_pages pages;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_proc_smaps_next(&text, &mapping, &pages))
        status = add_mapping(visitor, &mapping, pages.handled);
    return status;
}

enum loupe_status loupe_regions_list(struct loupe_regions *regions) {
    enum loupe_status status = read_map(regions);
    struct loupe_servers servers = loupe_servers_find();
    if (!status && servers.of_faults)
        status = loupe_records_visit(regions->chunks, "/proc/thread-self/smaps",
                                     "VmFlags:", list_details, regions);
    else if (!status)
        status = list_map(regions);
    if (!status)
        regions->untouched = loupe_untouched_open(regions->chunks, regions->map, servers.of_files);
    return status;
}

enum loupe_status loupe_regions_visit(const struct loupe_regions *regions, loupe_region_visit visit,
                                      void *visitor) {
    const char *cursor = regions->map;
    struct loupe_proc_mapping mapping;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_proc_maps_next(&cursor, &mapping)) {
        struct loupe_process_region region = {
            .start = mapping.start,
            .end = mapping.end,
            .readable = mapping.readable,
            .writable = mapping.writable,
            .is_stack = loupe_span_equals(mapping.path, "[stack]"),
        };
        if (is_memory(&mapping))
            status = loupe_regions_visit_one(&region, visit, visitor);
    }
    return status;
}

void loupe_regions_unlist(struct loupe_regions *regions) {
    loupe_untouched_close(regions->untouched);
    regions->untouched = NULL;
    loupe_chunk_put(regions->chunks, (void *)(uintptr_t)regions->map, regions->map_capacity);
}

/* ---- Checks and copies ---- */

/* One byte of each page, copied by the kernel. Pages that nobody asked about stay untouched. */
static bool copy_from_pages(const loupe_addr *pages, size_t count) {
    uint8_t bytes[PAGES_PER_CHECK];
    struct iovec from[PAGES_PER_CHECK];
    for (size_t i = 0; i < count; i++)
        from[i] = (struct iovec){.iov_base = (void *)(uintptr_t)pages[i], .iov_len = 1};
    struct iovec to = {.iov_base = bytes, .iov_len = count};
    return loupe_system_copy(&to, from, count) == (long)count;
}

/* mincore() tells for many pages at once which are resident, and those can be read. Of the others a
 * byte is copied. */
static bool check_anonymous(loupe_addr start, loupe_addr end, size_t page_size) {
    while (start < end) {
        uint8_t resident[PAGES_PER_CHECK] = {0};
        loupe_addr doubtful[PAGES_PER_CHECK];
        size_t pages = (size_t)((end - start) / page_size), doubts = 0;
        if (pages > PAGES_PER_CHECK)
            pages = PAGES_PER_CHECK;
        if (loupe_system_mincore(start, pages * page_size, resident) < 0)
            return false;
        for (size_t i = 0; i < pages; i++)
            if (!(resident[i] & 1))
                doubtful[doubts++] = start + i * page_size;
        if (doubts && !copy_from_pages(doubtful, doubts))
            return false;
        start += pages * page_size;
    }
    return true;
}

/* A file's pages can be read up to its end, so the last one speaks for all before it. */
bool loupe_regions_check(const struct loupe_region *region, loupe_addr start, loupe_addr end) {
    size_t page_size = loupe_system_page_size();
    loupe_addr last = end - page_size;
    return region->backing == LOUPE_ANONYMOUS ? check_anonymous(start, end, page_size)
                                              : copy_from_pages(&last, 1);
}

enum loupe_status loupe_regions_copy(loupe_addr addr, void *dst, size_t len) {
    struct iovec from = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
    struct iovec to = {.iov_base = dst, .iov_len = len};
    return loupe_system_copy(&to, &from, 1) == (long)len ? LOUPE_OK : LOUPE_EFAULT;
}

/* ---- What has no pages ---- */

bool loupe_regions_has_page(const struct loupe_regions *regions, loupe_addr addr, loupe_addr end,
                            loupe_addr *end_ret) {
    *end_ret = end;
    return !regions->untouched || loupe_untouched_has_page(regions->untouched, addr, end, end_ret);
}

enum loupe_status loupe_regions_read(struct loupe_regions *regions, loupe_addr addr, void *dst,
                                     size_t len) {
    uint8_t *to = dst;
    loupe_addr end = addr + len, next = end;
    enum loupe_status status = end < addr ? LOUPE_EFAULT : LOUPE_OK;
    for (; !status && addr < end; to += next - addr, addr = next) {
        bool has_page = loupe_regions_has_page(regions, addr, end, &next) ||
                        loupe_untouched_has_page_now(regions->untouched, addr, end, &next);
        status = has_page
                     ? loupe_regions_copy(addr, to, (size_t)(next - addr))
                     : loupe_untouched_read(regions->untouched, addr, to, (size_t)(next - addr));
    }
    return status;
}

loupe_addr loupe_regions_zeroes(struct loupe_regions *regions, loupe_addr addr) {
    const struct loupe_region *region = loupe_regions_find(regions, addr);
    return region && regions->untouched
               ? loupe_untouched_zeroes(regions->untouched, addr, region->end)
               : addr;
}

enum loupe_status loupe_regions_visit_unread(const struct loupe_regions *regions,
                                             loupe_unread_visit visit, void *visitor) {
    return regions->untouched ? loupe_untouched_visit_unread(regions->untouched, visit, visitor)
                              : LOUPE_OK;
}

/* The files that a process has mapped, opened without asking it. */
#define _GNU_SOURCE

#include "process/page_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PATH_SIZE = 64, LONG_PATH_SIZE = 4200 };

static struct loupe_page_file *file_at(const struct loupe_page_map *map, uint32_t number) {
    return loupe_vector_at(&map->files, number, sizeof(struct loupe_page_file));
}

/* ---- Opening one ---- */

/* A plain file is opened for reading once it is known as one: to open a device can do something. */
static int open_plain(const char *path, const struct loupe_page_file *wanted, bool any_device) {
    char again[PATH_SIZE];
    struct stat about;
    int found = open(path, O_PATH | O_CLOEXEC), opened = -1;
    if (found < 0)
        return -1;
    bool is_it = !fstat(found, &about) && S_ISREG(about.st_mode) && about.st_ino == wanted->inode &&
                 (any_device || (major(about.st_dev) == wanted->device_major &&
                                 minor(about.st_dev) == wanted->device_minor));
    snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
    if (is_it)
        opened = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    close(found);
    return opened;
}

/* By the kernel's own link, for who may follow it: a file system can call its devices in other ways
 * elsewhere (btrfs). */
static int open_by_mapping(const struct loupe_page_map *map, const struct loupe_page_file *file) {
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", map->process,
             (unsigned long long)file->start, (unsigned long long)file->end);
    return open_plain(path, file, true);
}

static int open_by_path(const struct loupe_page_map *map, const struct loupe_page_file *file) {
    char path[LONG_PATH_SIZE];
    int length = snprintf(path, sizeof(path), "/proc/%d/root%s", map->process, file->path);
    return length > 0 && (size_t)length < sizeof(path) ? open_plain(path, file, false) : -1;
}

/* What has no name any more, as memory of memfd_create(), the process often has still open. */
static int open_by_descriptor(const struct loupe_page_map *map,
                              const struct loupe_page_file *file) {
    char folder_path[PATH_SIZE], path[PATH_SIZE + 256], target[LONG_PATH_SIZE];
    int opened = -1;
    snprintf(folder_path, sizeof(folder_path), "/proc/%d/fd", map->process);
    DIR *folder = opendir(folder_path);
    for (const struct dirent *entry; folder && opened < 0 && (entry = readdir(folder));) {
        snprintf(path, sizeof(path), "%s/%s", folder_path, entry->d_name);
        ssize_t length = readlink(path, target, sizeof(target) - 1);
        target[length > 0 ? length : 0] = '\0';
        if (strcmp(target, file->path) == 0)
            opened = open_plain(path, file, false);
    }
    if (folder)
        closedir(folder);
    return opened;
}

int loupe_page_files_open(struct loupe_page_map *map, uint32_t number) {
    const struct loupe_page_file *file = file_at(map, number);
    if (map->opened >= 0 && map->opened_file == number)
        return map->opened;
    if (map->opened >= 0)
        close(map->opened);
    map->opened_file = number;
    map->opened = open_by_mapping(map, file);
    if (map->opened < 0)
        map->opened = open_by_path(map, file);
    if (map->opened < 0)
        map->opened = open_by_descriptor(map, file);
    return map->opened;
}

/* ---- All of them ---- */

enum loupe_status loupe_page_files_find(struct loupe_page_map *map,
                                        const struct loupe_proc_mapping *mapping, uint32_t *ret) {
    for (uint32_t i = map->files.count; i--;) { /* mappings of one file stand together */
        const struct loupe_page_file *known = file_at(map, i);
        if (known->inode == mapping->inode && known->device_major == mapping->device_major &&
            known->device_minor == mapping->device_minor) {
            *ret = i;
            return LOUPE_OK;
        }
    }
    struct loupe_page_file *added = loupe_vector_add(&map->files);
    char *path = loupe_arena_alloc(&map->texts, mapping->path.length + 1);
    if (!added || !path)
        return LOUPE_ENOMEM;
    loupe_proc_maps_path(mapping->path, path);
    *added = (struct loupe_page_file){.start = mapping->start,
                                      .end = mapping->end,
                                      .device_major = mapping->device_major,
                                      .device_minor = mapping->device_minor,
                                      .inode = mapping->inode,
                                      .path = path};
    *ret = map->files.count - 1;
    return LOUPE_OK;
}

enum loupe_status loupe_page_files_read(struct loupe_page_map *map, uint32_t file, uint64_t offset,
                                        void *dst, size_t len) {
    int descriptor = loupe_page_files_open(map, file);
    uint8_t *to = dst;
    size_t done = 0;
    ssize_t got = 0;
    while (descriptor >= 0 && done < len &&
           (got = pread(descriptor, to + done, len - done, (off_t)(offset + done))) > 0)
        done += (size_t)got;
    uint64_t rest_of_page = (map->page - (offset + done) % map->page) % map->page;
    if (descriptor < 0 || got < 0 || len - done > rest_of_page)
        return LOUPE_EFAULT;
    memset(to + done, 0, len - done);
    return LOUPE_OK;
}

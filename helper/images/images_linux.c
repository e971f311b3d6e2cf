/* Which images are loaded here, by the loader's list, and which of them are still mapped. */
#include "images/images.h"

#include "memory/pages.h"
#include "linux/proc_maps.h"

#include <link.h>
#include <string.h>

enum {
    MAX_PATH = 1024,
    OTHER_ENTRIES = 16 /* of the loader's list: the kernel's, the loader itself */
};

/* ---- The loaded images ---- */

static bool find_code(void *ctx, const struct loupe_segment *segment) {
    struct loupe_segment *code = ctx;
    if (segment->executable)
        *code = *segment;
    return !segment->executable;
}

static uint64_t page_start(uint64_t addr) {
    return addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

static bool is_same_file(const struct loupe_proc_mapping *a, const struct loupe_proc_mapping *b) {
    return a->inode == b->inode && a->device_major == b->device_major &&
           a->device_minor == b->device_minor;
}

/*
 * A file that the program merely mapped has the same header at its start. A loaded image has its
 * code mapped executable, from the right place of the file to the right address. `after` is the map
 * behind the line of the header.
 */
static bool code_is_mapped(const struct loupe_image *image,
                           const struct loupe_proc_mapping *header_mapping, const char *after) {
    struct loupe_segment segment = {.start = 0};
    loupe_image_segments(image, find_code, &segment);
    loupe_addr code = page_start(segment.start);
    struct loupe_proc_mapping mapping = *header_mapping;
    do {
        if (is_same_file(&mapping, header_mapping) && mapping.executable && code >= mapping.start &&
            code < mapping.end)
            return mapping.offset + (code - mapping.start) == page_start(segment.file_offset);
    } while (mapping.start <= code && loupe_proc_maps_next(&after, &mapping));
    return false;
}

static enum loupe_status add_image(struct loupe_images *images,
                                   const struct loupe_proc_mapping *mapping, const char *after) {
    struct loupe_loaded_image *loaded;
    enum loupe_status status = loupe_images_add(images, mapping->start, &loaded);
    if (status || !loaded)
        return status;
    if (!code_is_mapped(&loaded->image, mapping, after)) {
        images->count--;
        return LOUPE_OK;
    }
    loaded->path = mapping->path;
    loaded->identity = (struct loupe_system_file){.inode = mapping->inode,
                                                  .device_major = mapping->device_major,
                                                  .device_minor = mapping->device_minor};
    return LOUPE_OK;
}

/* ---- Their order: where several export a symbol, the first one loaded is meant ---- */

static void move_image(struct loupe_images *images, size_t from, size_t to) {
    struct loupe_loaded_image moved = images->items[from];
    memmove(&images->items[to + 1], &images->items[to], (from - to) * sizeof(moved));
    images->items[to] = moved;
}

static const struct r_debug *find_loader_list(struct loupe_images *images) {
    for (size_t i = 0; i < images->count; i++)
        if (images->items[i].image.exports.loader_list)
            return loupe_images_bytes(images, images->items[i].image.exports.loader_list,
                                      sizeof(struct r_debug), _Alignof(struct r_debug));
    return NULL;
}

/* The loader keeps a list in that order for debuggers. It may be just changing it: those that are
 * not in it stay behind the others. */
static void put_in_order(struct loupe_images *images) {
    const struct r_debug *list = find_loader_list(images);
    loupe_addr next = list ? (uintptr_t)list->r_map : 0;
    size_t sorted = 0;
    for (size_t i = 0; next && i < images->count + OTHER_ENTRIES; i++) {
        const struct link_map *entry =
            loupe_images_bytes(images, next, sizeof(*entry), _Alignof(struct link_map));
        if (!entry)
            return;
        loupe_addr inside = (uintptr_t)entry->l_ld;
        for (size_t j = sorted; j < images->count; j++) {
            if (inside >= images->items[j].image.start && inside < images->items[j].image.end) {
                images->items[j].name = loupe_images_text(images, (uintptr_t)entry->l_name);
                move_image(images, j, sorted++);
                break;
            }
        }
        next = (uintptr_t)entry->l_next;
    }
}

enum loupe_status loupe_images_list(struct loupe_images *images) {
    const char *cursor = images->regions->map;
    struct loupe_proc_mapping mapping;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_proc_maps_next(&cursor, &mapping))
        if (mapping.readable && mapping.offset == 0 && mapping.inode &&
            loupe_span_starts_with(mapping.path, "/"))
            status = add_image(images, &mapping, cursor);
    if (!status)
        put_in_order(images);
    return status;
}

/* ---- The file: sections and local symbols ---- */

struct loupe_image_file {
    const uint8_t *bytes; /* mapped, on record in pages.h */
    size_t size;
    struct loupe_memory memory;
};

static enum loupe_status read_file(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct loupe_image_file *file = ctx;
    if (addr > file->size || len > file->size - addr)
        return LOUPE_EFAULT;
    memcpy(dst, file->bytes + addr, len);
    return LOUPE_OK;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct loupe_image_file *file = ctx;
    if (addr >= file->size)
        return false;
    *ret = (struct loupe_window){.start = 0, .end = file->size, .bytes = file->bytes};
    return true;
}

static const struct loupe_reader_ops file_ops = {.read = read_file, .window = open_window};

/* Maps the image's file, unless another one has taken its path. */
static const void *map_file(const struct loupe_loaded_image *loaded, size_t *size_ret) {
    char path[MAX_PATH];
    if (loaded->path.length >= sizeof(path))
        return NULL;
    loupe_proc_maps_path(loaded->path, path);
    int handle = loupe_system_open(path);
    if (handle < 0)
        return NULL;
    struct loupe_system_file found;
    const void *mapped = NULL;
    if (loupe_system_stat(handle, &found) && found.inode == loaded->identity.inode &&
        found.device_major == loaded->identity.device_major &&
        found.device_minor == loaded->identity.device_minor) {
        mapped = loupe_system_map_file(handle, found.size);
        *size_ret = found.size;
    }
    loupe_system_close(handle);
    if (mapped && !loupe_pages_adopt(mapped, *size_ret)) {
        loupe_system_unmap_file(mapped, *size_ret);
        mapped = NULL;
    }
    return mapped;
}

void loupe_image_file_open(struct loupe_loaded_image *loaded,
                           const struct loupe_chunk_ops *chunks) {
    size_t size = 0;
    const void *bytes = map_file(loaded, &size);
    struct loupe_image_file *file = bytes ? loupe_chunk_get(chunks, sizeof(*file)) : NULL;
    if (!file)
        return;
    *file = (struct loupe_image_file){.bytes = bytes, .size = size};
    loupe_memory_init(&file->memory, &file_ops, file, loaded->image.memory->machine, chunks);
    loaded->file = file;
    loupe_image_open_file(&loaded->image, &file->memory);
}

void loupe_image_file_close(struct loupe_image_file *file, const struct loupe_chunk_ops *chunks) {
    if (!file)
        return;
    loupe_memory_deinit(&file->memory);
    loupe_chunk_put(chunks, file, sizeof(*file));
}

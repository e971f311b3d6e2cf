/* Which images the target has, and the files they came from. */
#include "target/parts.h"

#include <string.h>

enum {
    OTHER_ENTRIES = 16, /* of the loader's list: the kernel's image, and repeated ones */
    MOST_IMAGES = 1 << 14,
    COMPARED = 4096 /* bytes at the start of a file that has no build id */
};

static uint64_t page_start(uint64_t addr) {
    return addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

/* ---- One image ---- */

struct loupe_reader_image *loupe_reader_image(const struct loupe_reader *reader, loupe_addr addr) {
    for (uint32_t i = 0; i < reader->images.count; i++) {
        struct loupe_reader_image *found = loupe_reader_image_at(reader, i);
        if (addr >= found->image.start && addr < found->image.end)
            return found;
    }
    return NULL;
}

enum loupe_status loupe_reader_add_image(struct loupe_reader *reader, loupe_addr start,
                                         const char *path, struct loupe_reader_image **ret) {
    struct loupe_image image;
    *ret = NULL;
    if (loupe_image_open(&reader->images_memory, start, &image) ||
        image.pointer_size != reader->machine.pointer_size)
        return LOUPE_OK;
    if (reader->images.count == MOST_IMAGES) {
        reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    *ret = loupe_vector_add(&reader->images);
    if (!*ret)
        return LOUPE_ENOMEM;
    **ret = (struct loupe_reader_image){.image = image, .path = path};
    return LOUPE_OK;
}

/* ---- Is a file that of the image? ---- */

/* Where neither has a build id, their first pages say it: headers, and what follows them. */
static bool has_same_start(struct loupe_reader *reader, const struct loupe_image *image,
                           const struct loupe_reader_file *file) {
    uint8_t bytes[COMPARED];
    size_t size = file->size < sizeof(bytes) ? (size_t)file->size : sizeof(bytes);
    return !loupe_memory_read(&reader->images_memory, image->start, bytes, size) &&
           memcmp(bytes, file->bytes, size) == 0;
}

static bool is_file_of(struct loupe_reader *reader, struct loupe_image *image,
                       struct loupe_reader_file *file) {
    struct loupe_image tried = *image;
    if (!tried.id.length && !has_same_start(reader, image, file))
        return false;
    return !loupe_image_open_file(image, &file->memory);
}

static bool is_program(const struct loupe_reader *reader, const struct loupe_image *image) {
    return reader->program_headers >= image->start && reader->program_headers < image->end;
}

/* What a process has mapped, under whatever name: one that was removed since, or replaced by a
 * newer one, or is in a container. The kernel gives it to those with enough rights. */
static struct loupe_reader_file *open_mapped(struct loupe_reader *reader,
                                             const struct loupe_reader_image *loaded) {
    const struct loupe_reader_mapping *mapping = loupe_reader_mapping(reader, loaded->image.start);
    char path[80];
    if (!mapping)
        return NULL;
    loupe_format(path, sizeof(path), "/proc/%llu/map_files/%llx-%llx",
                 (unsigned long long)reader->thread, (unsigned long long)mapping->start,
                 (unsigned long long)mapping->end);
    return loupe_reader_open_path(reader, path);
}

/* file may be NULL. */
static bool is_right(struct loupe_reader *reader, struct loupe_reader_image *loaded,
                     struct loupe_reader_file *file) {
    return file &&
           (loaded->image.file == &file->memory || is_file_of(reader, &loaded->image, file));
}

static void find_file(struct loupe_reader *reader, struct loupe_reader_image *loaded) {
    const char *named = reader->options.program;
    struct loupe_reader_file *file = NULL;
    if (strcmp(loaded->path, LOUPE_KERNEL_IMAGE) == 0)
        return;
    if (named && is_program(reader, &loaded->image))
        file = loupe_reader_open_path(reader, named);
    if (!is_right(reader, loaded, file))
        file = loupe_reader_open_file(reader, loaded->path);
    /* One that only has another root names its files as we do, from our root on. */
    if (!is_right(reader, loaded, file) && *reader->root && *loaded->path == '/')
        file = loupe_reader_open_path(reader, loaded->path);
    if (!is_right(reader, loaded, file) && *reader->root)
        file = open_mapped(reader, loaded);
    if (!is_right(reader, loaded, file))
        file = loupe_reader_fetch(reader, loaded, false);
    if (is_right(reader, loaded, file)) {
        loaded->file = file;
        return;
    }
    if (!reader->missing.files++)
        reader->missing.file = loaded->path;
}

static bool find_protection(void *ctx, const struct loupe_segment *segment) {
    struct loupe_reader_mapping *mapping = ctx;
    bool inside = mapping->start >= page_start(segment->start) && mapping->start < segment->end;
    mapping->writable |= inside && segment->writable;
    mapping->executable |= inside && segment->executable;
    return !inside;
}

/* What the core left out of the image is read from its file from now on. */
static void attach_file(struct loupe_reader *reader, const struct loupe_reader_image *loaded) {
    loupe_addr end = page_start(loaded->image.end - 1) + LOUPE_PAGE_SIZE;
    for (uint32_t i = 0; loaded->file && i < reader->mappings.count; i++) {
        struct loupe_reader_mapping *mapping = loupe_reader_mapping_at(reader, i);
        if (mapping->start < loaded->image.start || mapping->end > end ||
            strcmp(mapping->path, loaded->path) != 0)
            continue;
        mapping->file = loaded->file;
        loupe_image_segments(&loaded->image, find_protection, mapping);
    }
}

/* ---- All of ELF ---- */

static bool find_code(void *ctx, const struct loupe_segment *segment) {
    struct loupe_segment *code = ctx;
    if (segment->executable)
        *code = *segment;
    return !segment->executable;
}

/* A file that the program merely mapped has the same header at its start. A loaded image has its
 * code mapped from the right place of the file to the right address. */
static bool code_is_mapped(const struct loupe_reader *reader, const struct loupe_image *image,
                           const char *path) {
    struct loupe_segment segment = {.start = 0};
    loupe_image_segments(image, find_code, &segment);
    loupe_addr code = page_start(segment.start);
    const struct loupe_reader_mapping *mapping = loupe_reader_mapping(reader, code);
    const struct loupe_reader_region *region = loupe_reader_region(reader, code);
    return mapping && strcmp(mapping->path, path) == 0 && (!region || region->executable) &&
           mapping->offset + (code - mapping->start) == page_start(segment.file_offset);
}

static enum loupe_status add_mapped(struct loupe_reader *reader,
                                    const struct loupe_reader_mapping *mapping) {
    struct loupe_reader_image *added;
    enum loupe_status status =
        loupe_reader_add_image(reader, mapping->start, mapping->path, &added);
    if (status || !added)
        return status;
    if (!code_is_mapped(reader, &added->image, mapping->path))
        reader->images.count--;
    return LOUPE_OK;
}

static bool read_word(struct loupe_reader *reader, loupe_addr addr, uint64_t *ret) {
    return !loupe_memory_read_word_anywhere(&reader->images_memory, addr, ret);
}

/* struct r_debug: a version, then, at a word's distance, the first entry. */
static loupe_addr find_loader_list(struct loupe_reader *reader) {
    for (uint32_t i = 0; i < reader->images.count; i++) {
        loupe_addr list = loupe_reader_image_at(reader, i)->image.exports.loader_list;
        uint64_t first;
        if (list && read_word(reader, list + reader->machine.pointer_size, &first))
            return first;
    }
    return 0;
}

static void move_image(struct loupe_reader *reader, uint32_t from, uint32_t to) {
    struct loupe_reader_image moved = *loupe_reader_image_at(reader, from);
    for (uint32_t i = from; i > to; i--)
        *loupe_reader_image_at(reader, i) = *loupe_reader_image_at(reader, i - 1);
    *loupe_reader_image_at(reader, to) = moved;
}

bool loupe_reader_link(struct loupe_reader *reader, loupe_addr at, struct loupe_link_entry *ret) {
    unsigned word = reader->machine.pointer_size;
    return read_word(reader, at, &ret->bias) && read_word(reader, at + word, &ret->name) &&
           read_word(reader, at + 2 * word, &ret->dynamic) &&
           read_word(reader, at + 3 * word, &ret->next);
}

/* An image that no mapping told of, where nothing says which files were mapped. */
static enum loupe_status add_linked(struct loupe_reader *reader,
                                    const struct loupe_link_entry *entry) {
    char path[LOUPE_LIBRARY_NAME_SIZE];
    struct loupe_reader_image *added;
    if (loupe_memory_read_string(&reader->images_memory, entry->name, path, sizeof(path), NULL))
        return LOUPE_OK;
    const char *kept = loupe_reader_keep_text(reader, path, strlen(path));
    return kept ? loupe_reader_add_image(reader, entry->bias, kept, &added) : LOUPE_ENOMEM;
}

/*
 * Where several images export a symbol, the first one in the loader's list is meant. The list may
 * be changing or damaged: images that are not in it stay behind the others.
 */
static enum loupe_status put_in_order(struct loupe_reader *reader) {
    struct loupe_link_entry entry = {.next = find_loader_list(reader)};
    uint32_t sorted = 0, left = reader->images.count + OTHER_ENTRIES;
    bool lists = !reader->mappings.count;
    enum loupe_status status = LOUPE_OK;
    for (; !status && entry.next && (lists || left--) &&
           loupe_reader_link(reader, entry.next, &entry);) {
        uint32_t count = reader->images.count, i = sorted;
        while (i < count && (entry.dynamic < loupe_reader_image_at(reader, i)->image.start ||
                             entry.dynamic >= loupe_reader_image_at(reader, i)->image.end))
            i++;
        if (i == count && lists && !loupe_reader_image(reader, entry.dynamic))
            status = add_linked(reader, &entry);
        lists = lists && reader->images.count > count; /* an entry that adds nothing may repeat */
        if (i < reader->images.count)
            move_image(reader, i, sorted++);
    }
    return status;
}

enum loupe_status loupe_reader_list_elf_images(struct loupe_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < reader->mappings.count; i++) {
        const struct loupe_reader_mapping *mapping = loupe_reader_mapping_at(reader, i);
        if (mapping->offset == 0)
            status = add_mapped(reader, mapping);
    }
    if (!status)
        status = put_in_order(reader);
    for (uint32_t i = 0; !status && i < reader->images.count; i++) {
        find_file(reader, loupe_reader_image_at(reader, i));
        attach_file(reader, loupe_reader_image_at(reader, i));
    }
    return status;
}

void loupe_reader_free_images(struct loupe_reader *reader) {
    for (uint32_t i = 0; i < reader->images.count; i++) {
        struct loupe_reader_image *loaded = loupe_reader_image_at(reader, i);
        loupe_symbol_places_free(&loaded->by_address, reader->options.chunks);
        loupe_symbol_places_free(&loaded->mini_by_address, reader->options.chunks);
        if (loaded->has_lines)
            loupe_lines_deinit(&loaded->lines);
        if (loaded->has_ivar_lines)
            loupe_ivar_lines_deinit(&loaded->ivar_lines);
    }
    loupe_symbol_names_free(&reader->names, reader->options.chunks);
}

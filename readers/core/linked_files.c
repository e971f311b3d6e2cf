/* Which files a process had mapped, by its loader's list, where its core has no note of that. */
#include "core/linked_files.h"
#include "image/elf/elf_constants.h"

enum {
    MOST_LINKED = 1 << 14, /* entries of the list */
    MOST_TAGS = 4096       /* of a dynamic section; linkers write 40 */
};

/* ---- The mappings of one image ---- */

struct placing {
    struct loupe_reader *reader;
    struct loupe_reader_mapping mapping; /* what those of one image share */
    loupe_addr distance;                 /* of an address from that which its headers have here */
    enum loupe_status status;
};

static uint64_t page_start(uint64_t addr) {
    return addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

static bool add_segment(void *ctx, const struct loupe_segment *segment) {
    struct placing *placing = ctx;
    struct loupe_reader_mapping mapping = placing->mapping;
    mapping.start = page_start(segment->start + placing->distance);
    mapping.end =
        page_start(segment->start + placing->distance + segment->file_size + (LOUPE_PAGE_SIZE - 1));
    mapping.offset = page_start(segment->file_offset);
    mapping.writable = segment->writable;
    mapping.executable = segment->executable;
    if (mapping.end <= mapping.start)
        return true;
    struct loupe_reader_mapping *added = loupe_vector_add(&placing->reader->mappings);
    placing->status = added ? LOUPE_OK : LOUPE_ENOMEM;
    if (added)
        *added = mapping;
    return added;
}

/* ---- Is it the file that was mapped? ---- */

struct dynamic_section {
    loupe_addr at; /* by the addresses of the image that was asked */
    uint64_t offset;
    bool found;
};

static bool find_offset(void *ctx, const struct loupe_segment *segment) {
    struct dynamic_section *section = ctx;
    section->found =
        loupe_range_holds(segment->start, segment->file_size, section->at, sizeof(uint64_t));
    if (section->found)
        section->offset = segment->file_offset + (section->at - segment->start);
    return !section->found;
}

/* The loader leaves the section as it is in the file, or adds the distance to what are addresses in
 * it; only DT_DEBUG, the word for debuggers, is its own. It has sizes and places of all tables, and
 * thereby tells one build from another. */
static bool has_same_dynamic(struct loupe_reader *reader, const struct loupe_image *in_file,
                             loupe_addr start) {
    unsigned word = reader->machine.pointer_size;
    struct dynamic_section section = {.at = in_file->exports.dynamic};
    loupe_image_segments(in_file, find_offset, &section);
    /* Cap: the file counts as missing. */
    for (uint32_t i = 0; section.found && i < MOST_TAGS; i++) {
        uint64_t tag, value, file_tag, file_value, at = 2u * word * (uint64_t)i;
        if (loupe_memory_read_word_anywhere(&reader->images_memory, start + section.at + at,
                                            &tag) ||
            loupe_memory_read_word_anywhere(&reader->images_memory, start + section.at + at + word,
                                            &value) ||
            loupe_memory_read_word_anywhere(in_file->memory, section.offset + at, &file_tag) ||
            loupe_memory_read_word_anywhere(in_file->memory, section.offset + at + word,
                                            &file_value) ||
            tag != file_tag)
            return false;
        if (!tag)
            return true;
        if (tag != DT_DEBUG && value != file_value && value != file_value + start + in_file->bias)
            return false;
    }
    return false;
}

/* ---- One image ---- */

static void count_missing(struct loupe_reader *reader, const char *path) {
    if (!reader->missing.files++)
        reader->missing.file = path;
}

/* Where its header is in the core that one tells; its file is looked for and compared later. */
static enum loupe_status map_by_memory(struct loupe_reader *reader, const struct loupe_image *image,
                                       const char *path) {
    struct placing placing = {.reader = reader, .mapping = {.path = path}};
    loupe_image_segments(image, add_segment, &placing);
    return placing.status;
}

/* An image of a file as if it were loaded at 0: its headers and segments are right, no more. */
static bool open_headers(const struct loupe_reader *reader, struct loupe_reader_file *file,
                         struct loupe_image *ret) {
    return file && !loupe_image_open(&file->memory, 0, ret) && ret->format == LOUPE_IMAGE_ELF &&
           ret->pointer_size == reader->machine.pointer_size;
}

static enum loupe_status map_by_file(struct loupe_reader *reader, const struct loupe_image *in_file,
                                     struct loupe_reader_file *file, loupe_addr start,
                                     const char *path) {
    struct placing placing = {
        .reader = reader, .mapping = {.path = path, .file = file}, .distance = start};
    if (!has_same_dynamic(reader, in_file, start)) {
        count_missing(reader, path);
        return LOUPE_OK;
    }
    loupe_image_segments(in_file, add_segment, &placing);
    return placing.status;
}

/* What was mapped can be read from here on. */
static enum loupe_status settle(struct loupe_reader *reader, enum loupe_status status) {
    loupe_reader_sort_mappings(reader);
    if (!status)
        status = loupe_core_fill_holes(reader);
    loupe_memory_forget(&reader->images_memory);
    return status;
}

/* ---- The program ---- */

/* The kernel leaves the path that was executed on the stack. */
static const char *program_path(struct loupe_reader *reader, const struct loupe_elf_notes *notes) {
    char path[LOUPE_LIBRARY_NAME_SIZE];
    if (!notes->program_name ||
        loupe_memory_read_string(&reader->images_memory, notes->program_name, path, sizeof(path),
                                 NULL))
        return reader->options.program ? reader->options.program : "its program";
    return loupe_reader_keep_text(reader, path, strlen(path));
}

static enum loupe_status map_program(struct loupe_reader *reader,
                                     const struct loupe_elf_notes *notes, loupe_addr *start_ret) {
    const char *path = program_path(reader, notes), *named = reader->options.program;
    struct loupe_image image;
    if (!path)
        return LOUPE_ENOMEM;
    *start_ret = page_start(notes->program_headers);
    if (!loupe_image_open(&reader->images_memory, *start_ret, &image) &&
        image.headers == notes->program_headers)
        return settle(reader, map_by_memory(reader, &image, path));
    struct loupe_reader_file *file =
        named ? loupe_reader_open_path(reader, named) : loupe_reader_open_file(reader, path);
    if (!open_headers(reader, file, &image)) {
        count_missing(reader, path);
        return LOUPE_OK;
    }
    *start_ret = notes->program_headers - image.headers;
    return settle(reader, map_by_file(reader, &image, file, *start_ret, path));
}

/* ---- What it is linked to ---- */

static enum loupe_status map_linked(struct loupe_reader *reader,
                                    const struct loupe_link_entry *entry) {
    char text[LOUPE_LIBRARY_NAME_SIZE];
    struct loupe_image image;
    enum loupe_status named =
        loupe_memory_read_string(&reader->images_memory, entry->name, text, sizeof(text), NULL);
    bool is_named = !named || named == LOUPE_ELIMIT; /* a long one is cut, and no file */
    reader->missing.damaged_parts += !is_named;
    if (!is_named || !*text)
        return LOUPE_OK;
    const char *path = loupe_reader_keep_text(reader, text, strlen(text));
    if (!path)
        return LOUPE_ENOMEM;
    if (!loupe_image_open(&reader->images_memory, entry->bias, &image) &&
        image.exports.dynamic == entry->dynamic)
        return settle(reader, map_by_memory(reader, &image, path));
    struct loupe_reader_file *file = loupe_reader_open_file(reader, path);
    if (!open_headers(reader, file, &image) ||
        entry->bias - image.bias + image.exports.dynamic != entry->dynamic) {
        count_missing(reader, path);
        return LOUPE_OK;
    }
    return settle(reader, map_by_file(reader, &image, file, entry->bias - image.bias, path));
}

/* The list may be damaged, and may lead back into itself: where it does not end, that is said. */
static enum loupe_status map_list(struct loupe_reader *reader, loupe_addr list,
                                  const struct loupe_reader_region *kernel_image) {
    struct loupe_link_entry entry = {.next = 0};
    uint32_t left = MOST_LINKED;
    enum loupe_status status = LOUPE_OK;
    uint64_t first;
    if (!list)
        return LOUPE_OK;
    if (loupe_memory_read_word_anywhere(&reader->images_memory, list + reader->machine.pointer_size,
                                        &first)) {
        reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    entry.next = first;
    while (!status && entry.next) {
        if (!left-- || !loupe_reader_link(reader, entry.next, &entry)) {
            reader->missing.damaged_parts++;
            break;
        }
        bool is_kernels = kernel_image && entry.dynamic >= kernel_image->about.start &&
                          entry.dynamic < kernel_image->about.end;
        if (!is_kernels && !loupe_reader_mapping(reader, entry.dynamic))
            status = map_linked(reader, &entry);
        if (entry.next == first)
            break;
    }
    return status;
}

enum loupe_status loupe_elf_map_linked_files(struct loupe_reader *reader,
                                             const struct loupe_elf_notes *notes) {
    struct loupe_image program;
    loupe_addr start;
    if (!notes->program_headers)
        return LOUPE_OK;
    enum loupe_status status = map_program(reader, notes, &start);
    if (status || loupe_image_open(&reader->images_memory, start, &program))
        return status;
    return map_list(reader, program.exports.loader_list,
                    loupe_reader_region(reader, notes->kernel_image));
}

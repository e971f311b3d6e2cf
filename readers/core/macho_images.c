#include "core/macho_images.h"

#include "image/macho/macho_constants.h"

#include <string.h>

enum {
    ENTRY_SIZE = 48,   /* of an image in the note */
    INFOS_HEADER = 24, /* of the note */
    ID_SIZE = 16,      /* a UUID */
    MOST_IMAGES = 1 << 14,
    FILE_KIND_AT = 12
};

static const uint8_t magic[4] = {0xcf, 0xfa, 0xed, 0xfe};

/* What is listed of an image. */
struct listed {
    loupe_addr start;
    const char *path;
    const uint8_t *id; /* NULL: not known */
    bool is_program;
};

struct lister {
    struct loupe_reader *reader;
    const struct loupe_core_file *file;
    struct loupe_vector listed; /* of struct listed */
};

static bool is_systems(const char *path) {
    return strncmp(path, "/usr/lib/", 9) == 0 || strncmp(path, "/System/", 8) == 0;
}

/* ---- What a core leaves out of an image, from its file ---- */

struct filling {
    struct loupe_reader *reader;
    struct loupe_reader_file *file;
    const char *path;
    loupe_addr start; /* of the image in the target */
    enum loupe_status status;
};

/* Code and constants. What can be written is not in memory as it is in the file: the loader has put
 * addresses there. */
static bool fill_segment(void *ctx, const struct loupe_segment *segment) {
    struct filling *filling = ctx;
    if (segment->writable || !segment->file_size)
        return true;
    struct loupe_reader_mapping *added = loupe_vector_add(&filling->reader->mappings);
    if (!added) {
        filling->status = LOUPE_ENOMEM;
        return false;
    }
    *added =
        (struct loupe_reader_mapping){.start = filling->start + segment->start,
                                      .end = filling->start + segment->start + segment->file_size,
                                      .offset = segment->file_offset,
                                      .path = filling->path,
                                      .file = filling->file};
    if (added->end <= added->start)
        filling->reader->mappings.count--;
    return true;
}

/* Where no id is known no file can be told to be the right one, but the one that a person named. */
static enum loupe_status fill_from_file(struct lister *lister, const struct listed *listed) {
    struct loupe_reader *reader = lister->reader;
    const char *named = listed->is_program ? reader->options.program : NULL;
    struct filling filling = {.reader = reader, .path = listed->path, .start = listed->start};
    struct loupe_image image;
    filling.file = named ? loupe_reader_open_path(reader, named)
                         : loupe_reader_open_file(reader, listed->path);
    if (!filling.file || loupe_image_open(&filling.file->memory, 0, &image) ||
        image.format != LOUPE_IMAGE_MACHO)
        return LOUPE_OK;
    bool is_that =
        listed->id ? image.id.length == ID_SIZE && memcmp(image.id.bytes, listed->id, ID_SIZE) == 0
                   : named != NULL;
    if (is_that)
        loupe_image_segments(&image, fill_segment, &filling);
    return filling.status;
}

static bool has_header(struct lister *lister, loupe_addr start) {
    uint8_t bytes[sizeof(magic)];
    return !loupe_memory_read(&lister->reader->images_memory, start, bytes, sizeof(bytes)) &&
           memcmp(bytes, magic, sizeof(magic)) == 0;
}

static void count_missing(struct lister *lister, const char *path) {
    struct loupe_reader_missing *missing = &lister->reader->missing;
    if (is_systems(path))
        missing->shared_images++;
    else if (!missing->files++)
        missing->file = path;
}

static enum loupe_status put_on_list(struct lister *lister, struct listed listed) {
    struct listed *added = loupe_vector_add(&lister->listed);
    if (!added)
        return LOUPE_ENOMEM;
    *added = listed;
    return LOUPE_OK;
}

/* Of images whose headers the core leaves out all that files have is taken first. */
static enum loupe_status add_listed(struct lister *lister) {
    struct loupe_reader *reader = lister->reader;
    enum loupe_status status = LOUPE_OK;
    struct loupe_reader_image *added;
    for (uint32_t i = 0; !status && i < lister->listed.count; i++) {
        const struct listed *listed = loupe_vector_at(&lister->listed, i, sizeof(*listed));
        if (!has_header(lister, listed->start))
            status = fill_from_file(lister, listed);
    }
    loupe_reader_sort_mappings(reader);
    if (!status)
        status = loupe_core_fill_holes(reader);
    loupe_memory_forget(&reader->images_memory);
    for (uint32_t i = 0; !status && i < lister->listed.count; i++) {
        const struct listed *listed = loupe_vector_at(&lister->listed, i, sizeof(*listed));
        status = loupe_reader_add_image(reader, listed->start, listed->path, &added);
        if (!status && !added)
            count_missing(lister, listed->path);
    }
    lister->listed.count = 0;
    return status;
}

/* ---- By the note ---- */

/* A text of the file that ends in it; NULL: no such, or no memory. */
static const char *text_at(struct lister *lister, uint64_t offset) {
    if (offset >= lister->file->size)
        return NULL;
    const char *text = (const char *)lister->file->bytes + offset;
    const char *end = memchr(text, '\0', (size_t)(lister->file->size - offset));
    size_t length = end ? (size_t)(end - text) : 0;
    return end && length < LOUPE_LIBRARY_NAME_SIZE * 4
               ? loupe_reader_keep_text(lister->reader, text, length)
               : NULL;
}

static bool is_program_path(const char *path) {
    size_t length = strlen(path);
    return !is_systems(path) && !(length > 6 && strcmp(path + length - 6, ".dylib") == 0);
}

static enum loupe_status list_noted(struct lister *lister, const struct loupe_macho_infos *infos) {
    const uint8_t *header = infos->size >= INFOS_HEADER
                                ? loupe_core_bytes(lister->file, infos->offset, INFOS_HEADER)
                                : NULL;
    uint32_t count = header ? (uint32_t)loupe_number_at(header, 4, 4) : 0;
    uint64_t entries = header ? loupe_number_at(header, 8, 8) : 0;
    uint64_t size = header ? loupe_number_at(header, 16, 4) : 0;
    enum loupe_status status = LOUPE_OK;
    if (infos->size && (!header || size < ENTRY_SIZE || count > MOST_IMAGES)) {
        lister->reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    for (uint32_t i = 0; !status && i < count; i++) {
        const uint8_t *entry = entries < lister->file->size
                                   ? loupe_core_bytes(lister->file, entries + i * size, ENTRY_SIZE)
                                   : NULL;
        if (!entry) {
            lister->reader->missing.damaged_parts++;
            break;
        }
        const char *path = text_at(lister, loupe_number_at(entry, 0, 8));
        path = path ? path : "";
        status =
            put_on_list(lister, (struct listed){.start = loupe_number_at(entry, 24, 8),
                                                .path = path,
                                                .id = entry + 8,
                                                .is_program = i == 0 || is_program_path(path)});
    }
    return status ? status : add_listed(lister);
}

/* ---- By the headers in memory, and dyld's list, to which its header leads ---- */

static enum loupe_status take_library_name(struct loupe_reader *reader, loupe_addr start,
                                           const char **ret) {
    enum { COMMANDS_AT = 16, HEADER = 32, COMMAND_HEADER = 8, MOST_COMMANDS = 4096 };
    struct loupe_memory *memory = &reader->images_memory;
    char name[LOUPE_LIBRARY_NAME_SIZE];
    uint32_t count, kind, size, offset;
    loupe_addr at = start + HEADER;
    *ret = "";
    if (loupe_memory_read_u32(memory, start + COMMANDS_AT, &count))
        return LOUPE_OK;
    /* Cap: a library without a name. */
    for (uint32_t i = 0; i < count && i < MOST_COMMANDS; i++, at += size) {
        if (loupe_memory_read_u32(memory, at, &kind) ||
            loupe_memory_read_u32(memory, at + 4, &size) || size < COMMAND_HEADER)
            return LOUPE_OK;
        if (kind != LC_ID_DYLIB)
            continue;
        if (loupe_memory_read_u32(memory, at + COMMAND_HEADER, &offset) || offset >= size ||
            loupe_memory_read_string(memory, at + offset, name, sizeof(name), NULL))
            return LOUPE_OK;
        *ret = loupe_reader_keep_text(reader, name, strlen(name));
        return *ret ? LOUPE_OK : LOUPE_ENOMEM;
    }
    return LOUPE_OK;
}

/* The header of a program comes first: its symbols are looked for first. */
static enum loupe_status add_found(struct lister *lister, loupe_addr start, uint32_t kind) {
    struct loupe_reader *reader = lister->reader;
    struct loupe_reader_image *added;
    const char *path;
    if (loupe_reader_image(reader, start))
        return LOUPE_OK;
    enum loupe_status status = take_library_name(reader, start, &path);
    if (status)
        return status;
    if (kind == MH_EXECUTE && reader->options.program)
        path = reader->options.program;
    return loupe_reader_add_image(reader, start, path, &added);
}

/* The list that dyld keeps for debuggers: a version, how many, where; then for each where its
 * header is, its path, its time. While it changes it is nowhere. */
static enum loupe_status list_of_loader(struct lister *lister, loupe_addr list) {
    struct loupe_memory *memory = &lister->reader->images_memory;
    uint32_t count;
    uint64_t items, start, name;
    enum loupe_status status = LOUPE_OK;
    if (loupe_memory_read_u32(memory, list + 4, &count) ||
        loupe_memory_read_u64(memory, list + 8, &items) || !items || count > MOST_IMAGES) {
        lister->reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    for (uint32_t i = 0; !status && i < count; i++) {
        char path[LOUPE_LIBRARY_NAME_SIZE];
        if (loupe_memory_read_u64(memory, items + i * 24, &start) ||
            loupe_memory_read_u64(memory, items + i * 24 + 8, &name)) {
            lister->reader->missing.damaged_parts++;
            break;
        }
        if (loupe_memory_read_string(memory, name, path, sizeof(path), NULL))
            *path = '\0';
        const char *kept = loupe_reader_keep_text(lister->reader, path, strlen(path));
        status =
            kept ? put_on_list(lister,
                               (struct listed){.start = start, .path = kept, .is_program = i == 0})
                 : LOUPE_ENOMEM;
    }
    return status ? status : add_listed(lister);
}

static loupe_addr loader_list_of(struct lister *lister, loupe_addr loader) {
    struct loupe_image image;
    loupe_addr found = 0;
    if (loupe_image_open(&lister->reader->images_memory, loader, &image))
        return 0;
    for (uint32_t i = 0; !found && i < image.table.count; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        char bounce[LOUPE_SYMBOL_NAME_SIZE];
        if (loupe_image_symbol(&image, i, &symbol) && !symbol.imported &&
            loupe_image_symbol_name(&image, &symbol, bounce, &name) &&
            loupe_span_equals(name, "dyld_all_image_infos"))
            found = symbol.address;
    }
    return found;
}

struct header {
    loupe_addr start;
    uint32_t kind;
};

/* Code that can be run begins with a header, at the start of a page. Where no memory says that it
 * is code, all is looked at. */
static enum loupe_status find_headers(struct lister *lister, struct loupe_vector *headers) {
    struct loupe_reader *reader = lister->reader;
    bool tells = false;
    for (uint32_t i = 0; i < reader->regions.count; i++)
        tells |= loupe_reader_region_at(reader, i)->executable;
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        const struct loupe_reader_region *region = loupe_reader_region_at(reader, i);
        for (uint64_t at = 0; at + FILE_KIND_AT + 4 <= region->held; at += LOUPE_PAGE_SIZE) {
            const uint8_t *bytes = region->bytes + at;
            if (tells && !region->executable)
                break;
            if (memcmp(bytes, magic, sizeof(magic)) != 0)
                continue;
            struct header *found = loupe_vector_add(headers);
            if (!found)
                return LOUPE_ENOMEM;
            *found = (struct header){.start = region->about.start + at,
                                     .kind = (uint32_t)loupe_number_at(bytes, FILE_KIND_AT, 4)};
        }
    }
    return LOUPE_OK;
}

static enum loupe_status list_found(struct lister *lister, const struct loupe_vector *headers) {
    enum loupe_status status = LOUPE_OK;
    const struct header *header;
    bool has_loader = false; /* a process has one */
    for (uint32_t i = 0; !status && !has_loader && i < headers->count; i++) {
        header = loupe_vector_at(headers, i, sizeof(*header));
        has_loader = header->kind == MH_DYLINKER;
        loupe_addr list = has_loader ? loader_list_of(lister, header->start) : 0;
        if (list)
            status = list_of_loader(lister, list);
    }
    for (int programs = 1; programs >= 0; programs--) {
        for (uint32_t i = 0; !status && i < headers->count; i++) {
            header = loupe_vector_at(headers, i, sizeof(*header));
            if ((header->kind == MH_EXECUTE) == (programs == 1))
                status = add_found(lister, header->start, header->kind);
        }
    }
    return status;
}

enum loupe_status loupe_macho_images_list(struct loupe_reader *reader,
                                          const struct loupe_core_file *file,
                                          const struct loupe_macho_infos *infos) {
    struct lister lister = {.reader = reader, .file = file};
    struct loupe_vector headers;
    loupe_vector_init(&lister.listed, reader->options.chunks, sizeof(struct listed));
    loupe_vector_init(&headers, reader->options.chunks, sizeof(struct header));
    enum loupe_status status = list_noted(&lister, infos);
    if (!status && !reader->images.count) {
        status = find_headers(&lister, &headers);
        if (!status)
            status = list_found(&lister, &headers);
    }
    loupe_vector_deinit(&headers);
    loupe_vector_deinit(&lister.listed);
    return status;
}

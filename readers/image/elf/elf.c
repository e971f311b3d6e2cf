#include "image/elf/elf.h"

#include "image/elf/elf_constants.h"

#include <string.h>

enum { HEADER_SIZE = 64, SEGMENT_SIZE = 56, SECTION_SIZE = 64 }; /* the larger ones */
enum { TYPE_AT = 16 };

enum {
    MAX_SEGMENTS = 128, /* linkers write a dozen */
    MAX_NOTES = 64 * 1024,
    MAX_DYNAMIC = 4096, /* entries; linkers write 40 */
    NOTE_HEADER = 12,
    PAGE = 4096
};

static uint64_t page_start(uint64_t addr) {
    return addr / PAGE * PAGE;
}

static bool recognise(const uint8_t magic[4]) {
    return memcmp(magic, "\177ELF", 4) == 0;
}

/* ---- The header, in memory or at the start of a file ---- */

struct header {
    const struct loupe_elf_layout *layout;
    uint64_t segments, sections; /* offsets */
    uint32_t segment_count, section_count, section_names;
};

static enum loupe_status read_header(struct loupe_memory *memory, loupe_addr at,
                                     struct header *ret) {
    uint8_t bytes[HEADER_SIZE];
    enum loupe_status status = loupe_memory_read(memory, at, bytes, loupe_elf_32.header.size);
    if (status)
        return status;
    unsigned type = (unsigned)loupe_number_at(bytes, TYPE_AT, 2);
    const struct loupe_elf_layout *layout =
        bytes[EI_CLASS] == ELFCLASS64 ? &loupe_elf_64 : &loupe_elf_32;
    if ((bytes[EI_CLASS] != ELFCLASS64 && bytes[EI_CLASS] != ELFCLASS32) || !recognise(bytes) ||
        bytes[EI_DATA] != ELFDATA2LSB || (type != ET_EXEC && type != ET_DYN))
        return LOUPE_EFAULT;
    status = loupe_memory_read(memory, at, bytes, layout->header.size);
    if (status)
        return status;
    *ret = (struct header){
        .layout = layout,
        .segments = loupe_elf_word(layout, bytes, layout->header.segments),
        .sections = loupe_elf_word(layout, bytes, layout->header.sections),
        .segment_count = (uint32_t)loupe_number_at(bytes, layout->header.segment_count, 2),
        .section_count = (uint32_t)loupe_number_at(bytes, layout->header.section_count, 2),
        .section_names = (uint32_t)loupe_number_at(bytes, layout->header.section_names, 2)};
    if (loupe_number_at(bytes, layout->header.segment_size, 2) != layout->segment.size ||
        ret->segment_count > MAX_SEGMENTS)
        return LOUPE_EFAULT;
    if (loupe_number_at(bytes, layout->header.section_size, 2) != layout->section.size)
        ret->section_count = 0;
    return LOUPE_OK;
}

/* ---- Segments ---- */

struct program_header {
    uint32_t kind, flags;
    uint64_t offset, address, file_size, memory_size;
};

static bool read_program_header(struct loupe_memory *memory, const struct loupe_elf_layout *layout,
                                loupe_addr at, struct program_header *ret) {
    uint8_t bounce[SEGMENT_SIZE];
    const uint8_t *bytes = loupe_memory_view(memory, at, layout->segment.size, bounce);
    if (!bytes)
        return false;
    *ret = (struct program_header){
        .kind = (uint32_t)loupe_number_at(bytes, 0, 4),
        .flags = (uint32_t)loupe_number_at(bytes, layout->segment.flags, 4),
        .offset = loupe_elf_word(layout, bytes, layout->segment.offset),
        .address = loupe_elf_word(layout, bytes, layout->segment.address),
        .file_size = loupe_elf_word(layout, bytes, layout->segment.file_size),
        .memory_size = loupe_elf_word(layout, bytes, layout->segment.memory_size)};
    return true;
}

/* Calls for each program header of the image until visit returns false. False when one cannot be
 * read. */
static bool visit_program_headers(const struct loupe_image *image,
                                  bool (*visit)(void *ctx, const struct program_header *header),
                                  void *ctx) {
    const struct loupe_elf_layout *layout = loupe_elf_layout(image);
    for (uint32_t at = 0; at < image->headers_size; at += layout->segment.size) {
        struct program_header header;
        if (!read_program_header(image->memory, layout, image->headers + at, &header))
            return false;
        if (!visit(ctx, &header))
            return true;
    }
    return true;
}

struct segment_visit {
    const struct loupe_image *image;
    loupe_segment_visitor visit;
    void *ctx;
};

static bool visit_segment(void *ctx, const struct program_header *header) {
    const struct segment_visit *visit = ctx;
    loupe_addr start = header->address + visit->image->bias;
    if (header->kind != PT_LOAD || !header->memory_size || start + header->memory_size < start)
        return true;
    struct loupe_segment segment = {.start = start,
                                    .end = start + header->memory_size,
                                    .file_offset = header->offset,
                                    .file_size = header->file_size < header->memory_size
                                                     ? header->file_size
                                                     : header->memory_size,
                                    .readable = header->flags & PF_R,
                                    .writable = header->flags & PF_W,
                                    .executable = header->flags & PF_X};
    return visit->visit(visit->ctx, &segment);
}

static bool visit_segments(const struct loupe_image *image, loupe_segment_visitor visit,
                           void *ctx) {
    struct segment_visit state = {.image = image, .visit = visit, .ctx = ctx};
    return visit_program_headers(image, visit_segment, &state);
}

/* ---- What the segments say of the image ---- */

struct extent {
    bool any, code;
    uint64_t first_address, first_offset, end;
};

static bool add_extent(void *ctx, const struct program_header *header) {
    struct extent *extent = ctx;
    if (header->kind != PT_LOAD)
        return true;
    if (!extent->any) {
        extent->first_address = header->address;
        extent->first_offset = header->offset;
        extent->any = true;
    }
    if (header->flags & PF_X)
        extent->code = true;
    if (header->address + header->memory_size > extent->end)
        extent->end = header->address + header->memory_size;
    return true;
}

/* The header is the start of the first loaded segment, which tells where all lies. */
static bool place(struct loupe_image *image, loupe_addr start) {
    struct extent extent = {0};
    visit_program_headers(image, add_extent, &extent);
    if (!extent.any || !extent.code || page_start(extent.first_offset) != 0)
        return false;
    image->bias = start - page_start(extent.first_address);
    image->start = start;
    image->end = image->bias + extent.end;
    return image->end > image->start;
}

/* The build id among the notes in [at, at + size). */
static void read_notes(struct loupe_memory *memory, loupe_addr at, uint64_t size,
                       struct loupe_image_id *ret) {
    if (size > MAX_NOTES)
        return;
    /* Cap: the rest holds no note. */
    for (uint64_t offset = 0; size - offset >= NOTE_HEADER;) {
        uint8_t header[NOTE_HEADER + 4];
        if (loupe_memory_read(memory, at + offset, header, NOTE_HEADER))
            return;
        uint64_t name = (loupe_number_at(header, 0, 4) + 3) / 4 * 4;
        uint64_t text = loupe_number_at(header, 4, 4);
        uint64_t total = NOTE_HEADER + name + (text + 3) / 4 * 4;
        if (total > size - offset)
            return;
        if (loupe_number_at(header, 8, 4) == NT_GNU_BUILD_ID && name == 4 && text &&
            !loupe_memory_read(memory, at + offset + NOTE_HEADER, header + NOTE_HEADER, 4) &&
            memcmp(header + NOTE_HEADER, "GNU", 4) == 0) {
            uint8_t length = text < LOUPE_IMAGE_ID_SIZE ? (uint8_t)text : LOUPE_IMAGE_ID_SIZE;
            if (!loupe_memory_read(memory, at + offset + NOTE_HEADER + name, ret->bytes, length)) {
                ret->length = length;
                ret->is_cut = text > length;
            }
            return;
        }
        offset += total;
    }
}

/* Addresses in the dynamic section; the loader has relocated them, except on a few systems. */
static loupe_addr table_address(const struct loupe_image *image, uint64_t value) {
    return value < image->start ? value + image->bias : value;
}

/* Calls for each entry of the dynamic section until visit returns false. False when it does not
 * end where it should. */
static bool visit_dynamic(const struct loupe_image *image,
                          bool (*visit)(void *ctx, uint64_t tag, uint64_t value), void *ctx) {
    const struct loupe_elf_layout *layout = loupe_elf_layout(image);
    uint64_t size = 2u * layout->word, count = image->exports.dynamic_size / size;
    /* Cap: false: it broke off. */
    for (uint64_t i = 0; i < count && i < MAX_DYNAMIC; i++) {
        uint8_t bounce[16];
        const uint8_t *entry =
            loupe_memory_view(image->memory, image->exports.dynamic + i * size, size, bounce);
        if (!entry)
            return false;
        uint64_t tag = loupe_elf_word(layout, entry, 0);
        if (!tag || !visit(ctx, tag, loupe_elf_word(layout, entry, layout->word)))
            return true;
    }
    return count == 0;
}

static bool note_table(void *ctx, uint64_t tag, uint64_t value) {
    struct loupe_image *image = ctx;
    if (tag == DT_SYMTAB)
        image->exports.symbols = table_address(image, value);
    else if (tag == DT_STRTAB)
        image->exports.strings = table_address(image, value);
    else if (tag == DT_STRSZ)
        image->exports.strings_size = value;
    else if (tag == DT_GNU_HASH)
        image->exports.hash = table_address(image, value);
    else if (tag == DT_DEBUG)
        image->exports.loader_list = value;
    return true;
}

struct library_visit {
    const struct loupe_image *image;
    loupe_library_visitor visit;
    void *ctx;
    bool broken;
};

static bool visit_library(void *ctx, uint64_t tag, uint64_t value) {
    struct library_visit *state = ctx;
    char name[LOUPE_LIBRARY_NAME_SIZE];
    if (tag != DT_NEEDED)
        return true;
    enum loupe_status status = loupe_memory_read_string(
        state->image->memory, state->image->exports.strings + value, name, sizeof(name), NULL);
    state->broken = status && status != LOUPE_ELIMIT;
    return !state->broken && state->visit(state->ctx, name);
}

static bool visit_libraries(const struct loupe_image *image, loupe_library_visitor visit,
                            void *ctx) {
    struct library_visit state = {.image = image, .visit = visit, .ctx = ctx};
    return visit_dynamic(image, visit_library, &state) && !state.broken;
}

static bool read_contents(void *ctx, const struct program_header *header) {
    struct loupe_image *image = ctx;
    loupe_addr at = image->bias + header->address;
    if (header->kind == PT_DYNAMIC) {
        image->exports.dynamic = at;
        image->exports.dynamic_size = header->memory_size;
        visit_dynamic(image, note_table, image);
    } else if (header->kind == PT_NOTE && !image->id.length) {
        read_notes(image->memory, at, header->memory_size, &image->id);
    } else if (header->kind == PT_GNU_EH_FRAME && at + header->memory_size > at) {
        image->unwind_index = (struct loupe_range){.start = at, .end = at + header->memory_size};
    }
    return true;
}

static void unwind_tables(const struct loupe_image *image, struct loupe_unwind_tables *tables) {
    tables->index = image->unwind_index;
    tables->frames.end = image->end;
}

static enum loupe_status open_image(struct loupe_memory *memory, loupe_addr start,
                                    struct loupe_image *ret) {
    struct header header;
    enum loupe_status status = read_header(memory, start, &header);
    if (status)
        return status;
    struct loupe_image image = {.memory = memory,
                                .format = LOUPE_IMAGE_ELF,
                                .pointer_size = header.layout->word,
                                .headers = start + header.segments,
                                .headers_size = header.segment_count * header.layout->segment.size};
    if (!place(&image, start))
        return LOUPE_EFAULT;
    visit_program_headers(&image, read_contents, &image);
    *ret = image;
    return LOUPE_OK;
}

/* ---- The file ---- */

struct section_header {
    uint32_t name, kind, link;
    uint64_t flags, address, offset, size;
};

static bool read_section_header(struct loupe_memory *file, const struct header *header,
                                uint32_t number, struct section_header *ret) {
    const struct loupe_elf_layout *layout = header->layout;
    uint8_t bounce[SECTION_SIZE];
    const uint8_t *bytes =
        number < header->section_count
            ? loupe_memory_view(file, header->sections + (uint64_t)number * layout->section.size,
                                layout->section.size, bounce)
            : NULL;
    if (!bytes)
        return false;
    *ret =
        (struct section_header){.name = (uint32_t)loupe_number_at(bytes, 0, 4),
                                .kind = (uint32_t)loupe_number_at(bytes, 4, 4),
                                .link = (uint32_t)loupe_number_at(bytes, layout->section.link, 4),
                                .flags = loupe_elf_word(layout, bytes, layout->section.flags),
                                .address = loupe_elf_word(layout, bytes, layout->section.address),
                                .offset = loupe_elf_word(layout, bytes, layout->section.offset),
                                .size = loupe_elf_word(layout, bytes, layout->section.length)};
    return true;
}

/* False: its headers cannot be read. */
static bool read_id_of_file(struct loupe_memory *file, const struct header *header,
                            struct loupe_image_id *ret) {
    for (uint32_t i = 0; i < header->segment_count && !ret->length; i++) {
        struct program_header segment;
        if (!read_program_header(file, header->layout,
                                 header->segments + (uint64_t)i * header->layout->segment.size,
                                 &segment))
            return false;
        if (segment.kind == PT_NOTE)
            read_notes(file, segment.offset, segment.file_size, ret);
    }
    return true;
}

static bool is_same_id(const struct loupe_image_id *a, const struct loupe_image_id *b) {
    return a->length == b->length && a->is_cut == b->is_cut &&
           memcmp(a->bytes, b->bytes, a->length) == 0;
}

/* Whether the file is that of the image, as far as both say which build they are. */
static bool is_same_build(const struct loupe_image *image, struct loupe_memory *file,
                          const struct header *header) {
    struct loupe_image_id found = {.length = 0};
    return read_id_of_file(file, header, &found) &&
           (!found.length || !image->id.length || is_same_id(&found, &image->id));
}

/* Programs that split files leave the headers of segments as they were, where nothing of the
 * segments is left: the sections tell then. */
bool loupe_image_file_has_id(struct loupe_memory *file, const struct loupe_image_id *id) {
    struct loupe_image_id found = {.length = 0};
    struct section_header section;
    struct header header;
    if (!id->length || read_header(file, 0, &header) || !read_id_of_file(file, &header, &found))
        return false;
    for (uint32_t i = 0; i < header.section_count && !found.length; i++) {
        if (read_section_header(file, &header, i, &section) && section.kind == SHT_NOTE)
            read_notes(file, section.offset, section.size, &found);
    }
    return is_same_id(&found, id);
}

/* The table of all symbols if there is one, else that of the exported ones. */
static void find_table_of_file(struct loupe_image *image, struct loupe_memory *file,
                               const struct header *header) {
    struct section_header section, found = {0}, strings;
    for (uint32_t i = 0; i < header->section_count && found.kind != SHT_SYMTAB; i++)
        if (read_section_header(file, header, i, &section) &&
            (section.kind == SHT_SYMTAB || (!found.kind && section.kind == SHT_DYNSYM)))
            found = section;
    uint64_t count = found.size / header->layout->symbol.size;
    if (!found.kind || count > UINT32_MAX ||
        !read_section_header(file, header, found.link, &strings))
        return;
    struct loupe_symbol_table table = {.memory = file,
                                       .symbols = found.offset,
                                       .strings = strings.offset,
                                       .strings_size = strings.size,
                                       .count = (uint32_t)count};
    loupe_image_take_table(image, table, header->layout->symbol.size);
}

static enum loupe_status open_file(struct loupe_image *image, struct loupe_memory *file) {
    struct header header;
    enum loupe_status status = read_header(file, 0, &header);
    if (status)
        return status;
    if (header.layout->word != image->pointer_size || !is_same_build(image, file, &header))
        return LOUPE_EFAULT;
    image->file = file;
    find_table_of_file(image, file, &header);
    return LOUPE_OK;
}

static bool visit_sections(const struct loupe_image *image, loupe_section_visitor visit,
                           void *ctx) {
    struct header header;
    struct section_header names, section;
    if (!image->file || read_header(image->file, 0, &header) ||
        !read_section_header(image->file, &header, header.section_names, &names))
        return false;
    for (uint32_t i = 0; i < header.section_count; i++) {
        if (!read_section_header(image->file, &header, i, &section))
            return false;
        loupe_addr start = section.address + image->bias;
        if (!(section.flags & SHF_ALLOC) || start + section.size < start)
            continue;
        struct loupe_section found = {.start = start,
                                      .end = start + section.size,
                                      .writable = section.flags & SHF_WRITE,
                                      .per_thread = section.flags & SHF_TLS,
                                      .zeroed = section.kind == SHT_NOBITS};
        if (section.name < names.size)
            loupe_memory_read_string(image->file, names.offset + section.name, found.name,
                                     sizeof(found.name), NULL);
        if (!visit(ctx, &found))
            return true;
    }
    return true;
}

/* ".debug_line", or ".zdebug_line" as it was packed once. */
static bool find_part(struct loupe_memory *file, const char *name, struct loupe_image_part *ret) {
    struct header header;
    struct section_header names, section;
    if (read_header(file, 0, &header) ||
        !read_section_header(file, &header, header.section_names, &names))
        return false;
    for (uint32_t i = 0; i < header.section_count; i++) {
        char text[LOUPE_SECTION_NAME_SIZE] = "";
        if (!read_section_header(file, &header, i, &section))
            return false;
        if (section.name >= names.size || section.kind == SHT_NOBITS ||
            loupe_memory_read_string(file, names.offset + section.name, text, sizeof(text), NULL))
            continue;
        bool is_packed = text[0] == '.' && text[1] == 'z' && strcmp(text + 2, name) == 0;
        if (!is_packed && (text[0] != '.' || strcmp(text + 1, name) != 0))
            continue;
        *ret = (struct loupe_image_part){.offset = section.offset,
                                         .size = section.size,
                                         .packed = section.flags & SHF_COMPRESSED,
                                         .packed_zlib = is_packed};
        return true;
    }
    return false;
}

const struct loupe_image_format_ops loupe_elf_ops = {
    .recognise = recognise,
    .open = open_image,
    .open_file = open_file,
    .find_table = loupe_elf_find_exports,
    .segments = visit_segments,
    .sections = visit_sections,
    .libraries = visit_libraries,
    .unwind_tables = unwind_tables,
    .find_part = find_part,
    .find_export = loupe_elf_find_export,
    .symbol = loupe_elf_symbol,
    .symbol_size = loupe_elf_symbol_size,
    .symbol_addresses = loupe_elf_symbol_addresses,
    .c_name = loupe_elf_c_name,
};

/* Mach-O: load commands, segments, sections, symbols. */
#include "image/macho/export_trie.h"
#include "image/format.h"
#include "image/macho/macho_constants.h"

#include <string.h>

/* ---- Where things stand, in the 32-bit and in the 64-bit form ---- */

struct layout {
    uint8_t word; /* bytes of an address */
    uint8_t magic;
    uint8_t header_size;
    uint32_t segment_command;
    struct {
        uint8_t size, address, memory_size, file_offset, file_size, protection, section_count;
    } segment;
    struct {
        uint8_t size, address, length, flags;
    } section;
    uint8_t symbol_size;
};

static const struct layout layout_64 = {
    .word = 8,
    .magic = 0xcf,
    .header_size = 32,
    .segment_command = LC_SEGMENT_64,
    .segment = {72, 24, 32, 40, 48, 60, 64},
    .section = {80, 32, 40, 64},
    .symbol_size = 16,
};
static const struct layout layout_32 = {
    .word = 4,
    .magic = 0xce,
    .header_size = 28,
    .segment_command = LC_SEGMENT,
    .segment = {56, 24, 28, 32, 36, 44, 48},
    .section = {68, 32, 36, 56},
    .symbol_size = 12,
};

enum { COMMANDS_SIZE_AT = 20, FLAGS_AT = 24, SMALLEST_HEADER = 28 };
enum {
    COMMAND_HEADER = 8,
    UUID_COMMAND = 24,
    LARGEST_COMMAND = 72, /* of what is read here, without the sections of a segment */
    LARGEST_SECTION = 80,
    LARGEST_SYMBOL = 16
};
enum { NAME_SIZE = 16 };

enum { MAX_COMMANDS_SIZE = 1 << 20 };

static const struct layout *layout_of(const struct loupe_image *image) {
    return image->pointer_size == layout_64.word ? &layout_64 : &layout_32;
}

static uint64_t word_at(const struct layout *layout, const uint8_t *bytes, unsigned offset) {
    return loupe_number_at(bytes, offset, layout->word);
}

static bool recognise(const uint8_t magic[4]) {
    return (magic[0] == layout_64.magic || magic[0] == layout_32.magic) &&
           memcmp(magic + 1, "\xfa\xed\xfe", 3) == 0;
}

/* ---- Load commands, in memory or in a file ---- */

struct commands {
    struct loupe_memory *memory;
    const struct layout *layout;
    loupe_addr at;
    uint32_t size;
};

struct command {
    uint32_t kind, size;
    loupe_addr at;
    uint8_t bytes[LARGEST_COMMAND]; /* zeroes behind its end */
};

/* The command at *offset, which moves behind it. False at the end, and at a size that cannot be. */
static bool next_command(const struct commands *commands, uint32_t *offset, struct command *ret) {
    memset(ret->bytes, 0, sizeof(ret->bytes));
    if (commands->size - *offset < COMMAND_HEADER ||
        loupe_memory_read(commands->memory, commands->at + *offset, ret->bytes, COMMAND_HEADER))
        return false;
    ret->kind = (uint32_t)loupe_number_at(ret->bytes, 0, 4);
    ret->size = (uint32_t)loupe_number_at(ret->bytes, 4, 4);
    ret->at = commands->at + *offset;
    if (ret->size < COMMAND_HEADER || ret->size % 4 || ret->size > commands->size - *offset)
        return false;
    size_t head = ret->size < LARGEST_COMMAND ? ret->size : LARGEST_COMMAND;
    *offset += ret->size;
    return !loupe_memory_read(commands->memory, ret->at, ret->bytes, head);
}

static enum loupe_status read_header(struct loupe_memory *memory, loupe_addr at,
                                     struct commands *ret, uint32_t *flags_ret) {
    uint8_t bytes[SMALLEST_HEADER];
    enum loupe_status status = loupe_memory_read(memory, at, bytes, sizeof(bytes));
    if (status)
        return status;
    const struct layout *layout = bytes[0] == layout_64.magic ? &layout_64 : &layout_32;
    *ret = (struct commands){.memory = memory,
                             .layout = layout,
                             .at = at + layout->header_size,
                             .size = (uint32_t)loupe_number_at(bytes, COMMANDS_SIZE_AT, 4)};
    *flags_ret = (uint32_t)loupe_number_at(bytes, FLAGS_AT, 4);
    return recognise(bytes) && ret->size <= MAX_COMMANDS_SIZE ? LOUPE_OK : LOUPE_EFAULT;
}

static struct commands commands_of(const struct loupe_image *image) {
    return (struct commands){.memory = image->memory,
                             .layout = layout_of(image),
                             .at = image->headers,
                             .size = image->headers_size};
}

/* ---- Segments ---- */

/* False when the command is no segment's. Addresses are those of the file. */
static bool read_segment(const struct layout *layout, const struct command *command,
                         struct loupe_segment *ret) {
    if (command->kind != layout->segment_command || command->size < layout->segment.size)
        return false;
    const uint8_t *bytes = command->bytes;
    uint32_t protection = (uint32_t)loupe_number_at(bytes, layout->segment.protection, 4);
    *ret =
        (struct loupe_segment){.start = word_at(layout, bytes, layout->segment.address),
                               .file_offset = word_at(layout, bytes, layout->segment.file_offset),
                               .file_size = word_at(layout, bytes, layout->segment.file_size),
                               .readable = protection & VM_PROT_READ,
                               .writable = protection & VM_PROT_WRITE,
                               .executable = protection & VM_PROT_EXECUTE};
    ret->end = ret->start + word_at(layout, bytes, layout->segment.memory_size);
    memcpy(ret->name, bytes + COMMAND_HEADER, NAME_SIZE);
    return ret->end >= ret->start;
}

static bool visit_segments(const struct loupe_image *image, loupe_segment_visitor visit,
                           void *ctx) {
    struct commands commands = commands_of(image);
    struct command command;
    uint32_t offset = 0;
    while (next_command(&commands, &offset, &command)) {
        struct loupe_segment segment;
        if (!read_segment(commands.layout, &command, &segment))
            continue;
        segment.start += image->bias;
        segment.end += image->bias;
        if (segment.end > segment.start && !visit(ctx, &segment))
            return true;
    }
    return offset == commands.size;
}

/* ---- Sections ---- */

/* "__DATA,__data": the names of the segment and of the section, which need not end in a NUL. */
static void join_names(const uint8_t *bytes, char dst[LOUPE_SECTION_NAME_SIZE]) {
    const char *section = (const char *)bytes, *segment = section + NAME_SIZE;
    const char *segment_end = memchr(segment, '\0', NAME_SIZE);
    const char *section_end = memchr(section, '\0', NAME_SIZE);
    loupe_format(dst, LOUPE_SECTION_NAME_SIZE, "%.*s,%.*s",
                 segment_end ? (int)(segment_end - segment) : NAME_SIZE, segment,
                 section_end ? (int)(section_end - section) : NAME_SIZE, section);
}

/* False: visit wants no more. */
static bool visit_section(const struct loupe_image *image, const uint8_t *bytes, bool writable,
                          loupe_section_visitor visit, void *ctx) {
    const struct layout *layout = layout_of(image);
    unsigned kind = bytes[layout->section.flags] & SECTION_TYPE;
    loupe_addr start = word_at(layout, bytes, layout->section.address) + image->bias;
    uint64_t size = word_at(layout, bytes, layout->section.length);
    if (start + size < start ||
        (kind >= S_THREAD_LOCAL_REGULAR && kind <= S_THREAD_LOCAL_INIT_FUNCTION_POINTERS))
        return true;
    struct loupe_section section = {.start = start,
                                    .end = start + size,
                                    .writable = writable,
                                    .zeroed = kind == S_ZEROFILL || kind == S_GB_ZEROFILL};
    if (kind == S_SYMBOL_STUBS) {
        section.first_stub = (uint32_t)loupe_number_at(bytes, layout->section.flags + 4, 4);
        section.stub_size = (uint32_t)loupe_number_at(bytes, layout->section.flags + 8, 4);
    }
    join_names(bytes, section.name);
    return visit(ctx, &section);
}

/* The sections of one segment. *more_ret: visit wants more. False when they do not fit in. */
static bool visit_segment_sections(const struct loupe_image *image, const struct command *command,
                                   bool writable, loupe_section_visitor visit, void *ctx,
                                   bool *more_ret) {
    const struct layout *layout = layout_of(image);
    uint64_t room = (command->size - layout->segment.size) / layout->section.size;
    uint64_t count = loupe_number_at(command->bytes, layout->segment.section_count, 4);
    for (uint64_t i = 0; i < count && i < room && *more_ret; i++) {
        uint8_t bytes[LARGEST_SECTION];
        loupe_addr at = command->at + layout->segment.size + i * layout->section.size;
        if (loupe_memory_read(image->memory, at, bytes, layout->section.size))
            return false;
        *more_ret = visit_section(image, bytes, writable, visit, ctx);
    }
    return count <= room;
}

static bool visit_sections(const struct loupe_image *image, loupe_section_visitor visit,
                           void *ctx) {
    struct commands commands = commands_of(image);
    struct command command;
    uint32_t offset = 0;
    bool more = true;
    while (more && next_command(&commands, &offset, &command)) {
        struct loupe_segment segment;
        if (read_segment(commands.layout, &command, &segment) &&
            !visit_segment_sections(image, &command, segment.writable, visit, ctx, &more))
            return false;
    }
    return !more || offset == commands.size;
}

static bool note_unwind_section(void *ctx, const struct loupe_section *section) {
    struct loupe_unwind_tables *tables = ctx;
    struct loupe_range range = {.start = section->start, .end = section->end};
    if (strcmp(section->name, "__TEXT,__unwind_info") == 0)
        tables->compact = range;
    else if (strcmp(section->name, "__TEXT,__eh_frame") == 0)
        tables->frames = range;
    return true;
}

static void unwind_tables(const struct loupe_image *image, struct loupe_unwind_tables *tables) {
    tables->functions = image->function_starts;
    visit_sections(image, note_unwind_section, tables);
}

/* ---- Libraries ---- */

/* "__debug_line" of the segment __DWARF, in the file that dsymutil makes. */
static bool find_part(struct loupe_memory *file, const char *name, struct loupe_image_part *ret) {
    struct commands commands;
    struct command command;
    uint32_t flags, offset = 0;
    if (read_header(file, 0, &commands, &flags))
        return false;
    const struct layout *layout = commands.layout;
    while (next_command(&commands, &offset, &command)) {
        if (command.kind != layout->segment_command)
            continue;
        uint64_t at = layout->segment.size;
        for (; at + layout->section.size <= command.size; at += layout->section.size) {
            uint8_t bytes[LARGEST_SECTION];
            if (loupe_memory_read(file, command.at + at, bytes, layout->section.size))
                return false;
            if (memcmp(bytes, "__", 2) != 0 ||
                strncmp((const char *)bytes + 2, name, NAME_SIZE - 2) != 0)
                continue;
            *ret = (struct loupe_image_part){
                .offset = loupe_number_at(bytes, layout->section.length + layout->word, 4),
                .size = word_at(layout, bytes, layout->section.length)};
            return true;
        }
    }
    return false;
}

static bool visit_libraries(const struct loupe_image *image, loupe_library_visitor visit,
                            void *ctx) {
    struct commands commands = commands_of(image);
    struct command command;
    uint32_t offset = 0;
    while (next_command(&commands, &offset, &command)) {
        char name[LOUPE_LIBRARY_NAME_SIZE];
        uint32_t at = (uint32_t)loupe_number_at(command.bytes, COMMAND_HEADER, 4);
        if (command.kind != LC_LOAD_DYLIB && command.kind != LC_LOAD_WEAK_DYLIB &&
            command.kind != LC_REEXPORT_DYLIB)
            continue;
        size_t room = at < command.size ? command.size - at : 0;
        if (!room)
            return false;
        enum loupe_status status = loupe_memory_read_string(
            image->memory, command.at + at, name, room < sizeof(name) ? room : sizeof(name), NULL);
        if (status && status != LOUPE_ELIMIT)
            return false;
        if (!visit(ctx, name))
            return true;
    }
    return offset == commands.size;
}

/* ---- What the commands say of the image ---- */

/* Segments and tables, as the file has them. */
struct contents {
    bool has_text;
    uint64_t text, text_end, end;
    struct loupe_segment linkedit;
    struct {
        uint64_t symbols, symbol_count, strings, strings_size, trie, trie_size, functions,
            functions_size, stub_symbols, stub_count;
    } at; /* offsets in the file */
    struct loupe_image_id id;
};

static void note_segment(const struct loupe_segment *segment, struct contents *contents) {
    if (strncmp(segment->name, "__LINKEDIT", NAME_SIZE) == 0) {
        contents->linkedit = *segment;
        return;
    }
    if (strncmp(segment->name, "__TEXT", NAME_SIZE) == 0) {
        contents->has_text = true;
        contents->text = segment->start;
        contents->text_end = segment->end;
    }
    if (segment->end > contents->end)
        contents->end = segment->end;
}

static void note_command(const struct command *command, struct contents *contents) {
    const uint8_t *bytes = command->bytes;
    switch (command->kind) {
    case LC_SYMTAB:
        contents->at.symbols = loupe_number_at(bytes, 8, 4);
        contents->at.symbol_count = loupe_number_at(bytes, 12, 4);
        contents->at.strings = loupe_number_at(bytes, 16, 4);
        contents->at.strings_size = loupe_number_at(bytes, 20, 4);
        break;
    case LC_DYLD_INFO:
    case LC_DYLD_INFO_ONLY:
        contents->at.trie = loupe_number_at(bytes, 40, 4);
        contents->at.trie_size = loupe_number_at(bytes, 44, 4);
        break;
    case LC_DYLD_EXPORTS_TRIE:
        contents->at.trie = loupe_number_at(bytes, 8, 4);
        contents->at.trie_size = loupe_number_at(bytes, 12, 4);
        break;
    case LC_DYSYMTAB:
        contents->at.stub_symbols = loupe_number_at(bytes, 56, 4);
        contents->at.stub_count = loupe_number_at(bytes, 60, 4);
        break;
    case LC_FUNCTION_STARTS:
        contents->at.functions = loupe_number_at(bytes, 8, 4);
        contents->at.functions_size = loupe_number_at(bytes, 12, 4);
        break;
    case LC_UUID:
        if (command->size < UUID_COMMAND)
            break;
        memcpy(contents->id.bytes, bytes + COMMAND_HEADER, 16);
        contents->id.length = 16;
        break;
    default:
        break;
    }
}

static void read_contents(const struct commands *commands, struct contents *ret) {
    struct command command;
    struct loupe_segment segment;
    uint32_t offset = 0;
    *ret = (struct contents){.has_text = false};
    while (next_command(commands, &offset, &command)) {
        if (read_segment(commands->layout, &command, &segment))
            note_segment(&segment, ret);
        else
            note_command(&command, ret);
    }
}

/* Whether the loaded link-edit segment holds a stretch of the file as a whole. */
static bool is_loaded(const struct contents *contents, uint64_t offset, uint64_t size) {
    return loupe_range_holds(contents->linkedit.file_offset, contents->linkedit.file_size, offset,
                             size);
}

/* The tables in the file, if base is 0, or as the link-edit segment has them. */
static void take_symbols(struct loupe_image *image, struct loupe_memory *memory, loupe_addr base,
                         const struct contents *contents) {
    struct loupe_symbol_table table = {.memory = memory,
                                       .symbols = base + contents->at.symbols,
                                       .strings = base + contents->at.strings,
                                       .strings_size = contents->at.strings_size,
                                       .count = (uint32_t)contents->at.symbol_count};
    loupe_image_take_table(image, table, layout_of(image)->symbol_size);
}

static void place_tables(struct loupe_image *image, const struct contents *contents) {
    loupe_addr base = contents->linkedit.start + image->bias - contents->linkedit.file_offset;
    uint64_t symbols_size = contents->at.symbol_count * layout_of(image)->symbol_size;
    if (is_loaded(contents, contents->at.symbols, symbols_size) &&
        is_loaded(contents, contents->at.strings, contents->at.strings_size))
        take_symbols(image, image->memory, base, contents);
    if (contents->at.trie_size && is_loaded(contents, contents->at.trie, contents->at.trie_size)) {
        image->exports.hash = base + contents->at.trie;
        image->exports.hash_size = contents->at.trie_size;
    }
    if (is_loaded(contents, contents->at.stub_symbols, contents->at.stub_count * 4)) {
        image->stub_symbols.start = base + contents->at.stub_symbols;
        image->stub_symbols.end = image->stub_symbols.start + contents->at.stub_count * 4;
    }
    if (is_loaded(contents, contents->at.functions, contents->at.functions_size))
        image->function_starts = (struct loupe_range){.start = base + contents->at.functions,
                                                      .end = base + contents->at.functions +
                                                             contents->at.functions_size};
}

static enum loupe_status open_image(struct loupe_memory *memory, loupe_addr start,
                                    struct loupe_image *ret) {
    struct commands commands;
    struct contents contents;
    uint32_t flags;
    enum loupe_status status = read_header(memory, start, &commands, &flags);
    if (status)
        return status;
    read_contents(&commands, &contents);
    struct loupe_image image = {.memory = memory,
                                .format = LOUPE_IMAGE_MACHO,
                                .pointer_size = commands.layout->word,
                                .in_shared_cache = flags & MH_DYLIB_IN_CACHE,
                                .start = start,
                                .bias = start - contents.text,
                                .id = contents.id,
                                .headers = commands.at,
                                .headers_size = commands.size};
    image.end = (image.in_shared_cache ? contents.text_end : contents.end) + image.bias;
    if (!contents.has_text || image.end <= start)
        return LOUPE_EFAULT;
    if (contents.linkedit.file_size)
        place_tables(&image, &contents);
    *ret = image;
    return LOUPE_OK;
}

static enum loupe_status open_file(struct loupe_image *image, struct loupe_memory *file) {
    struct commands commands;
    struct contents contents;
    uint32_t flags;
    enum loupe_status status = read_header(file, 0, &commands, &flags);
    if (status)
        return status;
    read_contents(&commands, &contents);
    if (commands.layout->word != image->pointer_size ||
        (contents.id.length && image->id.length &&
         memcmp(contents.id.bytes, image->id.bytes, sizeof(image->id.bytes)) != 0))
        return LOUPE_EFAULT;
    image->file = file;
    take_symbols(image, file, 0, &contents);
    return LOUPE_OK;
}

/* ---- Exported symbols and functions ---- */

static bool function_start(const struct loupe_image *image, loupe_addr addr, loupe_addr *ret) {
    return loupe_function_starts_find(image->memory, image->function_starts, image->start, addr,
                                      ret);
}

static enum loupe_status find_export(const struct loupe_image *image, const char *name,
                                     loupe_addr *ret) {
    char linker_name[LOUPE_SYMBOL_NAME_SIZE];
    struct loupe_range trie = {.start = image->exports.hash,
                               .end = image->exports.hash + image->exports.hash_size};
    uint64_t offset;
    if (!image->exports.hash || strlen(name) + 2 > sizeof(linker_name))
        return LOUPE_EFAULT;
    loupe_format(linker_name, sizeof(linker_name), "_%s", name);
    if (!loupe_export_trie_find(image->memory, trie, linker_name, &offset))
        return LOUPE_EFAULT;
    *ret = image->start + offset;
    return LOUPE_OK;
}

/* ---- All symbols ---- */

static bool decode_symbol(const struct loupe_image *image, const uint8_t *bytes,
                          struct loupe_symbol *ret) {
    const struct layout *layout = layout_of(image);
    const struct loupe_symbol_table *table = &image->table;
    if (bytes[4] & N_STAB)
        return false;
    unsigned kind = bytes[4] & N_TYPE;
    uint64_t value = word_at(layout, bytes, 8);
    if (kind != N_SECT && (kind != N_UNDF || value)) /* with a value it is a common one */
        return false;
    bool imported = kind == N_UNDF;
    *ret = (struct loupe_symbol){.address = imported ? 0 : value + image->bias,
                                 .name = table->strings + loupe_number_at(bytes, 0, 4),
                                 .imported = imported};
    return true;
}

static uint8_t symbol_size(const struct loupe_image *image) {
    return layout_of(image)->symbol_size;
}

static bool symbol_of(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret) {
    uint8_t bounce[LARGEST_SYMBOL];
    unsigned size = symbol_size(image);
    const uint8_t *bytes = loupe_memory_view(
        image->table.memory, image->table.symbols + (uint64_t)number * size, size, bounce);
    return bytes && decode_symbol(image, bytes, ret);
}

static void symbol_addresses(const struct loupe_image *image, const uint8_t *symbols,
                             uint32_t count, loupe_addr *ret) {
    unsigned size = symbol_size(image);
    for (uint32_t i = 0; i < count; i++) {
        struct loupe_symbol symbol;
        bool is_placed =
            decode_symbol(image, symbols + (size_t)i * size, &symbol) && !symbol.imported;
        ret[i] = is_placed ? symbol.address : LOUPE_NO_ADDRESS;
    }
}

static struct loupe_span c_name(struct loupe_span name) {
    if (name.length && *name.bytes == '_') {
        name.bytes++;
        name.length--;
    }
    return name;
}

const struct loupe_image_format_ops loupe_macho_ops = {
    .recognise = recognise,
    .open = open_image,
    .open_file = open_file,
    .segments = visit_segments,
    .sections = visit_sections,
    .libraries = visit_libraries,
    .unwind_tables = unwind_tables,
    .find_part = find_part,
    .function_start = function_start,
    .find_export = find_export,
    .symbol = symbol_of,
    .symbol_size = symbol_size,
    .symbol_addresses = symbol_addresses,
    .c_name = c_name,
};

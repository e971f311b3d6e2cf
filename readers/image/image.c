#include "image/image.h"

#include "image/format.h"

#include <string.h>

/* By enum loupe_image_format. */
static const struct loupe_image_format_ops *const formats[] = {
    [LOUPE_IMAGE_ELF] = &loupe_elf_ops,
    [LOUPE_IMAGE_MACHO] = &loupe_macho_ops,
};

static const struct loupe_image_format_ops *ops_of(const struct loupe_image *image) {
    return formats[image->format];
}

enum loupe_status loupe_image_open(struct loupe_memory *memory, loupe_addr start,
                                   struct loupe_image *ret) {
    uint8_t magic[4];
    enum loupe_status status = loupe_memory_read(memory, start, magic, sizeof(magic));
    if (status)
        return status;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (formats[i]->recognise(magic))
            return formats[i]->open(memory, start, ret);
    return LOUPE_EFAULT;
}

enum loupe_status loupe_image_open_file(struct loupe_image *image, struct loupe_memory *file) {
    return ops_of(image)->open_file(image, file);
}

void loupe_image_id_text(const struct loupe_image_id *id, char ret[LOUPE_IMAGE_ID_TEXT]) {
    static const char digits[] = "0123456789abcdef";
    for (unsigned i = 0; i < id->length; i++) {
        ret[2 * i] = digits[id->bytes[i] >> 4];
        ret[2 * i + 1] = digits[id->bytes[i] & 15];
    }
    ret[2 * id->length] = 0;
}

void loupe_image_find_table(struct loupe_image *image) {
    if (!image->table.memory && ops_of(image)->find_table)
        ops_of(image)->find_table(image);
}

static bool is_readable(struct loupe_memory *memory, loupe_addr start, uint64_t size) {
    uint8_t byte;
    return size && start + size > start && !loupe_memory_read(memory, start, &byte, 1) &&
           !loupe_memory_read(memory, start + size - 1, &byte, 1);
}

void loupe_image_take_table(struct loupe_image *image, struct loupe_symbol_table table,
                            uint32_t symbol_size) {
    if (is_readable(table.memory, table.symbols, (uint64_t)table.count * symbol_size) &&
        is_readable(table.memory, table.strings, table.strings_size))
        image->table = table;
}

bool loupe_image_segments(const struct loupe_image *image, loupe_segment_visitor visit, void *ctx) {
    return ops_of(image)->segments(image, visit, ctx);
}

bool loupe_image_sections(const struct loupe_image *image, loupe_section_visitor visit, void *ctx) {
    return ops_of(image)->sections(image, visit, ctx);
}

bool loupe_image_libraries(const struct loupe_image *image, loupe_library_visitor visit,
                           void *ctx) {
    return ops_of(image)->libraries(image, visit, ctx);
}

struct loupe_unwind_tables loupe_image_unwind_tables(const struct loupe_image *image) {
    struct loupe_unwind_tables tables = {.code = {.start = image->start, .end = image->end}};
    ops_of(image)->unwind_tables(image, &tables);
    return tables;
}

bool loupe_image_find_part(struct loupe_memory *file, const char *name,
                           struct loupe_image_part *ret) {
    uint8_t magic[4];
    if (loupe_memory_read(file, 0, magic, sizeof(magic)))
        return false;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (formats[i]->recognise(magic))
            return formats[i]->find_part(file, name, ret);
    return false;
}

bool loupe_image_function_start(const struct loupe_image *image, loupe_addr addr, loupe_addr *ret) {
    return ops_of(image)->function_start && ops_of(image)->function_start(image, addr, ret);
}

enum loupe_status loupe_image_find_export(const struct loupe_image *image, const char *name,
                                          loupe_addr *ret) {
    return ops_of(image)->find_export(image, name, ret);
}

bool loupe_image_symbol(const struct loupe_image *image, uint32_t number,
                        struct loupe_symbol *ret) {
    return number < image->table.count && ops_of(image)->symbol(image, number, ret);
}

void loupe_image_symbol_addresses(const struct loupe_image *image, uint32_t first, uint32_t count,
                                  loupe_addr *ret) {
    enum { AT_ONCE = 64, LARGEST_SYMBOL = 24 };
    const struct loupe_symbol_table *table = &image->table;
    unsigned size = ops_of(image)->symbol_size(image);
    for (uint32_t done = 0, some; done < count; done += some) {
        uint8_t bounce[AT_ONCE * LARGEST_SYMBOL];
        some = count - done < AT_ONCE ? count - done : AT_ONCE;
        loupe_addr at = table->symbols + (uint64_t)(first + done) * size;
        const uint8_t *symbols = loupe_memory_view(table->memory, at, some * size, bounce);
        if (symbols) {
            ops_of(image)->symbol_addresses(image, symbols, some, ret + done);
            continue;
        }
        for (uint32_t i = done; i < done + some; i++) { /* as many as can be read */
            struct loupe_symbol symbol;
            bool is_placed = loupe_image_symbol(image, first + i, &symbol) && !symbol.imported;
            ret[i] = is_placed ? symbol.address : LOUPE_NO_ADDRESS;
        }
    }
}

bool loupe_image_symbol_name(const struct loupe_image *image, const struct loupe_symbol *symbol,
                             char bounce[LOUPE_SYMBOL_NAME_SIZE], struct loupe_span *ret) {
    const struct loupe_symbol_table *table = &image->table;
    if (symbol->name < table->strings || symbol->name - table->strings >= table->strings_size)
        return false;
    uint64_t left = table->strings_size - (symbol->name - table->strings);
    size_t length = left < LOUPE_SYMBOL_NAME_SIZE ? (size_t)left : LOUPE_SYMBOL_NAME_SIZE;
    const char *bytes =
        (const char *)loupe_memory_view(table->memory, symbol->name, length, bounce);
    const char *end = bytes ? memchr(bytes, '\0', length) : NULL;
    /* A name that is cut is one all the same; one that leaves the table is none. */
    if (!bytes || (!end && left <= LOUPE_SYMBOL_NAME_SIZE))
        return false;
    *ret = ops_of(image)->c_name(
        (struct loupe_span){.bytes = bytes, .length = end ? (size_t)(end - bytes) : length});
    return ret->length > 0;
}

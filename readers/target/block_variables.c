/* What the variables are called that blocks capture, by the debug information of their images. */
#include "image/block_variables.h"

#include "target/parts.h"

struct moved {
    loupe_block_variable_visitor *visit;
    void *ctx;
    loupe_addr bias;
};

static void visit_moved(void *ctx, uint64_t function, uint32_t offset, struct loupe_span name) {
    const struct moved *moved = ctx;
    moved->visit(moved->ctx, function + moved->bias, offset, name);
}

static void find_sections(struct loupe_reader *reader, struct loupe_reader_file *file,
                          struct loupe_dwarf_sections *ret) {
    *ret = (struct loupe_dwarf_sections){
        .info = loupe_reader_section(reader, file, "debug_info"),
        .abbreviations = loupe_reader_section(reader, file, "debug_abbrev"),
        .strings = loupe_reader_section(reader, file, "debug_str"),
        .line_strings = loupe_reader_section(reader, file, "debug_line_str"),
        .string_offsets = loupe_reader_section(reader, file, "debug_str_offsets"),
        .addresses = loupe_reader_section(reader, file, "debug_addr")};
    if (!ret->string_offsets.length) /* Mach-O's names have 16 bytes */
        ret->string_offsets = loupe_reader_section(reader, file, "debug_str_offs");
}

enum loupe_status loupe_reader_visit_block_variables(struct loupe_reader *reader,
                                                     loupe_addr function,
                                                     loupe_block_variable_visitor *visit,
                                                     void *ctx) {
    struct loupe_reader_image *loaded = loupe_reader_image(reader, function);
    if (!loaded || loaded->has_block_variables)
        return LOUPE_OK;
    loaded->has_block_variables = true;
    loupe_reader_find_symbols(reader, loaded);
    struct loupe_reader_file *files[] = {loaded->file, loaded->debug_file};
    struct moved moved = {.visit = visit, .ctx = ctx, .bias = loaded->image.bias};
    for (unsigned i = 0; i < 2; i++) {
        struct loupe_dwarf_sections sections;
        if (!files[i])
            continue;
        find_sections(reader, files[i], &sections);
        if (sections.info.length)
            return loupe_block_variables_visit(&sections, reader->options.chunks, visit_moved,
                                               &moved);
    }
    return LOUPE_OK;
}

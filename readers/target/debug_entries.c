/* What the variables are called that blocks and closures capture and the members of classes of C++,
 * and where ivars are declared, by the debug information of images. */
#include "image/dwarf/block_variables.h"
#include "image/dwarf/closure_parameters.h"

#include "target/parts.h"

enum { LONGEST_PATH = 4096 };
enum { ELF_CLASS = 4, ELF_OF_32_BIT = 1 }; /* a byte of ELF's header */

struct moved {
    loupe_block_variable_visitor *visit;
    void *ctx;
    loupe_addr bias;
};

static void visit_moved(void *ctx, uint64_t function, uint32_t offset, struct loupe_span name) {
    const struct moved *moved = ctx;
    moved->visit(moved->ctx, function + moved->bias, offset, name);
}

static void take_sections(struct loupe_reader *reader, struct loupe_reader_file *file,
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

/* Those of the first of its two files that has some; NULL: none has. */
static struct loupe_reader_file *find_sections(struct loupe_reader *reader,
                                               struct loupe_reader_image *loaded,
                                               struct loupe_dwarf_sections *ret) {
    loupe_reader_find_symbols(reader, loaded);
    struct loupe_reader_file *files[] = {loaded->file, loaded->debug_file};
    for (unsigned i = 0; i < 2; i++) {
        if (!files[i])
            continue;
        take_sections(reader, files[i], ret);
        if (ret->info.length)
            return files[i];
    }
    return NULL;
}

enum loupe_status loupe_reader_visit_block_variables(struct loupe_reader *reader,
                                                     loupe_addr function,
                                                     loupe_block_variable_visitor *visit,
                                                     void *ctx) {
    struct loupe_reader_image *loaded = loupe_reader_image(reader, function);
    struct loupe_dwarf_sections sections;
    if (!loaded || loaded->has_block_variables)
        return LOUPE_OK;
    loaded->has_block_variables = true;
    struct moved moved = {.visit = visit, .ctx = ctx, .bias = loaded->image.bias};
    return find_sections(reader, loaded, &sections)
               ? loupe_block_variables_visit(&sections, reader->options.chunks, visit_moved, &moved)
               : LOUPE_OK;
}

/* ---- Closures of Swift ---- */

struct moved_parameters {
    loupe_closure_parameters_visitor *visit;
    void *ctx;
    loupe_addr bias;
};

static void visit_moved_parameters(void *ctx, uint64_t function, const struct loupe_span *names,
                                   uint32_t count) {
    const struct moved_parameters *moved = ctx;
    moved->visit(moved->ctx, function + moved->bias, names, count);
}

enum loupe_status loupe_reader_visit_closure_parameters(struct loupe_reader *reader,
                                                        loupe_addr function,
                                                        loupe_closure_parameters_visitor *visit,
                                                        void *ctx) {
    struct loupe_reader_image *loaded = loupe_reader_image(reader, function);
    struct loupe_dwarf_sections sections;
    if (!loaded || loaded->has_closure_parameters)
        return LOUPE_OK;
    loaded->has_closure_parameters = true;
    struct moved_parameters moved = {.visit = visit, .ctx = ctx, .bias = loaded->image.bias};
    return find_sections(reader, loaded, &sections)
               ? loupe_closure_parameters_visit(&sections, reader->options.chunks,
                                                visit_moved_parameters, &moved)
               : LOUPE_OK;
}

/* ---- Members of classes of C++ ---- */

enum loupe_status loupe_reader_visit_class_members(struct loupe_reader *reader,
                                                   const struct loupe_wanted_classes *wanted,
                                                   loupe_class_member_visitor *visit, void *ctx,
                                                   struct loupe_members_missing *missing_ret) {
    enum loupe_status status = LOUPE_OK;
    *missing_ret = (struct loupe_members_missing){.units = 0};
    for (uint32_t i = 0; !status && i < reader->images.count; i++) {
        struct loupe_dwarf_sections sections;
        if (find_sections(reader, loupe_reader_image_at(reader, i), &sections))
            status = loupe_class_members_visit(&sections, wanted, reader->options.chunks, visit,
                                               ctx, missing_ret);
    }
    return status;
}

/* ---- Ivars ---- */

/* file: NULL, or the one of these sections. */
static enum loupe_status read_ivar_lines(struct loupe_reader *reader,
                                         struct loupe_reader_file *file,
                                         const struct loupe_dwarf_sections *sections,
                                         struct loupe_ivar_lines *ret) {
    struct loupe_line_sections lines = {.lines = {.bytes = ""}};
    if (file)
        lines =
            (struct loupe_line_sections){.lines = loupe_reader_section(reader, file, "debug_line"),
                                         .line_strings = sections->line_strings,
                                         .strings = sections->strings};
    return loupe_ivar_lines_init(ret, sections, &lines, reader->options.chunks);
}

/* Without memory for them nothing is told of their lines. */
static void find_ivar_lines(struct loupe_reader *reader, struct loupe_reader_image *loaded) {
    struct loupe_dwarf_sections sections = {.info = {.bytes = ""}};
    struct loupe_reader_file *file = find_sections(reader, loaded, &sections);
    loaded->has_ivar_lines = !read_ivar_lines(reader, file, &sections, &loaded->ivar_lines);
}

bool loupe_reader_ivar_line(struct loupe_reader *reader, struct loupe_span class_name,
                            struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret) {
    for (uint32_t i = 0; i < reader->images.count; i++) {
        struct loupe_reader_image *loaded = loupe_reader_image_at(reader, i);
        if (!loaded->has_ivar_lines)
            find_ivar_lines(reader, loaded);
        if (loaded->has_ivar_lines &&
            loupe_ivar_lines_find(&loaded->ivar_lines, class_name, ivar, path, cap, line_ret))
            return true;
    }
    return false;
}

/* ---- Files without a target ---- */

static void visit_all(struct loupe_ivar_lines *lines, loupe_ivar_line_visitor *visit, void *ctx,
                      uint32_t *count_ret) {
    char path[LONGEST_PATH];
    struct loupe_ivar_line ivar = {.path = path};
    for (uint32_t i = 0; i < lines->ivars.count; i++) {
        loupe_ivar_lines_name(lines, i, &ivar.class_name, &ivar.name);
        if (!loupe_ivar_lines_find(lines, ivar.class_name, ivar.name, path, sizeof(path),
                                   &ivar.line))
            continue;
        visit(ctx, &ivar);
        ++*count_ret;
    }
}

enum loupe_status loupe_file_visit_ivar_lines(const char *path,
                                              const struct loupe_chunk_ops *chunks,
                                              loupe_ivar_line_visitor *visit, void *ctx,
                                              uint32_t *count_ret) {
    struct loupe_reader_options options = {.chunks = chunks};
    struct loupe_reader *reader = loupe_reader_new(&options);
    struct loupe_dwarf_sections sections = {.info = {.bytes = ""}};
    struct loupe_ivar_lines lines;
    *count_ret = 0;
    if (!reader)
        return LOUPE_ENOMEM;
    struct loupe_reader_file *file = loupe_reader_open_path(reader, path);
    if (file &&
        file->size > ELF_CLASS) /* for the headers of packed sections, which ELF alone has */
        reader->machine.pointer_size = file->bytes[ELF_CLASS] == ELF_OF_32_BIT ? 4 : 8;
    if (file)
        take_sections(reader, file, &sections);
    enum loupe_status status = read_ivar_lines(reader, file, &sections, &lines);
    if (!status) {
        visit_all(&lines, visit, ctx, count_ret);
        loupe_ivar_lines_deinit(&lines);
    }
    loupe_reader_close(reader);
    return status;
}

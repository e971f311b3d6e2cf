/* Where debug information stands that was split from an image's file. */
#include "target/parts.h"

#include <string.h>

enum { MAX_PATH = 4096 };

static const char debug_folder[] = "/usr/lib/debug";

/* ---- By build id: /usr/lib/debug/.build-id/12/3456.debug ---- */

static struct loupe_reader_file *open_by_id(struct loupe_reader *reader,
                                            const struct loupe_image *image) {
    char path[MAX_PATH], id[LOUPE_IMAGE_ID_TEXT];
    if (image->id.length < 2 || image->id.is_cut)
        return NULL;
    loupe_image_id_text(&image->id, id);
    loupe_format(path, sizeof(path), "%s/.build-id/%.*s/%s.debug", debug_folder, 2, id, id + 2);
    return loupe_reader_open_file(reader, path);
}

/* ---- By the name and the checksum in .gnu_debuglink ---- */

static uint32_t checksum(const uint8_t *bytes, uint64_t size) {
    uint32_t table[256], sum = ~UINT32_C(0);
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320 : table[i] >> 1;
    }
    for (uint64_t i = 0; i < size; i++)
        sum = sum >> 8 ^ table[(sum ^ bytes[i]) & 0xff];
    return ~sum;
}

struct link {
    char name[256];
    uint32_t checksum;
};

static bool read_link(struct loupe_reader_file *file, struct link *ret) {
    struct loupe_image_part part;
    if (!loupe_image_find_part(&file->memory, "gnu_debuglink", &part) ||
        loupe_memory_read_string(&file->memory, part.offset, ret->name, sizeof(ret->name), NULL) ||
        !*ret->name || strchr(ret->name, '/'))
        return false;
    uint64_t at = (strlen(ret->name) + 1 + 3) / 4 * 4;
    return part.size >= at + 4 &&
           !loupe_memory_read_u32(&file->memory, part.offset + at, &ret->checksum);
}

/* Beside the file, in .debug there, and below the folder for such files. */
static struct loupe_reader_file *open_by_link(struct loupe_reader *reader,
                                              const struct loupe_reader_image *loaded) {
    static const char *const patterns[][2] = {{"", ""}, {"", ".debug/"}, {debug_folder, ""}};
    char path[MAX_PATH];
    struct link link;
    const char *end = strrchr(loaded->path, '/');
    if (!end || !read_link(loaded->file, &link))
        return NULL;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        loupe_format(path, sizeof(path), "%s%.*s%s%s", patterns[i][0],
                     (int)(end + 1 - loaded->path), loaded->path, patterns[i][1], link.name);
        struct loupe_reader_file *file = loupe_reader_open_file(reader, path);
        if (file && file != loaded->file && checksum(file->bytes, file->size) == link.checksum)
            return file;
    }
    return NULL;
}

/* ---- From elsewhere ---- */

struct loupe_reader_file *loupe_reader_fetch(struct loupe_reader *reader,
                                             const struct loupe_reader_image *loaded,
                                             bool debug_file) {
    char path[MAX_PATH];
    const struct loupe_image_id *id = &loaded->image.id;
    if (!reader->options.fetch || loaded->image.format != LOUPE_IMAGE_ELF || id->length < 2 ||
        id->is_cut || strcmp(loaded->path, LOUPE_KERNEL_IMAGE) == 0 ||
        !reader->options.fetch(reader->options.fetch_ctx, id, debug_file, path, sizeof(path)))
        return NULL;
    struct loupe_reader_file *file = loupe_reader_open_path(reader, path);
    return file && loupe_image_file_has_id(&file->memory, id) ? file : NULL;
}

static bool has_lines(const struct loupe_reader_image *loaded) {
    struct loupe_image_part part;
    return loaded->file && loupe_image_find_part(&loaded->file->memory, "debug_line", &part);
}

void loupe_reader_find_debug_file(struct loupe_reader *reader, struct loupe_reader_image *loaded) {
    struct loupe_reader_file *found = open_by_id(reader, &loaded->image);
    struct loupe_image as_that = loaded->image;
    if (!found && loaded->file)
        found = open_by_link(reader, loaded);
    if (!found && !has_lines(loaded))
        found = loupe_reader_fetch(reader, loaded, true);
    if (!found || loupe_image_open_file(&as_that, &found->memory))
        return;
    loaded->debug_file = found;
    /* A stripped file has the exported symbols alone. */
    if (as_that.table.count > loaded->image.table.count)
        loaded->image.table = as_that.table;
}

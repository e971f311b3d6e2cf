/*
 * Loads the segments of an executable file as a loader would, at another address than the file
 * says, and prints what the reader of images tells of it, one fact a line.
 *
 * usage: show_image FILE [NAME|@OFFSET...]
 *     names are looked up among the exported symbols, of offsets the symbol that covers them
 */
#include "image/image.h"
#include "image/symbol_index.h"

#include "memory/drawn_heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOADED_AT UINT64_C(0x40000000)
enum { MAX_LOADED = 1 << 26 };

/* ---- The file, which ends where it ends ---- */

struct file {
    uint8_t *bytes;
    size_t size;
};

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct file *file = ctx;
    if (addr > file->size || len > file->size - addr)
        return LOUPE_EFAULT;
    memcpy(dst, file->bytes + addr, len);
    return LOUPE_OK;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct file *file = ctx;
    *ret = (struct loupe_window){.start = 0, .end = file->size, .bytes = file->bytes};
    return addr < file->size;
}

static const struct loupe_reader_ops file_ops = {.read = read_bytes, .window = open_window};

static struct file read_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        exit(2);
    }
    fseek(stream, 0, SEEK_END);
    struct file file = {.size = (size_t)ftell(stream)};
    rewind(stream);
    file.bytes = malloc(file.size + 1);
    if (!file.bytes || fread(file.bytes, 1, file.size, stream) != file.size)
        exit(2);
    fclose(stream);
    return file;
}

/* ---- What is loaded of it ---- */

struct load {
    const struct loupe_image *image; /* as if the file itself were loaded */
    const struct file *file;
    uint8_t *bytes;
};

static bool load_segment(void *ctx, const struct loupe_segment *segment) {
    struct load *load = ctx;
    uint64_t at = segment->start - load->image->start;
    if (at < MAX_LOADED && segment->file_size < MAX_LOADED - at)
        read_bytes((void *)load->file, segment->file_offset, load->bytes + at, segment->file_size);
    return true;
}

static bool show_segment(void *ctx, const struct loupe_segment *segment) {
    (void)ctx;
    printf("segment %s%s0x%" PRIx64 " 0x%" PRIx64 " %c%c%c\n", segment->name,
           *segment->name ? " " : "", segment->start - LOADED_AT, segment->end - LOADED_AT,
           segment->readable ? 'r' : '-', segment->writable ? 'w' : '-',
           segment->executable ? 'x' : '-');
    return true;
}

static void show_stub(const struct loupe_image *image, loupe_addr addr) {
    struct loupe_symbol symbol;
    struct loupe_span name;
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    if (loupe_image_stub(image, addr, &symbol) &&
        loupe_image_symbol_name(image, &symbol, bounce, &name))
        printf("stub %.*s 0x%" PRIx64 " %" PRIu64 "\n", (int)name.length, name.bytes,
               symbol.address - LOADED_AT, symbol.size);
}

static bool show_section(void *ctx, const struct loupe_section *section) {
    printf("section %s 0x%" PRIx64 " 0x%" PRIx64 " %s%s\n", section->name,
           section->start - LOADED_AT, section->end - section->start,
           section->writable ? "writable" : "constant", section->zeroed ? " zeroed" : "");
    for (loupe_addr at = section->start; section->stub_size && at < section->end;
         at += section->stub_size)
        show_stub(ctx, at + section->stub_size - 1);
    if (section->per_thread)
        printf("per-thread %s\n", section->name);
    return true;
}

static bool show_library(void *ctx, const char *name) {
    (void)ctx;
    printf("library %s\n", name);
    return true;
}

static void show_symbols(const char *kind, const struct loupe_image *image) {
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        char bounce[LOUPE_SYMBOL_NAME_SIZE];
        uint32_t content = 0;
        if (!loupe_image_symbol(image, i, &symbol) ||
            !loupe_image_symbol_name(image, &symbol, bounce, &name))
            continue;
        printf("%s %.*s ", kind, (int)name.length, name.bytes);
        if (symbol.imported)
            puts("imported");
        else if (loupe_memory_read_u32(image->memory, symbol.address, &content))
            puts("nowhere");
        else
            printf("0x%" PRIx64 " %" PRIx32 "\n", symbol.address - LOADED_AT, content);
    }
}

/* The symbol that covers a place, given as @OFFSET. */
static void show_place(const struct loupe_image *image, const char *place) {
    struct loupe_symbol_places places = {.items = NULL};
    struct loupe_symbol symbol;
    struct loupe_span name = loupe_span_of("none");
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    if (!loupe_symbol_places_sort(&places, image, &drawn_chunks) &&
        loupe_symbol_places_find(&places, image, LOADED_AT + strtoull(place + 1, NULL, 16),
                                 &symbol))
        loupe_image_symbol_name(image, &symbol, bounce, &name);
    printf("place %s %.*s\n", place, (int)name.length, name.bytes);
    loupe_symbol_places_free(&places, &drawn_chunks);
}

static int show(const struct file *file, int count, char **names) {
    struct drawn_heap heap;
    struct loupe_memory on_disk, memory;
    struct loupe_image image;
    drawn_heap_init(&heap, 8);
    loupe_memory_init(&on_disk, &file_ops, (void *)file, heap.machine, &drawn_chunks);
    if (loupe_image_open(&on_disk, 0, &image))
        return 1;
    struct load load = {
        .image = &image, .file = file, .bytes = drawn_region_add(&heap, LOADED_AT, MAX_LOADED)};
    loupe_image_segments(&image, load_segment, &load);
    drawn_memory(&heap, &memory);
    if (loupe_image_open(&memory, LOADED_AT, &image))
        return 1;
    printf("pointer %u\nid ", image.pointer_size);
    for (unsigned i = 0; i < image.id.length; i++)
        printf("%02x", image.id.bytes[i]);
    puts("");
    loupe_image_segments(&image, show_segment, NULL);
    if (!loupe_image_libraries(&image, show_library, NULL))
        puts("library broken");
    loupe_image_find_table(&image);
    show_symbols("in-memory", &image);
    if (loupe_image_open_file(&image, &on_disk))
        return 1;
    loupe_image_sections(&image, show_section, &image);
    show_symbols("in-file", &image);
    for (int i = 0; i < count; i++) {
        loupe_addr found;
        if (names[i][0] == '@') {
            show_place(&image, names[i]);
            continue;
        }
        if (loupe_image_find_export(&image, names[i], &found))
            printf("export %s none\n", names[i]);
        else
            printf("export %s 0x%" PRIx64 "\n", names[i], found - LOADED_AT);
    }
    loupe_memory_deinit(&on_disk);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
    return 0;
}

int main(int argc, char **argv) {
    struct file file = read_file(argv[1]);
    int status = show(&file, argc - 2, argv + 2);
    free(file.bytes);
    return status;
}

/*
 * Any bytes as an image in memory and as its file. The first byte says where it is loaded, the
 * second how much of the rest is the file.
 */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "image/image.h"

#include <string.h>

#define LOADED_AT UINT64_C(0x10000)

/* So many symbols of a table are looked at: a table may say that it has 2^32. */
enum { MAX_STUBS = 64, MAX_SYMBOLS = 2000 };

static bool see_segment(void *ctx, const struct loupe_segment *segment) {
    FUZZ_CHECK(segment->end > segment->start);
    FUZZ_CHECK(memchr(segment->name, '\0', sizeof(segment->name)) != NULL);
    (*(unsigned *)ctx)++;
    return true;
}

static bool see_section(void *ctx, const struct loupe_section *section) {
    FUZZ_CHECK(section->end >= section->start);
    FUZZ_CHECK(memchr(section->name, '\0', sizeof(section->name)) != NULL);
    (*(unsigned *)ctx)++;
    return true;
}

static bool see_library(void *ctx, const char *name) {
    FUZZ_CHECK(strlen(name) < LOUPE_LIBRARY_NAME_SIZE);
    (*(unsigned *)ctx)++;
    return true;
}

static void look_at(const struct loupe_image *image) {
    unsigned seen = 0;
    loupe_addr found;
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    loupe_image_segments(image, see_segment, &seen);
    loupe_image_sections(image, see_section, &seen);
    loupe_image_libraries(image, see_library, &seen);
    loupe_image_find_export(image, "exported", &found);
    loupe_image_find_export(image, "", &found);
    for (loupe_addr at = image->start; at - image->start < MAX_STUBS * 16; at += 16) {
        struct loupe_symbol stub;
        if (loupe_image_stub(image, at, &stub))
            FUZZ_CHECK(at - stub.address < stub.size);
    }
    for (uint32_t i = 0; i < image->table.count && i < MAX_SYMBOLS; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        if (loupe_image_symbol(image, i, &symbol) &&
            loupe_image_symbol_name(image, &symbol, bounce, &name))
            FUZZ_CHECK(name.length > 0 && name.length <= LOUPE_SYMBOL_NAME_SIZE);
    }
}

/* A file of that build says so, and one that says so is of no other. */
static void look_at_id(struct loupe_memory *file, struct loupe_image_id *id) {
    char text[LOUPE_IMAGE_ID_TEXT];
    loupe_image_id_text(id, text);
    FUZZ_CHECK(strlen(text) == 2u * id->length);
    bool has_it = loupe_image_file_has_id(file, id);
    id->bytes[0] ^= 1;
    FUZZ_CHECK(!id->length || !has_it || !loupe_image_file_has_id(file, id));
    id->bytes[0] ^= 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    struct fuzz_memory loaded = {
        .bytes = data + 2, .start = data[0] & 1 ? LOADED_AT : 0, .size = size - 2};
    struct fuzz_memory file = {.bytes = data + 2, .size = (size - 2) * data[1] / 255};
    struct loupe_machine machine = {.pointer_size = 8};
    struct loupe_memory memory, on_disk;
    struct loupe_image image;
    loupe_memory_init(&memory, &fuzz_memory_ops, &loaded, machine, &fuzz_chunks);
    loupe_memory_init(&on_disk, &fuzz_memory_ops, &file, machine, &fuzz_chunks);
    if (!loupe_image_open(&memory, loaded.start, &image)) {
        FUZZ_CHECK(image.end > image.start && image.id.length <= LOUPE_IMAGE_ID_SIZE);
        look_at_id(&on_disk, &image.id);
        loupe_image_find_table(&image);
        look_at(&image);
        if (!loupe_image_open_file(&image, &on_disk))
            look_at(&image);
    }
    loupe_memory_deinit(&memory);
    loupe_memory_deinit(&on_disk);
    return 0;
}

/* Symbols of the target's images, by name and by address. */
#include "target/parts.h"

#include <string.h>

/* All of its file, or of the file with its debug information; else what stands in memory. */
void loupe_reader_find_symbols(struct loupe_reader *reader, struct loupe_reader_image *loaded) {
    if (loaded->has_symbols)
        return;
    loupe_image_find_table(&loaded->image);
    loupe_reader_find_debug_file(reader, loaded);
    loupe_reader_find_mini_symbols(reader, loaded);
    loaded->has_symbols = true;
}

static enum loupe_status index_names(struct loupe_reader *reader) {
    if (reader->names.slots)
        return LOUPE_OK;
    size_t total = 0;
    for (uint32_t i = 0; i < reader->images.count; i++) {
        loupe_reader_find_symbols(reader, loupe_reader_image_at(reader, i));
        total += loupe_reader_image_at(reader, i)->image.table.count;
    }
    enum loupe_status status =
        loupe_symbol_names_init(&reader->names, total, reader->options.chunks);
    for (uint32_t i = 0; !status && i < reader->images.count; i++)
        loupe_symbol_names_add(&reader->names, &loupe_reader_image_at(reader, i)->image, i);
    return status;
}

static const struct loupe_image *image_of_number(const void *ctx, uint32_t number) {
    return &loupe_reader_image_at(ctx, number)->image;
}

enum loupe_status loupe_reader_find_symbol(struct loupe_reader *reader, const char *name,
                                           loupe_addr *ret) {
    for (uint32_t i = 0; i < reader->images.count; i++)
        if (!loupe_image_find_export(&loupe_reader_image_at(reader, i)->image, name, ret))
            return LOUPE_OK;
    enum loupe_status status = index_names(reader);
    if (status)
        return status;
    return loupe_symbol_names_find(&reader->names, name, image_of_number, reader, ret)
               ? LOUPE_OK
               : LOUPE_EFAULT;
}

/* A name as it is handed on, and how far behind its symbol the address is. */
struct named {
    char *dst;
    size_t cap;
    uint64_t *offset;
};

static enum loupe_status name_by(const struct loupe_image *image,
                                 struct loupe_symbol_places *places,
                                 const struct loupe_chunk_ops *chunks, loupe_addr addr,
                                 const struct named *ret) {
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    struct loupe_symbol symbol;
    struct loupe_span name;
    enum loupe_status status = loupe_symbol_places_sort(places, image, chunks);
    if (status || !loupe_symbol_places_find(places, image, addr, &symbol) ||
        !loupe_image_symbol_name(image, &symbol, bounce, &name))
        return status ? status : LOUPE_EFAULT;
    loupe_format(ret->dst, ret->cap, "%.*s", (int)name.length, name.bytes);
    *ret->offset = addr - symbol.address;
    return LOUPE_OK;
}

enum loupe_status loupe_reader_name_address(struct loupe_reader *reader, loupe_addr addr, char *dst,
                                            size_t cap, uint64_t *offset_ret) {
    struct loupe_reader_image *loaded = loupe_reader_image(reader, addr);
    if (!loaded)
        return LOUPE_EFAULT;
    loupe_reader_find_symbols(reader, loaded);
    const struct loupe_chunk_ops *chunks = reader->options.chunks;
    struct named named = {dst, cap, offset_ret};
    enum loupe_status status = name_by(&loaded->image, &loaded->by_address, chunks, addr, &named);
    if (status == LOUPE_EFAULT && loaded->has_mini)
        status = name_by(&loaded->mini, &loaded->mini_by_address, chunks, addr, &named);
    return status;
}

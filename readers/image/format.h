/*
 * format.h - what the readers of the formats share, and what each of them implements for image.h.
 */
#ifndef LOUPE_READERS_FORMAT_H
#define LOUPE_READERS_FORMAT_H

#include "image/image.h"

#include <string.h>

/* A little-endian number of so many bytes (1 to 8) in what was read of the target or a file. The
 * sizes that tables are full of take one load, on a host that is little-endian, too. */
static inline uint64_t loupe_number_at(const uint8_t *bytes, unsigned offset, unsigned size) {
    uint64_t value = 0;
    uint32_t half;
    if (size == sizeof(value)) {
        memcpy(&value, bytes + offset, sizeof(value));
        return value;
    }
    if (size == sizeof(half)) {
        memcpy(&half, bytes + offset, sizeof(half));
        return half;
    }
    for (unsigned i = size; i--;)
        value = value << 8 | bytes[offset + i];
    return value;
}

/* Whether [start, start + size) lies in [low, low + room). */
static inline bool loupe_range_holds(uint64_t low, uint64_t room, uint64_t start, uint64_t size) {
    return start >= low && start - low <= room && size <= room - (start - low);
}

/* Takes a table if both ends of it can be read: one that leaves its file, or what is mapped, is
 * none. */
void loupe_image_take_table(struct loupe_image *image, struct loupe_symbol_table table,
                            uint32_t symbol_size);

struct loupe_image_format_ops {
    /* Whether the first 4 bytes are those of the format. */
    bool (*recognise)(const uint8_t magic[4]);
    enum loupe_status (*open)(struct loupe_memory *memory, loupe_addr start,
                              struct loupe_image *ret);
    enum loupe_status (*open_file)(struct loupe_image *image, struct loupe_memory *file);
    /* Finds the table of symbols that is in memory. NULL: open() did. */
    void (*find_table)(struct loupe_image *image);
    bool (*segments)(const struct loupe_image *image, loupe_segment_visitor visit, void *ctx);
    bool (*sections)(const struct loupe_image *image, loupe_section_visitor visit, void *ctx);
    bool (*libraries)(const struct loupe_image *image, loupe_library_visitor visit, void *ctx);
    /* Adds what it has to tables, whose code is set. */
    void (*unwind_tables)(const struct loupe_image *image, struct loupe_unwind_tables *tables);
    bool (*find_part)(struct loupe_memory *file, const char *name, struct loupe_image_part *ret);
    /* NULL: the format has no list of functions. */
    bool (*function_start)(const struct loupe_image *image, loupe_addr addr, loupe_addr *ret);
    enum loupe_status (*find_export)(const struct loupe_image *image, const char *name,
                                     loupe_addr *ret);
    bool (*symbol)(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret);
    uint8_t (*symbol_size)(const struct loupe_image *image); /* bytes that one takes in the table */
    /* Addresses of so many symbols that stand side by side, as loupe_image_symbol_addresses(). */
    void (*symbol_addresses)(const struct loupe_image *image, const uint8_t *symbols,
                             uint32_t count, loupe_addr *ret);
    /* The C name in what the string table has, which ends in a NUL. */
    struct loupe_span (*c_name)(struct loupe_span name);
};

extern const struct loupe_image_format_ops loupe_elf_ops;
extern const struct loupe_image_format_ops loupe_macho_ops;

#endif

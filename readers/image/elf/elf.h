/*
 * elf.h - what the two halves of the reader of ELF share: where things stand in the 32-bit and in
 * the 64-bit form, and symbols (elf_symbols.c) for the one who opens images and files (elf.c).
 */
#ifndef LOUPE_READERS_ELF_H
#define LOUPE_READERS_ELF_H

#include "image/format.h"

/* Of each structure the size, then offsets in it. */
struct loupe_elf_layout {
    uint8_t word; /* bytes of an address */
    struct {
        uint8_t size, segments, sections, segment_size, segment_count, section_size, section_count,
            section_names;
    } header;
    struct {
        uint8_t size, flags, offset, address, file_size, memory_size;
    } segment;
    struct {
        uint8_t size, flags, address, offset, length, link;
    } section;
    struct {
        uint8_t size, info, section, value, length;
    } symbol;
};

/* Here, so that what is made for one of them has it as constants. */
static const struct loupe_elf_layout loupe_elf_64 = {
    .word = 8,
    .header = {64, 32, 40, 54, 56, 58, 60, 62},
    .segment = {56, 4, 8, 16, 32, 40},
    .section = {64, 8, 16, 24, 32, 40},
    .symbol = {24, 4, 6, 8, 16},
};
static const struct loupe_elf_layout loupe_elf_32 = {
    .word = 4,
    .header = {52, 28, 32, 42, 44, 46, 48, 50},
    .segment = {32, 24, 4, 8, 16, 20},
    .section = {40, 8, 12, 16, 20, 24},
    .symbol = {16, 12, 14, 4, 8},
};

static inline const struct loupe_elf_layout *loupe_elf_layout(const struct loupe_image *image) {
    return image->pointer_size == loupe_elf_64.word ? &loupe_elf_64 : &loupe_elf_32;
}

static inline uint64_t loupe_elf_word(const struct loupe_elf_layout *layout, const uint8_t *bytes,
                                      unsigned offset) {
    return loupe_number_at(bytes, offset, layout->word);
}

/* The operations of format.h that are about symbols. */
void loupe_elf_find_exports(struct loupe_image *image);
enum loupe_status loupe_elf_find_export(const struct loupe_image *image, const char *name,
                                        loupe_addr *ret);
bool loupe_elf_symbol(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret);
uint8_t loupe_elf_symbol_size(const struct loupe_image *image);
void loupe_elf_symbol_addresses(const struct loupe_image *image, const uint8_t *symbols,
                                uint32_t count, loupe_addr *ret);
struct loupe_span loupe_elf_c_name(struct loupe_span name);

#endif

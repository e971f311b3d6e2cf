/*
 * core.h - what core files of all formats share: their bytes, and reading the target's memory from
 * them and from files of its images.
 */
#ifndef LOUPE_READERS_CORE_H
#define LOUPE_READERS_CORE_H

#include "image/format.h"
#include "target/parts.h"

struct loupe_core_file {
    const uint8_t *bytes;
    uint64_t size;
};

/* A part of the file, or NULL where it ends before. */
static inline const uint8_t *loupe_core_bytes(const struct loupe_core_file *file, uint64_t offset,
                                              uint64_t size) {
    return loupe_range_holds(0, file->size, offset, size) ? file->bytes + offset : NULL;
}

/* Of files that were cut off: in the header, or before any memory of the program. */
static inline enum loupe_status loupe_core_ends_in_header(struct loupe_error *err) {
    return loupe_fail(err, LOUPE_EUSAGE, 0, "it is a core that ends in its header");
}

static inline enum loupe_status loupe_core_has_no_memory(const struct loupe_reader *reader,
                                                         struct loupe_error *err) {
    return loupe_fail(err, LOUPE_EUSAGE, 0, "it is a core without any memory in it%s",
                      reader->missing.truncated ? ": it was cut off" : "");
}

/* Adds memory of which `stored` bytes are in the file at an offset; what the file does not have of
 * them is missing. LOUPE_ENOMEM. */
enum loupe_status loupe_core_add_region(struct loupe_reader *reader,
                                        const struct loupe_core_file *file,
                                        struct loupe_reader_region region, uint64_t offset,
                                        uint64_t stored);

/* Makes memory of what files have and the core does not even tell of. LOUPE_ENOMEM. */
enum loupe_status loupe_core_fill_holes(struct loupe_reader *reader);

/* elf_core.c, macho_core.c: fill the reader. */
enum loupe_status loupe_elf_core_open(struct loupe_reader *reader,
                                      const struct loupe_core_file *file, struct loupe_error *err);
enum loupe_status loupe_macho_core_open(struct loupe_reader *reader,
                                        const struct loupe_core_file *file,
                                        struct loupe_error *err);

#endif

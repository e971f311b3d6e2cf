#include "core/core.h"

#include "image/elf/elf_constants.h"
#include "image/macho/macho_constants.h"

#include <string.h>

/* ---- What a file is ---- */

enum { ELF_TYPE_AT = 16, MACHO_TYPE_AT = 12 };

/* What systems pack cores with, by the first bytes. Those of gzip and zstd are unpacked before they
 * come here. */
static const struct {
    const char *magic;
    uint8_t length;
    const char *name, *unpack;
} packers[] = {
    {"\x28\xb5\x2f\xfd", 4, "zstd", "zstd -d"},
    {"\x04\x22\x4d\x18", 4, "lz4", "lz4 -d"},
    {"\xfd"
     "7zXZ",
     5, "xz", "xz -d"},
    {"BZh", 3, "bzip2", "bzip2 -d"},
    {"\x1f\x8b", 2, "gzip", "gzip -d"},
};

static int packer_of(const uint8_t *bytes, uint64_t size) {
    for (unsigned i = 0; i < sizeof(packers) / sizeof(packers[0]); i++)
        if (size >= packers[i].length && memcmp(bytes, packers[i].magic, packers[i].length) == 0)
            return (int)i;
    return -1;
}

static bool is_macho(const uint8_t *bytes) {
    uint64_t magic = loupe_number_at(bytes, 0, 4);
    return magic == MH_MAGIC_64 || magic == MH_MAGIC;
}

enum loupe_core_kind loupe_core_kind(const uint8_t *bytes, uint64_t size) {
    if (size >= ELF_TYPE_AT + 2 && memcmp(bytes, "\177ELF", 4) == 0)
        return loupe_number_at(bytes, ELF_TYPE_AT, 2) == ET_CORE ? LOUPE_ELF_CORE
                                                                 : LOUPE_PROGRAM_FILE;
    if (size >= MACHO_TYPE_AT + 4 && is_macho(bytes))
        return loupe_number_at(bytes, MACHO_TYPE_AT, 4) == MH_CORE ? LOUPE_MACHO_CORE
                                                                   : LOUPE_PROGRAM_FILE;
    return packer_of(bytes, size) >= 0 ? LOUPE_PACKED_FILE : LOUPE_NO_CORE;
}

/* ---- Memory ---- */

enum loupe_status loupe_core_add_region(struct loupe_reader *reader,
                                        const struct loupe_core_file *file,
                                        struct loupe_reader_region region, uint64_t offset,
                                        uint64_t stored) {
    uint64_t size = region.about.end - region.about.start;
    if (region.about.end <= region.about.start) {
        reader->missing.damaged_parts += region.about.end < region.about.start;
        return LOUPE_OK;
    }
    stored = stored < size ? stored : size;
    uint64_t left = offset < file->size ? file->size - offset : 0;
    if (stored > left) {
        reader->missing.truncated = true;
        stored = left;
    }
    region.bytes = file->bytes + (stored ? offset : 0);
    region.held = stored;
    struct loupe_reader_region *added = loupe_vector_add(&reader->regions);
    if (!added)
        return LOUPE_ENOMEM;
    *added = region;
    return LOUPE_OK;
}

/* What can be seen around an address, in the core or in the file of an image. */
static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct loupe_reader *reader = ctx;
    const struct loupe_reader_region *region = loupe_reader_region(reader, addr);
    if (!region || !region->about.readable)
        return false;
    if (addr - region->about.start < region->held) {
        *ret = (struct loupe_window){.start = region->about.start,
                                     .end = region->about.start + region->held,
                                     .bytes = region->bytes};
        return true;
    }
    const struct loupe_reader_mapping *mapping = loupe_reader_mapping(reader, addr);
    const struct loupe_reader_file *file = mapping ? mapping->file : NULL;
    if (!file || mapping->offset >= file->size ||
        addr - mapping->start >= file->size - mapping->offset)
        return false;
    /* Neither what the core has of it, nor what is behind the end of the file. */
    loupe_addr low = region->about.start + region->held, high = region->about.end;
    uint64_t in_file = file->size - mapping->offset;
    low = low > mapping->start ? low : mapping->start;
    high = high < mapping->end ? high : mapping->end;
    if (high - mapping->start > in_file)
        high = mapping->start + in_file;
    *ret = (struct loupe_window){
        .start = low, .end = high, .bytes = file->bytes + mapping->offset + (low - mapping->start)};
    return true;
}

/* The rest of the last page of a file reads as zeroes. */
static bool is_behind_file(const struct loupe_reader *reader, loupe_addr addr, size_t *room_ret) {
    const struct loupe_reader_region *region = loupe_reader_region(reader, addr);
    const struct loupe_reader_mapping *mapping = loupe_reader_mapping(reader, addr);
    if (!region || !region->about.readable || !mapping || !mapping->file ||
        addr - region->about.start < region->held || mapping->offset >= mapping->file->size)
        return false;
    uint64_t in_file = mapping->file->size - mapping->offset;
    uint64_t in_pages = (in_file + LOUPE_PAGE_SIZE - 1) / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
    loupe_addr end = mapping->end < region->about.end ? mapping->end : region->about.end;
    if (in_pages < end - mapping->start)
        end = mapping->start + in_pages;
    if (addr - mapping->start < in_file || addr >= end)
        return false;
    *room_ret = (size_t)(end - addr);
    return true;
}

/* Memory of zeroes, in no file and not in the core. */
static bool is_never_written(const struct loupe_reader *reader, loupe_addr addr, size_t *room_ret) {
    const struct loupe_reader_region *region = loupe_reader_region(reader, addr);
    if (!region || !region->is_zeroes || addr - region->about.start < region->held)
        return false;
    *room_ret = (size_t)(region->about.end - addr);
    return true;
}

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    uint8_t *to = dst;
    while (len) {
        struct loupe_window window;
        size_t part;
        if (open_window(ctx, addr, &window)) {
            part = window.end - addr < len ? (size_t)(window.end - addr) : len;
            memcpy(to, window.bytes + (addr - window.start), part);
        } else if (is_behind_file(ctx, addr, &part) || is_never_written(ctx, addr, &part)) {
            part = part < len ? part : len;
            memset(to, 0, part);
        } else {
            return LOUPE_EFAULT;
        }
        addr += part;
        to += part;
        len -= part;
    }
    return LOUPE_OK;
}

static bool find_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    const struct loupe_reader_region *region = loupe_reader_region(ctx, addr);
    if (!region || !region->about.readable)
        return false;
    *start_ret = region->about.start;
    *end_ret = region->about.end;
    return true;
}

/* ---- What the core does not have ---- */

/* Some cores do not even say that there was memory where the files of images tell of it. */
static enum loupe_status add_hole(struct loupe_reader *reader,
                                  const struct loupe_reader_mapping *mapping, loupe_addr start,
                                  loupe_addr end, struct loupe_vector *holes) {
    if (!mapping->file) {
        reader->missing.bytes += end - start;
        return LOUPE_OK;
    }
    struct loupe_reader_region *added = loupe_vector_add(holes);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_reader_region){
        .about = {.start = start, .end = end, .readable = true, .writable = mapping->writable},
        .executable = mapping->executable};
    return LOUPE_OK;
}

/* The first region that ends behind an address; regions are ascending. */
static enum loupe_status add_holes(struct loupe_reader *reader, struct loupe_vector *holes) {
    enum loupe_status status = LOUPE_OK;
    uint32_t region = 0;
    for (uint32_t i = 0; !status && i < reader->mappings.count; i++) {
        const struct loupe_reader_mapping *mapping = loupe_reader_mapping_at(reader, i);
        loupe_addr at = mapping->start;
        while (!status && at < mapping->end) {
            while (region < reader->regions.count &&
                   loupe_reader_region_at(reader, region)->about.end <= at)
                region++;
            const struct loupe_reader_region *next =
                region < reader->regions.count ? loupe_reader_region_at(reader, region) : NULL;
            loupe_addr end =
                next && next->about.start < mapping->end ? next->about.start : mapping->end;
            if (end > at)
                status = add_hole(reader, mapping, at, end, holes);
            at = next && end < mapping->end ? next->about.end : mapping->end;
        }
    }
    return status;
}

enum loupe_status loupe_core_fill_holes(struct loupe_reader *reader) {
    struct loupe_vector holes;
    loupe_vector_init(&holes, reader->options.chunks, sizeof(struct loupe_reader_region));
    reader->missing.bytes = 0;
    enum loupe_status status = add_holes(reader, &holes);
    for (uint32_t i = 0; !status && i < holes.count; i++) {
        struct loupe_reader_region *added = loupe_vector_add(&reader->regions);
        if (!added)
            status = LOUPE_ENOMEM;
        else
            *added = *(struct loupe_reader_region *)loupe_vector_at(&holes, i, sizeof(*added));
    }
    loupe_vector_deinit(&holes);
    loupe_reader_sort_regions(reader);
    return status;
}

static void count_missing(struct loupe_reader *reader) {
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        const struct loupe_reader_region *region = loupe_reader_region_at(reader, i);
        loupe_addr at = region->about.start + region->held;
        while (region->about.readable && !region->is_zeroes && at < region->about.end) {
            const struct loupe_reader_mapping *mapping = loupe_reader_mapping(reader, at);
            loupe_addr end =
                mapping && mapping->end < region->about.end ? mapping->end : region->about.end;
            if (!mapping || !mapping->file)
                reader->missing.bytes += end - at;
            at = end;
        }
    }
}

/* ---- Opening ---- */

static enum loupe_status refuse(const uint8_t *bytes, uint64_t size, struct loupe_error *err) {
    int packer = packer_of(bytes, size);
    if (packer >= 0)
        return loupe_fail(err, LOUPE_EUSAGE, 0, "it is packed by %s: unpack it first (%s)",
                          packers[packer].name, packers[packer].unpack);
    return loupe_fail(err, LOUPE_EUSAGE, 0,
                      loupe_core_kind(bytes, size) == LOUPE_PROGRAM_FILE
                          ? "it is a program or a library, not a core of one that ran"
                          : "it is not a core file");
}

enum loupe_status loupe_core_open(const uint8_t *bytes, uint64_t size,
                                  const struct loupe_reader_options *options,
                                  struct loupe_reader **ret, struct loupe_error *err) {
    enum loupe_core_kind kind = loupe_core_kind(bytes, size);
    struct loupe_core_file file = {.bytes = bytes, .size = size};
    if (kind != LOUPE_ELF_CORE && kind != LOUPE_MACHO_CORE)
        return refuse(bytes, size, err);
    struct loupe_reader *reader = loupe_reader_new(options);
    if (!reader)
        return loupe_reader_out_of_memory(err);
    reader->ops.read = read_bytes;
    reader->ops.window = open_window;
    reader->ops.region = find_region;
    enum loupe_status status = kind == LOUPE_ELF_CORE ? loupe_elf_core_open(reader, &file, err)
                                                      : loupe_macho_core_open(reader, &file, err);
    if (!status && loupe_core_fill_holes(reader))
        status = loupe_reader_out_of_memory(err);
    if (status) {
        loupe_reader_close(reader);
        return status;
    }
    count_missing(reader);
    *ret = reader;
    return LOUPE_OK;
}

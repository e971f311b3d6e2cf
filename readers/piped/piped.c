/* piped.c - memory, symbols and the clock of a process that is asked over a pipe. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include "piped/piped.h"

#include "piped/pages.h"
#include "piped/parts.h"

#include <stdlib.h>
#include <time.h>

/* ---- Life ---- */

bool loupe_piped_open(struct loupe_piped_reader *reader, struct loupe_wire *wire,
                      struct loupe_wire_body *body) {
    *reader = (struct loupe_piped_reader){.wire = wire};
    loupe_wire_forget_stop(wire);
    uint8_t pointer_size = (uint8_t)loupe_wire_take(body, 1);
    uint8_t arch = (uint8_t)loupe_wire_take(body, 1);
    uint8_t flags = (uint8_t)loupe_wire_take(body, 1);
    loupe_wire_take(body, 1);
    reader->kept_bits = loupe_wire_take(body, 8);
    reader->set_bits = loupe_wire_take(body, 8);
    reader->process = loupe_wire_take(body, 8);
    struct loupe_span program = loupe_wire_take_text(body);
    if (!loupe_wire_is_understood(wire, body) || (pointer_size != 4 && pointer_size != 8) ||
        arch > LOUPE_ARCH_OTHER)
        return false;
    reader->arch = (enum loupe_arch)arch;
    reader->is_core = flags & LOUPE_WIRE_IS_CORE;
    reader->is_apple = flags & LOUPE_WIRE_IS_APPLE;
    reader->machine = (struct loupe_machine){
        .pointer_size = pointer_size,
        .arch = pointer_size == 8 ? reader->arch : LOUPE_ARCH_OTHER,
        .no_red_zone = reader->arch == LOUPE_ARCH_ARM64 && !reader->is_apple};
    reader->is_here = flags & LOUPE_WIRE_IS_HERE;
    reader->program = loupe_wire_copy_text(program);
    return reader->program != NULL;
}

void loupe_piped_close(struct loupe_piped_reader *reader) {
    loupe_region_map_deinit(&reader->regions);
    loupe_piped_pages_close(reader);
    free(reader->file_parts);
    free(reader->program);
    reader->file_parts = NULL;
    reader->program = NULL;
}

void loupe_piped_begin(struct loupe_piped_reader *reader) {
    reader->fetched = 0;
    if (reader->is_core)
        return;
    loupe_region_map_deinit(&reader->regions);
    loupe_piped_pages_close(reader);
}

uint32_t loupe_piped_page_reads(const struct loupe_piped_reader *reader) {
    enum { OF_LIVE_PROCESS = 12 };
    return reader->is_core ? 0 : OF_LIVE_PROCESS;
}

/* ---- Memory ---- */

static enum loupe_status read_part(struct loupe_wire *wire, loupe_addr addr, uint8_t *dst,
                                   size_t len) {
    struct loupe_wire_body body;
    loupe_wire_begin(wire);
    loupe_wire_put(wire, addr, 8);
    loupe_wire_put(wire, len, 4);
    if (!loupe_wire_request(wire, LOUPE_WIRE_READ, &body))
        return LOUPE_EFAULT;
    const uint8_t *bytes = loupe_wire_take_bytes(&body, len);
    if (!loupe_wire_is_understood(wire, &body) || !bytes)
        return LOUPE_EFAULT;
    memcpy(dst, bytes, len);
    return LOUPE_OK;
}

static enum loupe_status read_present(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct loupe_piped_reader *reader = ctx;
    uint8_t *out = dst;
    enum loupe_status status = LOUPE_OK;
    for (size_t part; !status && len; addr += part, out += part, len -= part) {
        part = len < LOUPE_WIRE_LONGEST_READ ? len : LOUPE_WIRE_LONGEST_READ;
        status = read_part(reader->wire, addr, out, part);
    }
    return status;
}

static enum loupe_status read_memory(void *ctx, loupe_addr addr, void *dst, size_t len) {
    return loupe_piped_pages_read(ctx, addr, dst, len, read_present);
}

static loupe_addr find_zeroes(void *ctx, loupe_addr addr) {
    return loupe_piped_pages_zeroes(ctx, addr);
}

/* Everything around addr in [start, end) that the debugger knows of. */
static void fetch_regions(struct loupe_piped_reader *reader, loupe_addr start, loupe_addr end,
                          loupe_addr addr) {
    struct loupe_wire_body body;
    loupe_wire_begin(reader->wire);
    loupe_wire_put(reader->wire, start, 8);
    loupe_wire_put(reader->wire, end, 8);
    loupe_wire_put(reader->wire, addr, 8);
    if (!loupe_wire_request(reader->wire, LOUPE_WIRE_REGION, &body))
        return;
    while (loupe_wire_has_more(&body)) {
        loupe_addr inside = loupe_wire_take(&body, 8);
        struct loupe_mapped_region region;
        region.start = loupe_wire_take(&body, 8);
        region.end = loupe_wire_take(&body, 8);
        region.readable = loupe_wire_take(&body, 1) != 0;
        if (!body.is_bad)
            loupe_region_map_add(&reader->regions, region, inside);
    }
    loupe_wire_is_understood(reader->wire, &body);
}

/* Whether all of [start, end) around addr is known, or a gap on the way that cannot be read. */
static bool is_covered(const struct loupe_region_map *map, loupe_addr start, loupe_addr end,
                       loupe_addr addr) {
    const struct loupe_mapped_region *region = loupe_region_map_find(map, addr);
    while (region && region->readable && region->start > start)
        region = loupe_region_map_find(map, region->start - 1);
    if (!region)
        return false;
    region = loupe_region_map_find(map, addr);
    while (region && region->readable && region->end < end)
        region = loupe_region_map_find(map, region->end);
    return region != NULL;
}

static void fetch_file_parts(struct loupe_piped_reader *reader) {
    struct loupe_wire_body body;
    reader->has_file_parts = true;
    loupe_wire_begin(reader->wire);
    if (!loupe_wire_request(reader->wire, LOUPE_WIRE_FILE_PARTS, &body))
        return;
    size_t count = (size_t)(body.end - body.at) / sizeof(struct loupe_range);
    reader->file_parts = malloc((count + 1) * sizeof(*reader->file_parts));
    for (; reader->file_parts && reader->file_part_count < count; reader->file_part_count++) {
        struct loupe_range *part = &reader->file_parts[reader->file_part_count];
        part->start = loupe_wire_take(&body, 8);
        part->end = loupe_wire_take(&body, 8);
    }
    loupe_wire_is_understood(reader->wire, &body);
}

/* The part of a file that stands at an address of a core which does not have it itself. */
static const struct loupe_range *file_part_at(struct loupe_piped_reader *reader, loupe_addr addr) {
    if (reader->is_core && !reader->has_file_parts)
        fetch_file_parts(reader);
    for (size_t i = 0; i < reader->file_part_count; i++)
        if (addr >= reader->file_parts[i].start && addr < reader->file_parts[i].end)
            return &reader->file_parts[i];
    return NULL;
}

/* Where nothing is known (some remote stubs) every address is worth a try. */
static bool find_region(void *ctx, loupe_addr addr, loupe_addr *start, loupe_addr *end) {
    struct loupe_piped_reader *reader = ctx;
    *start = addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE;
    *end = *start + LOUPE_PIECE_SIZE;
    if (!is_covered(&reader->regions, *start, *end, addr))
        fetch_regions(reader, *start, *end, addr);
    const struct loupe_mapped_region *region = loupe_region_map_find(&reader->regions, addr);
    if (!region)
        return true;
    if (region->readable) {
        *start = region->start;
        *end = region->end;
        return true;
    }
    const struct loupe_range *part = file_part_at(reader, addr);
    if (part) {
        *start = part->start;
        *end = part->end;
    }
    return part != NULL;
}

/* ---- Symbols ---- */

static enum loupe_status find_symbol(void *ctx, const char *name, loupe_addr *ret) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    loupe_wire_begin(reader->wire);
    loupe_wire_put_text(reader->wire, loupe_span_of(name));
    if (!loupe_wire_request(reader->wire, LOUPE_WIRE_SYMBOL, &body))
        return LOUPE_EFAULT;
    loupe_addr address = loupe_wire_take(&body, 8);
    if (!loupe_wire_is_understood(reader->wire, &body))
        return LOUPE_EFAULT;
    *ret = address;
    return LOUPE_OK;
}

/* What is replied about an address: a number of so many bytes, and a text, which is cut to fit. */
struct reply {
    unsigned bytes;
    uint64_t number;
    char *text;
    size_t cap;
};

static bool ask_of_address(const struct loupe_piped_reader *reader, enum loupe_wire_kind kind,
                           loupe_addr addr, struct reply *ret) {
    struct loupe_wire_body body;
    loupe_wire_begin(reader->wire);
    loupe_wire_put(reader->wire, addr, 8);
    if (!loupe_wire_request(reader->wire, kind, &body))
        return false;
    uint64_t found = loupe_wire_take(&body, ret->bytes);
    struct loupe_span text = loupe_wire_take_text(&body);
    if (!loupe_wire_is_understood(reader->wire, &body))
        return false;
    loupe_format(ret->text, ret->cap, "%.*s", (int)text.length, text.bytes);
    ret->number = found;
    return true;
}

static enum loupe_status name_address(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                      uint64_t *offset) {
    struct reply reply = {.bytes = 8, .text = dst, .cap = cap};
    if (!ask_of_address(ctx, LOUPE_WIRE_NAME, addr, &reply))
        return LOUPE_EFAULT;
    *offset = reply.number;
    return LOUPE_OK;
}

static bool line_of_address(void *ctx, loupe_addr addr, char *path, size_t cap, uint32_t *line) {
    struct reply reply = {.bytes = 4, .text = path, .cap = cap};
    if (!ask_of_address(ctx, LOUPE_WIRE_LINE, addr, &reply))
        return false;
    *line = (uint32_t)reply.number;
    return true;
}

/* ---- The rest ---- */

/* An arm64 user address of an Apple system has 47 bits; the rest is as bit 55 has it. */
static loupe_addr strip(void *ctx, loupe_addr addr) {
    const struct loupe_piped_reader *reader = ctx;
    const loupe_addr sign = (loupe_addr)1 << 55, low_bits = ((loupe_addr)1 << 47) - 1;
    if (reader->arch != LOUPE_ARCH_ARM64)
        return addr;
    addr = addr & sign ? addr | reader->set_bits : addr & reader->kept_bits;
    if (!reader->is_apple)
        return addr;
    return addr & sign ? addr | ~low_bits : addr & low_bits;
}

static bool interrupted(void *ctx) {
    const struct loupe_piped_reader *reader = ctx;
    return loupe_wire_interrupted(reader->wire);
}

static uint64_t microseconds(void *ctx) {
    (void)ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

const struct loupe_reader_ops loupe_piped_ops = {.read = read_memory,
                                                 .region = find_region,
                                                 .find_symbol = find_symbol,
                                                 .name_address = name_address,
                                                 .line_of_address = line_of_address,
                                                 .strip = strip,
                                                 .interrupted = interrupted,
                                                 .microseconds = microseconds,
                                                 .process = &loupe_piped_parts,
                                                 .zeroes = find_zeroes};

/*
 * Any bytes as what a debugger says to `loupe engine`: to the whole engine, or, by the first byte,
 * as the replies to one request of each kind.
 * The pages of the process that it speaks of are drawn, since of the real one of that number
 * nothing is known.
 */
#define _POSIX_C_SOURCE 200809L

#include "fuzz_target.h"

#include "engine/engine.h"
#include "piped/piped.h"
#include "process/page_map.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- In the place of process/page_map_linux.c: every third page is there ---- */

enum { PAGE = 4096, PAGES_IN_TURN = 3 };

struct loupe_page_map {
    int process;
};
static struct loupe_page_map drawn_map;

struct loupe_page_map *loupe_page_map_open_lazily(int process,
                                                  const struct loupe_chunk_ops *chunks) {
    FUZZ_CHECK(process >= 0 && chunks);
    drawn_map.process = process;
    return &drawn_map;
}

void loupe_page_map_close(struct loupe_page_map *map) {
    FUZZ_CHECK(!map || map == &drawn_map);
}

loupe_addr loupe_page_map_zeroes(struct loupe_page_map *map, loupe_addr addr) {
    FUZZ_CHECK(map == &drawn_map);
    loupe_addr page = addr / PAGE;
    return page % PAGES_IN_TURN ? (page + PAGES_IN_TURN - page % PAGES_IN_TURN) * PAGE : addr;
}

enum loupe_status loupe_page_map_read(struct loupe_page_map *map, loupe_addr addr, void *dst,
                                      size_t len, loupe_page_map_read_present *read, void *ctx) {
    enum loupe_status status = LOUPE_OK;
    for (size_t at = 0, part; !status && at < len; at += part) {
        loupe_addr end = ((addr + at) / PAGE + 1) * PAGE;
        part = end - (addr + at) < len - at ? (size_t)(end - (addr + at)) : len - at;
        if (loupe_page_map_zeroes(map, addr + at) == addr + at)
            status = read(ctx, addr + at, (uint8_t *)dst + at, part);
        else
            memset((uint8_t *)dst + at, 0, part);
    }
    return status;
}

enum loupe_status loupe_page_map_visit_unread(struct loupe_page_map *map, loupe_unread_visit visit,
                                              void *visitor) {
    struct loupe_process_unread unread = {.reason = LOUPE_UNREAD_HIDDEN, .bytes = PAGE};
    FUZZ_CHECK(map == &drawn_map);
    return visit(visitor, &unread);
}

/* ---- The wire ---- */

/* A wire on which the bytes come, and whose own words are lost. */
static void open_wire(struct loupe_wire *wire, const uint8_t *data, size_t size) {
    int ends[2];
    FUZZ_CHECK(pipe(ends) == 0);
    FUZZ_CHECK(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    loupe_wire_init(wire, ends[0], open("/dev/null", O_WRONLY | O_CLOEXEC));
    FUZZ_CHECK(wire->to >= 0);
}

static void close_wire(struct loupe_wire *wire) {
    close(wire->from);
    close(wire->to);
    loupe_wire_deinit(wire);
}

static enum loupe_status see_region(void *ctx, const struct loupe_process_region *region) {
    *(uint64_t *)ctx += region->end - region->start;
    return LOUPE_OK;
}

static enum loupe_status see_section(void *ctx, const struct loupe_process_section *section) {
    *(uint64_t *)ctx += section->size + strlen(section->name);
    return LOUPE_OK;
}

static enum loupe_status see_image(void *ctx, uint32_t image, const char *path) {
    *(uint64_t *)ctx += image + strlen(path);
    return LOUPE_OK;
}

static enum loupe_status see_thread(void *ctx, uint32_t thread,
                                    const struct loupe_process_thread *about) {
    *(uint64_t *)ctx += thread + about->id;
    return LOUPE_OK;
}

static void ask_of_memory(struct loupe_piped_reader *reader, uint64_t *seen) {
    const struct loupe_reader_ops *ops = &loupe_piped_ops;
    uint8_t bytes[16];
    char text[32];
    uint64_t number;
    uint32_t line;
    loupe_addr start, end;
    if (ops->region(reader, 0x21800, &start, &end))
        FUZZ_CHECK(start <= 0x21800 && 0x21800 < end);
    if (!ops->read(reader, 0x21800, bytes, sizeof(bytes)))
        *seen += bytes[15];
    if (!ops->find_symbol(reader, "symbol", &number))
        *seen += number;
    if (!ops->name_address(reader, 0x21800, text, sizeof(text), &number))
        *seen += strlen(text);
    if (ops->line_of_address(reader, 0x21800, text, sizeof(text), &line))
        *seen += line + strlen(text);
    *seen += ops->strip(reader, UINT64_MAX);
}

static void ask_of_parts(struct loupe_piped_reader *reader, uint64_t *seen) {
    const struct loupe_process_ops *process = loupe_piped_ops.process;
    process->regions(reader, see_region, seen);
    process->images(reader, see_image, seen);
    process->sections(reader, 0, see_section, seen);
    process->threads(reader, see_thread, seen);
    for (uint32_t thread = 0; thread < 3; thread++) {
        uint64_t value;
        if (process->thread_register(reader, thread, "rsp", &value))
            *seen += value;
        if (process->thread_register(reader, thread, "rax", &value))
            *seen += value;
        *seen += process->frames_end(reader, thread);
    }
}

static void reply_to_each(const uint8_t *data, size_t size) {
    static const uint8_t core[] = {8, 2, 3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                   0, 0, 0, 0, 0,    0,    0,    0,    0,    1,    0,
                                   0, 0, 0, 0, 0,    0,    0,    0,    0,    0};
    struct loupe_wire wire;
    struct loupe_piped_reader reader;
    struct loupe_wire_body body = {.at = core, .end = core + sizeof(core)};
    uint64_t seen = 0;
    open_wire(&wire, data, size);
    FUZZ_CHECK(loupe_piped_open(&reader, &wire, &body));
    for (unsigned round = 0; round < 2 && !wire.is_over; round++) {
        ask_of_memory(&reader, &seen);
        ask_of_parts(&reader, &seen);
    }
    loupe_piped_close(&reader);
    close_wire(&wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 32768 }; /* what a pipe takes before anybody reads */
    if (!size || size > MOST)
        return 0;
    if (data[0] & 1) {
        reply_to_each(data + 1, size - 1);
        return 0;
    }
    struct loupe_wire wire;
    open_wire(&wire, data + 1, size - 1);
    int status = engine_converse(&wire);
    FUZZ_CHECK(status == 0 || status == 2);
    close_wire(&wire);
    return 0;
}

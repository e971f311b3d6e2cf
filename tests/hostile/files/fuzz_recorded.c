/*
 * Any bytes as what libloupe_record left in a process: whatever they are, a block has at most one
 * stack, and that ends. The first 8 bytes are the address of the block; the rest is memory, with
 * the header at its start.
 */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "recorded/history.h"

#define HEADER UINT64_C(0x100000)

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const uint64_t header = HEADER;
    if (addr == 0 && len == sizeof(header)) {
        memcpy(dst, &header, len);
        return LOUPE_OK;
    }
    return fuzz_read(ctx, addr, dst, len);
}

/* The recorder's variable, at 0, and the bytes; nothing else can be read. */
static bool find_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    const struct fuzz_memory *from = ctx;
    *start_ret = addr < HEADER ? 0 : HEADER;
    *end_ret = addr < HEADER ? sizeof(uint64_t) : HEADER + from->size;
    return addr < *end_ret;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    static const uint64_t header = HEADER;
    if (addr >= HEADER)
        return fuzz_window(ctx, addr, ret);
    *ret = (struct loupe_window){.end = sizeof(header), .bytes = (const uint8_t *)&header};
    return addr < ret->end;
}

static enum loupe_status find_symbol(void *ctx, const char *name, loupe_addr *ret) {
    (void)ctx;
    (void)name;
    *ret = 0;
    return LOUPE_OK;
}

static const struct loupe_reader_ops ops = {
    .read = read_bytes, .window = open_window, .region = find_region, .find_symbol = find_symbol};

static void ask(struct loupe_recorded *recorded, loupe_addr block) {
    loupe_addr frames[LOUPE_RECORD_MOST_FRAMES];
    bool whole;
    uint32_t stack = loupe_recorded_stack_of_object(recorded, block, 0x15);
    FUZZ_CHECK(stack <= LOUPE_RECORD_STACK_MASK);
    FUZZ_CHECK(loupe_recorded_frames(recorded, stack, frames, LOUPE_RECORD_MOST_FRAMES, &whole) <=
               LOUPE_RECORD_MOST_FRAMES);
    struct loupe_history history;
    if (!loupe_recorded_history(recorded, block, &fuzz_chunks, &history))
        FUZZ_CHECK(history.events.count <= LOUPE_MOST_HISTORY);
    loupe_vector_deinit(&history.events);
    loupe_recorded_show(recorded, stack);
    loupe_recorded_sort_shown(recorded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_machine machine = {.pointer_size = 8};
    struct loupe_memory memory;
    struct loupe_recorded recorded;
    loupe_addr block;
    if (size < sizeof(block))
        return 0;
    memcpy(&block, data, sizeof(block));
    struct fuzz_memory bytes = {
        .bytes = data + sizeof(block), .start = HEADER, .size = size - sizeof(block)};
    loupe_memory_init(&memory, &ops, &bytes, machine, &fuzz_chunks);
    if (loupe_recorded_open(&recorded, &memory, &fuzz_chunks))
        ask(&recorded, block);
    loupe_recorded_close(&recorded);
    loupe_memory_deinit(&memory);
    return 0;
}

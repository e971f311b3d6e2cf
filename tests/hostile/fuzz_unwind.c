/*
 * Any bytes as unwind tables: .eh_frame with its index, without it, and compact unwind, for both
 * machines; then a walk by them, over the same bytes as stack and code. The first bytes say which
 * tables there are, and where the code is interrupted.
 */
#include "fuzz_target.h"

#include "unwind/step.h"

#include <string.h>

enum { MOST_FRAMES = 64, HEADER = 8 };

static const loupe_addr start = 0x10000;

struct input {
    const uint8_t *bytes;
    size_t size;
    struct loupe_unwind_tables tables;
};

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct input *input = ctx;
    if (addr < start || addr - start > input->size || len > input->size - (addr - start))
        return LOUPE_EFAULT;
    memcpy(dst, input->bytes + (addr - start), len);
    return LOUPE_OK;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct input *input = ctx;
    *ret = (struct loupe_window){.start = start, .end = start + input->size, .bytes = input->bytes};
    return addr >= start && addr - start < input->size;
}

static bool no_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    (void)ctx;
    (void)addr;
    (void)start_ret;
    (void)end_ret;
    return false;
}

static const struct loupe_reader_ops ops = {
    .read = read_bytes, .window = open_window, .region = no_region};

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    const struct input *input = ctx;
    *ret = input->tables;
    return place >= input->tables.code.start && place < input->tables.code.end;
}

static struct loupe_range part(const struct input *input, size_t from, size_t to) {
    return (struct loupe_range){.start = start + input->size * from / 8,
                                .end = start + input->size * to / 8};
}

/* Registers point at what the input says, within it and somewhat around it. */
static void walk(struct input *input, enum loupe_arch arch, const uint8_t *header) {
    struct loupe_memory memory;
    struct loupe_machine machine = {.pointer_size = 8, .arch = arch};
    loupe_memory_init(&memory, &ops, input, machine, NULL);
    struct loupe_unwinder unwinder = {.stack = &memory,
                                      .images = &memory,
                                      .machine = loupe_frame_machine_of(arch),
                                      .find_tables = find_tables,
                                      .ctx = input};
    struct loupe_frame frame = {.is_interrupted = header[1] & 1};
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++)
        loupe_frame_set(&frame, i, start + input->size * header[2 + i % 6] / 240 / 8 * 8);
    for (unsigned i = 0; i < MOST_FRAMES; i++) {
        loupe_addr sp = frame.registers[unwinder.machine->sp];
        bool was_interrupted = frame.is_interrupted;
        if (loupe_step(&unwinder, &frame) != LOUPE_STEP_DONE)
            break;
        FUZZ_CHECK(loupe_frame_knows(&frame, unwinder.machine->pc) &&
                   loupe_frame_knows(&frame, unwinder.machine->sp));
        /* Stacks grow down, but where a signal came on another one. */
        FUZZ_CHECK(frame.is_interrupted || was_interrupted ||
                   frame.registers[unwinder.machine->sp] > sp);
    }
    loupe_memory_deinit(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size <= HEADER)
        return 0;
    struct input input = {.bytes = data + HEADER, .size = size - HEADER};
    input.tables.code = part(&input, 0, 8);
    if (data[0] & 1)
        input.tables.index = part(&input, 0, 2);
    if (data[0] & 2)
        input.tables.compact = part(&input, 2, 5);
    if (data[0] & 4)
        input.tables.functions = part(&input, 5, 6);
    input.tables.frames = part(&input, data[0] & 8 ? 0 : 6, 8);
    walk(&input, LOUPE_ARCH_X86_64, data);
    walk(&input, LOUPE_ARCH_ARM64, data);
    return 0;
}

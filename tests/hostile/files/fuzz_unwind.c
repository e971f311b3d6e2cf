/*
 * Any bytes as unwind tables: .eh_frame with its index, without it, and compact unwind, for both
 * machines; then a walk by them, over the same bytes as stack and code. The first bytes say which
 * tables there are, and where the code is interrupted.
 */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "unwind/step.h"

#include <string.h>

enum { MOST_FRAMES = 64, HEADER = 8 };

#define START UINT64_C(0x10000)

struct input {
    struct fuzz_memory memory;
    struct loupe_unwind_tables tables;
};

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    const struct input *input = ctx;
    *ret = input->tables;
    return place >= input->tables.code.start && place < input->tables.code.end;
}

static struct loupe_range part(const struct input *input, size_t from, size_t to) {
    return (struct loupe_range){.start = START + input->memory.size * from / 8,
                                .end = START + input->memory.size * to / 8};
}

/* Registers point at what the input says, within it and somewhat around it. */
static void walk(struct input *input, enum loupe_arch arch, const uint8_t *header) {
    struct loupe_memory memory;
    struct loupe_machine machine = {.pointer_size = 8, .arch = arch};
    loupe_memory_init(&memory, &fuzz_memory_ops, input, machine, NULL);
    struct loupe_unwinder unwinder = {.stack = &memory,
                                      .images = &memory,
                                      .machine = loupe_frame_machine_of(arch),
                                      .find_tables = find_tables,
                                      .ctx = input};
    struct loupe_frame frame = {.is_interrupted = header[1] & 1};
    for (unsigned i = 0; i < LOUPE_FRAME_REGISTERS; i++)
        loupe_frame_set(&frame, i, START + input->memory.size * header[2 + i % 6] / 240 / 8 * 8);
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
    struct input input = {
        .memory = {.bytes = data + HEADER, .start = START, .size = size - HEADER}};
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

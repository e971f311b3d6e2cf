/*
 * Walks the stacks of a program that runs elsewhere: an image, and at each of its steps the
 * registers and the bytes of the stack.
 *
 * usage: show_unwound MACHINE IMAGE BASE STACK [pointers] < STEPS
 *
 * A step is a line: the registers as NUMBER=VALUE, by their DWARF numbers, then @, an address and
 * the bytes of the stack there, all in hex. What comes out is a line too: the addresses, and how
 * the stack ends. A line without registers is more memory. STACK is the lowest address of the
 * stack; pointers: the tables of the image are not used.
 */
#include "image/image.h"
#include "unwind/step.h"

#include "memory/drawn_heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 64, MOST_BYTES = 1 << 16, LOADED = 1 << 20, LONGEST_LINE = 2 * MOST_BYTES + 4096 };

struct program {
    struct loupe_memory *memory;
    struct loupe_image image;
    bool without_tables;
};

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    const struct program *program = ctx;
    *ret = loupe_image_unwind_tables(&program->image);
    return !program->without_tables && place >= program->image.start && place < program->image.end;
}

/* The segments, from the bytes of the file that stand behind LOADED. */
struct loading {
    const uint8_t *file;
    size_t size;
    struct drawn_heap *heap;
};

static bool load_segment(void *ctx, const struct loupe_segment *segment) {
    const struct loading *loading = ctx;
    if (segment->file_offset + segment->file_size <= loading->size &&
        segment->end - segment->start <= LOADED)
        drawn_put(loading->heap, segment->start, loading->file + segment->file_offset,
                  segment->file_size);
    return true;
}

static uint8_t *read_file(const char *path, size_t *size_ret) {
    uint8_t *bytes = malloc(LOADED);
    FILE *file = fopen(path, "rb");
    if (!file || !bytes)
        exit(2);
    *size_ret = fread(bytes, 1, LOADED, file);
    fclose(file);
    return bytes;
}

static loupe_addr strip(void *ctx, loupe_addr addr) {
    (void)ctx;
    return addr & UINT64_C(0x0000ffffffffffff);
}

static void take_memory(char *cursor, struct drawn_heap *heap, loupe_addr stack) {
    static uint8_t bytes[MOST_BYTES];
    loupe_addr at = strtoull(cursor, &cursor, 16);
    size_t count = 0;
    for (cursor++; *cursor > ' ' && count < MOST_BYTES; cursor += 2) {
        char digits[] = {cursor[0], cursor[1], '\0'};
        bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
    }
    if (at < stack || at - stack >= MOST_BYTES)
        drawn_region_add(heap, at, count);
    drawn_put(heap, at, bytes, count);
}

/* False: the line has memory only. */
static bool take_step(char *line, struct drawn_heap *heap, loupe_addr stack,
                      struct loupe_frame *ret) {
    char *cursor = line;
    ret->known = 0;
    ret->is_interrupted = true;
    while (*cursor >= '0' && *cursor <= '9') {
        unsigned long number = strtoul(cursor, &cursor, 10);
        uint64_t value = strtoull(cursor + 1, &cursor, 16);
        if (number < LOUPE_FRAME_REGISTERS)
            loupe_frame_set(ret, (unsigned)number, value);
        cursor++;
    }
    take_memory(cursor + 1, heap, stack);
    return ret->known != 0;
}

static void show(struct loupe_unwinder *unwinder, struct loupe_frame *frame) {
    static const char *const ends[] = {[LOUPE_STEP_DONE] = "full",
                                       [LOUPE_STEP_OUTERMOST] = "outermost",
                                       [LOUPE_STEP_LOST] = "lost"};
    enum loupe_step step = LOUPE_STEP_DONE;
    for (unsigned i = 0; i < DEPTH && step == LOUPE_STEP_DONE; i++) {
        printf("%" PRIx64 " ", frame->registers[unwinder->machine->pc]);
        step = loupe_step(unwinder, frame);
    }
    puts(ends[step]);
}

int main(int argc, char **argv) {
    static char line[LONGEST_LINE];
    struct drawn_heap heap;
    struct loupe_memory memory;
    struct loupe_reader_ops ops;
    struct program program = {.memory = &memory, .without_tables = argc > 5};
    size_t size;
    if (argc < 5)
        return 2;
    drawn_heap_init(&heap, 8);
    heap.machine.arch = argv[1][0] == 'x' ? LOUPE_ARCH_X86_64 : LOUPE_ARCH_ARM64;
    loupe_addr base = strtoull(argv[3], NULL, 16);
    loupe_addr stack = strtoull(argv[4], NULL, 16);
    uint8_t *file = read_file(argv[2], &size);
    drawn_region_add(&heap, stack, MOST_BYTES);
    drawn_region_add(&heap, base, LOADED);
    drawn_put(&heap, base, file, size);
    drawn_memory(&heap, &memory);
    ops = *memory.ops;
    if (heap.machine.arch == LOUPE_ARCH_ARM64)
        ops.strip = strip;
    memory.ops = &ops;
    if (loupe_image_open(&memory, base, &program.image))
        return 1;
    struct loading loading = {.file = file, .size = size, .heap = &heap};
    loupe_image_segments(&program.image, load_segment, &loading);
    struct loupe_unwinder unwinder = {.stack = &memory,
                                      .images = &memory,
                                      .machine = loupe_frame_machine_of(heap.machine.arch),
                                      .find_tables = find_tables,
                                      .ctx = &program};
    struct loupe_frame frame;
    while (fgets(line, sizeof(line), stdin)) {
        if (!take_step(line, &heap, stack, &frame))
            continue;
        loupe_memory_forget(&memory);
        show(&unwinder, &frame);
    }
    free(file);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
    return 0;
}

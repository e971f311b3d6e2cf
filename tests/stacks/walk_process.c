/*
 * Walks stacks of a process that a debugger holds, from outside, by the registers that it says.
 *
 * usage: walk_process PID < LINES
 *
 * A line has registers as NUMBER=VALUE, by their DWARF numbers, values in hex. What comes out is a
 * line too: the addresses, and how the stack ends.
 */
#include "image/image.h"
#include "unwind/step.h"

#include "memory/drawn_heap.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 4096, MOST_MAPPINGS = 4096, LONGEST_LINE = 4096 };

struct process {
    int memory_file;
    struct loupe_memory memory;
    unsigned count;
    struct mapping {
        loupe_addr start, end;
        char name[256];
    } mappings[MOST_MAPPINGS]; /* each file's from its header on */
};

static enum loupe_status read_process(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct process *process = ctx;
    return pread(process->memory_file, dst, len, (off_t)addr) == (ssize_t)len ? LOUPE_OK
                                                                              : LOUPE_EFAULT;
}

static const struct loupe_reader_ops ops = {.read = read_process};

static void note_mapping(struct process *process, const char *line) {
    unsigned long long start, end, offset;
    char name[256] = "";
    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %255s", &start, &end, &offset, name) < 3 ||
        !*name || process->count == MOST_MAPPINGS)
        return;
    struct mapping *last = process->count ? &process->mappings[process->count - 1] : NULL;
    if (last && offset && strcmp(last->name, name) == 0) {
        last->end = end;
        return;
    }
    struct mapping *added = &process->mappings[process->count++];
    *added = (struct mapping){.start = start, .end = end};
    memcpy(added->name, name, sizeof(name));
}

static void list_mappings(struct process *process, const char *pid) {
    char path[64], line[LONGEST_LINE];
    snprintf(path, sizeof(path), "/proc/%s/maps", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        note_mapping(process, line);
    if (file)
        fclose(file);
}

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    struct process *process = ctx;
    struct loupe_image image;
    for (unsigned i = 0; i < process->count; i++) {
        const struct mapping *mapping = &process->mappings[i];
        if (place < mapping->start || place >= mapping->end ||
            loupe_image_open(&process->memory, mapping->start, &image))
            continue;
        *ret = loupe_image_unwind_tables(&image);
        return true;
    }
    return false;
}

static void walk(struct process *process, struct loupe_frame *frame) {
    static const char *const ends[] = {[LOUPE_STEP_DONE] = "full",
                                       [LOUPE_STEP_OUTERMOST] = "outermost",
                                       [LOUPE_STEP_LOST] = "lost"};
    struct loupe_unwinder unwinder = {.stack = &process->memory,
                                      .images = &process->memory,
                                      .machine =
                                          loupe_frame_machine_of(process->memory.machine.arch),
                                      .find_tables = find_tables,
                                      .ctx = process};
    enum loupe_step step = LOUPE_STEP_DONE;
    for (unsigned i = 0; i < DEPTH && step == LOUPE_STEP_DONE; i++) {
        printf("%" PRIx64 " ", frame->registers[unwinder.machine->pc]);
        step = loupe_step(&unwinder, frame);
    }
    puts(ends[step]);
}

int main(int argc, char **argv) {
    static struct process process;
    static char line[LONGEST_LINE];
    char path[64];
    const struct loupe_machine machine = {
        .pointer_size = 8,
#if defined(__aarch64__)
        .arch = LOUPE_ARCH_ARM64
#else
        .arch = LOUPE_ARCH_X86_64
#endif
    };
    if (argc < 2)
        return 2;
    snprintf(path, sizeof(path), "/proc/%s/mem", argv[1]);
    process.memory_file = open(path, O_RDONLY);
    list_mappings(&process, argv[1]);
    loupe_memory_init(&process.memory, &ops, &process, machine, &drawn_chunks);
    while (fgets(line, sizeof(line), stdin)) {
        struct loupe_frame frame = {.is_interrupted = true};
        for (char *cursor = line; *cursor >= '0' && *cursor <= '9'; cursor++) {
            unsigned long number = strtoul(cursor, &cursor, 10);
            uint64_t value = strtoull(cursor + 1, &cursor, 16);
            if (number < LOUPE_FRAME_REGISTERS)
                loupe_frame_set(&frame, (unsigned)number, value);
        }
        walk(&process, &frame);
    }
    loupe_memory_deinit(&process.memory);
    close(process.memory_file);
    return 0;
}

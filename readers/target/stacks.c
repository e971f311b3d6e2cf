/* The stack of a thread of a target that stands still, from function to function. */
#include "scene/registers.h"
#include "target/parts.h"
#include "unwind/step.h"

enum { MOST_FRAMES = 1 << 15 };

static bool find_tables(void *ctx, loupe_addr place, struct loupe_unwind_tables *ret) {
    struct loupe_reader *reader = ctx;
    const struct loupe_reader_image *loaded = loupe_reader_image(reader, place);
    if (loaded)
        *ret = loupe_image_unwind_tables(&loaded->image);
    return loaded;
}

static void take_register(const struct loupe_reader *reader,
                          const struct loupe_reader_thread *thread, const char *name,
                          struct loupe_frame *frame) {
    int number = loupe_frame_register_named(reader->machine.arch, name);
    uint64_t value;
    if (number >= 0 && loupe_registers_find(&thread->registers, name, &value))
        loupe_frame_set(frame, (unsigned)number, value);
}

/* The one that was running when the thread was stopped. */
static struct loupe_frame innermost(const struct loupe_reader *reader,
                                    const struct loupe_reader_thread *thread) {
    static const char *const others[] = {"rip", "pc", "rsp", "sp", "rbp", "fp", "lr"};
    const struct loupe_registers *names = loupe_registers_of(&reader->machine);
    struct loupe_frame frame = {.is_interrupted = true};
    for (const char *const *name = names->general; *name; name++)
        take_register(reader, thread, *name, &frame);
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        take_register(reader, thread, others[i], &frame);
    return frame;
}

enum loupe_status loupe_reader_visit_frames(struct loupe_reader *reader,
                                            const struct loupe_reader_thread *thread,
                                            loupe_process_frame_visit visit, void *visitor) {
    struct loupe_unwinder unwinder = {.stack = &reader->images_memory,
                                      .images = &reader->images_memory,
                                      .machine = loupe_frame_machine_of(reader->machine.arch),
                                      .find_tables = find_tables,
                                      .ctx = reader};
    struct loupe_frame frame = innermost(reader, thread);
    enum loupe_step step = LOUPE_STEP_DONE;
    if (!unwinder.machine || !loupe_frame_knows(&frame, unwinder.machine->pc) ||
        !loupe_frame_knows(&frame, unwinder.machine->sp))
        return LOUPE_OK;
    /* Cap: LOUPE_ELIMIT, which the snapshot notes. */
    for (uint32_t i = 0; i < MOST_FRAMES && step == LOUPE_STEP_DONE; i++) {
        loupe_addr pc = loupe_memory_strip(&reader->memory, frame.registers[unwinder.machine->pc]);
        loupe_addr place = loupe_frame_place(&frame, pc);
        const struct loupe_reader_image *loaded = loupe_reader_image(reader, place);
        struct loupe_process_frame about = {.place = place, .image = loaded ? loaded->path : NULL};
        step = loupe_step(&unwinder, &frame);
        if (step == LOUPE_STEP_DONE)
            about.end = frame.registers[unwinder.machine->sp];
        enum loupe_status status = visit(visitor, &about);
        if (status)
            return status;
    }
    return step == LOUPE_STEP_DONE ? LOUPE_ELIMIT : LOUPE_OK;
}

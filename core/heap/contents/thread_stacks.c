/* The functions that threads are in, and whose part of a stack a word is in. */
#include "heap/snapshot_builder.h"
#include "scene/sections.h"
#include "types/method_symbol.h"

enum { NAME_SIZE = 1024 };

static struct loupe_snapshot_thread *thread_at(const struct loupe_snapshot_builder *builder,
                                               uint32_t number) {
    return loupe_vector_at(&builder->threads, number, sizeof(struct loupe_snapshot_thread));
}

static loupe_addr *end_at(const struct loupe_snapshot_builder *builder, uint32_t frame) {
    return loupe_vector_at(&builder->frame_ends, frame, sizeof(loupe_addr));
}

enum loupe_status loupe_heap_thread_number(struct loupe_snapshot_builder *builder, uint64_t id,
                                           uint32_t *ret) {
    if (loupe_map_find(&builder->thread_numbers, id, ret))
        return LOUPE_OK;
    struct loupe_snapshot_thread *thread = loupe_vector_add(&builder->threads);
    if (!thread)
        return LOUPE_ENOMEM;
    *thread = (struct loupe_snapshot_thread){.node = LOUPE_NO_NODE,
                                             .name = LOUPE_NONE,
                                             .serial = (uint32_t)id,
                                             .first_frame = builder->thread_frames.count};
    *ret = builder->threads.count - 1;
    return loupe_map_put(&builder->thread_numbers, id, *ret);
}

/* ---- Frames ---- */

/* Lines of the system's libraries are of no help, and take long to unpack. */
static struct loupe_snapshot_frame name_frame(struct loupe_snapshot_builder *builder,
                                              const struct loupe_process_frame *about) {
    struct loupe_heap_tables *tables = &builder->tables;
    const struct loupe_memory *memory = builder->target->memory;
    struct loupe_snapshot_frame frame = {
        .class_name = LOUPE_NONE, .method = LOUPE_NONE, .source = LOUPE_NONE};
    char text[NAME_SIZE], method[NAME_SIZE];
    loupe_addr place = about->place;
    bool is_systems = about->image && loupe_image_is_systems(about->image);
    uint64_t offset;
    uint32_t line;
    if (loupe_memory_name_address(memory, place, text, sizeof(text), &offset)) {
        loupe_method_of_symbol(text, method, sizeof(method));
        frame.method = loupe_heap_text(tables, method);
    }
    if (!is_systems && loupe_memory_line_of_address(memory, place, text, sizeof(text), &line) &&
        line <= INT32_MAX) {
        frame.source = loupe_heap_text(tables, text);
        frame.line = (int32_t)line;
    }
    return frame;
}

/* Many threads wait in the same place. */
static enum loupe_status find_frame(struct loupe_snapshot_builder *builder,
                                    const struct loupe_process_frame *about,
                                    struct loupe_snapshot_frame *ret) {
    uint32_t known;
    if (loupe_map_find(&builder->frames_by_place, about->place, &known)) {
        *ret = *(struct loupe_snapshot_frame *)loupe_vector_at(&builder->thread_frames, known,
                                                               sizeof(*ret));
        return LOUPE_OK;
    }
    *ret = name_frame(builder, about);
    return loupe_map_put(&builder->frames_by_place, about->place, builder->thread_frames.count);
}

static enum loupe_status take_frame(void *visitor, const struct loupe_process_frame *about) {
    struct loupe_snapshot_builder *builder = visitor;
    struct loupe_snapshot_frame found;
    enum loupe_status status = find_frame(builder, about, &found);
    struct loupe_snapshot_frame *frame = loupe_vector_add(&builder->thread_frames);
    loupe_addr *end = loupe_vector_add(&builder->frame_ends);
    if (status || !frame || !end)
        return LOUPE_ENOMEM;
    *frame = found;
    *end = about->end;
    return LOUPE_OK;
}

/* A signal may have a stack of its own: then places do not say whose a word is. */
static void forget_places_out_of_order(const struct loupe_snapshot_builder *builder,
                                       uint32_t first) {
    loupe_addr last = 0;
    bool in_order = true;
    for (uint32_t i = first; i < builder->frame_ends.count; i++) {
        loupe_addr end = *end_at(builder, i);
        in_order = in_order && (!end || end >= last);
        last = end ? end : last;
    }
    for (uint32_t i = first; !in_order && i < builder->frame_ends.count; i++)
        *end_at(builder, i) = 0;
}

static enum loupe_status take_thread(void *visitor, uint32_t number,
                                     const struct loupe_process_thread *about) {
    struct loupe_snapshot_builder *builder = visitor;
    const struct loupe_memory *memory = builder->target->memory;
    uint32_t added = 0, before = builder->threads.count;
    enum loupe_status status = loupe_heap_thread_number(builder, about->id, &added);
    if (status || added < before)
        return status;
    struct loupe_snapshot_thread *thread = thread_at(builder, added);
    if (about->name)
        thread->name = loupe_heap_text(&builder->tables, about->name);
    status = memory->ops->process->frames(memory->ctx, number, take_frame, builder);
    thread->frame_count = builder->thread_frames.count - thread->first_frame;
    forget_places_out_of_order(builder, thread->first_frame);
    builder->counts.stacks_cut += status == LOUPE_ELIMIT;
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

enum loupe_status loupe_heap_take_threads(struct loupe_snapshot_builder *builder) {
    const struct loupe_memory *memory = builder->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    if (!process || !process->threads || !process->frames)
        return LOUPE_OK;
    enum loupe_status status = process->threads(memory->ctx, take_thread, builder);
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

/* ---- Words ---- */

/* The first that ends behind the word: what lies below the stack pointer is the innermost one's. */
uint32_t loupe_heap_frame_of(const struct loupe_snapshot_builder *builder, uint32_t thread,
                             loupe_addr slot) {
    const struct loupe_snapshot_thread *of = thread_at(builder, thread);
    uint32_t low = of->first_frame, end = of->first_frame + of->frame_count, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        loupe_addr behind = *end_at(builder, middle);
        if (behind && behind <= slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && *end_at(builder, low) ? low - of->first_frame : LOUPE_NONE;
}

/* Stacks as JSON. */
#include "backtraces/report.h"

bool loupe_stacks_are_whole(const struct loupe_stacks *stacks) {
    bool whole = !stacks->misses_threads;
    for (uint32_t i = 0; i < stacks->threads.count; i++)
        whole &= loupe_stacks_at(stacks, i)->end == LOUPE_UNWIND_OUTERMOST;
    return whole;
}

static const char *const ends[] = {[LOUPE_UNWIND_OUTERMOST] = "outermost",
                                   [LOUPE_UNWIND_FULL] = "full",
                                   [LOUPE_UNWIND_LOST] = "lost"};
static const char *const registers_known[] = {[LOUPE_REGISTERS_ALL] = "all",
                                              [LOUPE_REGISTERS_SOME] = "some",
                                              [LOUPE_REGISTERS_NONE] = "none"};

static void write_frame(struct loupe_json *json, const struct loupe_stacks *stacks,
                        struct loupe_naming *naming, size_t index) {
    struct loupe_frame_name name;
    loupe_naming_at(naming, stacks, index, &name);
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", stacks->addresses[index]);
    loupe_json_put_bool(json, "interrupted", stacks->interrupted[index]);
    loupe_json_put_text(json, "image", name.file);
    loupe_json_put_string(json, "symbol", name.has_symbol ? name.symbol : NULL);
    loupe_json_key(json, "offset");
    if (name.has_symbol)
        loupe_json_uint(json, name.offset);
    else
        loupe_json_null(json);
    loupe_json_end_object(json);
}

static void write_thread(struct loupe_json *json, const struct loupe_stacks *stacks,
                         struct loupe_naming *naming, const struct loupe_thread_stack *thread) {
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "number", thread->number);
    loupe_json_put_uint(json, "id", thread->id);
    loupe_json_put_text(json, "name", loupe_span_of(thread->name));
    loupe_json_put_bool(json, "asks", thread->asks);
    loupe_json_put_string(json, "registers", registers_known[thread->registers]);
    loupe_json_put_string(json, "end", ends[thread->end]);
    loupe_json_key(json, "frames");
    loupe_json_begin_array(json);
    for (size_t i = 0; i < thread->count; i++)
        write_frame(json, stacks, naming, thread->first + i);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_image(struct loupe_json *json, const struct loupe_loaded_image *image) {
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "file", image->path.length ? image->path : image->name);
    loupe_json_put_address(json, "start", image->image.start);
    loupe_json_put_address(json, "end", image->image.end);
    loupe_json_key(json, "build_id");
    if (image->image.id.length)
        loupe_json_bytes(
            json, (struct loupe_span){(const char *)image->image.id.bytes, image->image.id.length});
    else
        loupe_json_null(json);
    loupe_json_end_object(json);
}

/* Whether a stack leads through the image. */
static bool touch(const struct loupe_stacks *stacks, const struct loupe_loaded_image *image) {
    for (size_t i = 0; i < stacks->used; i++)
        if (loupe_stacks_place(stacks, i) >= image->image.start &&
            loupe_stacks_place(stacks, i) < image->image.end)
            return true;
    return false;
}

static void write_images(struct loupe_json *json, const struct loupe_stacks *stacks,
                         struct loupe_naming *naming) {
    loupe_json_key(json, "images");
    loupe_json_begin_array(json);
    for (size_t i = 0; i < naming->images->count; i++)
        if (touch(stacks, &naming->images->items[i]))
            write_image(json, &naming->images->items[i]);
    loupe_json_end_array(json);
}

void loupe_stacks_write_json(const struct loupe_stacks *stacks, struct loupe_naming *naming,
                             const struct loupe_envelope *envelope, uint64_t started,
                             struct loupe_json *json) {
    struct loupe_target *target = naming->target;
    struct loupe_costs costs = {.started = started};
    loupe_report_begin(json, envelope, loupe_stacks_are_whole(stacks));
    loupe_json_put_bool(json, "misses_threads", stacks->misses_threads);
    loupe_json_key(json, "threads");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < stacks->threads.count; i++)
        write_thread(json, stacks, naming, loupe_stacks_at(stacks, i));
    loupe_json_end_array(json);
    write_images(json, stacks, naming);
    loupe_report_not_followed(json, &target->findings);
    loupe_report_stats(json, target->memory, &costs);
    loupe_report_end(json);
}

/* Where things were allocated, as libloupe_record recorded it. */
#include "answers/parts/recorder_text.h"
#include "answers/reports/parts.h"
#include "answers/parts/stack_text.h"

/* ---- Things ---- */

void answer_things_init(struct answer_things *things, const struct answer *answer) {
    *things = (struct answer_things){.answer = answer};
    loupe_map_init(&things->known, answer->arena->chunks);
}

void answer_things_deinit(struct answer_things *things) {
    loupe_map_deinit(&things->known);
}

enum loupe_status answer_add_thing(struct answer_things *things, struct loupe_span address) {
    uint32_t number;
    uint64_t key = answer_address(address);
    if (loupe_map_find(&things->known, key, &number))
        return LOUPE_OK;
    struct loupe_span *larger = loupe_arena_grow(things->answer->arena, things->items,
                                                 things->count, &things->room, sizeof(*larger));
    if (!larger)
        return LOUPE_ENOMEM;
    things->items = larger;
    things->items[things->count] = address;
    return loupe_map_put(&things->known, key, things->count++);
}

/* ---- Text ---- */

static void say_allocation(struct answer_lines *lines, struct loupe_span address,
                           const struct json_value *number) {
    const struct json_value *frames = answer_stack(lines->answer, number);
    answer_say(lines, "    ");
    answer_paint_name(lines);
    answer_say_thing(lines, address);
    answer_paint_end(lines);
    answer_say(lines, " ");
    answer_paint_place(lines);
    if (frames->count)
        answer_say_frame(lines, answer_guilty_frame(frames));
    else
        answer_say(lines, "not recorded");
    answer_paint_end(lines);
    answer_end_line(lines);
    if (lines->look.verbose)
        answer_say_frames(lines, frames, "      ");
}

void answer_say_allocations(struct answer_lines *lines, const struct answer_things *things) {
    bool has_any = false;
    for (uint32_t i = 0; i < things->count; i++) {
        const struct json_value *object = answer_object(lines->answer, things->items[i]);
        if (!json_has(object, "allocated"))
            continue;
        if (!has_any) {
            answer_say(lines, "  Allocated:");
            answer_end_line(lines);
        }
        has_any = true;
        say_allocation(lines, things->items[i], json_member(object, "allocated"));
    }
}

void answer_say_recorder(struct answer_lines *lines) {
    const struct json_value *recorded = json_member(lines->answer->root, "recorded");
    struct loupe_span state = json_text(recorded, "state");
    struct answer_recorder recorder = {.is_bypassed = loupe_span_equals(state, "bypassed"),
                                       .is_other_version =
                                           loupe_span_equals(state, "other-version"),
                                       .blocks_left_out = json_uint(recorded, "blocks_left_out"),
                                       .stacks_left_out = json_uint(recorded, "stacks_left_out")};
    answer_say_recorder_of(lines, &recorder);
}

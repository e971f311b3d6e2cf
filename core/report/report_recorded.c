#include "report/report_recorded.h"

enum { NAME = 512 }; /* of a symbol, with its NUL; a longer one is cut */

void loupe_report_stack_number(struct loupe_json *json, const char *key,
                               struct loupe_recorded *recorded, uint32_t stack) {
    loupe_json_key(json, key);
    if (stack && (!recorded || loupe_recorded_show(recorded, stack)))
        loupe_json_uint(json, stack);
    else
        loupe_json_null(json);
}

void loupe_report_allocated(struct loupe_json *json, struct loupe_recorded *recorded,
                            uint32_t stack) {
    loupe_report_stack_number(json, "allocated", recorded, stack);
}

/* What is called returns to where the call ends: the call itself is before that. */
static void write_frame(struct loupe_json *json, const struct loupe_memory *memory,
                        loupe_addr frame) {
    char name[NAME];
    uint64_t offset;
    bool is_named =
        frame && loupe_memory_name_address(memory, frame - 1, name, sizeof(name), &offset);
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", frame);
    loupe_json_key(json, "symbol");
    loupe_json_string(json, is_named ? name : NULL);
    loupe_json_end_object(json);
}

static void write_stack(struct loupe_json *json, const struct loupe_recorded *recorded,
                        uint32_t stack) {
    loupe_addr frames[LOUPE_RECORD_MOST_FRAMES];
    char key[16];
    bool whole;
    uint32_t count =
        loupe_recorded_frames(recorded, stack, frames, LOUPE_RECORD_MOST_FRAMES, &whole);
    loupe_format(key, sizeof(key), "%u", stack);
    loupe_json_key(json, key);
    loupe_json_begin_object(json);
    loupe_json_key(json, "frames");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        write_frame(json, recorded->memory, frames[i]);
    loupe_json_end_array(json);
    loupe_json_put_bool(json, "whole", whole);
    loupe_json_end_object(json);
}

void loupe_report_stacks(struct loupe_json *json, struct loupe_recorded *recorded) {
    const struct loupe_vector *shown = &recorded->shown;
    loupe_json_key(json, "recorded");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "state", loupe_recorded_state_name(recorded->state));
    loupe_json_put_uint(json, "blocks_left_out", recorded->header.blocks_left_out);
    loupe_json_put_uint(json, "stacks_left_out", recorded->header.stacks_left_out);
    loupe_json_end_object(json);
    loupe_recorded_sort_shown(recorded);
    loupe_json_key(json, "stacks");
    loupe_json_begin_object(json);
    for (uint32_t i = 0; i < shown->count; i++)
        write_stack(json, recorded, *(const uint32_t *)loupe_vector_at(shown, i, sizeof(uint32_t)));
    loupe_json_end_object(json);
    recorded->shown.count = 0;
}

#include "report/report_stacks.h"

#include "recorded/recorded.h"

static uint32_t call_count(const struct loupe_snapshot *snapshot) {
    return loupe_snapshot_has_recorder(snapshot) ? snapshot->native->call_count : 0;
}

enum loupe_status loupe_shown_stacks_init(struct loupe_shown_stacks *shown,
                                          const struct loupe_snapshot *snapshot,
                                          const struct loupe_chunk_ops *chunks) {
    shown->snapshot = snapshot;
    return loupe_marks_init(&shown->calls, chunks, call_count(snapshot));
}

void loupe_shown_stacks_deinit(struct loupe_shown_stacks *shown) {
    loupe_marks_deinit(&shown->calls);
}

/* Numbers of stacks begin at 1, as the recorder's do. */
void loupe_report_stack(struct loupe_json *json, struct loupe_shown_stacks *shown, uint32_t stack) {
    loupe_json_key(json, "allocated");
    if (stack >= call_count(shown->snapshot)) {
        loupe_json_null(json);
        return;
    }
    loupe_mark(&shown->calls, stack);
    loupe_json_uint(json, (uint64_t)stack + 1);
}

void loupe_report_node_stack(struct loupe_json *json, struct loupe_shown_stacks *shown,
                             uint32_t node) {
    if (loupe_snapshot_has_recorder(shown->snapshot))
        loupe_report_stack(json, shown, loupe_snapshot_stack(shown->snapshot, node));
}

void loupe_report_recorded_frame(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                 const struct loupe_recorded_frame *frame) {
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", frame->address);
    loupe_json_put_text(json, "symbol", loupe_snapshot_string(snapshot, frame->function));
    loupe_json_put_text(json, "file", loupe_snapshot_string(snapshot, frame->file));
    loupe_json_key(json, "line");
    if (frame->line)
        loupe_json_uint(json, frame->line);
    else
        loupe_json_null(json);
    loupe_json_put_text(json, "module", loupe_snapshot_string(snapshot, frame->image));
    loupe_json_put_bool(json, "foreign", frame->flags & LOUPE_FRAME_FOREIGN);
    loupe_json_end_object(json);
}

static void write_stack(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                        uint32_t stack) {
    struct loupe_recorded_stack read;
    char key[16];
    loupe_snapshot_read_stack(snapshot, stack, &read);
    loupe_format(key, sizeof(key), "%u", stack + 1);
    loupe_json_key(json, key);
    loupe_json_begin_object(json);
    loupe_json_key(json, "frames");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < read.count; i++)
        loupe_report_recorded_frame(json, snapshot, read.frames[i]);
    loupe_json_end_array(json);
    loupe_json_put_bool(json, "whole", read.whole);
    loupe_json_end_object(json);
}

void loupe_report_shown_stacks(struct loupe_json *json, const struct loupe_shown_stacks *shown) {
    const struct loupe_snapshot *snapshot = shown->snapshot;
    if (!loupe_snapshot_has_recorder(snapshot))
        return;
    const struct loupe_recorder *recorder = snapshot->native->recorder;
    loupe_json_key(json, "recorded");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "state",
                          loupe_recorded_state_name((enum loupe_recorded_state)recorder->state));
    loupe_json_put_uint(json, "blocks_left_out", recorder->blocks_left_out);
    loupe_json_put_uint(json, "stacks_left_out", recorder->stacks_left_out);
    loupe_json_end_object(json);
    loupe_json_key(json, "stacks");
    loupe_json_begin_object(json);
    for (uint32_t i = 0; i < call_count(snapshot); i++) {
        if (loupe_is_marked(&shown->calls, i))
            write_stack(json, snapshot, i);
    }
    loupe_json_end_object(json);
}

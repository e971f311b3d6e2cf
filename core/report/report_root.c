#include "report/report_root.h"

#include "scene/variable_name.h"
#include "snapshot/values/native_names.h"

void loupe_report_variable(struct loupe_json *json, const struct loupe_memory *symbols,
                           loupe_addr slot) {
    char name[LOUPE_VARIABLE_NAME_SIZE];
    if (symbols && loupe_variable_name(symbols, slot, name))
        loupe_json_put_string(json, "name", name);
}

void loupe_report_heap_variable(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                const struct loupe_memory *symbols, uint32_t root) {
    const char *variable = NULL, *where = "";
    char symbol[LOUPE_VARIABLE_NAME_SIZE];
    if (loupe_native_root_name(snapshot, root, &variable, &where))
        variable = *variable ? variable : NULL;
    else if (symbols && snapshot->roots[root].kind == LOUPE_ROOT_GLOBAL &&
             loupe_variable_name(symbols, snapshot->native->root_places[root].slot, symbol))
        variable = symbol;
    loupe_json_put_string(json, "name", variable);
    if (*where)
        loupe_json_put_string(json, "where", where);
}

void loupe_report_frame_members(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                const struct loupe_snapshot_frame *frame) {
    loupe_json_put_text(json, "class", loupe_snapshot_string(snapshot, frame->class_name));
    loupe_json_put_text(json, "method", loupe_snapshot_string(snapshot, frame->method));
    loupe_json_put_text(json, "source", loupe_snapshot_string(snapshot, frame->source));
    loupe_json_key(json, "line");
    if (frame->line > 0)
        loupe_json_uint(json, (uint64_t)frame->line);
    else
        loupe_json_null(json);
}

void loupe_report_root_frame(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                             uint32_t root) {
    const struct loupe_snapshot_frame *frame = loupe_snapshot_root_frame(snapshot, root);
    loupe_json_key(json, "frame");
    if (!frame) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_report_frame_members(json, snapshot, frame);
    loupe_json_end_object(json);
}

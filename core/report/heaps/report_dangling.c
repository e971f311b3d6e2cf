/* References to what was freed. */
#include "report/heaps/report_dangling.h"

#include "leaks/heap_graph.h"
#include "report/report_declared.h"
#include "report/heaps/report_heap.h"
#include "report/heaps/report_trace.h"
#include "snapshot/values/native_names.h"

static const char *ownership_of(const struct loupe_dangling *dangling) {
    switch ((enum loupe_link_kind)dangling->kind) {
    case LOUPE_LINK_STRONG:
        return loupe_ownership_name(LOUPE_STRONG);
    case LOUPE_LINK_UNOWNED:
        return loupe_ownership_name(LOUPE_NONOWNING_UNRETAINED);
    default:
        return loupe_ownership_name(LOUPE_ASSUMED);
    }
}

static void write_group(struct loupe_json *json, struct loupe_memory_owners *owners,
                        const struct loupe_dangling_group *group) {
    const struct loupe_snapshot *snapshot = owners->snapshot;
    const struct loupe_dangling *example = group->example;
    const struct loupe_label *label = &snapshot->native->label_table[example->label];
    char path[LOUPE_MAX_PATH];
    struct loupe_written declared;
    uint32_t class_number = snapshot->classes[example->from];
    const char *name = label->kind == LOUPE_EDGE_CAPTURE
                           ? loupe_native_class_capture(snapshot, class_number, example->slot)
                           : NULL;
    loupe_native_slot_path(snapshot, label, example->slot, path);
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "class", loupe_snapshot_class_name(snapshot, class_number));
    loupe_json_put_string(json, "kind", loupe_edge_kind_name((enum loupe_edge_kind)label->kind));
    loupe_json_put_string(json, "path", path);
    if (name)
        loupe_json_put_string(json, "name", name);
    loupe_json_put_string(json, "ownership", ownership_of(example));
    loupe_json_put_text(json, "was", loupe_snapshot_string(snapshot, example->was));
    loupe_json_put_text(json, "why", loupe_snapshot_string(snapshot, example->why));
    if (loupe_native_declared(snapshot, label, &declared))
        loupe_report_declared(json, declared.file, declared.line);
    loupe_json_put_uint(json, "count", group->count);
    loupe_json_put_address(json, "from", loupe_snapshot_address(snapshot, example->from));
    loupe_json_put_address(json, "to", example->target);
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, example->from);
    loupe_report_owner(json, owners, example->from);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

void loupe_report_dangling(struct loupe_json *json, struct loupe_memory_owners *owners,
                           const struct loupe_dangling_groups *groups, uint32_t most) {
    loupe_json_put_uint(json, "dangling_found", groups->references);
    loupe_json_key(json, "dangling");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < groups->count && (!most || i < most); i++)
        write_group(json, owners, &groups->items[i]);
    loupe_json_end_array(json);
}

void loupe_report_freed_object(struct loupe_json *json, const struct loupe_freed_object *object) {
    loupe_json_key(json, "freed");
    loupe_json_begin_object(json);
    loupe_json_put_bool(json, "certain", true);
    loupe_json_put_text(json, "why", object->why);
    loupe_json_put_text(json, "class", object->was);
    loupe_json_end_object(json);
    if (object->owners) {
        if (!loupe_heap_has_weak_references(object->owners->snapshot))
            loupe_json_put_bool(json, "weak_references", false);
        loupe_report_dangling(json, object->owners, object->groups, 0);
        loupe_report_heap_notes(json, object->owners->snapshot);
        return;
    }
    loupe_json_put_string(json, "dangling_found", NULL);
    loupe_json_put_string(json, "dangling", NULL);
    loupe_json_put_string(json, "dangling_reason", object->why_not_searched);
}

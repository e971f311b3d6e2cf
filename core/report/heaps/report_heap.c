#include "report/heaps/report_heap.h"

static void put_string(struct loupe_json *json, const char *key,
                       const struct loupe_snapshot *snapshot, uint32_t string) {
    loupe_json_put_text(json, key, loupe_snapshot_string(snapshot, string));
}

static void put_counts(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    static const struct {
        enum loupe_class_kind kind;
        const char *name;
    } kinds[] = {{LOUPE_CLASS_INSTANCES, "instances"},
                 {LOUPE_CLASS_BLOCKS, "blocks"},
                 {LOUPE_CLASS_BYREFS, "byrefs"},
                 {LOUPE_CLASS_STORAGE, "storage_blocks"},
                 {LOUPE_CLASS_RUNTIME, "runtime_blocks"}};
    uint64_t counts[LOUPE_CLASS_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < snapshot->columns.nodes; i++)
        counts[snapshot->class_table[snapshot->classes[i]].kind]++;
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        loupe_json_put_uint(json, kinds[i].name, counts[kinds[i].kind]);
}

static void put_allocators(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    loupe_json_key(json, "allocators");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < native->allocator_count; i++) {
        const struct loupe_heap_allocator *allocator = &native->allocators[i];
        loupe_json_begin_object(json);
        put_string(json, "name", snapshot, allocator->name);
        put_string(json, "guessed", snapshot, allocator->why);
        loupe_json_put_uint(json, "blocks", allocator->blocks);
        loupe_json_put_uint(json, "bytes", allocator->bytes);
        loupe_json_put_uint(json, "free_blocks", allocator->free_blocks);
        loupe_json_put_uint(json, "free_bytes", allocator->free_bytes);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

void loupe_report_heap(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    const struct loupe_columns *columns = &snapshot->columns;
    loupe_json_key(json, "snapshot");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "source", "objc");
    loupe_json_put_string(json, "origin", native->origin == LOUPE_ORIGIN_CORE ? "core" : "live");
    loupe_json_put_uint(json, "objects", columns->nodes - native->raw_blocks);
    loupe_json_put_uint(json, "references", columns->first[columns->nodes]);
    loupe_json_put_uint(json, "roots", columns->root_count);
    loupe_json_put_uint(json, "bytes", snapshot->bytes);
    loupe_json_put_uint(json, "raw_blocks", native->raw_blocks);
    loupe_json_put_uint(json, "raw_bytes", native->raw_bytes);
    put_counts(json, snapshot);
    if (snapshot->pause)
        loupe_json_put_uint(json, "paused_ms", (snapshot->pause + 999) / 1000);
    loupe_json_end_object(json);
    put_allocators(json, snapshot);
}

void loupe_report_heap_note_items(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t i = 0; i < native->note_count; i++) {
        const struct loupe_heap_note *note = &native->notes[i];
        loupe_json_begin_object(json);
        put_string(json, "reason", snapshot, note->text);
        loupe_json_put_uint(json, "count", note->count);
        loupe_json_put_address(json, "example", note->example);
        put_string(json, "code", snapshot, note->code);
        loupe_json_put_bool(json, "lost", note->is_loss);
        loupe_json_end_object(json);
    }
}

void loupe_report_heap_notes(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    loupe_json_key(json, "not_followed");
    loupe_json_begin_array(json);
    loupe_report_heap_note_items(json, snapshot);
    loupe_json_end_array(json);
}

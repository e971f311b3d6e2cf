#include "export/tables.h"

#include "cycles/knots/fingerprint.h"
#include "leaks/leaks.h"
#include "snapshot/recorded_stacks.h"

#include <stdlib.h>
#include <string.h>

/* ---- The tables ---- */

const struct table table_runs = {
    .name = "runs",
    .columns = {{"run", TABLE_INTEGER},
                {"file", TABLE_TEXT},
                {"program", TABLE_TEXT},
                {"process", TABLE_INTEGER},
                {"made", TABLE_INTEGER},
                {"source", TABLE_TEXT},
                {"objects", TABLE_INTEGER},
                {"edges", TABLE_INTEGER},
                {"roots", TABLE_INTEGER},
                {"bytes", TABLE_INTEGER},
                {"complete", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run)",
};

const struct table table_classes = {
    .name = "classes",
    .columns = {{"run", TABLE_INTEGER},
                {"class", TABLE_INTEGER},
                {"name", TABLE_TEXT},
                {"kind", TABLE_TEXT},
                {"superclass", TABLE_INTEGER},
                {"instance_size", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run, class), FOREIGN KEY (run) REFERENCES runs, "
                   "FOREIGN KEY (run, superclass) REFERENCES classes",
};

const struct table table_objects = {
    .name = "objects",
    .columns = {{"run", TABLE_INTEGER},
                {"object", TABLE_INTEGER},
                {"address", TABLE_INTEGER},
                {"class", TABLE_INTEGER},
                {"bytes", TABLE_INTEGER},
                {"retain_count", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run, object), FOREIGN KEY (run, class) REFERENCES classes",
};

const struct table table_edges = {
    .name = "edges",
    .columns = {{"run", TABLE_INTEGER},
                {"source", TABLE_INTEGER},
                {"position", TABLE_INTEGER},
                {"target", TABLE_INTEGER},
                {"ownership", TABLE_TEXT},
                {"path", TABLE_TEXT}},
    .constraints = "PRIMARY KEY (run, source, position), "
                   "FOREIGN KEY (run, source) REFERENCES objects, "
                   "FOREIGN KEY (run, target) REFERENCES objects",
};

const struct table table_roots = {
    .name = "roots",
    .columns = {{"run", TABLE_INTEGER},
                {"object", TABLE_INTEGER},
                {"kind", TABLE_TEXT},
                {"thread", TABLE_TEXT},
                {"image", TABLE_TEXT},
                {"name", TABLE_TEXT}},
    .constraints = "FOREIGN KEY (run, object) REFERENCES objects",
    .has_rowid = true,
};

const struct table table_dominators = {
    .name = "dominators",
    .columns = {{"run", TABLE_INTEGER},
                {"object", TABLE_INTEGER},
                {"dominator", TABLE_INTEGER},
                {"retained", TABLE_INTEGER},
                {"retained_objects", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run, object), FOREIGN KEY (run, object) REFERENCES objects, "
                   "FOREIGN KEY (run, dominator) REFERENCES objects",
};

const struct table table_leaks = {
    .name = "leaks",
    .columns = {{"run", TABLE_INTEGER},
                {"object", TABLE_INTEGER},
                {"kind", TABLE_TEXT},
                {"degree", TABLE_TEXT},
                {"fingerprint", TABLE_TEXT},
                {"objects", TABLE_INTEGER},
                {"bytes", TABLE_INTEGER}},
    .constraints = "FOREIGN KEY (run, object) REFERENCES objects",
    .has_rowid = true,
};

const struct table table_frames = {
    .name = "frames",
    .columns = {{"run", TABLE_INTEGER},
                {"frame", TABLE_INTEGER},
                {"address", TABLE_INTEGER},
                {"function", TABLE_TEXT},
                {"file", TABLE_TEXT},
                {"line", TABLE_INTEGER},
                {"image", TABLE_TEXT}},
    .constraints = "PRIMARY KEY (run, frame), FOREIGN KEY (run) REFERENCES runs",
};

const struct table table_stacks = {
    .name = "stacks",
    .columns = {{"run", TABLE_INTEGER},
                {"stack", TABLE_INTEGER},
                {"frame", TABLE_INTEGER},
                {"caller", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run, stack), FOREIGN KEY (run, frame) REFERENCES frames, "
                   "FOREIGN KEY (run, caller) REFERENCES stacks",
};

const struct table table_allocations = {
    .name = "allocations",
    .columns = {{"run", TABLE_INTEGER},
                {"object", TABLE_INTEGER},
                {"stack", TABLE_INTEGER},
                {"frame", TABLE_INTEGER}},
    .constraints = "PRIMARY KEY (run, object), FOREIGN KEY (run, object) REFERENCES objects, "
                   "FOREIGN KEY (run, stack) REFERENCES stacks, "
                   "FOREIGN KEY (run, frame) REFERENCES frames",
};

const struct table *const export_tables[] = {
    &table_runs,   &table_classes,     &table_objects, &table_edges,
    &table_roots,  &table_dominators,  &table_leaks,   &table_frames,
    &table_stacks, &table_allocations, NULL,
};

/* ---- Values ---- */

struct walk {
    const struct row_taker *taker;
    const struct loupe_snapshot *snapshot;
    struct heap_question *question;
    int64_t run;
    char index[24];  /* of the element that the row is about */
    uint32_t *slots; /* of all links of an array, which are asked for at once; room for `room` */
    uint32_t room;
};

static void put(const struct walk *walk, uint64_t value) {
    walk->taker->integer(walk->taker->ctx, (int64_t)value);
}

/* A number of something else, or none. */
static void put_number(const struct walk *walk, uint32_t number, uint32_t end) {
    if (number < end)
        put(walk, number);
    else
        walk->taker->null(walk->taker->ctx);
}

static void put_text(const struct walk *walk, struct loupe_span text) {
    if (text.length)
        walk->taker->text(walk->taker->ctx, text);
    else
        walk->taker->null(walk->taker->ctx);
}

static void put_string(const struct walk *walk, uint32_t string) {
    put_text(walk, loupe_snapshot_string(walk->snapshot, string));
}

/* Now and then: whether somebody ends it. */
static enum loupe_status look_around(const struct walk *walk, uint32_t row) {
    return row % 4096 ? LOUPE_OK : loupe_columns_status(&walk->snapshot->columns, true);
}

/* ---- Rows ---- */

static enum loupe_status write_run(struct walk *walk) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    const struct loupe_native_heap *native = snapshot->native;
    const struct loupe_columns *columns = &snapshot->columns;
    put(walk, (uint64_t)walk->run);
    put_text(walk, loupe_span_of(walk->question->query->file));
    put_string(walk, native ? native->program : LOUPE_NONE);
    if (native && native->process)
        put(walk, native->process);
    else
        walk->taker->null(walk->taker->ctx);
    put(walk, snapshot->time);
    put_text(walk, loupe_span_of(native ? "objc" : "hprof"));
    put(walk, columns->nodes);
    put(walk, columns->first[columns->nodes]);
    put(walk, columns->root_count);
    put(walk, snapshot->bytes);
    put(walk, !loupe_snapshot_is_incomplete(snapshot));
    return walk->taker->end_row(walk->taker->ctx);
}

static enum loupe_status write_classes(struct walk *walk) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < snapshot->class_count && !status; i++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[i];
        put(walk, (uint64_t)walk->run);
        put(walk, i);
        put_string(walk, entry->name);
        put_text(walk, loupe_span_of(loupe_class_kind_name((enum loupe_class_kind)entry->kind)));
        put_number(walk, entry->superclass, snapshot->class_count);
        put(walk, entry->instance_size);
        status = walk->taker->end_row(walk->taker->ctx);
    }
    return status;
}

static void put_retain_count(const struct walk *walk, uint32_t node) {
    const struct loupe_native_heap *native = walk->snapshot->native;
    if (native && native->retain_counts[node] <= LOUPE_RETAINS_MOST)
        put(walk, native->retain_counts[node]);
    else
        walk->taker->null(walk->taker->ctx);
}

static enum loupe_status write_objects(struct walk *walk) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; node < snapshot->columns.nodes && !status; node++) {
        put(walk, (uint64_t)walk->run);
        put(walk, node);
        put(walk, loupe_snapshot_address(snapshot, node));
        put(walk, snapshot->classes[node]);
        put(walk, loupe_columns_size(&snapshot->columns, node));
        put_retain_count(walk, node);
        status = walk->taker->end_row(walk->taker->ctx);
        status = status ? status : look_around(walk, node);
    }
    return status;
}

/* A dump is read from the array's first element on for each question: one for all its links. False:
 * the node is no array, or its slots are not known. */
static bool get_slots(struct walk *walk, uint32_t node) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    uint32_t count = snapshot->columns.first[node + 1] - snapshot->columns.first[node];
    if (snapshot->class_table[snapshot->classes[node]].kind != LOUPE_CLASS_OBJECT_ARRAYS ||
        !snapshot->ops->slots)
        return false;
    if (count > walk->room) {
        uint32_t *larger = realloc(walk->slots, (size_t)count * sizeof(*larger));
        if (!larger)
            return false;
        walk->slots = larger;
        walk->room = count;
    }
    return snapshot->ops->slots(snapshot->ctx, snapshot, node, 0, count, walk->slots);
}

static void put_index(struct walk *walk, uint32_t index) {
    put_text(walk, (struct loupe_span){walk->index, loupe_format(walk->index, sizeof(walk->index),
                                                                 "[%u]", (unsigned)index)});
}

static void put_path(struct walk *walk, uint32_t node, uint32_t link, const uint32_t *slots) {
    uint32_t slot = slots ? slots[link - walk->snapshot->columns.first[node]] : LOUPE_SLOT_UNKNOWN;
    struct loupe_link_name name;
    if (slot < LOUPE_SLOT_SPECIAL) {
        put_index(walk, slot);
        return;
    }
    loupe_snapshot_name_link(walk->snapshot, node, link, &name);
    if (name.kind == LOUPE_LINK_NAME_ELEMENT && !name.name.length)
        put_index(walk, name.index);
    else
        put_text(walk, name.name);
}

static enum loupe_status write_edges(struct walk *walk) {
    const struct loupe_columns *columns = &walk->snapshot->columns;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; node < columns->nodes && !status; node++) {
        const uint32_t *slots = get_slots(walk, node) ? walk->slots : NULL;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1] && !status;
             link++) {
            put(walk, (uint64_t)walk->run);
            put(walk, node);
            put(walk, link - columns->first[node]);
            put(walk, columns->to[link]);
            put_text(walk, loupe_span_of(loupe_link_kind_name(
                               columns->kinds ? (enum loupe_link_kind)columns->kinds[link]
                                              : LOUPE_LINK_STRONG)));
            put_path(walk, node, link, slots);
            status = walk->taker->end_row(walk->taker->ctx);
        }
        status = status ? status : look_around(walk, node);
    }
    return status;
}

static enum loupe_status write_roots(struct walk *walk) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    const struct loupe_native_heap *native = snapshot->native;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < snapshot->columns.root_count && !status; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        bool has_thread = root->thread < snapshot->thread_count;
        put(walk, (uint64_t)walk->run);
        put(walk, root->node);
        put_text(walk,
                 loupe_span_of(loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind)));
        put_string(walk, has_thread ? snapshot->threads[root->thread].name : LOUPE_NONE);
        put_string(walk, native ? native->root_places[i].image : LOUPE_NONE);
        put_string(walk, native ? native->root_places[i].name : LOUPE_NONE);
        status = walk->taker->end_row(walk->taker->ctx);
    }
    return status;
}

/* Of what is alive. */
static enum loupe_status write_dominators(struct walk *walk) {
    const struct loupe_dominators *dominators =
        loupe_heap_question_dominators(&walk->question->heap);
    uint32_t nodes = walk->snapshot->columns.nodes;
    enum loupe_status status = LOUPE_OK;
    if (!dominators)
        return *heap_stop ? LOUPE_ETIMEOUT : LOUPE_ENOMEM;
    for (uint32_t node = 0; node < nodes && !status; node++) {
        if (dominators->immediate[node] == LOUPE_NO_NODE)
            continue;
        put(walk, (uint64_t)walk->run);
        put(walk, node);
        put_number(walk, dominators->immediate[node], nodes);
        put(walk, dominators->retained[node]);
        put(walk, dominators->counts[node]);
        status = walk->taker->end_row(walk->taker->ctx);
        status = status ? status : look_around(walk, node);
    }
    return status;
}

static enum loupe_status write_found(const struct walk *walk, const struct loupe_leaks *leaks) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < leaks->count && !status; i++) {
        const struct loupe_leak *leak = &leaks->items[i];
        char fingerprint[LOUPE_FINGERPRINT_TEXT];
        loupe_fingerprint_text(leak->fingerprint, fingerprint);
        put(walk, (uint64_t)walk->run);
        put(walk, leak->node);
        put_text(walk, loupe_span_of(leak->is_cycle ? "cycle" : "leak"));
        put_text(walk, loupe_span_of(loupe_degree_name((enum loupe_degree)leak->degree)));
        put_text(walk, loupe_span_of(fingerprint));
        put(walk, leak->kept.objects);
        put(walk, leak->kept.bytes);
        status = walk->taker->end_row(walk->taker->ctx);
    }
    return status;
}

/* Of Objective-C heaps: a collector leaves nothing lost. */
static enum loupe_status write_leaks(struct walk *walk) {
    struct loupe_leaks_options options = {.filters = NULL};
    struct loupe_leaks leaks;
    struct loupe_arena arena;
    if (!walk->snapshot->native)
        return LOUPE_OK;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status status =
        loupe_leaks_find(walk->snapshot, &options, &heap_chunks, &arena, &leaks);
    if (!status) {
        status = write_found(walk, &leaks);
        loupe_leaks_deinit(&leaks);
    }
    loupe_arena_deinit(&arena);
    return status;
}

/* ---- Who allocated what, where it was recorded ---- */

static enum loupe_status write_frames(struct walk *walk) {
    const struct loupe_native_heap *native = walk->snapshot->native;
    uint32_t count = loupe_snapshot_has_recorder(walk->snapshot) ? native->frame_count : 0;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        const struct loupe_recorded_frame *frame = &native->frames[i];
        put(walk, (uint64_t)walk->run);
        put(walk, i);
        put(walk, frame->address);
        put_string(walk, frame->function);
        put_string(walk, frame->file);
        if (frame->line)
            put(walk, frame->line);
        else
            walk->taker->null(walk->taker->ctx);
        put_string(walk, frame->image);
        status = walk->taker->end_row(walk->taker->ctx);
        status = status ? status : look_around(walk, i);
    }
    return status;
}

static enum loupe_status write_stacks(struct walk *walk) {
    const struct loupe_native_heap *native = walk->snapshot->native;
    uint32_t count = loupe_snapshot_has_recorder(walk->snapshot) ? native->call_count : 0;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < count && !status; i++) {
        put(walk, (uint64_t)walk->run);
        put(walk, i);
        put(walk, native->calls[i].frame);
        put_number(walk, native->calls[i].caller, count);
        status = walk->taker->end_row(walk->taker->ctx);
        status = status ? status : look_around(walk, i);
    }
    return status;
}

static enum loupe_status write_allocations(struct walk *walk) {
    const struct loupe_snapshot *snapshot = walk->snapshot;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; node < snapshot->columns.nodes && !status; node++) {
        uint32_t stack = loupe_snapshot_stack(snapshot, node);
        if (stack == LOUPE_NONE)
            continue;
        const struct loupe_recorded_frame *frame = loupe_snapshot_guilty(snapshot, stack);
        put(walk, (uint64_t)walk->run);
        put(walk, node);
        put(walk, stack);
        if (frame)
            put(walk, (uint64_t)(frame - snapshot->native->frames));
        else
            walk->taker->null(walk->taker->ctx);
        status = walk->taker->end_row(walk->taker->ctx);
        status = status ? status : look_around(walk, node);
    }
    return status;
}

enum loupe_status export_rows(struct export *export, int64_t run, const struct row_taker *taker) {
    static enum loupe_status (*const writers[])(struct walk * walk) = {
        write_run,        write_classes, write_objects, write_edges,  write_roots,
        write_dominators, write_leaks,   write_frames,  write_stacks, write_allocations};
    struct walk walk = {.taker = taker,
                        .snapshot = export->question->query->snapshot,
                        .question = export->question,
                        .run = run};
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; export_tables[i] && !status; i++) {
        status = taker->begin_table(taker->ctx, export_tables[i]);
        if (!status)
            status = writers[i](&walk);
        if (!status)
            status = taker->end_table(taker->ctx);
    }
    free(walk.slots);
    return status;
}

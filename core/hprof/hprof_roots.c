/* What keeps objects alive: threads with their stacks, and the roots that the dump lists. */
#include "hprof/hprof_heap.h"

/* ---- Frames ---- */

static uint32_t intern_or_none(struct hprof_heap *heap, uint64_t id) {
    return id ? hprof_intern(heap, id) : LOUPE_NONE;
}

/* The frames of a stack, innermost first; those that the dump does not describe have no names. */
static void add_frames(struct hprof_heap *heap, const struct hprof_trace *trace,
                       struct loupe_snapshot_thread *thread) {
    uint32_t id_size = heap->header.id_size;
    thread->first_frame = heap->stack_frames.count;
    for (uint32_t i = 0; i < trace->frame_count && !heap->status; i++) {
        uint32_t number;
        struct loupe_snapshot_frame *frame =
            heap->stack_frames.count < HPROF_MOST_FRAMES
                ? hprof_grow(heap, &heap->stack_frames, sizeof(*frame))
                : NULL;
        if (!frame)
            return;
        thread->frame_count++;
        *frame = (struct loupe_snapshot_frame){LOUPE_NONE, LOUPE_NONE, LOUPE_NONE, 0};
        uint64_t id = hprof_id(heap->bytes + trace->frames + (uint64_t)i * id_size, id_size);
        if (!loupe_map_find(&heap->frame_by_id, id, &number))
            continue;
        const struct hprof_frame *read = (const struct hprof_frame *)heap->frames.items + number;
        frame->method = intern_or_none(heap, read->method);
        frame->source = intern_or_none(heap, read->source);
        frame->line = read->line;
        if (read->class_number != LOUPE_NONE)
            frame->class_name = hprof_entry_at(heap, read->class_number)->name;
    }
}

/* ---- Threads ---- */

static uint32_t thread_name(struct hprof_heap *heap, const struct hprof_thread *read,
                            uint32_t node) {
    char name[256];
    struct loupe_value value;
    uint32_t string;
    if (read->name != LOUPE_NONE) {
        const struct hprof_string *place =
            (const struct hprof_string *)heap->strings.items + read->name;
        return hprof_add_text(heap, (const char *)heap->bytes + place->start, place->length);
    }
    hprof_show_strings(heap);
    if (node == LOUPE_NO_NODE ||
        !loupe_snapshot_field_value(heap->snapshot, node, "name", &value) ||
        value.type != LOUPE_VALUE_OBJECT ||
        !loupe_snapshot_find(heap->snapshot, value.bits, &string))
        return LOUPE_NONE;
    size_t length = loupe_snapshot_text(heap->snapshot, string, name, sizeof(name));
    return length ? hprof_add_text(heap, name, length) : LOUPE_NONE;
}

static void add_thread(struct hprof_heap *heap, const struct hprof_thread *read) {
    uint32_t trace, node;
    struct loupe_snapshot_thread *thread = hprof_grow(heap, &heap->stacks, sizeof(*thread));
    if (!thread)
        return;
    if (!read->id || !loupe_id_index_find(&heap->index, read->id, &node))
        node = LOUPE_NO_NODE;
    *thread =
        (struct loupe_snapshot_thread){.node = node, .name = LOUPE_NONE, .serial = read->serial};
    thread->name = thread_name(heap, read, node);
    if (loupe_map_find(&heap->trace_by_serial, read->trace, &trace))
        add_frames(heap, (const struct hprof_trace *)heap->traces.items + trace, thread);
}

/* A stack that no thread names may name its thread. */
static void find_traces(struct hprof_heap *heap) {
    for (uint32_t i = 0; i < heap->traces.count; i++) {
        const struct hprof_trace *trace = (const struct hprof_trace *)heap->traces.items + i;
        uint32_t number, named;
        if (!loupe_map_find(&heap->thread_by_serial, trace->thread, &number))
            continue;
        struct hprof_thread *thread = (struct hprof_thread *)heap->threads.items + number;
        if (!loupe_map_find(&heap->trace_by_serial, thread->trace, &named))
            thread->trace = trace->serial;
    }
}

/* ---- Roots ---- */

/* The thread that owns a root as a variable of its own, or NULL. */
static struct hprof_thread *owner_of(const struct hprof_heap *heap, const struct hprof_root *root) {
    uint32_t number;
    bool is_local = root->kind == LOUPE_ROOT_JNI_LOCAL || root->kind == LOUPE_ROOT_JAVA_FRAME ||
                    root->kind == LOUPE_ROOT_NATIVE_STACK || root->kind == LOUPE_ROOT_THREAD_BLOCK;
    if (!heap->options.roots_of_mat || !is_local ||
        !loupe_map_find(&heap->thread_by_serial, root->serial, &number))
        return NULL;
    struct hprof_thread *thread = (struct hprof_thread *)heap->threads.items + number;
    return thread->id ? thread : NULL;
}

bool hprof_chain_locals(struct hprof_heap *heap) {
    for (uint32_t i = heap->roots.count; i-- > 0;) {
        struct hprof_root *root = (struct hprof_root *)heap->roots.items + i;
        struct hprof_thread *thread = owner_of(heap, root);
        if (!thread)
            continue;
        root->next_local = thread->first_local;
        thread->first_local = i;
        heap->reference_room++;
        uint32_t number = (uint32_t)(thread - (struct hprof_thread *)heap->threads.items);
        if (loupe_map_put(&heap->thread_by_object, thread->id, number))
            return false;
    }
    return true;
}

static void add_root(struct hprof_heap *heap, const struct hprof_root *read) {
    uint32_t node, thread;
    if (owner_of(heap, read))
        return;
    if (!loupe_id_index_find(&heap->index, read->id, &node)) {
        if (read->id)
            hprof_note(heap, LOUPE_NOTE_ABSENT_ROOT, read->id);
        return;
    }
    struct loupe_snapshot_root *root = hprof_grow(heap, &heap->found_roots, sizeof(*root));
    if (!root)
        return;
    *root = (struct loupe_snapshot_root){
        .node = node, .kind = read->kind, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
    if (read->serial == LOUPE_NONE ||
        !loupe_map_find(&heap->thread_by_serial, read->serial, &thread))
        return;
    const struct loupe_snapshot_thread *of =
        (const struct loupe_snapshot_thread *)heap->stacks.items + thread;
    root->thread = thread;
    if (read->frame < of->frame_count)
        root->frame = read->frame;
}

/* The loader that its record names: 0 is that which the machine starts with. */
static bool is_of_boot_loader(const struct hprof_heap *heap, uint32_t number) {
    uint32_t id_size = heap->header.id_size;
    uint64_t dump = hprof_class_at(heap, number)->dump;
    return dump && hprof_entry_at(heap, number)->kind == LOUPE_CLASS_INSTANCES &&
           !hprof_id(heap->bytes + dump + 2 * id_size + 4, id_size);
}

/* As Eclipse MAT does where a dump names no class that is never unloaded. */
static void take_boot_classes_for_roots(struct hprof_heap *heap) {
    const struct loupe_snapshot_root *roots = heap->found_roots.items;
    for (uint32_t i = 0; i < heap->found_roots.count; i++) {
        if (roots[i].kind == LOUPE_ROOT_STICKY_CLASS)
            return;
    }
    for (uint32_t i = 0; i < heap->classes.count && !heap->status; i++) {
        struct hprof_root root = {.id = hprof_class_at(heap, i)->id,
                                  .kind = LOUPE_ROOT_STICKY_CLASS,
                                  .serial = LOUPE_NONE,
                                  .frame = LOUPE_NONE};
        if (is_of_boot_loader(heap, i))
            add_root(heap, &root);
    }
}

/* A dump that was cut off ends before its roots: then classes are taken for them. */
static void take_classes_for_roots(struct hprof_heap *heap) {
    hprof_note(heap, LOUPE_NOTE_NO_ROOTS, heap->size);
    for (uint32_t i = 0; i < heap->classes.count && !heap->status; i++) {
        uint32_t node = hprof_entry_at(heap, i)->node;
        struct loupe_snapshot_root *root =
            node == LOUPE_NO_NODE ? NULL : hprof_grow(heap, &heap->found_roots, sizeof(*root));
        if (root)
            *root = (struct loupe_snapshot_root){.node = node,
                                                 .kind = LOUPE_ROOT_CLASS_FOR_WANT,
                                                 .thread = LOUPE_NONE,
                                                 .frame = LOUPE_NONE};
    }
}

void hprof_make_roots(struct hprof_heap *heap) {
    find_traces(heap);
    for (uint32_t i = 0; i < heap->threads.count && !heap->status; i++)
        add_thread(heap, (const struct hprof_thread *)heap->threads.items + i);
    for (uint32_t i = 0; i < heap->roots.count && !heap->status; i++)
        add_root(heap, (const struct hprof_root *)heap->roots.items + i);
    if (!heap->status && heap->options.roots_of_mat)
        take_boot_classes_for_roots(heap);
    if (!heap->status && !heap->found_roots.count && heap->nodes)
        take_classes_for_roots(heap);
    const struct loupe_snapshot_root *roots = heap->found_roots.items;
    heap->root_nodes = loupe_numbers_get(heap->chunks, heap->found_roots.count);
    if (!heap->root_nodes)
        heap->status = LOUPE_ENOMEM;
    for (uint32_t i = 0; i < heap->found_roots.count && !heap->status; i++)
        heap->root_nodes[i] = roots[i].node;
}

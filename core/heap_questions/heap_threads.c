#include "heap_questions/heap_threads.h"

#include "base/sort.h"
#include "report/heaps/report_trace.h"
#include "report/report_root.h"
#include "snapshot/native.h"

static const struct loupe_snapshot *snapshot_of(const struct loupe_heap_threads *threads) {
    return threads->question->tracer.snapshot;
}

/* ---- Locals ---- */

static bool is_of_earlier_object(const void *ctx, const void *left, const void *right) {
    const struct loupe_heap_local *a = left, *b = right;
    (void)ctx;
    if (a->thread != b->thread)
        return a->thread < b->thread;
    return a->node != b->node ? a->node < b->node : a->root < b->root;
}

static bool is_of_earlier_frame(const void *ctx, const void *left, const void *right) {
    const struct loupe_heap_local *a = left, *b = right;
    return a->thread != b->thread || a->frame == b->frame ? is_of_earlier_object(ctx, left, right)
                                                          : a->frame < b->frame;
}

/* The thread's own object and what it was started with are no locals. */
static bool is_local(const struct loupe_snapshot_root *root) {
    return root->kind == LOUPE_ROOT_JAVA_FRAME || root->kind == LOUPE_ROOT_JNI_LOCAL ||
           root->kind == LOUPE_ROOT_NATIVE_STACK || root->kind == LOUPE_ROOT_STACK ||
           root->kind == LOUPE_ROOT_REGISTER;
}

static enum loupe_status list_locals(struct loupe_heap_threads *threads) {
    const struct loupe_snapshot *snapshot = snapshot_of(threads);
    uint32_t roots = snapshot->columns.root_count;
    threads->locals =
        loupe_arena_alloc_array(&threads->question->arena, roots, sizeof(*threads->locals));
    if (!threads->locals)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < roots; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->thread < snapshot->thread_count && is_local(root))
            threads->locals[threads->local_count++] =
                (struct loupe_heap_local){root->thread, root->frame, root->node, i};
    }
    loupe_sort(threads->locals, threads->local_count, sizeof(*threads->locals),
               is_of_earlier_object, NULL);
    return LOUPE_OK;
}

/* ---- Threads ---- */

/* HotSpot writes the dump while the error is made: its constructor is on the stack. */
static bool ran_out_of_memory(const struct loupe_snapshot *snapshot,
                              const struct loupe_snapshot_thread *thread) {
    for (uint32_t i = 0; i < thread->frame_count; i++) {
        struct loupe_span name =
            loupe_snapshot_string(snapshot, snapshot->frames[thread->first_frame + i].class_name);
        if (loupe_span_equals(name, "java.lang.OutOfMemoryError"))
            return true;
    }
    return false;
}

/* Each object once: its locals are in the order of objects so far. */
static uint64_t retained_by(const struct loupe_heap_threads *threads,
                            const struct loupe_heap_thread *thread) {
    const uint64_t *retained = threads->dominators->retained;
    uint32_t object = snapshot_of(threads)->threads[thread->number].node;
    uint64_t bytes = object == LOUPE_NO_NODE ? 0 : retained[object];
    uint32_t last = LOUPE_NO_NODE;
    for (uint32_t i = 0; i < thread->local_count; i++) {
        uint32_t node = threads->locals[thread->first_local + i].node;
        if (node != last && node != object)
            bytes += retained[node];
        last = node;
    }
    return bytes;
}

static bool is_told_before(const void *ctx, const void *left, const void *right) {
    const struct loupe_heap_thread *a = left, *b = right;
    (void)ctx;
    if (a->ran_out_of_memory != b->ran_out_of_memory)
        return a->ran_out_of_memory;
    return a->retained != b->retained ? a->retained > b->retained : a->number < b->number;
}

static void fill_threads(struct loupe_heap_threads *threads) {
    const struct loupe_snapshot *snapshot = snapshot_of(threads);
    uint32_t next = 0;
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        struct loupe_heap_thread *thread = &threads->threads[i];
        *thread = (struct loupe_heap_thread){
            .number = i,
            .first_local = next,
            .ran_out_of_memory = ran_out_of_memory(snapshot, &snapshot->threads[i])};
        while (next < threads->local_count && threads->locals[next].thread == i)
            next++;
        thread->local_count = next - thread->first_local;
        thread->retained = retained_by(threads, thread);
    }
}

static enum loupe_status find(struct loupe_heap_threads *threads) {
    uint32_t count = snapshot_of(threads)->thread_count;
    threads->threads =
        loupe_arena_alloc_array(&threads->question->arena, count, sizeof(*threads->threads));
    if (!threads->threads || list_locals(threads))
        return LOUPE_ENOMEM;
    fill_threads(threads);
    loupe_sort(threads->locals, threads->local_count, sizeof(*threads->locals), is_of_earlier_frame,
               NULL);
    loupe_sort(threads->threads, count, sizeof(*threads->threads), is_told_before, NULL);
    return LOUPE_OK;
}

enum loupe_status loupe_heap_threads_find(struct loupe_heap_threads *threads,
                                          struct loupe_heap_question *question) {
    *threads = (struct loupe_heap_threads){.question = question,
                                           .dominators = loupe_heap_question_dominators(question)};
    return threads->dominators ? find(threads) : LOUPE_ENOMEM;
}

/* ---- The answer ---- */

static void report_local(struct loupe_json *json, const struct loupe_heap_threads *threads,
                         const struct loupe_heap_local *local) {
    const struct loupe_snapshot_root *root = &snapshot_of(threads)->roots[local->root];
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "kind",
                          loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind));
    loupe_json_key(json, "object");
    loupe_json_begin_object(json);
    loupe_report_counted_object(json, snapshot_of(threads), root->node);
    loupe_report_part_of(json, &threads->question->tracer, root->node);
    loupe_json_put_uint(json, "retained", threads->dominators->retained[root->node]);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}

/* Of a frame; each object once. */
static void report_locals(struct loupe_json *json, const struct loupe_heap_threads *threads,
                          const struct loupe_heap_thread *thread, uint32_t frame) {
    uint32_t last = LOUPE_NO_NODE;
    loupe_json_key(json, "locals");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < thread->local_count; i++) {
        const struct loupe_heap_local *local = &threads->locals[thread->first_local + i];
        if (local->frame != frame || local->node == last)
            continue;
        last = local->node;
        report_local(json, threads, local);
    }
    loupe_json_end_array(json);
}

static void report_frame(struct loupe_json *json, const struct loupe_heap_threads *threads,
                         const struct loupe_heap_thread *thread, uint32_t i) {
    const struct loupe_snapshot *snapshot = snapshot_of(threads);
    const struct loupe_snapshot_frame *frame =
        &snapshot->frames[snapshot->threads[thread->number].first_frame + i];
    loupe_json_begin_object(json);
    loupe_report_frame_members(json, snapshot, frame);
    report_locals(json, threads, thread, i);
    loupe_json_end_object(json);
}

static void report_thread_object(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                 uint32_t node) {
    loupe_json_key(json, "object");
    if (node == LOUPE_NO_NODE) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_report_heap_object(json, snapshot, node);
    loupe_json_end_object(json);
}

static void report_thread(struct loupe_json *json, const struct loupe_heap_threads *threads,
                          const struct loupe_heap_thread *thread) {
    const struct loupe_snapshot *snapshot = snapshot_of(threads);
    const struct loupe_snapshot_thread *about = &snapshot->threads[thread->number];
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "name", loupe_snapshot_string(snapshot, about->name));
    loupe_json_put_uint(json, "serial", about->serial);
    report_thread_object(json, snapshot, about->node);
    loupe_json_put_uint(json, "retained", thread->retained);
    loupe_json_put_bool(json, "out_of_memory", thread->ran_out_of_memory);
    loupe_json_key(json, "frames");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < about->frame_count; i++)
        report_frame(json, threads, thread, i);
    loupe_json_end_array(json);
    report_locals(json, threads, thread, LOUPE_NONE);
    loupe_json_end_object(json);
}

void loupe_report_heap_threads(struct loupe_json *json, const struct loupe_heap_threads *threads,
                               uint32_t most) {
    uint32_t count = snapshot_of(threads)->thread_count;
    loupe_json_put_uint(json, "found", count);
    loupe_json_key(json, "threads");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < (most && most < count ? most : count); i++)
        report_thread(json, threads, &threads->threads[i]);
    loupe_json_end_array(json);
}

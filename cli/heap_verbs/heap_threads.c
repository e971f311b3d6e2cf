/* loupe threads: stacks with the objects that their frames have, and what these keep alive. */
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "report/heaps/report_trace.h"
#include "snapshot/native.h"

#include <stdlib.h>

enum { SHOWN_THREADS = 20 };

/* A root that belongs to a thread. */
struct local {
    uint32_t thread, frame, node, root; /* frame LOUPE_NONE: in none that is known */
};

struct thread {
    uint32_t number;
    uint64_t retained; /* by its object and its locals, each counted for itself */
    bool ran_out_of_memory;
    uint32_t first_local, local_count;
};

struct found_threads {
    const struct heap_query *query;
    const struct loupe_snapshot *snapshot;
    const struct loupe_dominators *dominators;
    struct loupe_tracer tracer;
    struct local *locals; /* by thread, frame and object */
    uint32_t local_count;
    struct thread *threads;
    struct loupe_json *json;
};

/* ---- Finding ---- */

static int compare(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int compare_objects(const void *a, const void *b) {
    const struct local *x = a, *y = b;
    if (x->thread != y->thread)
        return compare(x->thread, y->thread);
    return x->node != y->node ? compare(x->node, y->node) : compare(x->root, y->root);
}

static int compare_locals(const void *a, const void *b) {
    const struct local *x = a, *y = b;
    return x->thread != y->thread || x->frame == y->frame ? compare_objects(a, b)
                                                          : compare(x->frame, y->frame);
}

/* The thread's own object and what it was started with are no locals. */
static bool is_local(const struct loupe_snapshot_root *root) {
    return root->kind == LOUPE_ROOT_JAVA_FRAME || root->kind == LOUPE_ROOT_JNI_LOCAL ||
           root->kind == LOUPE_ROOT_NATIVE_STACK || root->kind == LOUPE_ROOT_STACK ||
           root->kind == LOUPE_ROOT_REGISTER;
}

static bool find_locals(struct found_threads *found) {
    const struct loupe_snapshot *snapshot = found->snapshot;
    found->locals = malloc(((size_t)snapshot->columns.root_count + 1) * sizeof(*found->locals));
    if (!found->locals)
        return false;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->thread < snapshot->thread_count && is_local(root))
            found->locals[found->local_count++] =
                (struct local){root->thread, root->frame, root->node, i};
    }
    qsort(found->locals, found->local_count, sizeof(*found->locals), compare_objects);
    return true;
}

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
static uint64_t retained_by(const struct found_threads *found, const struct thread *thread) {
    uint32_t object = found->snapshot->threads[thread->number].node;
    uint64_t bytes = object == LOUPE_NO_NODE ? 0 : found->dominators->retained[object];
    uint32_t last = LOUPE_NO_NODE;
    for (uint32_t i = 0; i < thread->local_count; i++) {
        uint32_t node = found->locals[thread->first_local + i].node;
        if (node != last && node != object)
            bytes += found->dominators->retained[node];
        last = node;
    }
    return bytes;
}

static int compare_threads(const void *a, const void *b) {
    const struct thread *x = a, *y = b;
    if (x->ran_out_of_memory != y->ran_out_of_memory)
        return x->ran_out_of_memory ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained < y->retained ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool find_threads(struct found_threads *found) {
    const struct loupe_snapshot *snapshot = found->snapshot;
    uint32_t next = 0;
    found->threads = calloc((size_t)snapshot->thread_count + 1, sizeof(*found->threads));
    if (!found->threads || !find_locals(found))
        return false;
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        struct thread *thread = &found->threads[i];
        *thread = (struct thread){.number = i,
                                  .first_local = next,
                                  .ran_out_of_memory =
                                      ran_out_of_memory(snapshot, &snapshot->threads[i])};
        while (next < found->local_count && found->locals[next].thread == i)
            next++;
        thread->local_count = next - thread->first_local;
        thread->retained = retained_by(found, thread);
    }
    qsort(found->locals, found->local_count, sizeof(*found->locals), compare_locals);
    qsort(found->threads, snapshot->thread_count, sizeof(*found->threads), compare_threads);
    return true;
}

/* ---- The answer ---- */

static void report_local(const struct found_threads *found, const struct local *local) {
    const struct loupe_snapshot_root *root = &found->snapshot->roots[local->root];
    loupe_json_begin_object(found->json);
    loupe_json_put_string(found->json, "kind",
                          loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind));
    loupe_json_key(found->json, "object");
    loupe_json_begin_object(found->json);
    loupe_report_counted_object(found->json, found->snapshot, root->node);
    loupe_report_part_of(found->json, &found->tracer, root->node);
    loupe_json_put_uint(found->json, "retained", found->dominators->retained[root->node]);
    loupe_json_end_object(found->json);
    loupe_json_end_object(found->json);
}

/* Of a frame; each object once. */
static void report_locals(const struct found_threads *found, const struct thread *thread,
                          uint32_t frame) {
    uint32_t last = LOUPE_NO_NODE;
    loupe_json_key(found->json, "locals");
    loupe_json_begin_array(found->json);
    for (uint32_t i = 0; i < thread->local_count; i++) {
        const struct local *local = &found->locals[thread->first_local + i];
        if (local->frame != frame || local->node == last)
            continue;
        last = local->node;
        report_local(found, local);
    }
    loupe_json_end_array(found->json);
}

static void report_frame(const struct found_threads *found, const struct thread *thread,
                         uint32_t i) {
    const struct loupe_snapshot *snapshot = found->snapshot;
    const struct loupe_snapshot_frame *frame =
        &snapshot->frames[snapshot->threads[thread->number].first_frame + i];
    loupe_json_begin_object(found->json);
    loupe_json_put_text(found->json, "class", loupe_snapshot_string(snapshot, frame->class_name));
    loupe_json_put_text(found->json, "method", loupe_snapshot_string(snapshot, frame->method));
    loupe_json_put_text(found->json, "source", loupe_snapshot_string(snapshot, frame->source));
    loupe_json_key(found->json, "line");
    if (frame->line > 0)
        loupe_json_int(found->json, frame->line);
    else
        loupe_json_null(found->json);
    report_locals(found, thread, i);
    loupe_json_end_object(found->json);
}

static void report_thread(const struct found_threads *found, const struct thread *thread) {
    const struct loupe_snapshot *snapshot = found->snapshot;
    const struct loupe_snapshot_thread *about = &snapshot->threads[thread->number];
    loupe_json_begin_object(found->json);
    loupe_json_put_text(found->json, "name", loupe_snapshot_string(snapshot, about->name));
    loupe_json_put_uint(found->json, "serial", about->serial);
    loupe_json_key(found->json, "object");
    if (about->node == LOUPE_NO_NODE) {
        loupe_json_null(found->json);
    } else {
        loupe_json_begin_object(found->json);
        loupe_report_heap_object(found->json, snapshot, about->node);
        loupe_json_end_object(found->json);
    }
    loupe_json_put_uint(found->json, "retained", thread->retained);
    loupe_json_put_bool(found->json, "out_of_memory", thread->ran_out_of_memory);
    loupe_json_key(found->json, "frames");
    loupe_json_begin_array(found->json);
    for (uint32_t i = 0; i < about->frame_count; i++)
        report_frame(found, thread, i);
    loupe_json_end_array(found->json);
    report_locals(found, thread, LOUPE_NONE);
    loupe_json_end_object(found->json);
}

/* A screen has room for some, JSON for all. */
static uint32_t shown_of(const struct verb_values *options, uint32_t count) {
    uint64_t unless_told = options->json ? 0 : SHOWN_THREADS;
    uint64_t limit = options->has_limit ? options->limit : unless_told;
    return limit && limit < count ? (uint32_t)limit : count;
}

static int say(struct found_threads *found) {
    struct heap_answer said;
    uint32_t count = found->snapshot->thread_count;
    int status = heap_answer_begin(&said, found->query, false);
    if (status)
        return status;
    found->json = &said.json;
    loupe_json_put_uint(found->json, "found", count);
    loupe_json_key(found->json, "threads");
    loupe_json_begin_array(found->json);
    for (uint32_t i = 0; i < shown_of(&found->query->options, count); i++)
        report_thread(found, &found->threads[i]);
    loupe_json_end_array(found->json);
    return heap_answer_end(&said, NULL, LOUPE_OK);
}

int heap_verb_threads(struct heap_query *query) {
    struct loupe_dominators dominators;
    struct loupe_memory_owners owners;
    struct found_threads found = {.query = query,
                                  .snapshot = query->snapshot,
                                  .dominators = &dominators,
                                  .tracer = loupe_plain_tracer(query->snapshot, query->policy)};
    if (loupe_dominators_of_heap(query->snapshot, query->policy, &heap_chunks, &dominators))
        return heap_ended(query);
    loupe_memory_owners_init(&owners, query->snapshot, &heap_chunks);
    found.tracer.owners = &owners;
    int status = find_threads(&found) ? say(&found) : heap_ended(query);
    loupe_memory_owners_deinit(&owners);
    free(found.threads);
    free(found.locals);
    loupe_dominators_deinit(&dominators);
    return status;
}

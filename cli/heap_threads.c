/* loupe threads: stacks with the objects that their frames have, and what these keep alive. */
#include "amounts.h"
#include "heap_question.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_values.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHOWN_THREADS = 20, SHOWN_LOCALS = 8, TEXT_CAP = 120 };

/* A root that belongs to a thread. */
struct local {
    uint32_t thread, frame, root; /* frame LOUPE_NONE: in none that is known */
};

struct thread {
    uint32_t number;
    uint64_t retained; /* by its object and its locals, each counted for itself */
    bool ran_out_of_memory;
    uint32_t first_local, local_count;
};

struct answer {
    const struct heap_query *query;
    const struct loupe_snapshot *snapshot;
    const struct loupe_dominators *dominators;
    struct local *locals; /* by thread and frame */
    uint32_t local_count;
    struct thread *threads;
    struct loupe_json *json; /* that is written, or NULL */
};

/* ---- Finding ---- */

static int compare_locals(const void *a, const void *b) {
    const struct local *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* The thread's own object and what it was started with are no locals. */
static bool is_local(const struct loupe_snapshot_root *root) {
    return root->kind == LOUPE_ROOT_JAVA_FRAME || root->kind == LOUPE_ROOT_JNI_LOCAL ||
           root->kind == LOUPE_ROOT_NATIVE_STACK || root->kind == LOUPE_ROOT_STACK ||
           root->kind == LOUPE_ROOT_REGISTER;
}

static bool find_locals(struct answer *answer) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    answer->locals = malloc(((size_t)snapshot->columns.root_count + 1) * sizeof(*answer->locals));
    if (!answer->locals)
        return false;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->thread < snapshot->thread_count && is_local(root))
            answer->locals[answer->local_count++] = (struct local){root->thread, root->frame, i};
    }
    qsort(answer->locals, answer->local_count, sizeof(*answer->locals), compare_locals);
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

static uint64_t retained_by(const struct answer *answer, const struct thread *thread) {
    uint32_t object = answer->snapshot->threads[thread->number].node;
    uint64_t bytes = object == LOUPE_NO_NODE ? 0 : answer->dominators->retained[object];
    uint32_t last = LOUPE_NO_NODE;
    for (uint32_t i = 0; i < thread->local_count; i++) {
        uint32_t node = answer->snapshot->roots[answer->locals[thread->first_local + i].root].node;
        if (node != last && node != object)
            bytes += answer->dominators->retained[node];
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

static bool find_threads(struct answer *answer) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    uint32_t next = 0;
    answer->threads = calloc((size_t)snapshot->thread_count + 1, sizeof(*answer->threads));
    if (!answer->threads || !find_locals(answer))
        return false;
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        struct thread *thread = &answer->threads[i];
        *thread = (struct thread){.number = i,
                                  .first_local = next,
                                  .ran_out_of_memory =
                                      ran_out_of_memory(snapshot, &snapshot->threads[i])};
        while (next < answer->local_count && answer->locals[next].thread == i)
            next++;
        thread->local_count = next - thread->first_local;
        thread->retained = retained_by(answer, thread);
    }
    qsort(answer->threads, snapshot->thread_count, sizeof(*answer->threads), compare_threads);
    return true;
}

/* The locals of a frame; each object once. Calls show() for at most `most` of them, and returns how
 * many there are. */
typedef void show_local(const struct answer *answer, const struct local *local);

static uint64_t each_local(const struct answer *answer, const struct thread *thread, uint32_t frame,
                           uint64_t most, show_local *show) {
    uint32_t last = LOUPE_NO_NODE;
    uint64_t count = 0;
    for (uint32_t i = 0; i < thread->local_count; i++) {
        const struct local *local = &answer->locals[thread->first_local + i];
        uint32_t node = answer->snapshot->roots[local->root].node;
        if (local->frame != frame || node == last)
            continue;
        last = node;
        if (!most || count < most)
            show(answer, local);
        count++;
    }
    return count;
}

/* ---- Text ---- */

static void print_local(const struct answer *answer, const struct local *local) {
    char text[TEXT_CAP];
    uint32_t node = answer->snapshot->roots[local->root].node;
    printf("        ");
    show_target(answer->snapshot, loupe_snapshot_address(answer->snapshot, node),
                (struct value_room){text, sizeof(text)});
    printf(", keeps %s\n", cli_bytes(answer->dominators->retained[node]));
}

static void print_locals(const struct answer *answer, const struct thread *thread, uint32_t frame) {
    uint64_t count = each_local(answer, thread, frame, SHOWN_LOCALS, print_local);
    if (count > SHOWN_LOCALS)
        printf("        %s more (--json has all)\n", cli_count(count - SHOWN_LOCALS));
}

static void print_frame(const struct loupe_snapshot *snapshot,
                        const struct loupe_snapshot_frame *frame) {
    struct loupe_span source = loupe_snapshot_string(snapshot, frame->source);
    printf("    at ");
    show_text(loupe_snapshot_string(snapshot, frame->class_name));
    printf(".");
    show_text(loupe_snapshot_string(snapshot, frame->method));
    printf("(");
    show_text(source.length ? source : loupe_span_of("unknown source"));
    if (frame->line > 0)
        printf(":%" PRId32, frame->line);
    printf(")\n");
}

static void print_thread(const struct answer *answer, const struct thread *thread) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    const struct loupe_snapshot_thread *about = &snapshot->threads[thread->number];
    struct loupe_span name = loupe_snapshot_string(snapshot, about->name);
    printf("\nThread \"");
    show_text(name);
    printf("\"");
    if (!name.length)
        printf(" %" PRIu32, about->serial);
    if (about->node != LOUPE_NO_NODE)
        printf(" 0x%" PRIx64, loupe_snapshot_address(snapshot, about->node));
    printf(": its variables keep %s%s\n", cli_bytes(thread->retained),
           thread->ran_out_of_memory ? "; it ran out of memory" : "");
    for (uint32_t i = 0; i < about->frame_count; i++) {
        print_frame(snapshot, &snapshot->frames[about->first_frame + i]);
        print_locals(answer, thread, i);
    }
    if (!about->frame_count && !thread->local_count)
        printf("    no stack is known\n");
    print_locals(answer, thread, LOUPE_NONE);
}

static int print_text(const struct answer *answer) {
    const struct verb_values *options = &answer->query->options;
    uint32_t count = answer->snapshot->thread_count;
    uint64_t limit = options->has_limit ? options->limit : SHOWN_THREADS;
    uint32_t shown = limit && limit < count ? (uint32_t)limit : count;
    printf("%s thread%s\n", cli_count(count), count == 1 ? "" : "s");
    for (uint32_t i = 0; i < shown; i++)
        print_thread(answer, &answer->threads[i]);
    if (shown < count)
        printf("\n%s more (--limit 0 shows all)\n", cli_count(count - shown));
    heap_print_notes(answer->query, false);
    return CLI_OK;
}

/* ---- JSON ---- */

static void report_local(const struct answer *answer, const struct local *local) {
    const struct loupe_snapshot_root *root = &answer->snapshot->roots[local->root];
    loupe_json_begin_object(answer->json);
    loupe_json_put_string(answer->json, "kind",
                          loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind));
    loupe_json_key(answer->json, "object");
    loupe_json_begin_object(answer->json);
    loupe_report_heap_object(answer->json, answer->snapshot, root->node);
    loupe_json_put_uint(answer->json, "retained", answer->dominators->retained[root->node]);
    loupe_json_end_object(answer->json);
    loupe_json_end_object(answer->json);
}

static void report_locals(const struct answer *answer, const struct thread *thread,
                          uint32_t frame) {
    loupe_json_key(answer->json, "locals");
    loupe_json_begin_array(answer->json);
    each_local(answer, thread, frame, 0, report_local);
    loupe_json_end_array(answer->json);
}

static void report_frame(const struct answer *answer, const struct thread *thread, uint32_t i) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    const struct loupe_snapshot_frame *frame =
        &snapshot->frames[snapshot->threads[thread->number].first_frame + i];
    loupe_json_begin_object(answer->json);
    loupe_json_put_text(answer->json, "class", loupe_snapshot_string(snapshot, frame->class_name));
    loupe_json_put_text(answer->json, "method", loupe_snapshot_string(snapshot, frame->method));
    loupe_json_put_text(answer->json, "source", loupe_snapshot_string(snapshot, frame->source));
    loupe_json_key(answer->json, "line");
    if (frame->line > 0)
        loupe_json_int(answer->json, frame->line);
    else
        loupe_json_null(answer->json);
    report_locals(answer, thread, i);
    loupe_json_end_object(answer->json);
}

static void report_thread(const struct answer *answer, const struct thread *thread) {
    const struct loupe_snapshot *snapshot = answer->snapshot;
    const struct loupe_snapshot_thread *about = &snapshot->threads[thread->number];
    loupe_json_begin_object(answer->json);
    loupe_json_put_text(answer->json, "name", loupe_snapshot_string(snapshot, about->name));
    loupe_json_put_uint(answer->json, "serial", about->serial);
    loupe_json_key(answer->json, "object");
    if (about->node == LOUPE_NO_NODE) {
        loupe_json_null(answer->json);
    } else {
        loupe_json_begin_object(answer->json);
        loupe_report_heap_object(answer->json, snapshot, about->node);
        loupe_json_end_object(answer->json);
    }
    loupe_json_put_uint(answer->json, "retained", thread->retained);
    loupe_json_put_bool(answer->json, "out_of_memory", thread->ran_out_of_memory);
    loupe_json_key(answer->json, "frames");
    loupe_json_begin_array(answer->json);
    for (uint32_t i = 0; i < about->frame_count; i++)
        report_frame(answer, thread, i);
    loupe_json_end_array(answer->json);
    report_locals(answer, thread, LOUPE_NONE);
    loupe_json_end_object(answer->json);
}

static int print_json(struct answer *answer) {
    const struct verb_values *options = &answer->query->options;
    struct loupe_json json;
    uint32_t count = answer->snapshot->thread_count;
    uint32_t shown = options->has_limit && options->limit && options->limit < count
                         ? (uint32_t)options->limit
                         : count;
    loupe_json_init(&json, cli_stdout_sink());
    answer->json = &json;
    loupe_report_snapshot_begin(&json, "threads", answer->snapshot, false);
    loupe_json_put_uint(&json, "found", count);
    loupe_json_key(&json, "threads");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++)
        report_thread(answer, &answer->threads[i]);
    loupe_json_end_array(&json);
    loupe_report_snapshot_end(&json, answer->snapshot);
    loupe_json_finish(&json);
    putchar('\n');
    return CLI_OK;
}

int heap_verb_threads(struct heap_query *query) {
    struct loupe_dominators dominators;
    struct answer answer = {.query = query, .snapshot = query->snapshot, .dominators = &dominators};
    if (heap_dominators(query, query->policy, &dominators))
        return heap_ended(query);
    int status = find_threads(&answer) ? heap_begin_output(query) : heap_ended(query);
    if (!status)
        status = query->options.json ? print_json(&answer) : print_text(&answer);
    free(answer.threads);
    free(answer.locals);
    loupe_dominators_deinit(&dominators);
    return status;
}

/* loupe cycles: the knots of a whole heap of Java, by their shapes. */
#include "amounts.h"
#include "capture.h"
#include "cycles/fingerprint.h"
#include "cycles/knot_shapes.h"
#include "heap_target.h"
#include "heap_question.h"
#include "native_cycles.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20 };

/* ---- JSON ---- */

static void report_ring(struct loupe_json *json, struct loupe_knot_shapes *shapes,
                        const struct loupe_knot_shape *shape, const char *fingerprint) {
    uint32_t length = loupe_knot_shapes_ring(shapes, shape->knot);
    loupe_json_key(json, "rings");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_uint(json, "length", length);
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < length; i++) {
        loupe_json_begin_object(json);
        loupe_report_link(json, shapes->tracer, shapes->nodes[i],
                          loupe_knot_shapes_link(shapes, length, i));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

static void report_shape(struct loupe_json *json, struct loupe_knot_shapes *shapes,
                         const struct loupe_knot_shape *shape) {
    const struct loupe_heap_ring *ring = &shapes->rings.of[shape->knot];
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(shape->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_uint(json, "count", shape->count);
    loupe_json_put_uint(json, "size", shape->bytes);
    loupe_json_put_uint(json, "objects", ring->objects);
    loupe_json_put_uint(json, "edges", ring->links);
    loupe_json_put_string(json, "verdict",
                          loupe_knot_shapes_is_alive(shapes, shape) ? "held" : NULL);
    report_ring(json, shapes, shape, fingerprint);
    loupe_json_end_object(json);
}

/* The objects of the rings, by address. One that is on several is named again: they are few. */
static void report_objects(struct loupe_json *json, struct loupe_knot_shapes *shapes,
                           uint32_t shown) {
    const struct loupe_snapshot *snapshot = shapes->tracer->snapshot;
    loupe_json_key(json, "objects");
    loupe_json_begin_object(json);
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t length = loupe_knot_shapes_ring(shapes, shapes->items[i].knot);
        for (uint32_t j = 0; j < length; j++) {
            char address[24];
            loupe_format(address, sizeof(address), "0x%llx",
                         (unsigned long long)loupe_snapshot_address(snapshot, shapes->nodes[j]));
            loupe_json_key(json, address);
            loupe_json_begin_object(json);
            loupe_report_heap_object(json, snapshot, shapes->nodes[j]);
            loupe_json_end_object(json);
        }
    }
    loupe_json_end_object(json);
}

static void report(struct loupe_knot_shapes *shapes, uint32_t shown) {
    struct loupe_json json;
    const struct loupe_snapshot *snapshot = shapes->tracer->snapshot;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "cycles", snapshot, false);
    loupe_json_key(&json, "seed");
    loupe_json_null(&json);
    loupe_json_put_uint(&json, "found", shapes->knots.count);
    loupe_json_key(&json, "knots");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++)
        report_shape(&json, shapes, &shapes->items[i]);
    loupe_json_end_array(&json);
    report_objects(&json, shapes, shown);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
}

/* ---- Text ---- */

enum { SHOWN_STEPS = 24 };

static void show_ring(struct loupe_knot_shapes *shapes, const struct loupe_knot_shape *shape) {
    const struct loupe_tracer *tracer = shapes->tracer;
    uint32_t length = loupe_knot_shapes_ring(shapes, shape->knot);
    for (uint32_t i = 0; i < length; i++) {
        if (i + 1 < length && i >= SHOWN_STEPS - 1) {
            printf("  │   … %s more objects\n", cli_count(length - 1 - i));
            i = length - 2;
            continue;
        }
        printf("  %s ", length == 1 ? "⟲" : i == 0 ? "╭─▶" : i + 1 == length ? "╰──" : "│  ");
        show_object(tracer->snapshot, shapes->nodes[i]);
        printf("  ");
        show_link(tracer, shapes->nodes[i], loupe_knot_shapes_link(shapes, length, i));
        printf("\n");
    }
}

static void show_shape(struct loupe_knot_shapes *shapes, const struct loupe_knot_shape *shape) {
    const struct loupe_heap_ring *ring = &shapes->rings.of[shape->knot];
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(shape->fingerprint, fingerprint);
    printf("\n%s × Cycle of %s object%s and %s references, %s in all, %s; fingerprint %s\n",
           cli_count(shape->count), cli_count(ring->objects), ring->objects == 1 ? "" : "s",
           cli_count(ring->links), cli_bytes(shape->bytes),
           loupe_knot_shapes_is_alive(shapes, shape) ? "held" : "garbage", fingerprint);
    if (ring->length < ring->objects)
        printf("  One loop of it:\n");
    show_ring(shapes, shape);
}

static void show(const struct heap_query *query, struct loupe_knot_shapes *shapes, uint32_t shown) {
    printf(
        "%s cycle%s, %s distinct. The collector frees a cycle that nothing else holds: it is not a "
        "leak by itself.\n",
        cli_count(shapes->knots.count), shapes->knots.count == 1 ? "" : "s",
        cli_count(shapes->count));
    for (uint32_t i = 0; i < shown; i++)
        show_shape(shapes, &shapes->items[i]);
    if (shown < shapes->count)
        printf("\n… and %s more (--limit 0 shows all)\n", cli_count(shapes->count - shown));
    heap_print_notes(query, false);
}

static int answer_with(const struct heap_query *query, struct loupe_knot_shapes *shapes) {
    uint64_t limit = query->options.has_limit ? query->options.limit : DEFAULT_LIMIT;
    uint32_t shown = limit && limit < shapes->count ? (uint32_t)limit : shapes->count;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (query->options.json)
        report(shapes, shown);
    else
        show(query, shapes, shown);
    return CLI_OK;
}

int heap_verb_cycles(struct heap_query *query) {
    struct heap_question question;
    uint32_t only = LOUPE_NO_NODE;
    int status = CLI_OK;
    if (query->operand_count && !heap_query_object(query, query->operands[0], &only, &status))
        return status;
    if (query->snapshot->native)
        return native_cycles_answer(query, only);
    status = heap_question_init(&question, query);
    if (status)
        return status;
    struct loupe_knot_shapes shapes;
    status = loupe_knot_shapes_find(&shapes, &question.tracer, &heap_chunks, only)
                 ? heap_ended(query)
                 : answer_with(query, &shapes);
    loupe_knot_shapes_deinit(&shapes);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_cycles_on_target(struct heap_query *query) {
    return heap_target_ask(query, "retain-cycles", query->operands[0]);
}

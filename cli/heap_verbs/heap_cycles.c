/* loupe cycles: the knots of a whole heap of Java, by their shapes. */
#include "cycles/knots/fingerprint.h"
#include "cycles/knots/knot_shapes.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_question.h"
#include "heaps/heap_target.h"
#include "heap_verbs/native_cycles.h"
#include "report/heaps/report_trace.h"

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

static int answer_with(const struct heap_query *query, struct loupe_knot_shapes *shapes) {
    uint64_t limit = query->options.has_limit ? query->options.limit : DEFAULT_LIMIT;
    uint32_t shown = limit && limit < shapes->count ? (uint32_t)limit : shapes->count;
    struct heap_answer said;
    int status = heap_answer_begin(&said, query, false);
    if (status)
        return status;
    loupe_json_key(&said.json, "seed");
    loupe_json_null(&said.json);
    loupe_json_put_uint(&said.json, "found", shapes->knots.count);
    loupe_json_put_uint(&said.json, "distinct", shapes->count);
    loupe_json_key(&said.json, "knots");
    loupe_json_begin_array(&said.json);
    for (uint32_t i = 0; i < shown; i++)
        report_shape(&said.json, shapes, &shapes->items[i]);
    loupe_json_end_array(&said.json);
    report_objects(&said.json, shapes, shown);
    return heap_answer_end(&said, NULL, LOUPE_OK);
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
    status = loupe_knot_shapes_find(&shapes, &question.heap.tracer, &heap_chunks, only)
                 ? heap_ended(query)
                 : answer_with(query, &shapes);
    loupe_knot_shapes_deinit(&shapes);
    heap_question_deinit(&question);
    return status;
}

int heap_verb_cycles_on_target(struct heap_query *query) {
    return heap_target_ask(query, "retain-cycles", query->operands[0]);
}

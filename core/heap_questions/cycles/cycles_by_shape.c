#include "heap_questions/cycles/cycles_by_shape.h"

#include "cycles/knots/fingerprint.h"
#include "report/heaps/report_trace.h"

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

void loupe_report_cycles_by_shape(struct loupe_json *json, struct loupe_knot_shapes *shapes,
                                  uint32_t most) {
    uint32_t shown = most && most < shapes->count ? most : shapes->count;
    loupe_json_key(json, "seed");
    loupe_json_null(json);
    loupe_json_put_uint(json, "found", shapes->knots.count);
    loupe_json_put_uint(json, "distinct", shapes->count);
    loupe_json_key(json, "knots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < shown; i++)
        report_shape(json, shapes, &shapes->items[i]);
    loupe_json_end_array(json);
    report_objects(json, shapes, shown);
}

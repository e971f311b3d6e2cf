/* The report of cycles about a heap of Java, where a collector frees what nothing else holds. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"

enum { SHOWN_STEPS = 24 };

static void say_step(struct answer_lines *lines, const struct json_value *edge, uint32_t i,
                     uint32_t length) {
    const struct json_value *object = answer_object(lines->answer, json_text(edge, "from"));
    answer_say(lines, "  %s ",
               length == 1       ? "⟲"
               : i == 0          ? "╭─▶"
               : i + 1 == length ? "╰──"
                                 : "│  ");
    answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
    answer_say(lines, "  ");
    answer_say_heap_link(lines, edge);
    answer_end_line(lines);
}

/* Of one that is long the last step comes after those that are left out. */
static void say_ring(struct answer_lines *lines, const struct json_value *edges) {
    uint32_t i = 0, length = edges->count;
    JSON_EACH(edge, edges) {
        if (i < SHOWN_STEPS - 1 || i + 1 == length) {
            say_step(lines, edge, i, length);
        } else if (i == SHOWN_STEPS - 1) {
            answer_say(lines, "  │   … ");
            answer_say_number(lines, length - 1 - i);
            answer_say(lines, " more objects");
            answer_end_line(lines);
        }
        i++;
    }
}

static void say_shape(struct answer_lines *lines, const struct json_value *shape) {
    static const struct json_value nothing = {.kind = JSON_NULL};
    const struct json_value *ring = json_member(shape, "rings")->first;
    ring = ring ? ring : &nothing;
    answer_end_line(lines);
    answer_say_number(lines, json_uint(shape, "count"));
    answer_say(lines, " × Cycle of ");
    answer_say_count(lines, json_uint(shape, "objects"), "object");
    answer_say(lines, " and ");
    answer_say_number(lines, json_uint(shape, "edges"));
    answer_say(lines, " references, ");
    answer_say_bytes(lines, json_uint(shape, "size"));
    answer_say(lines, " in all, %s; fingerprint ",
               json_text(shape, "verdict").length ? "held" : "garbage");
    answer_say_text(lines, json_text(shape, "fingerprint"));
    answer_end_line(lines);
    if (json_uint(ring, "length") < json_uint(shape, "objects")) {
        answer_say(lines, "  One loop of it:");
        answer_end_line(lines);
    }
    say_ring(lines, json_member(ring, "edges"));
}

enum loupe_status answer_say_collected_cycles(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *knots = json_member(root, "knots");
    uint64_t distinct = json_has(root, "distinct") ? json_uint(root, "distinct") : knots->count;
    answer_say_count(lines, json_uint(root, "found"), "cycle");
    answer_say(lines, ", ");
    answer_say_number(lines, distinct);
    answer_say(lines, " distinct. The collector frees a cycle that nothing else holds: it is not a "
                      "leak by itself.");
    answer_end_line(lines);
    JSON_EACH(shape, knots)
    say_shape(lines, shape);
    if (distinct > knots->count) {
        answer_end_line(lines);
        answer_say(lines, "… and ");
        answer_say_number(lines, distinct - knots->count);
        answer_say(lines, " more (--limit 0 shows all)");
        answer_end_line(lines);
    }
    answer_say_heap_notes(lines, false);
    return LOUPE_OK;
}

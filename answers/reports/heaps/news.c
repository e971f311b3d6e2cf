/* What there is more of than before: leaks and retain cycles, in a Java heap suspects and cycles.
 */
#include "answers/parts/heap_text.h"
#include "answers/reports/heaps/news.h"

enum { SHOWN = 10 };

static uint64_t growth_of(const struct json_value *item) {
    uint64_t before = json_uint(item, "before"), now = json_uint(item, "now");
    return now > before ? now - before : 0;
}

static bool is_kind(const struct json_value *item, const char *kind) {
    return loupe_span_equals(json_text(item, "kind"), kind);
}

/* "2 leaks more, 5 in all: PhotoCell, 240 bytes". */
static void say_native(struct answer_lines *lines, const struct json_value *item) {
    answer_say_count(lines, growth_of(item), is_kind(item, "cycle") ? "cycle" : "leak");
    answer_say(lines, " more, ");
    answer_say_number(lines, json_uint(item, "now"));
    answer_say(lines, " in all: ");
    answer_say_text(lines, json_text(item, "class"));
    if (json_has(item, "bytes")) {
        answer_say(lines, ", ");
        answer_say_bytes(lines, json_uint(item, "bytes"));
    }
}

/* "1.2 MB  demo.Screen" of suspects, "3 × demo.Screen" of cycles. */
static void say_collected(struct answer_lines *lines, const struct json_value *item) {
    if (is_kind(item, "cycle"))
        answer_say_number(lines, json_uint(item, "now"));
    else
        answer_say_bytes(lines, json_uint(item, "bytes"));
    answer_say(lines, is_kind(item, "cycle") ? " × " : "  ");
    answer_say_long_text(lines, json_text(item, "class"));
}

static void say_items(struct answer_lines *lines, const struct json_value *items,
                      void (*say)(struct answer_lines *lines, const struct json_value *item)) {
    uint32_t shown = 0;
    JSON_EACH(item, items) {
        if (shown++ >= SHOWN)
            break;
        answer_say(lines, "  ");
        answer_say_text(lines, json_text(item, "fingerprint"));
        answer_say(lines, "  ");
        say(lines, item);
        answer_end_line(lines);
    }
    if (items->count > SHOWN) {
        answer_say(lines, "  %s and ", lines->look.unicode ? "…" : "...");
        answer_say_number(lines, items->count - SHOWN);
        answer_say(lines, " more");
        answer_end_line(lines);
    }
}

static void say_line(struct answer_lines *lines, const char *text) {
    answer_say(lines, "%s", text);
    answer_end_line(lines);
}

static void say_of_native(struct answer_lines *lines, const struct json_value *leaks,
                          const struct json_value *knots) {
    if (leaks->count)
        say_line(lines, "More leaks than before (loupe leaks shows them):");
    say_items(lines, leaks, say_native);
    if (knots->count)
        say_line(lines, "More retain cycles, leaked or held (loupe cycles shows them):");
    say_items(lines, knots, say_native);
    if (!leaks->count)
        say_line(lines, "No new leaks");
}

static void say_of_collected(struct answer_lines *lines, const struct json_value *suspects,
                             const struct json_value *knots) {
    if (suspects->count) {
        answer_say_count(lines, suspects->count, "new cause");
        say_line(lines, " of suspects (loupe suspects shows the paths):");
    }
    say_items(lines, suspects, say_collected);
    if (knots->count) {
        answer_say_count(lines, knots->count, "new distinct cycle");
        answer_say(lines, " (loupe cycles shows %s):", knots->count == 1 ? "it" : "them");
        answer_end_line(lines);
    }
    say_items(lines, knots, say_collected);
}

void answer_say_news(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *leaks = json_member(root, "more_leaks"),
                            *knots = json_member(root, "more_knots");
    if (answer_is_native(lines->answer))
        say_of_native(lines, leaks, knots);
    else
        say_of_collected(lines, leaks, knots);
}

/* What there is more of than before. */
#include "answers/reports/heaps/news.h"

enum { SHOWN = 10 };

static uint64_t growth_of(const struct json_value *item) {
    uint64_t before = json_uint(item, "before"), now = json_uint(item, "now");
    return now > before ? now - before : 0;
}

/* "  1f00aa  2 leaks more, 5 in all: PhotoCell, 240 bytes". */
static void say_item(struct answer_lines *lines, const struct json_value *item) {
    bool is_cycle = loupe_span_equals(json_text(item, "kind"), "cycle");
    answer_say(lines, "  ");
    answer_say_text(lines, json_text(item, "fingerprint"));
    answer_say(lines, "  ");
    answer_say_count(lines, growth_of(item), is_cycle ? "cycle" : "leak");
    answer_say(lines, " more, ");
    answer_say_number(lines, json_uint(item, "now"));
    answer_say(lines, " in all: ");
    answer_say_text(lines, json_text(item, "class"));
    if (json_has(item, "bytes")) {
        answer_say(lines, ", ");
        answer_say_bytes(lines, json_uint(item, "bytes"));
    }
    answer_end_line(lines);
}

static void say_items(struct answer_lines *lines, const struct json_value *items,
                      const char *heading) {
    uint32_t shown = 0;
    if (!items->count)
        return;
    answer_say(lines, "%s", heading);
    answer_end_line(lines);
    JSON_EACH(item, items) {
        if (shown++ < SHOWN)
            say_item(lines, item);
    }
    if (items->count > SHOWN) {
        answer_say(lines, "  %s and ", lines->look.unicode ? "…" : "...");
        answer_say_number(lines, items->count - SHOWN);
        answer_say(lines, " more");
        answer_end_line(lines);
    }
}

void answer_say_news(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *leaks = json_member(root, "more_leaks");
    say_items(lines, leaks, "More leaks than before (loupe leaks shows them):");
    say_items(lines, json_member(root, "more_knots"),
              "More retain cycles, leaked or held (loupe cycles shows them):");
    if (!leaks->count) {
        answer_say(lines, "No new leaks");
        answer_end_line(lines);
    }
}

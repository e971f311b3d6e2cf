/* What an object holds, or who holds it, as a tree. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"

enum { DEEPEST_MARGIN = 64 };

struct corners {
    const char *branch, *last, *side;
};

static const struct corners unicode = {"├─ ", "╰─ ", "│  "}, ascii = {"|- ", "`- ", "|  "};

static void say_node(struct answer_lines *lines, const struct json_value *node, bool incoming) {
    const struct json_value *edge = json_member(node, "edge");
    answer_say_path(lines, edge);
    answer_say(lines, " (");
    answer_say_kind(lines, edge);
    answer_say(lines, ") %s ", incoming ? "of" : lines->glyphs->arrow);
    if (incoming)
        answer_say_thing_or_memory(lines, json_text(edge, "from"));
    else
        answer_say_thing_in_full(lines, json_text(edge, "to"));
    answer_say(lines, "%s", json_is_true(node, "again") ? ", as above" : "");
    answer_end_line(lines);
}

static void say_nodes(struct answer_lines *lines, const struct json_value *nodes, bool incoming) {
    const struct corners *corners = lines->look.unicode ? &unicode : &ascii;
    bool is_last[DEEPEST_MARGIN] = {false}; /* by depth: nothing follows below the same object */
    JSON_EACH(node, nodes) {
        uint64_t depth = json_uint(node, "depth");
        uint64_t end = depth < DEEPEST_MARGIN ? depth : DEEPEST_MARGIN - 1;
        for (uint64_t i = 0; i < end; i++)
            answer_say(lines, "%s", is_last[i] ? "   " : corners->side);
        is_last[end] = json_is_true(node, "last");
        answer_say(lines, "%s", is_last[end] ? corners->last : corners->branch);
        say_node(lines, node, incoming);
    }
}

enum loupe_status answer_say_tree(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = lines->answer->root, *nodes = json_member(root, "nodes");
    bool incoming = json_is_true(root, "incoming");
    uint64_t left = json_uint(root, "left");
    (void)report;
    answer_say_thing_in_full(lines, json_text(root, "object"));
    if (json_member(root, "verdict")->count)
        answer_say_object_verdict(lines);
    answer_end_line(lines);
    if (!nodes->count) {
        answer_say(lines, incoming ? "  no object holds it" : "  it holds no object");
        answer_end_line(lines);
    }
    say_nodes(lines, nodes, incoming);
    if (left) {
        answer_say(lines, "and ");
        answer_say_count(lines, left, "further reference");
        answer_say(lines, " (a smaller --depth shows less of each)");
        answer_end_line(lines);
    }
    return LOUPE_OK;
}

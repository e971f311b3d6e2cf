/* A ring drawn. */
#include "answers/parts/ring_text.h"

enum { LONGEST_RING = 32, BEGINNING = 12, END = 8 };

struct drawn_ring {
    const struct json_value *ring, *knot;
    uint32_t count;    /* references of the answer */
    uint64_t left_out; /* that the answer does not have, in their middle */
    uint32_t gap;      /* of these, how many come before what is not shown; 0: all is */
    uint32_t folded;   /* references of the answer that are not shown */
    size_t path, kind; /* widths of columns */
};

/* ---- Steps ---- */

static bool is_same_edge(const struct json_value *a, const struct json_value *b) {
    static const char *const keys[] = {"from", "to", "slot", "kind"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (!json_texts_equal(json_text(a, keys[i]), json_text(b, keys[i])))
            return false;
    }
    return json_texts_equal(answer_path(a), answer_path(b));
}

/* The name of the reference, and of those beside it from and to the same objects. */
static void say_paths(struct answer_lines *lines, const struct json_value *edge,
                      const struct json_value *knot) {
    answer_say_path(lines, edge);
    JSON_EACH(fix, json_member(knot, "fixes")) {
        if (!is_same_edge(json_member(fix, "edge"), edge))
            continue;
        JSON_EACH(other, json_member(fix, "with")) {
            answer_say(lines, ", ");
            answer_say_path(lines, other);
        }
    }
}

/* How wide the line is from a byte of it on, in characters. */
static size_t width_from(const struct answer_lines *lines, size_t from) {
    size_t width = 0;
    for (size_t i = from; i < lines->line.length; i++)
        width += (lines->line.bytes[i] & 0xc0) != 0x80;
    return width;
}

static void pad(struct answer_lines *lines, size_t from, size_t width) {
    for (size_t have = width_from(lines, from); have < width; have++)
        answer_say(lines, " ");
}

static bool is_shown(const struct drawn_ring *drawn, uint32_t number) {
    return !drawn->folded || number < BEGINNING || number >= drawn->count - END;
}

static void measure(struct answer_lines *lines, struct drawn_ring *drawn) {
    uint32_t number = 0;
    JSON_EACH(edge, json_member(drawn->ring, "edges")) {
        if (!is_shown(drawn, number++))
            continue;
        lines->line.length = 0;
        say_paths(lines, edge, drawn->knot);
        size_t path = width_from(lines, 0), end = lines->line.length;
        answer_say_kind(lines, edge);
        size_t kind = width_from(lines, end);
        drawn->path = path > drawn->path ? path : drawn->path;
        drawn->kind = kind > drawn->kind ? kind : drawn->kind;
    }
    lines->line.length = 0;
}

static void say_slot(struct answer_lines *lines, const struct json_value *edge) {
    struct loupe_span slot = json_text(edge, "slot");
    if (!lines->look.verbose || !slot.length)
        return;
    answer_paint_faint(lines);
    answer_say(lines, "  slot ");
    answer_say_text(lines, slot);
    answer_paint_end(lines);
}

/* Whether a fix changes the reference, or one beside it. */
static bool is_changed(const struct json_value *fix, const struct json_value *edge) {
    JSON_EACH(subject, json_member(fix, "subjects")) {
        if (is_same_edge(json_member(subject, "edge"), edge))
            return true;
    }
    return is_same_edge(json_member(fix, "edge"), edge);
}

/* Whether the best fix is about it, or one of those that are needed together. */
static bool is_to_be_cut(const struct json_value *knot, const struct json_value *edge) {
    const struct json_value *fixes = json_member(knot, "fixes");
    bool several = false, found = false;
    JSON_EACH(fix, fixes) {
        several |= json_is_true(fix, "together");
        found |= json_is_true(fix, "together") && is_changed(fix, edge);
    }
    return several ? found : fixes->first && is_changed(fixes->first, edge);
}

static void say_step(struct answer_lines *lines, const struct drawn_ring *drawn,
                     const struct json_value *edge) {
    struct loupe_span to = json_text(edge, "to");
    bool is_last = !edge->next, is_cut = is_to_be_cut(drawn->knot, edge);
    answer_say(lines, "  %s", is_last ? lines->glyphs->bottom : lines->glyphs->side);
    if (is_cut)
        answer_paint_cut(lines);
    size_t start = lines->line.length;
    say_paths(lines, edge, drawn->knot);
    pad(lines, start, drawn->path);
    if (is_cut)
        answer_paint_end(lines);
    answer_say(lines, "  ");
    start = lines->line.length;
    answer_say_kind(lines, edge);
    pad(lines, start, drawn->kind);
    answer_say(lines, "  %s ", lines->glyphs->arrow);
    if (is_last) {
        answer_paint_name(lines);
        answer_say_thing(lines, to);
        answer_paint_end(lines);
    } else {
        answer_say_thing_in_full(lines, to);
    }
    say_slot(lines, edge);
    answer_end_line(lines);
}

/* ---- What is not shown ---- */

enum { SHOWN_CLASSES = 3 };

static void find_folded_classes(const struct answer_lines *lines, const struct drawn_ring *drawn,
                                struct answer_names *ret) {
    uint32_t number = 0;
    JSON_EACH(edge, json_member(drawn->ring, "edges")) {
        struct loupe_span name = answer_class(lines->answer, json_text(edge, "from"));
        if (!is_shown(drawn, number++))
            answer_add_name(ret, name.length ? name : loupe_span_of("?"));
    }
}

static void say_classes(struct answer_lines *lines, const struct answer_names *classes,
                        bool has_others) {
    uint32_t shown = classes->count <= SHOWN_CLASSES ? classes->count : SHOWN_CLASSES - 1;
    for (uint32_t i = 0; i < shown; i++) {
        bool is_last = i + 1 == classes->count;
        answer_say(lines, "%s", !i ? "" : is_last ? " and " : ", ");
        answer_say_text(lines, classes->items[i]);
    }
    if (shown < classes->count)
        answer_say(lines, " and %s%u other classes", classes->has_more ? "at least " : "",
                   classes->count - shown);
    answer_say(lines, "%s", has_others ? " and others" : "");
}

static void say_fold(struct answer_lines *lines, const struct drawn_ring *drawn) {
    struct answer_names classes = {.count = 0};
    answer_say(lines, "  %s", lines->glyphs->gap);
    answer_say_count(lines, drawn->folded + drawn->left_out, "reference");
    answer_say(lines, " more");
    if (drawn->folded) {
        find_folded_classes(lines, drawn, &classes);
        answer_say(lines, ", of ");
        say_classes(lines, &classes, drawn->left_out != 0);
        if (lines->look.host == ANSWER_IN_DEBUGGER)
            answer_say(lines, " (-v shows %s)", drawn->left_out ? "some of them" : "them");
    }
    answer_end_line(lines);
}

/* ---- The whole ---- */

static struct drawn_ring look_at(const struct answer_lines *lines, const struct json_value *ring,
                                 const struct json_value *knot) {
    struct drawn_ring drawn = {.ring = ring,
                               .knot = knot,
                               .count = json_member(ring, "edges")->count,
                               .left_out = json_uint(ring, "edges_left_out")};
    drawn.gap = drawn.left_out ? drawn.count / 2 : 0;
    if (drawn.count > LONGEST_RING && !lines->look.verbose) {
        drawn.folded = drawn.count - BEGINNING - END;
        drawn.gap = BEGINNING;
    }
    return drawn;
}

void answer_say_ring(struct answer_lines *lines, const struct json_value *ring,
                     const struct json_value *knot) {
    struct drawn_ring drawn = look_at(lines, ring, knot);
    const struct json_value *edges = json_member(ring, "edges");
    uint32_t number = 0;
    if (!drawn.count)
        return;
    measure(lines, &drawn);
    answer_say(lines, "  %s", lines->glyphs->top);
    answer_say_thing_in_full(lines, json_text(edges->first, "from"));
    answer_end_line(lines);
    JSON_EACH(edge, edges) {
        if (drawn.gap && number == drawn.gap)
            say_fold(lines, &drawn);
        if (is_shown(&drawn, number++))
            say_step(lines, &drawn, edge);
    }
    if (json_member(ring, "shortest")->kind == JSON_FALSE) {
        answer_say(lines, "      (search limit reached: a shorter loop may exist)");
        answer_end_line(lines);
    }
}

#include "pictures/dot/dot.h"

#include "answers/visible.h"
#include "pictures/dot/dot_text.h"
#include "mistakes/patterns.h"
#include "answers/texts.h"

#include <string.h>

enum { MOST_OBJECTS = 30, RING_PIECES = 14 };

struct dot {
    struct dot_writer out;
    const struct picture *picture;
    bool all;
    uint8_t *drawn; /* by thing: its node has been written */
    uint32_t objects, rings_left_out, findings_left_out;
};

/* ---- Nodes ---- */

static const struct picture_thing *thing_at(const struct dot *dot, uint32_t number) {
    return &dot->picture->things[number];
}

static void put_place(struct dot *dot, const struct picture_place *place) {
    dot_put_label(&dot->out, picture_file_name(place->file));
    if (place->line)
        dot_put_format(&dot->out, ":%u", (unsigned)place->line);
}

/* What it says, as far as it fits into a box. */
static void put_value(struct dot *dot, struct loupe_span value) {
    enum { LONGEST = 40 };
    struct visible visible = {.length = 0};
    if (!value.length)
        return;
    visible_add_text(&visible, value, LONGEST);
    dot_put_string(&dot->out, "\\n");
    dot_put_label(&dot->out, visible_text(&visible));
}

static void put_node(struct dot *dot, uint32_t number, const char *indent) {
    const struct picture_thing *thing = thing_at(dot, number);
    unsigned long long address = thing->address;
    if (dot->drawn[number])
        return;
    dot->drawn[number] = 1;
    dot->objects++;
    dot_put_format(&dot->out, "%s\"0x%llx\" [label=\"", indent, address);
    dot_put_label(&dot->out, picture_name(thing, dot->picture->arena));
    put_value(dot, thing->value);
    if (thing->place.file.length) {
        dot_put_string(&dot->out, "\\n");
        put_place(dot, &thing->place);
    }
    dot_put_format(&dot->out, "\\n0x%llx\"%s%s];\n", address,
                   picture_is_block(thing) ? ", fillcolor=\"#fff3d6\"" : "",
                   number == dot->picture->seed ? ", penwidth=2" : "");
}

/* ---- Arrows ---- */

static struct loupe_span kind_in_words(struct loupe_span kind) {
    static const char *const words[][2] = {{"capture", "captured"},
                                           {"byref", "__block"},
                                           {"association", "associated"},
                                           {"user-info", "user info"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (loupe_span_equals(kind, words[i][0]))
            return loupe_span_of(words[i][1]);
    }
    return kind;
}

static void put_kind(struct dot *dot, const struct picture_arrow *arrow) {
    if (arrow->lambda.file.length) {
        dot_put_string(&dot->out, "lambda at ");
        put_place(dot, &arrow->lambda);
    } else {
        dot_put_label(&dot->out, kind_in_words(arrow->kind));
    }
    if (arrow->ownership.length && !loupe_span_equals(arrow->ownership, "strong")) {
        dot_put_string(&dot->out, ", ");
        dot_put_label(&dot->out, arrow->ownership);
    }
}

static void put_arrow(struct dot *dot, const struct picture_arrow *arrow, const char *look) {
    bool is_assumed = loupe_span_equals(arrow->ownership, "assumed");
    dot_put_format(&dot->out, "  \"0x%llx\" -> \"0x%llx\" [label=\" ",
                   (unsigned long long)thing_at(dot, arrow->from)->address,
                   (unsigned long long)thing_at(dot, arrow->to)->address);
    dot_put_label(&dot->out, arrow->path.length ? arrow->path : loupe_span_of("?"));
    dot_put_string(&dot->out, " \\n ");
    put_kind(dot, arrow);
    dot_put_format(&dot->out, " \"%s%s];\n", look, is_assumed ? ", style=dashed" : "");
}

/* ---- Rings ---- */

/* What of a finding is drawn. */
struct plan {
    const struct picture_finding *finding;
    uint32_t number;
    struct picture_pieces *rings; /* by ring; without pieces: left out */
    uint8_t *cut;                 /* by arrow: a change that is proposed takes it away */
    uint8_t *put;                 /* by arrow: it has been written */
};

/* Whether a change is proposed: the best if it is enough, or those that are so together. */
static bool is_proposed(const struct picture_finding *finding, uint32_t change) {
    return finding->changes[change].together || (!change && finding->changes->is_enough);
}

static const struct picture_arrow *arrow_at(const struct plan *plan, uint32_t ring, uint32_t i) {
    const struct picture_arrows *arrows = &plan->finding->rings[ring].arrows;
    return &plan->finding->arrows[arrows->items[i % arrows->count]];
}

/* Objects of a ring that are not drawn yet. */
static uint32_t new_objects(const struct dot *dot, const struct plan *plan, uint32_t ring) {
    const struct picture_pieces *pieces = &plan->rings[ring];
    uint32_t count = 0;
    for (uint32_t i = 0; i < pieces->count; i++)
        count += !pieces->items[i].folded &&
                 !dot->drawn[arrow_at(plan, ring, pieces->items[i].first)->from];
    return count;
}

static void put_ring_nodes(struct dot *dot, const struct plan *plan, uint32_t ring) {
    const struct picture_pieces *pieces = &plan->rings[ring];
    for (uint32_t i = 0; i < pieces->count; i++) {
        const struct picture_piece *piece = &pieces->items[i];
        if (!piece->folded)
            put_node(dot, arrow_at(plan, ring, piece->first)->from, "    ");
        else
            dot_put_format(&dot->out,
                           "    \"more %u.%u.%u\" [label=\"%llu more references\", "
                           "style=\"rounded,dashed\"];\n",
                           (unsigned)plan->number, (unsigned)ring, (unsigned)i,
                           (unsigned long long)piece->folded);
    }
}

/* From the object before what is folded to it, and on to the object behind. */
static void put_fold_arrows(struct dot *dot, const struct plan *plan, uint32_t ring,
                            uint32_t number) {
    const struct picture_piece *piece = &plan->rings[ring].items[number];
    const struct picture_arrow *behind = arrow_at(plan, ring, piece->first + piece->count);
    dot_put_format(&dot->out, "  \"more %u.%u.%u\" -> \"0x%llx\" [style=dotted];\n",
                   (unsigned)plan->number, (unsigned)ring, (unsigned)number,
                   (unsigned long long)thing_at(dot, behind->from)->address);
}

static void put_arrow_to_fold(struct dot *dot, const struct plan *plan, uint32_t ring,
                              uint32_t number, const struct picture_arrow *arrow) {
    dot_put_format(&dot->out, "  \"0x%llx\" -> \"more %u.%u.%u\" [label=\" ",
                   (unsigned long long)thing_at(dot, arrow->from)->address, (unsigned)plan->number,
                   (unsigned)ring, (unsigned)number);
    dot_put_label(&dot->out, arrow->path);
    dot_put_string(&dot->out, " \"];\n");
}

static void put_ring_arrows(struct dot *dot, const struct plan *plan, uint32_t ring) {
    static const char look[] = ", color=red, fontcolor=red, penwidth=2";
    const struct picture_pieces *pieces = &plan->rings[ring];
    for (uint32_t i = 0; i < pieces->count; i++) {
        const struct picture_piece *piece = &pieces->items[i];
        uint32_t next = (i + 1) % pieces->count;
        if (piece->folded) {
            put_fold_arrows(dot, plan, ring, i);
            continue;
        }
        uint32_t number = plan->finding->rings[ring].arrows.items[piece->first];
        const struct picture_arrow *arrow = &plan->finding->arrows[number];
        if (pieces->items[next].folded)
            put_arrow_to_fold(dot, plan, ring, next, arrow);
        else if (!plan->put[number])
            put_arrow(dot, arrow, plan->cut[number] ? look : "");
        plan->put[number] = 1;
    }
}

/* ---- Findings ---- */

static void put_changes(struct dot *dot, const struct picture_finding *finding) {
    uint32_t proposed = 0;
    for (uint32_t i = 0; i < finding->change_count; i++) {
        if (!is_proposed(finding, i))
            continue;
        dot_put_string(&dot->out, proposed++ ? "\\nand " : "\\nfix: ");
        dot_put_label(&dot->out, finding->changes[i].text);
    }
    if (!proposed)
        dot_put_string(&dot->out, "\\nno single fix breaks it");
}

static void put_caption(struct dot *dot, const struct plan *plan) {
    static const char *const kinds[] = {"cycle", "leak", "suspect", "path", "owner"};
    const struct picture_finding *finding = plan->finding;
    struct loupe_span state = picture_state(finding);
    struct loupe_span verdict = state.length ? state : finding->root;
    dot_put_format(&dot->out, "    label=\"%s %u: ", kinds[finding->kind],
                   (unsigned)plan->number + 1);
    dot_put_label(&dot->out, verdict.length ? verdict : loupe_span_of("unknown"));
    if (finding->pattern) {
        dot_put_string(&dot->out, "\\n");
        dot_put_label(&dot->out, finding->pattern->name);
    }
    if (finding->kind == PICTURE_KNOT || finding->change_count)
        put_changes(dot, finding);
    if (finding->count > 1)
        dot_put_format(&dot->out, "\\n%llu" ANSWER_MORE_EQUAL,
                       (unsigned long long)finding->count - 1);
    dot_put_string(&dot->out, "\"; color=gray; style=rounded;\n");
}

/* What a picture of it shows as a tooltip. */
static void put_fingerprint(struct dot *dot, const struct picture_finding *finding) {
    if (!finding->fingerprint.length)
        return;
    dot_put_string(&dot->out, "    tooltip=\"fingerprint ");
    dot_put_label(&dot->out, finding->fingerprint);
    dot_put_string(&dot->out, "\";\n");
}

static enum loupe_status make_plan(const struct dot *dot, const struct picture_finding *finding,
                                   uint32_t number, struct plan *ret) {
    struct loupe_arena *arena = dot->picture->arena;
    *ret = (struct plan){.finding = finding, .number = number};
    ret->rings =
        loupe_arena_alloc_array(arena, (size_t)finding->ring_count + 1, sizeof(*ret->rings));
    ret->cut = loupe_arena_alloc(arena, (size_t)finding->arrow_count + 1);
    ret->put = loupe_arena_alloc(arena, (size_t)finding->arrow_count + 1);
    if (!ret->rings || !ret->cut || !ret->put)
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < finding->change_count; i++) {
        const struct picture_arrows *cut = &finding->changes[i].cut;
        for (uint32_t j = 0; is_proposed(finding, i) && j < cut->count; j++)
            ret->cut[cut->items[j]] = 1;
    }
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < finding->ring_count && !status; i++)
        status = picture_fold(dot->picture, finding, &finding->rings[i],
                              dot->all ? UINT32_MAX : RING_PIECES, &ret->rings[i]);
    return status;
}

static bool has_room(const struct dot *dot, uint32_t objects) {
    return dot->all || !dot->objects || dot->objects + objects <= MOST_OBJECTS;
}

/* Who holds it from outside, and what that leads to where it is folded. */
static void put_holders(struct dot *dot, const struct picture_finding *finding) {
    for (uint32_t i = 0; i < finding->holders.count; i++) {
        const struct picture_arrow *arrow = &finding->arrows[finding->holders.items[i]];
        put_node(dot, arrow->from, "  ");
        put_node(dot, arrow->to, "  ");
        put_arrow(dot, arrow, ", color=gray, fontcolor=gray");
    }
}

static enum loupe_status put_finding(struct dot *dot, uint32_t number) {
    const struct picture_finding *finding = &dot->picture->findings[number];
    struct plan plan;
    enum loupe_status status = make_plan(dot, finding, number, &plan);
    if (status)
        return status;
    if (!has_room(dot, finding->ring_count ? new_objects(dot, &plan, 0) : 1)) {
        dot->findings_left_out++;
        return LOUPE_OK;
    }
    dot_put_format(&dot->out, "  subgraph cluster_%u {\n", (unsigned)number);
    put_caption(dot, &plan);
    put_fingerprint(dot, finding);
    for (uint32_t ring = 0; ring < finding->ring_count; ring++) {
        if (has_room(dot, new_objects(dot, &plan, ring))) {
            put_ring_nodes(dot, &plan, ring);
        } else {
            plan.rings[ring].count = 0;
            dot->rings_left_out++;
        }
    }
    if (finding->head != PICTURE_NONE)
        put_node(dot, finding->head, "    ");
    dot_put_string(&dot->out, "  }\n");
    for (uint32_t ring = 0; ring < finding->ring_count; ring++)
        put_ring_arrows(dot, &plan, ring);
    put_holders(dot, finding);
    return LOUPE_OK;
}

/* ---- The whole ---- */

static void put_heading(struct dot *dot) {
    struct loupe_span title = dot->picture->title;
    dot_put_string(&dot->out, "digraph loupe {\n  label=\"");
    while (title.length) {
        const char *newline = memchr(title.bytes, '\n', title.length);
        size_t length = newline ? (size_t)(newline - title.bytes) : title.length;
        dot_put_label(&dot->out, (struct loupe_span){title.bytes, length});
        dot_put_string(&dot->out, newline ? "\\n" : "");
        length += newline ? 1 : 0;
        title = (struct loupe_span){title.bytes + length, title.length - length};
    }
    dot_put_string(&dot->out, "\"; labelloc=t; labeljust=l; fontname=\"Helvetica\";\n"
                              "  node [shape=box, style=\"rounded,filled\", fillcolor=white, "
                              "fontname=\"Helvetica\", fontsize=11];\n"
                              "  edge [fontname=\"Helvetica\", fontsize=10];\n");
}

static void put_left_out(struct dot *dot) {
    if (!dot->rings_left_out && !dot->findings_left_out)
        return;
    dot_put_format(&dot->out,
                   "  \"left out\" [shape=plaintext, label=\"not drawn: %u more loops, %u more "
                   "findings (-v draws all)\"];\n",
                   (unsigned)dot->rings_left_out, (unsigned)dot->findings_left_out);
}

enum loupe_status picture_write_dot(const struct picture *picture, bool all,
                                    struct loupe_sink sink) {
    struct dot dot = {.out = {.sink = sink}, .picture = picture, .all = all};
    enum loupe_status status = LOUPE_OK;
    dot.drawn = loupe_arena_alloc(picture->arena, (size_t)picture->thing_count + 1);
    if (!dot.drawn)
        return LOUPE_ENOMEM;
    put_heading(&dot);
    for (uint32_t i = 0; i < picture->finding_count && !status; i++)
        status = put_finding(&dot, i);
    if (picture->seed != PICTURE_NONE)
        put_node(&dot, picture->seed, "  ");
    put_left_out(&dot);
    dot_put_string(&dot.out, "}\n");
    return status ? status : dot.out.status;
}

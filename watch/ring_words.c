#include "ring_words.h"

#include <string.h>

enum {
    LONGEST_RING = 32, /* references; of a longer one the first and the last are shown */
    BEGINNING = 12,
    END = 8
};

struct widths {
    int path, kind;
};

static void widen(struct widths *widths, watch_value_at edge) {
    char path[WATCH_NAME], kind[WATCH_NAME];
    watch_path_of(edge, path, sizeof(path));
    watch_kind_of(edge, kind, sizeof(kind));
    widths->path = (int)strlen(path) > widths->path ? (int)strlen(path) : widths->path;
    widths->kind = (int)strlen(kind) > widths->kind ? (int)strlen(kind) : widths->kind;
}

static void add_step(const struct watch_phrases *answer, watch_value_at edge, const char *margin,
                     struct widths widths, bool in_full) {
    char path[WATCH_NAME], kind[WATCH_NAME];
    watch_path_of(edge, path, sizeof(path));
    watch_kind_of(edge, kind, sizeof(kind));
    watch_text_add(answer->out, "  %s%-*s  %-*s  %s ", margin, widths.path, path, widths.kind, kind,
                   answer->style->arrow);
    watch_add_thing(answer, watch_answer_member(edge, "to"), in_full);
    watch_text_add(answer->out, "\n");
}

void watch_add_ring(const struct watch_phrases *answer, watch_value_at ring) {
    watch_value_at edges = watch_answer_member(ring, "edges"), first = watch_answer_first(edges);
    uint32_t count = watch_count_elements(edges), number = 0;
    uint64_t left_out = watch_answer_number(watch_answer_member(ring, "edges_left_out"));
    bool is_folded = count > LONGEST_RING;
    struct widths widths = {0, 0};
    if (!first)
        return;
    for (watch_value_at edge = first; edge; edge = watch_answer_next(edge))
        widen(&widths, edge);
    watch_text_add(answer->out, "  %s", answer->style->top);
    watch_add_thing(answer, watch_answer_member(first, "from"), true);
    watch_text_add(answer->out, "\n");
    for (watch_value_at edge = first; edge; edge = watch_answer_next(edge), number++) {
        bool is_last = number + 1 == count;
        if (is_folded && number >= BEGINNING && number < count - END) {
            if (number == BEGINNING)
                watch_text_add(answer->out, "  %s%llu references more\n", answer->style->gap,
                               (unsigned long long)(count - BEGINNING - END + left_out));
            continue;
        }
        add_step(answer, edge, is_last ? answer->style->bottom : answer->style->side, widths,
                 !is_last);
    }
}

void watch_add_ring_heading(const struct watch_phrases *answer, watch_value_at knot) {
    unsigned long long objects = watch_answer_number(watch_answer_member(knot, "objects"));
    unsigned long long edges = watch_answer_number(watch_answer_member(knot, "edges"));
    watch_value_at counts = watch_answer_member(knot, "counts");
    uint64_t outside = watch_answer_number(watch_answer_member(counts, "outside")) +
                       watch_answer_number(watch_answer_member(counts, "unexplained"));
    bool is_certain = watch_answer_is_true(watch_answer_member(knot, "certain"));
    char reason[WATCH_NAME];
    watch_answer_text(watch_answer_member(knot, "verdict_reason"), reason, sizeof(reason));
    if (objects == 1)
        watch_text_add(answer->out, "%s object that keeps itself alive",
                       is_certain ? "An" : "Possibly an");
    else if (objects == edges)
        watch_text_add(answer->out, "%s ring of %llu objects", is_certain ? "A" : "Possibly a",
                       objects);
    else
        watch_text_add(answer->out, "%s knot of %llu objects and %llu references",
                       is_certain ? "A" : "Possibly a", objects, edges);
    if (watch_answer_is(watch_answer_member(knot, "verdict"), "leaked"))
        watch_text_add(answer->out, ", leaked: nothing outside keeps it alive\n");
    else if (watch_answer_is(watch_answer_member(knot, "verdict"), "held") && outside)
        watch_text_add(answer->out, ", held: %llu reference%s from outside keep%s it alive too\n",
                       (unsigned long long)outside, outside == 1 ? "" : "s",
                       outside == 1 ? "s" : "");
    else if (watch_answer_is(watch_answer_member(knot, "verdict"), "held"))
        watch_text_add(answer->out, ", held: something from outside keeps it alive too\n");
    else
        watch_text_add(answer->out, ", leaked or still in use: %s\n",
                       *reason ? reason : "cannot be told");
}

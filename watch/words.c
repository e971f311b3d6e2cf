#include "words.h"

#include "base/fnv.h"
#include "code_name.h"
#include "fix_words.h"
#include "phrases.h"
#include "ring_words.h"

#include <stdio.h>
#include <string.h>

enum { MOST_HOLDERS = 3 };

static const struct watch_style unicode = {"╭─▶ ", "│   ", "╰── ", "⋮   ", "→", "•"};
static const struct watch_style ascii = {"+-> ", "|   ", "+-- ", ":   ", "->", "*"};

/* ---- Who holds it ---- */

static void add_root(const struct watch_phrases *answer, watch_value_at root) {
    char kind[WATCH_NAME], slot[WATCH_NAME], image[WATCH_NAME * 2];
    watch_answer_text(watch_answer_member(root, "kind"), kind, sizeof(kind));
    watch_answer_text(watch_answer_member(root, "slot"), slot, sizeof(slot));
    watch_answer_text(watch_answer_member(root, "image"), image, sizeof(image));
    const char *file = strrchr(image, '/') ? strrchr(image, '/') + 1 : image;
    char variable[WATCH_NAME];
    if (strcmp(kind, "data") == 0 && watch_data_name(slot, variable, sizeof(variable)))
        watch_text_add(answer->out, "%s (%s)", variable, file);
    else if (strcmp(kind, "data") == 0)
        watch_text_add(answer->out, "a global variable at %s (%s)", slot, file);
    else
        watch_text_add(answer->out, "%s at %s", kind, *slot ? slot : "no address");
}

static void add_way(const struct watch_phrases *answer, watch_value_at holder) {
    watch_value_at root = watch_answer_member(holder, "root"),
                   way = watch_answer_first(watch_answer_member(holder, "way"));
    if (!root || *root != '{')
        return;
    watch_text_add(answer->out, "    from ");
    add_root(answer, root);
    watch_text_add(answer->out, " %s ", answer->style->arrow);
    watch_add_thing(answer, watch_answer_member(root, "to"), true);
    watch_text_add(answer->out, "\n");
    for (; way; way = watch_answer_next(way)) {
        char path[WATCH_NAME];
        watch_path_of(way, path, sizeof(path));
        watch_text_add(answer->out, "      %s %s ", path, answer->style->arrow);
        watch_add_thing(answer, watch_answer_member(way, "to"), true);
        watch_text_add(answer->out, "\n");
    }
}

static void add_holders(const struct watch_phrases *answer) {
    uint64_t found = watch_answer_number(watch_answer_member(answer->root, "holders_found"));
    watch_value_at holder = watch_answer_first(watch_answer_member(answer->root, "holders"));
    uint32_t shown = 0;
    char text[WATCH_NAME];
    for (; holder && shown < MOST_HOLDERS; holder = watch_answer_next(holder), shown++) {
        char path[WATCH_NAME], kind[WATCH_NAME];
        watch_path_of(watch_answer_member(holder, "edge"), path, sizeof(path));
        watch_kind_of(watch_answer_member(holder, "edge"), kind, sizeof(kind));
        watch_text_add(answer->out, "  Held by %s (%s) of ", path, kind);
        watch_add_thing(answer, watch_answer_member(watch_answer_member(holder, "edge"), "from"),
                        true);
        watch_text_add(answer->out, "\n");
        add_way(answer, holder);
    }
    if (found > shown)
        watch_text_add(answer->out, "  and by %llu more references\n",
                       (unsigned long long)(found - shown));
    watch_value_at root = watch_answer_first(watch_answer_member(answer->root, "roots"));
    uint32_t roots = watch_count_elements(watch_answer_member(answer->root, "roots"));
    for (shown = 0; root && shown < MOST_HOLDERS; root = watch_answer_next(root), shown++) {
        watch_text_add(answer->out, "  Perhaps held by ");
        add_root(answer, root);
        watch_text_add(answer->out, "\n");
    }
    if (roots > shown)
        watch_text_add(answer->out, "  and perhaps by %u more places\n", roots - shown);
    watch_value_at verdict = watch_answer_member(answer->root, "verdict");
    char kind[WATCH_NAME];
    watch_text_add(answer->out, "  Verdict: %s: %s\n",
                   watch_answer_text(watch_answer_member(verdict, "kind"), kind, sizeof(kind)),
                   watch_answer_text(watch_answer_member(verdict, "reason"), text, sizeof(text)));
}

/* ---- All of it ---- */

static watch_value_at own_knot(watch_value_at root) {
    watch_value_at knot = watch_answer_first(watch_answer_member(root, "knots"));
    while (knot && !watch_answer_is_true(watch_answer_member(knot, "contains_seed")))
        knot = watch_answer_next(knot);
    return knot;
}

static void add_held_by(const struct watch_phrases *answer, watch_value_at knot) {
    uint32_t count = watch_count_elements(watch_answer_member(knot, "held_by"));
    watch_value_at edge = watch_answer_first(watch_answer_member(knot, "held_by"));
    for (uint32_t shown = 0; edge && shown < MOST_HOLDERS;
         edge = watch_answer_next(edge), shown++) {
        char path[WATCH_NAME];
        watch_path_of(edge, path, sizeof(path));
        watch_text_add(answer->out, "  Held by %s of ", path);
        watch_add_thing(answer, watch_answer_member(edge, "from"), true);
        watch_text_add(answer->out, "\n");
    }
    if (count > MOST_HOLDERS)
        watch_text_add(answer->out, "  and by %u more references\n", count - MOST_HOLDERS);
}

static void add_problem(const struct watch_phrases *answer, const char *what) {
    char message[256];
    watch_value_at root = answer->root;
    if (watch_answer_is(watch_answer_member(root, "status"), "error"))
        watch_text_add(
            answer->out, "  %s: %s\n", what,
            watch_answer_text(watch_answer_member(watch_answer_member(root, "error"), "message"),
                              message, sizeof(message)));
    else if (watch_answer_is(watch_answer_member(root, "status"), "incomplete"))
        watch_text_add(answer->out,
                       "  %s: not all that it leads to could be followed (docs: "
                       "not_followed)\n",
                       what);
}

void watch_words(const struct watch_answers *answers, bool is_unicode, struct watch_text *out) {
    const char *cycles = watch_text_get(&answers->cycles);
    struct watch_phrases answer = {cycles, watch_answer_member(cycles, "objects"),
                                   is_unicode ? &unicode : &ascii, out};
    watch_value_at knot = own_knot(cycles);
    if (answers->problem)
        watch_text_add(out, "  Not looked at: %s\n", answers->problem);
    if (knot) {
        watch_add_ring_heading(&answer, knot);
        watch_add_ring(&answer, watch_answer_first(watch_answer_member(knot, "rings")));
        add_held_by(&answer, knot);
        watch_add_fixes(&answer, knot);
    }
    add_problem(&answer, knot ? "Perhaps there is more" : "Perhaps there is a ring");
    if (!knot && answers->incoming.length) {
        const char *incoming = watch_text_get(&answers->incoming);
        answer.root = incoming;
        answer.objects = watch_answer_member(incoming, "objects");
        watch_text_add(out, "It is in no ring\n");
        add_holders(&answer);
    }
}

const char *watch_class_of_answer(const struct watch_answers *answers, char *dst, size_t cap) {
    const char *cycles = watch_text_get(&answers->cycles);
    struct watch_phrases answer = {.objects = watch_answer_member(cycles, "objects")};
    return watch_class_of(watch_thing_at(&answer, watch_answer_member(cycles, "seed")), dst, cap);
}

/* By classes and names: addresses are others in each run. */
static uint64_t holder_hash(const struct watch_answers *answers, const char *reason) {
    char text[WATCH_NAME];
    const char *incoming = watch_text_get(&answers->incoming);
    struct watch_phrases answer = {.objects = watch_answer_member(incoming, "objects")};
    watch_value_at edge =
        watch_answer_member(watch_answer_first(watch_answer_member(incoming, "holders")), "edge");
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of(reason));
    watch_class_of_answer(answers, text, sizeof(text));
    hash = loupe_fnv_span(hash, loupe_span_of(text));
    const char *owner = watch_class_of(watch_thing_at(&answer, watch_answer_member(edge, "from")),
                                       text, sizeof(text));
    hash = loupe_fnv_span(hash, loupe_span_of(owner));
    watch_path_of(edge, text, sizeof(text));
    return loupe_fnv_span(hash, loupe_span_of(text));
}

bool watch_fingerprint(const struct watch_answers *answers, const char *reason,
                       char ret[WATCH_FINGERPRINT_SIZE]) {
    if (!answers->cycles.length) {
        ret[0] = '\0';
        return false;
    }
    watch_value_at knot = own_knot(watch_text_get(&answers->cycles));
    watch_value_at ring = watch_answer_first(watch_answer_member(knot, "rings"));
    if (ring) {
        char text[WATCH_NAME];
        watch_answer_text(watch_answer_member(ring, "fingerprint"), text, sizeof(text));
        snprintf(ret, WATCH_FINGERPRINT_SIZE, "%.16s", text);
        return true;
    }
    snprintf(ret, WATCH_FINGERPRINT_SIZE, "%016llx",
             (unsigned long long)holder_hash(answers, reason));
    return false;
}

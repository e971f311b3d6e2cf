#include "words.h"

#include "answer.h"
#include "base/fnv.h"
#include "class_words.h"
#include "code_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 160,
    MOST_FIXES = 3,
    MOST_HOLDERS = 3,
    LONGEST_RING = 32, /* references; of a longer one the first and the last are shown */
    BEGINNING = 12,
    END = 8
};

struct style {
    const char *top, *side, *bottom, *gap, *arrow, *bullet, *before_root;
};

static const struct style unicode = {"╭─▶ ", "│   ", "╰── ", "┊   ", "→", "•", "from"};
static const struct style ascii = {"+-> ", "|   ", "+-- ", ":   ", "->", "*", "from"};

/* ---- Objects ---- */

struct answer {
    watch_value_at root, objects;
    const struct style *style;
    struct watch_text *out;
};

static watch_value_at member(watch_value_at object, const char *key) {
    return watch_answer_member(object, key);
}

static watch_value_at thing_at(const struct answer *answer, watch_value_at address) {
    char key[NAME];
    return member(answer->objects, watch_answer_text(address, key, sizeof(key)));
}

static bool is_block(watch_value_at thing) {
    return watch_answer_is(member(thing, "kind"), "block");
}

static const char *class_of(watch_value_at thing, char *dst, size_t cap) {
    if (is_block(thing))
        return "block";
    char name[NAME];
    watch_answer_text(member(thing, "class"), name, sizeof(name));
    snprintf(dst, cap, "%s", *name ? watch_class_in_words(name) : "object");
    return dst;
}

/* PhotoCell 0x1f00; block 0x2f00 that runs __31-[PhotoCell load]_block_invoke. */
static void add_thing(const struct answer *answer, watch_value_at address, bool in_full) {
    char where[NAME], name[NAME], code[NAME * 2];
    watch_value_at thing = thing_at(answer, address);
    watch_answer_text(address, where, sizeof(where));
    if (watch_answer_is(member(thing, "kind"), "byref"))
        watch_text_add(answer->out, "__block variable %s", where);
    else
        watch_text_add(answer->out, "%s %s", class_of(thing, name, sizeof(name)), where);
    if (in_full && is_block(thing) && watch_block_code(where, code, sizeof(code)))
        watch_text_add(answer->out, " %s", code);
}

/* ---- References ---- */

static void path_of(watch_value_at edge, char *dst, size_t cap) {
    watch_answer_text(member(edge, "path"), dst, cap);
    if (!*dst)
        watch_answer_text(member(edge, "name"), dst, cap);
    if (!*dst || *dst == '+')
        snprintf(dst, cap, "+%llu",
                 (unsigned long long)watch_answer_number(member(edge, "offset")));
}

static void kind_of(watch_value_at edge, char *dst, size_t cap) {
    static const char *const words[][2] = {{"capture", "captured"},
                                           {"byref", "__block"},
                                           {"association", "associated"},
                                           {"user-info", "user info"}};
    watch_answer_text(member(edge, "kind"), dst, cap);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(dst, words[i][0]) == 0)
            snprintf(dst, cap, "%s", words[i][1]);
    }
    if (watch_answer_is(member(edge, "ownership"), "assumed"))
        strncat(dst, ", assumed", cap - strlen(dst) - 1);
}

struct widths {
    int path, kind;
};

static void widen(struct widths *widths, watch_value_at edge) {
    char path[NAME], kind[NAME];
    path_of(edge, path, sizeof(path));
    kind_of(edge, kind, sizeof(kind));
    widths->path = (int)strlen(path) > widths->path ? (int)strlen(path) : widths->path;
    widths->kind = (int)strlen(kind) > widths->kind ? (int)strlen(kind) : widths->kind;
}

static void add_step(const struct answer *answer, watch_value_at edge, const char *margin,
                     struct widths widths, bool in_full) {
    char path[NAME], kind[NAME];
    path_of(edge, path, sizeof(path));
    kind_of(edge, kind, sizeof(kind));
    watch_text_add(answer->out, "  %s%-*s  %-*s  %s ", margin, widths.path, path, widths.kind, kind,
                   answer->style->arrow);
    add_thing(answer, member(edge, "to"), in_full);
    watch_text_add(answer->out, "\n");
}

/* ---- A ring ---- */

static uint32_t count_elements(watch_value_at array) {
    uint32_t count = 0;
    for (watch_value_at at = watch_answer_first(array); at; at = watch_answer_next(at))
        count++;
    return count;
}

static void add_ring(const struct answer *answer, watch_value_at ring) {
    watch_value_at edges = member(ring, "edges"), first = watch_answer_first(edges);
    uint32_t count = count_elements(edges), number = 0;
    uint64_t left_out = watch_answer_number(member(ring, "edges_left_out"));
    bool is_folded = count > LONGEST_RING;
    struct widths widths = {0, 0};
    if (!first)
        return;
    for (watch_value_at edge = first; edge; edge = watch_answer_next(edge))
        widen(&widths, edge);
    watch_text_add(answer->out, "  %s", answer->style->top);
    add_thing(answer, member(first, "from"), true);
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

static void add_heading(const struct answer *answer, watch_value_at knot) {
    unsigned long long objects = watch_answer_number(member(knot, "objects"));
    unsigned long long edges = watch_answer_number(member(knot, "edges"));
    watch_value_at counts = member(knot, "counts");
    uint64_t outside = watch_answer_number(member(counts, "outside")) +
                       watch_answer_number(member(counts, "unexplained"));
    bool is_certain = watch_answer_is_true(member(knot, "certain"));
    char reason[NAME];
    if (objects == 1)
        watch_text_add(answer->out, "%s object that keeps itself alive",
                       is_certain ? "An" : "Possibly an");
    else if (objects == edges)
        watch_text_add(answer->out, "%s ring of %llu objects", is_certain ? "A" : "Possibly a",
                       objects);
    else
        watch_text_add(answer->out, "%s knot of %llu objects and %llu references",
                       is_certain ? "A" : "Possibly a", objects, edges);
    if (watch_answer_is(member(knot, "verdict"), "leaked"))
        watch_text_add(answer->out, ", leaked: nothing outside keeps it alive\n");
    else if (watch_answer_is(member(knot, "verdict"), "held") && outside)
        watch_text_add(answer->out, ", held: %llu reference%s from outside keep%s it alive too\n",
                       (unsigned long long)outside, outside == 1 ? "" : "s",
                       outside == 1 ? "s" : "");
    else
        watch_text_add(answer->out, ", leaked or still in use: %s\n",
                       watch_answer_text(member(knot, "verdict_reason"), reason, sizeof(reason)));
}

/* ---- What to change ---- */

static bool ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void add_ivar_fix(const struct answer *answer, watch_value_at edge, const char *owner,
                         const char *held, const char *path) {
    watch_value_at thing = thing_at(answer, member(edge, "to"));
    if (is_block(thing))
        watch_text_add(answer->out, "set %s.%s to nil when the block is no longer needed", owner,
                       path);
    else if (ends_in(held, "Timer"))
        watch_text_add(answer->out, "invalidate the timer in %s.%s when it is no longer needed",
                       owner, path);
    else if (strncmp(held, "NS", 2) == 0)
        watch_text_add(answer->out, "set %s.%s to nil when it is no longer needed", owner, path);
    else if (watch_answer_is_true(member(edge, "manual")))
        watch_text_add(answer->out, "hold %s.%s without retaining it", owner, path);
    else if (member(answer->root, "weak_references") &&
             !watch_answer_is_true(member(answer->root, "weak_references")))
        watch_text_add(answer->out, "set %s.%s to nil when it is no longer needed", owner, path);
    else
        watch_text_add(answer->out, "make %s.%s weak", owner, path);
}

static void add_capture_fix(const struct answer *answer, watch_value_at edge, const char *held,
                            const char *path) {
    char code[NAME * 2], address[NAME];
    watch_answer_text(member(edge, "from"), address, sizeof(address));
    bool has_code = watch_block_code(address, code, sizeof(code));
    if (*path == '+')
        watch_text_add(answer->out, "capture the %s (%s) weakly in the block %s", held, path,
                       has_code ? code : address);
    else
        watch_text_add(answer->out, "capture %s weakly in the block %s", path,
                       has_code ? code : address);
}

static void add_target_fix(const struct answer *answer, const char *owner, const char *held) {
    bool is_ended = ends_in(owner, "Invocation") || ends_in(owner, "Thread") ||
                    ends_in(owner, "ThreadData") || ends_in(owner, "Performer");
    if (is_ended)
        watch_text_add(answer->out, "let the %s go before the %s should, or give it another target",
                       owner, held);
    else
        watch_text_add(answer->out,
                       "%s the %s before the %s should go (-dealloc is too late), or use a block "
                       "that captures the target weakly",
                       strstr(owner, "dispatch") ? "cancel" : "invalidate", owner, held);
}

static void add_fix(const struct answer *answer, watch_value_at edge) {
    char kind[NAME], path[NAME], owner_name[NAME], held_name[NAME];
    watch_answer_text(member(edge, "kind"), kind, sizeof(kind));
    path_of(edge, path, sizeof(path));
    const char *owner =
        class_of(thing_at(answer, member(edge, "from")), owner_name, sizeof(owner_name));
    const char *held = class_of(thing_at(answer, member(edge, "to")), held_name, sizeof(held_name));
    if (strcmp(kind, "ivar") == 0)
        add_ivar_fix(answer, edge, owner, held, path);
    else if (strcmp(kind, "capture") == 0)
        add_capture_fix(answer, edge, held, path);
    else if (strcmp(kind, "byref") == 0)
        watch_text_add(answer->out,
                       "declare the __block variable %s __weak, or set it to nil when "
                       "the block is done",
                       path);
    else if (strcmp(kind, "target") == 0 || strcmp(kind, "block") == 0)
        add_target_fix(answer, owner, held);
    else if (strcmp(kind, "association") == 0)
        watch_text_add(answer->out, "associate %s with the %s through a weak wrapper, or remove it",
                       path, owner);
    else if (strcmp(kind, "user-info") == 0)
        watch_text_add(answer->out,
                       "do not pass the %s as user info of the %s: pass a weak wrapper", held,
                       owner);
    else
        watch_text_add(answer->out, "take the %s out of the %s (%s), or hold it there weakly", held,
                       owner, path);
}

static bool has_against(watch_value_at fix, const char *what) {
    watch_value_at at = watch_answer_first(member(fix, "against"));
    while (at && !watch_answer_is(at, what))
        at = watch_answer_next(at);
    return at != NULL;
}

static bool is_sound(watch_value_at fix) {
    return !watch_answer_first(member(fix, "against"));
}

/* Whether something better than what speaks against itself is enough. */
static bool is_sound_one_enough(watch_value_at fixes) {
    watch_value_at fix = watch_answer_first(fixes);
    while (fix && !(is_sound(fix) && (watch_answer_is_true(member(fix, "frees")) ||
                                      watch_answer_is(member(fix, "breaks"), "knot"))))
        fix = watch_answer_next(fix);
    return fix != NULL;
}

static void add_one_fix(const struct answer *answer, watch_value_at fix) {
    char name[NAME];
    watch_value_at edge = member(fix, "edge");
    bool is_of_knot = watch_answer_is(member(fix, "breaks"), "knot") ||
                      watch_answer_is(member(fix, "everywhere"), "knot");
    watch_text_add(answer->out, "    %s ", answer->style->bullet);
    add_fix(answer, edge);
    if (has_against(fix, "only-holder"))
        watch_text_add(answer->out, ", if something else keeps the %s",
                       class_of(thing_at(answer, member(edge, "to")), name, sizeof(name)));
    watch_text_add(answer->out, "%s\n", is_of_knot ? "" : " (for this ring)");
}

static void add_fixes(const struct answer *answer, watch_value_at knot) {
    watch_value_at fixes = member(knot, "fixes");
    uint32_t shown = 0;
    uint64_t more = watch_answer_number(member(knot, "fixes_left_out"));
    bool only_sound = is_sound_one_enough(fixes);
    if (!watch_answer_first(fixes))
        return;
    watch_text_add(answer->out, "  To break it%s:\n",
                   count_elements(fixes) > 1 ? ", best first" : "");
    for (watch_value_at fix = watch_answer_first(fixes); fix; fix = watch_answer_next(fix)) {
        if (shown < MOST_FIXES && (is_sound(fix) || !only_sound)) {
            add_one_fix(answer, fix);
            shown++;
        } else {
            more += !only_sound || is_sound(fix);
        }
    }
    if (more)
        watch_text_add(answer->out, "      and %llu more, in lldb\n", (unsigned long long)more);
}

/* ---- Who holds it ---- */

static void add_root(const struct answer *answer, watch_value_at root) {
    char kind[NAME], slot[NAME], image[NAME * 2];
    watch_answer_text(member(root, "kind"), kind, sizeof(kind));
    watch_answer_text(member(root, "slot"), slot, sizeof(slot));
    watch_answer_text(member(root, "image"), image, sizeof(image));
    const char *file = strrchr(image, '/') ? strrchr(image, '/') + 1 : image;
    char variable[NAME];
    if (strcmp(kind, "data") == 0 && watch_data_name(slot, variable, sizeof(variable)))
        watch_text_add(answer->out, "%s (%s)", variable, file);
    else if (strcmp(kind, "data") == 0)
        watch_text_add(answer->out, "a global variable at %s (%s)", slot, file);
    else
        watch_text_add(answer->out, "%s at %s", kind, *slot ? slot : "no address");
}

static void add_way(const struct answer *answer, watch_value_at holder) {
    watch_value_at root = member(holder, "root"), way = watch_answer_first(member(holder, "way"));
    if (!root || *root != '{')
        return;
    watch_text_add(answer->out, "    from ");
    add_root(answer, root);
    watch_text_add(answer->out, " %s ", answer->style->arrow);
    add_thing(answer, member(root, "to"), true);
    watch_text_add(answer->out, "\n");
    for (; way; way = watch_answer_next(way)) {
        char path[NAME];
        path_of(way, path, sizeof(path));
        watch_text_add(answer->out, "      %s %s ", path, answer->style->arrow);
        add_thing(answer, member(way, "to"), true);
        watch_text_add(answer->out, "\n");
    }
}

static void add_holders(const struct answer *answer) {
    uint64_t found = watch_answer_number(member(answer->root, "holders_found"));
    watch_value_at holder = watch_answer_first(member(answer->root, "holders"));
    uint32_t shown = 0;
    char text[NAME];
    for (; holder && shown < MOST_HOLDERS; holder = watch_answer_next(holder), shown++) {
        char path[NAME], kind[NAME];
        path_of(member(holder, "edge"), path, sizeof(path));
        kind_of(member(holder, "edge"), kind, sizeof(kind));
        watch_text_add(answer->out, "  Held by %s (%s) of ", path, kind);
        add_thing(answer, member(member(holder, "edge"), "from"), true);
        watch_text_add(answer->out, "\n");
        add_way(answer, holder);
    }
    if (found > shown)
        watch_text_add(answer->out, "  and by %llu more references\n",
                       (unsigned long long)(found - shown));
    watch_value_at root = watch_answer_first(member(answer->root, "roots"));
    uint32_t roots = count_elements(member(answer->root, "roots"));
    for (shown = 0; root && shown < MOST_HOLDERS; root = watch_answer_next(root), shown++) {
        watch_text_add(answer->out, "  Perhaps held by ");
        add_root(answer, root);
        watch_text_add(answer->out, "\n");
    }
    if (roots > shown)
        watch_text_add(answer->out, "  and perhaps by %u more places\n", roots - shown);
    watch_value_at verdict = member(answer->root, "verdict");
    char kind[NAME];
    watch_text_add(answer->out, "  Verdict: %s: %s\n",
                   watch_answer_text(member(verdict, "kind"), kind, sizeof(kind)),
                   watch_answer_text(member(verdict, "reason"), text, sizeof(text)));
}

/* ---- All of it ---- */

static watch_value_at own_knot(watch_value_at root) {
    watch_value_at knot = watch_answer_first(member(root, "knots"));
    while (knot && !watch_answer_is_true(member(knot, "contains_seed")))
        knot = watch_answer_next(knot);
    return knot;
}

static void add_held_by(const struct answer *answer, watch_value_at knot) {
    uint32_t count = count_elements(member(knot, "held_by"));
    watch_value_at edge = watch_answer_first(member(knot, "held_by"));
    for (uint32_t shown = 0; edge && shown < MOST_HOLDERS;
         edge = watch_answer_next(edge), shown++) {
        char path[NAME];
        path_of(edge, path, sizeof(path));
        watch_text_add(answer->out, "  Held by %s of ", path);
        add_thing(answer, member(edge, "from"), true);
        watch_text_add(answer->out, "\n");
    }
    if (count > MOST_HOLDERS)
        watch_text_add(answer->out, "  and by %u more references\n", count - MOST_HOLDERS);
}

static void add_problem(const struct answer *answer, const char *what) {
    char message[256];
    watch_value_at root = answer->root;
    if (watch_answer_is(member(root, "status"), "error"))
        watch_text_add(
            answer->out, "  %s: %s\n", what,
            watch_answer_text(member(member(root, "error"), "message"), message, sizeof(message)));
    else if (watch_answer_is(member(root, "status"), "incomplete"))
        watch_text_add(answer->out,
                       "  %s: not all that it leads to could be followed (docs: "
                       "not_followed)\n",
                       what);
}

void watch_words(const struct watch_answers *answers, bool is_unicode, struct watch_text *out) {
    const char *cycles = watch_text_get(&answers->cycles);
    struct answer answer = {cycles, member(cycles, "objects"), is_unicode ? &unicode : &ascii, out};
    watch_value_at knot = own_knot(cycles);
    if (answers->problem)
        watch_text_add(out, "  Not looked at: %s\n", answers->problem);
    if (knot) {
        add_heading(&answer, knot);
        add_ring(&answer, watch_answer_first(member(knot, "rings")));
        add_held_by(&answer, knot);
        add_fixes(&answer, knot);
    }
    add_problem(&answer, knot ? "Perhaps there is more" : "Perhaps there is a ring");
    if (!knot && answers->incoming.length) {
        const char *incoming = watch_text_get(&answers->incoming);
        answer.root = incoming;
        answer.objects = member(incoming, "objects");
        watch_text_add(out, "It is in no ring\n");
        add_holders(&answer);
    }
}

const char *watch_class_of_answer(const struct watch_answers *answers, char *dst, size_t cap) {
    const char *cycles = watch_text_get(&answers->cycles);
    struct answer answer = {.objects = member(cycles, "objects")};
    return class_of(thing_at(&answer, member(cycles, "seed")), dst, cap);
}

/* By classes and names: addresses are others in each run. */
static uint64_t holder_hash(const struct watch_answers *answers, const char *reason) {
    char text[NAME];
    const char *incoming = watch_text_get(&answers->incoming);
    struct answer answer = {.objects = member(incoming, "objects")};
    watch_value_at edge = member(watch_answer_first(member(incoming, "holders")), "edge");
    uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, loupe_span_of(reason));
    watch_class_of_answer(answers, text, sizeof(text));
    hash = loupe_fnv_span(hash, loupe_span_of(text));
    const char *owner = class_of(thing_at(&answer, member(edge, "from")), text, sizeof(text));
    hash = loupe_fnv_span(hash, loupe_span_of(owner));
    path_of(edge, text, sizeof(text));
    return loupe_fnv_span(hash, loupe_span_of(text));
}

bool watch_fingerprint(const struct watch_answers *answers, const char *reason,
                       char ret[WATCH_FINGERPRINT_SIZE]) {
    watch_value_at knot = own_knot(watch_text_get(&answers->cycles));
    watch_value_at ring = watch_answer_first(member(knot, "rings"));
    if (ring) {
        char text[NAME];
        watch_answer_text(member(ring, "fingerprint"), text, sizeof(text));
        snprintf(ret, WATCH_FINGERPRINT_SIZE, "%.16s", text);
        return true;
    }
    snprintf(ret, WATCH_FINGERPRINT_SIZE, "%016llx",
             (unsigned long long)holder_hash(answers, reason));
    return false;
}

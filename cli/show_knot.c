#include "show_knot.h"

#include "amounts.h"
#include "analysis/shortest.h"
#include "cycles/more_rings.h"
#include "show_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_RING = 32, BEGINNING = 12, END = 8, FIXES_SHOWN = 3 };

struct knot_scene knot_scene_of(const struct loupe_heap_graph *graph,
                                const struct loupe_describer *describer,
                                const struct loupe_cycles *cycles, struct loupe_arena *arena) {
    return (struct knot_scene){.graph = graph,
                               .describer = describer,
                               .cycles = cycles,
                               .mistakes = known_mistakes(arena)};
}

/* ---- First line ---- */

void show_knot_size(const struct loupe_knot_facts *knot) {
    uint32_t shortest = knot->rings.count ? knot->rings.items[0].length : 0;
    const char *possibly = knot->certain ? "" : "Possibly ", *a = knot->certain ? "A" : "a";
    if (knot->objects == 1)
        printf("%s%s", possibly,
               knot->certain ? "An object that holds itself" : "an object that holds itself");
    else if (shortest == knot->objects && knot->edges == knot->objects)
        printf("%s%s ring of %s objects", possibly, a, cli_count(knot->objects));
    else
        printf("%s%s knot of %s objects and %s references, its shortest ring of %s", possibly, a,
               cli_count(knot->objects), cli_count(knot->edges), cli_count(shortest));
}

void show_verdict(const struct loupe_verdict *verdict) {
    uint64_t outside = verdict->outside + verdict->unexplained;
    const char *reason = loupe_verdict_reason_text(verdict->reason);
    if (verdict->kind == LOUPE_LEAKED)
        printf("leaked: nothing outside keeps it alive");
    else if (verdict->kind == LOUPE_HELD)
        printf("held: %s reference%s from outside keep%s it alive too", cli_count(outside),
               outside == 1 ? "" : "s", outside == 1 ? "s" : "");
    else
        printf("leaked or still in use: %s", reason ? reason : "it cannot be told");
}

/* ---- Rings ---- */

struct widths {
    int path, kind;
};

/* Of a ring that is too long the beginning and the end are shown. */
static bool is_folded(uint32_t length, uint32_t i) {
    return length > LONGEST_RING && i >= BEGINNING && i < length - END;
}

static struct widths measure(const struct knot_scene *scene, const struct loupe_ring *ring) {
    struct widths widths = {0};
    for (uint32_t i = 0; i < ring->length; i++) {
        if (is_folded(ring->length, i))
            continue;
        uint32_t from = loupe_ring_from(&scene->graph->graph, ring, i);
        struct words path = words_of_path(scene->graph, from, ring->edges[i]);
        struct words kind = words_of_kind(scene->graph, from, ring->edges[i]);
        int path_width = (int)strlen(path.text), kind_width = (int)strlen(kind.text);
        widths.path = path_width > widths.path ? path_width : widths.path;
        widths.kind = kind_width > widths.kind ? kind_width : widths.kind;
    }
    return widths;
}

static void show_step(const struct knot_scene *scene, const struct loupe_ring *ring, uint32_t i,
                      struct widths widths) {
    const struct loupe_snapshot *snapshot = scene->graph->snapshot;
    const struct loupe_graph *graph = &scene->graph->graph;
    uint32_t from = loupe_ring_from(graph, ring, i);
    uint32_t to = loupe_heap_graph_node(scene->graph, loupe_graph_target(graph, ring->edges[i]));
    bool is_last = i + 1 == ring->length;
    struct words path = words_of_path(scene->graph, from, ring->edges[i]);
    struct words kind = words_of_kind(scene->graph, from, ring->edges[i]);
    struct words target = is_last ? words_of_object(snapshot, to) : words_in_full(snapshot, to);
    printf("  %s%-*s  %-*s  → %s\n", is_last ? "╰── " : "│   ", widths.path, path.text, widths.kind,
           kind.text, target.text);
}

static void show_ring(const struct knot_scene *scene, const struct loupe_ring *ring) {
    const struct loupe_graph *graph = &scene->graph->graph;
    uint32_t first = loupe_heap_graph_node(scene->graph, loupe_ring_from(graph, ring, 0));
    struct widths widths = measure(scene, ring);
    printf("  ╭─▶ %s\n", words_in_full(scene->graph->snapshot, first).text);
    for (uint32_t i = 0; i < ring->length; i++) {
        if (!is_folded(ring->length, i))
            show_step(scene, ring, i, widths);
        else if (i == BEGINNING)
            printf("  ┆   %s more references\n", cli_count(ring->length - BEGINNING - END));
    }
    if (!ring->shortest)
        printf("      (a shorter ring may exist: the search was ended by its budget)\n");
}

void show_circle(const struct loupe_snapshot *snapshot, const uint32_t *nodes, uint32_t length) {
    printf("  ╭─▶ %s\n", words_in_full(snapshot, nodes[0]).text);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t to = nodes[(i + 1) % length];
        uint32_t link = loupe_path_link(&snapshot->columns, LOUPE_LINKS_MAYBE,
                                        1u << LOUPE_LINK_CONSERVATIVE, nodes[i], to);
        bool is_last = i + 1 == length;
        if (is_folded(length, i)) {
            if (i == BEGINNING)
                printf("  ┆   %s more\n", cli_count(length - BEGINNING - END));
            continue;
        }
        const struct loupe_label *label =
            link == LOUPE_NO_EDGE ? NULL : loupe_native_label(snapshot, link);
        printf("  %s%s  %s  → %s\n", is_last ? "╰── " : "│   ",
               link == LOUPE_NO_EDGE ? "?" : words_of_link(snapshot, nodes[i], link).text,
               label ? loupe_edge_kind_name((enum loupe_edge_kind)label->kind) : "word",
               is_last ? words_of_object(snapshot, to).text : words_in_full(snapshot, to).text);
    }
}

/* ---- Holders and counts ---- */

/* Nobody could still give back a retain of what is lost: it was forgotten. */
static void show_unexplained(const struct knot_scene *scene, uint64_t count) {
    const char *s = count == 1 ? "" : "s";
    if (scene->lost)
        printf("  %s missing, too: no reference explains %s retain%s, and breaking the ring is not "
               "enough\n",
               count == 1 ? "A release is" : "Releases are", cli_count(count), s);
    else
        printf("  Held by %s retain%s that no reference explains: of a variable, a run loop, ...\n",
               cli_count(count), s);
}

static void show_holders(const struct knot_scene *scene, const struct loupe_verdict *verdict) {
    const struct loupe_snapshot *snapshot = scene->graph->snapshot;
    if (verdict->kind != LOUPE_HELD)
        return;
    for (uint32_t i = 0; i < verdict->holder_count; i++) {
        const struct loupe_holder *holder = &verdict->holders[i];
        uint32_t from = loupe_heap_graph_node(scene->graph, holder->from);
        printf("  Held by %s of %s\n", words_of_path(scene->graph, holder->from, holder->edge).text,
               words_in_full(snapshot, from).text);
    }
    uint64_t more = verdict->outside - verdict->holder_count;
    if (more)
        printf("  Held by %s further reference%s\n", cli_count(more), more == 1 ? "" : "s");
    if (verdict->unexplained)
        show_unexplained(scene, verdict->unexplained);
}

static void show_doubts(const struct knot_scene *scene, const struct loupe_knot_facts *knot) {
    const struct loupe_verdict *verdict = &knot->verdict;
    if (knot->certain)
        return;
    printf("  Possible, not certain: the runtime does not record whether the references marked\n"
           "  assumed own what they point to (manual retain/release).\n");
    if (verdict->excess && verdict->example != LOUPE_NO_NODE)
        printf("  Against it: retain counts are too small by %s (such as %s), so that many of the "
               "references\n  found own nothing.\n",
               cli_count(verdict->excess),
               words_of_object(scene->graph->snapshot,
                               loupe_heap_graph_node(scene->graph, verdict->example))
                   .text);
    else if (!verdict->not_counted && !verdict->outside && !verdict->unexplained)
        printf("  For it: all of these owning would explain the retain counts exactly.\n");
}

/* ---- Fixes ---- */

static bool is_second_best(const struct loupe_fix *fix) {
    return !fix->practicable || fix->doubtful || fix->only_holder;
}

static bool is_enough(const struct loupe_knot_facts *knot, const struct loupe_fix *fix) {
    return loupe_fix_is_enough(fix, knot->contains_focus);
}

/* Without what is on the wrong side of the ring, where there is something better. */
static bool has_better(const struct loupe_knot_facts *knot) {
    for (uint32_t i = 0; i < knot->fixes.count; i++) {
        const struct loupe_fix *fix = &knot->fixes.items[i];
        if (!is_second_best(fix) && is_enough(knot, fix))
            return true;
    }
    return false;
}

static void show_extent(const struct knot_scene *scene, const struct loupe_knot_facts *knot,
                        const struct loupe_fix *fix) {
    const struct loupe_snapshot *snapshot = scene->graph->snapshot;
    if (fix->kept_by != LOUPE_NO_NODE)
        printf(" (not enough while something else keeps %s)",
               words_of_object(snapshot, loupe_heap_graph_node(scene->graph, fix->kept_by)).text);
    else if (!fix->breaks_knot && fix->breaks_everywhere)
        printf(": in every %s at once, that breaks the whole knot",
               words_of_class(snapshot, loupe_heap_graph_node(scene->graph, fix->from)).text);
    else if (!fix->breaks_knot && !is_enough(knot, fix))
        printf(" (for this ring)");
}

struct shown_fixes {
    struct words texts[LOUPE_MAX_FIXES];
    const struct loupe_fix *fixes[LOUPE_MAX_FIXES];
    uint32_t count, left_out;
};

/* Whether no change breaks all of it, but some do so together. */
static bool need_several(const struct loupe_fixes *fixes) {
    for (uint32_t i = 0; i < fixes->count; i++) {
        if (fixes->items[i].together)
            return true;
    }
    return false;
}

static void choose(const struct knot_scene *scene, const struct loupe_knot_facts *knot,
                   struct shown_fixes *ret) {
    bool better = has_better(knot), several = need_several(&knot->fixes);
    struct loupe_adviser adviser = {.graph = &scene->graph->graph,
                                    .describer = scene->describer,
                                    .knot = knot,
                                    .without_weak_references =
                                        !loupe_heap_has_weak_references(scene->graph->snapshot)};
    for (uint32_t i = 0; i < knot->fixes.count && i < LOUPE_MAX_FIXES; i++) {
        const struct loupe_fix *fix = &knot->fixes.items[i];
        struct loupe_advice advice;
        loupe_advise(&adviser, fix, &advice);
        struct words text = words_of_advice(scene->graph, &advice);
        bool told = i && better && is_second_best(fix) && !fix->together;
        for (uint32_t j = 0; j < ret->count && !told; j++)
            told = strcmp(ret->texts[j].text, text.text) == 0;
        if (told)
            continue;
        if (several ? !fix->together : ret->count == FIXES_SHOWN) {
            ret->left_out++;
            continue;
        }
        ret->texts[ret->count] = text;
        ret->fixes[ret->count++] = fix;
    }
}

static const char *heading_of(const struct loupe_knot_facts *knot,
                              const struct shown_fixes *shown) {
    bool enough = false, whole = false;
    for (uint32_t i = 0; i < shown->count; i++) {
        enough |= is_enough(knot, shown->fixes[i]);
        whole |= shown->fixes[i]->breaks_knot;
    }
    if (need_several(&knot->fixes))
        return knot->rings.all ? "These together break it" : "These together break the rings shown";
    if (whole && enough)
        return "To break it";
    if (enough)
        return "To let go what is held from outside";
    return whole ? "No single change is enough. What breaks it"
                 : "No single change breaks all of it. What breaks the shown ring";
}

static void show_fixes(const struct knot_scene *scene, const struct loupe_knot_facts *knot) {
    struct shown_fixes shown = {.count = 0};
    choose(scene, knot, &shown);
    if (!shown.count)
        return;
    bool several = need_several(&knot->fixes);
    printf("  %s%s:\n", heading_of(knot, &shown),
           shown.count > 1 && !several ? ", best first" : "");
    for (uint32_t i = 0; i < shown.count; i++) {
        printf("    • %s", shown.texts[i].text);
        if (!several)
            show_extent(scene, knot, shown.fixes[i]);
        printf("\n");
    }
    if (shown.left_out)
        printf("      and %s more (--json has them)\n", cli_count(shown.left_out));
}

void show_knot(const struct knot_scene *scene, const struct loupe_knot_facts *knot) {
    for (uint32_t i = 0; i < knot->rings.count; i++) {
        if (i)
            printf("\n  another ring of the same knot:\n");
        show_ring(scene, &knot->rings.items[i]);
        show_allocations_of_ring(scene->graph, &knot->rings.items[i]);
    }
    if (!knot->rings.all && knot->rings.count == LOUPE_MAX_RINGS)
        printf("\n  There are more rings in it; %s of a knot are the most that are looked for\n",
               cli_count(LOUPE_MAX_RINGS));
    show_holders(scene, scene->lost ? scene->lost : &knot->verdict);
    show_doubts(scene, knot);
    show_fixes(scene, knot);
    show_known_mistake(known_mistake_of_knot(&scene->mistakes, scene->graph, knot));
}

#include "show_leak.h"

#include "amounts.h"
#include "answers/leak_words.h"
#include "answers/texts.h"
#include "cli.h"
#include "cycles/fingerprint.h"
#include "handles.h"
#include "look.h"
#include "show_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_EXAMPLES = 4, SHOWN_KEPT = 3 };

void show_amount(struct loupe_amount amount) {
    uint64_t objects = amount.objects - amount.others;
    if (objects)
        printf("%s object%s, ", cli_count(objects), objects == 1 ? "" : "s");
    if (amount.others)
        printf("%s %sallocation%s, ", cli_count(amount.others), objects ? "other " : "",
               amount.others == 1 ? "" : "s");
    printf("%s", cli_bytes(amount.bytes));
}

/* What it says of itself, after its address. */
static void show_value(const struct loupe_snapshot *snapshot, uint32_t node) {
    char text[96];
    size_t length = loupe_snapshot_say_value(snapshot, node, text, sizeof(text));
    if (length)
        printf(" %s", cli_printable((struct loupe_span){text, length}));
}

static void show_examples(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    const struct loupe_leaks *leaks = scene->leaks;
    if (group->count < 2)
        return;
    printf("  ");
    uint32_t shown = group->count <= SHOWN_EXAMPLES ? group->count : SHOWN_EXAMPLES;
    for (uint32_t i = 0; i < shown; i++) {
        const struct loupe_leak *leak = &leaks->items[group->first + i];
        printf("%s0x%" PRIx64, i ? ", " : "", loupe_snapshot_address(leaks->snapshot, leak->node));
        if (!leak->is_cycle)
            show_value(leaks->snapshot, leak->node);
    }
    if (shown < group->count)
        printf(" and %s more", cli_count(group->count - shown));
    printf("\n");
}

static void show_guess(const struct leak_scene *scene, const struct loupe_leak *leak) {
    if (loupe_leak_is_guessed(scene->leaks, leak))
        printf(
            "  Guessed: this allocator's tables cannot be read, so it may be free already, or held "
            "from\n  memory that was not searched.\n");
}

void show_kept_classes(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    const struct loupe_snapshot *snapshot = scene->leaks->snapshot;
    struct loupe_kept_classes kept;
    if (loupe_leaks_keep(scene->leaks, group, scene->arena, &kept)) {
        printf(" (classes not shown: out of memory)");
        return;
    }
    uint64_t others = 0;
    for (uint32_t i = 0; i < kept.count; i++) {
        if (i < SHOWN_KEPT)
            printf("%s%s %s", i ? ", " : ": ", cli_count(kept.items[i].count),
                   cli_printable(loupe_snapshot_class_name(snapshot, kept.items[i].class_number)));
        else
            others += kept.items[i].count;
    }
    if (others)
        printf(" and %s of other classes", cli_count(others));
}

static void show_kept(const struct leak_scene *scene, const struct loupe_leak_group *group,
                      const struct loupe_leak *leak) {
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(leak->fingerprint, fingerprint);
    printf("  In all: ");
    show_amount(group->kept);
    show_kept_classes(scene, group);
    printf("; fingerprint %s\n", fingerprint);
}

/* How sure it is, and why. */
static struct answer_leak_facts facts_of(const struct leak_scene *scene,
                                         const struct loupe_leak_group *group,
                                         const struct loupe_leak *leak) {
    return (struct answer_leak_facts){
        .degree = (enum loupe_degree)leak->degree,
        .is_pointed_to = leak->degree == LOUPE_DEGREE_UNOWNED &&
                         loupe_is_marked(&scene->leaks->lasting, leak->node),
        .only_by_leaks = leak->degree == LOUPE_DEGREE_LOST && !leak->is_head,
        .missing = leak->missing,
        .is_each = group->count > 1};
}

static void show_verdict_of(const struct leak_scene *scene, const struct loupe_leak_group *group,
                            const struct loupe_leak *leak) {
    struct answer_leak_facts facts = facts_of(scene, group, leak);
    char text[ANSWER_LONGEST_VERDICT];
    answer_leak_verdict(&facts, text, sizeof(text));
    printf(", %s\n", text);
}

/* Raw memory has nothing but its size to know it by; equal leaks have the same one. */
static struct words words_of_each(const struct loupe_snapshot *snapshot,
                                  const struct loupe_leak *leak) {
    struct words class_words = words_of_class(snapshot, leak->node);
    if (loupe_native_node_kind(snapshot, leak->node) == LOUPE_NODE_BLOCK)
        return words_of_all(snapshot, snapshot->classes[leak->node]);
    if (loupe_native_node_kind(snapshot, leak->node) != LOUPE_NODE_RAW)
        return class_words;
    return words_say("%s, %s each", class_words.text,
                     cli_bytes(loupe_columns_size(&snapshot->columns, leak->node)));
}

static void show_single(const struct leak_scene *scene, const struct loupe_leak_group *group,
                        const struct loupe_leak *leak) {
    const struct loupe_snapshot *snapshot = scene->leaks->snapshot;
    if (group->count == 1) {
        printf("Leak: %s", words_in_full(snapshot, leak->node).text);
        show_value(snapshot, leak->node);
    } else
        printf("%s leaks of %s", cli_count(group->count), words_of_each(snapshot, leak).text);
    show_verdict_of(scene, group, leak);
}

static void show_circle_of(const struct leak_scene *scene, const struct loupe_leak *leak) {
    uint32_t length = scene->leaks->raw_rings.of[leak->ring].length;
    uint32_t *nodes = malloc(length * sizeof(*nodes));
    if (!nodes)
        return;
    loupe_heap_ring_nodes(&scene->leaks->raw_rings, leak->ring, nodes);
    show_circle(scene->leaks->snapshot, nodes, length);
    printf("  " ANSWER_UNTYPED_DOUBT "\n");
    free(nodes);
}

static void show_cycle(const struct leak_scene *scene, const struct loupe_leak_group *group,
                       const struct loupe_leak *leak) {
    const struct loupe_knot_facts *knot = loupe_leak_knot(scene->leaks, leak);
    struct knot_scene knots = scene->knots;
    struct shown_knot shown;
    if (knot && leak->degree == LOUPE_DEGREE_LOST)
        knots.lost = &scene->leaks->cycles.knots[leak->knot].verdict;
    if (group->count > 1)
        printf("%s × ", cli_count(group->count));
    if (knot)
        shown_knot_open(&knots, knot, &shown);
    if (knot)
        show_knot_size(&shown);
    else
        printf(ANSWER_UNTYPED_CYCLE);
    show_verdict_of(scene, group, leak);
    if (knot)
        show_knot(&shown);
    else
        show_circle_of(scene, leak);
    if (knot)
        shown_knot_close(&shown);
    if (knot && knot != &scene->leaks->cycles.knots[leak->knot] && group->count == 1)
        printf("  (an equal cycle is shown; this one is at 0x%llx)\n",
               (unsigned long long)loupe_snapshot_address(scene->leaks->snapshot, leak->node));
}

/* Of leaks that are lost, those that a word still leads to. */
static void show_unowned(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    if (group->unowned && scene->leaks->items[group->first].degree == LOUPE_DEGREE_LOST)
        printf("  Pointers that do not own them remain to %s of these\n",
               cli_count(group->unowned));
}

static const char *words_of_release(const struct loupe_leak *leak) {
    return leak->missing == 1 ? ANSWER_ADD_RELEASE : ANSWER_ADD_RELEASES;
}

/* As answers/ has it of a cycle. */
static void show_missing_release(const struct loupe_leak *leak) {
    if (leak->missing)
        printf("  " ANSWER_ONE_FIX "\n    • %s\n", words_of_release(leak));
}

/* ---- Before the entries ---- */

static struct words fix_of(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    const struct loupe_leak *leak = &scene->leaks->items[group->first];
    const struct loupe_knot_facts *knot = loupe_leak_knot(scene->leaks, leak);
    struct words fix = words_say("%s", "");
    struct shown_knot shown;
    if (!knot && leak->missing)
        return words_say(ANSWER_FIX "%s", words_of_release(leak));
    if (!knot)
        return fix;
    shown_knot_open(&scene->knots, knot, &shown);
    fix = best_fix(&shown);
    shown_knot_close(&shown);
    return fix;
}

void show_best_fix(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    struct words fix = fix_of(scene, group);
    if (*fix.text)
        printf("%s%s%s\n", look_bold(), fix.text, look_plain());
}

/* "Login, Window": what a cycle goes through, each class once; of a single leak its own. */
static struct words classes_of(const struct leak_scene *scene, const struct loupe_leak *leak) {
    enum { MOST = 3 };
    const struct loupe_snapshot *snapshot = scene->leaks->snapshot;
    const struct loupe_knot_facts *knot = loupe_leak_knot(scene->leaks, leak);
    struct words ret = words_of_class(snapshot, leak->node), last = ret;
    uint32_t length = knot && knot->rings.count ? knot->rings.items[0].length : 0, shown = 1;
    for (uint32_t i = 0; i < length && shown < MOST; i++) {
        uint32_t node = loupe_ring_from(&scene->leaks->graph.graph, &knot->rings.items[0], i);
        struct words name =
            words_of_class(snapshot, loupe_heap_graph_node(&scene->leaks->graph, node));
        if (strstr(ret.text, name.text))
            continue;
        last = ret;
        ret = words_say("%s, %s", last.text, name.text);
        shown++;
    }
    return ret;
}

void add_leaks_row(const struct leak_scene *scene, uint32_t number,
                   const struct loupe_leak_group *group, struct table *table) {
    static const char prefix[] = ANSWER_FIX;
    struct words fix = fix_of(scene, group);
    const char *text = fix.text;
    if (strncmp(text, prefix, sizeof(prefix) - 1) == 0)
        text += sizeof(prefix) - 1;
    table_add(table, loupe_span_of(cli_count(number)));
    table_add(table, loupe_span_of(cli_count(group->count)));
    table_add(table, loupe_span_of(cli_count(group->kept.bytes)));
    table_add(table, loupe_span_of(classes_of(scene, &scene->leaks->items[group->first]).text));
    table_add(table, loupe_span_of(text));
}

/* ---- Entries ---- */

void show_leaks_alike(const struct leak_scene *scene, uint32_t number,
                      const struct loupe_leak_group *group) {
    const struct loupe_leak *leak = &scene->leaks->items[group->first];
    printf("\n%s. ", cli_count(number));
    handles_show(number, loupe_snapshot_address(scene->leaks->snapshot, leak->node),
                 leak->fingerprint);
    if (leak->is_cycle)
        show_cycle(scene, group, leak);
    else
        show_single(scene, group, leak);
    show_unowned(scene, group);
    show_examples(scene, group);
    show_guess(scene, leak);
    if (!leak->is_cycle || !loupe_leak_knot(scene->leaks, leak)) {
        show_allocation(scene->leaks->snapshot, leak->node, "  ");
        show_missing_release(leak);
    }
    show_kept(scene, group, leak);
}

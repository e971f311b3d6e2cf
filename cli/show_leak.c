#include "show_leak.h"

#include "amounts.h"
#include "cli.h"
#include "cycles/fingerprint.h"
#include "handles.h"
#include "show_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_EXAMPLES = 4, SHOWN_KEPT = 3 };

void show_amount(struct loupe_amount amount) {
    printf("%s object%s, %s", cli_count(amount.objects), amount.objects == 1 ? "" : "s",
           cli_bytes(amount.bytes));
}

static void show_examples(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    const struct loupe_leaks *leaks = scene->leaks;
    if (group->count < 2)
        return;
    printf("  ");
    uint32_t shown = group->count <= SHOWN_EXAMPLES ? group->count : SHOWN_EXAMPLES;
    for (uint32_t i = 0; i < shown; i++)
        printf("%s0x%" PRIx64, i ? ", " : "",
               loupe_snapshot_address(leaks->snapshot, leaks->items[group->first + i].node));
    if (shown < group->count)
        printf(" and %s more", cli_count(group->count - shown));
    printf("\n");
}

static void show_doubt(const struct leak_scene *scene, const struct loupe_leak *leak) {
    if (loupe_leak_is_guessed(scene->leaks, leak))
        printf("  Guessed, not certain: the tables of its allocator are not known, so it may have "
               "been freed,\n  or memory that was not looked at may hold it.\n");
}

void show_kept_classes(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    const struct loupe_snapshot *snapshot = scene->leaks->snapshot;
    struct loupe_kept_classes kept;
    if (loupe_leaks_keep(scene->leaks, group, scene->arena, &kept)) {
        printf(" (not enough memory to list classes)");
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
    printf("  %s ", group->count == 1 ? "This keeps" : "Together they keep");
    show_amount((struct loupe_amount){group->objects, group->bytes});
    show_kept_classes(scene, group);
    printf("; fingerprint %s\n", fingerprint);
}

/* Why it is one, in the words of degrees. */
static void show_degree(const struct leak_scene *scene, const struct loupe_leak *leak) {
    const struct loupe_leaks *leaks = scene->leaks;
    if (leak->degree == LOUPE_DEGREE_TIMER)
        printf("a run loop keeps it until that is invalidated, and nothing else does");
    else if (leak->degree == LOUPE_DEGREE_UNOWNED && loupe_is_marked(&leaks->lasting, leak->node))
        printf("what leads to it from outside does not retain it");
    else if (leak->degree == LOUPE_DEGREE_UNOWNED)
        printf("only words on stacks or in registers lead to it, which may be stale");
    else if (leak->is_head)
        printf("nothing leads to it");
    else
        printf("only what is lost itself leads to it, and it would stay without that");
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
    const char *degree = leak->degree == LOUPE_DEGREE_LOST ? "lost" : "leaked";
    if (group->count == 1)
        printf("Leak: %s, %s: ", words_in_full(snapshot, leak->node).text, degree);
    else
        printf("%s leaks of %s, %s: ", cli_count(group->count), words_of_each(snapshot, leak).text,
               degree);
    if (leak->missing)
        printf("%s missing%s%s", leak->missing == 1 ? "a release is" : "releases are",
               group->count == 1 ? "" : " of each",
               leak->degree == LOUPE_DEGREE_LOST ? "" : ", and nothing that leads there owns it");
    else
        show_degree(scene, leak);
    printf("\n");
}

static void show_circle_of(const struct leak_scene *scene, const struct loupe_leak *leak) {
    uint32_t length = scene->leaks->raw_rings.of[leak->ring].length;
    uint32_t *nodes = malloc(length * sizeof(*nodes));
    if (!nodes)
        return;
    loupe_heap_ring_nodes(&scene->leaks->raw_rings, leak->ring, nodes);
    show_circle(scene->leaks->snapshot, nodes, length);
    printf("  Possible, not certain: nothing describes these words, and they may own nothing; but\n"
           "  nothing else leads there.\n");
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
        printf("%s cycles alike: ", cli_count(group->count));
    else
        printf("Cycle: ");
    if (knot)
        shown_knot_open(&knots, knot, &shown);
    if (knot)
        show_knot_size(&shown);
    else
        printf("Possibly a circle of words");
    printf(", %s: ", leak->degree == LOUPE_DEGREE_LOST      ? "lost"
                     : leak->degree == LOUPE_DEGREE_UNOWNED ? "leaked"
                                                            : "kept by its timer");
    show_degree(scene, leak);
    printf("\n");
    if (knot)
        show_knot(&shown);
    else
        show_circle_of(scene, leak);
    if (knot)
        shown_knot_close(&shown);
    if (knot && knot != &scene->leaks->cycles.knots[leak->knot] && group->count == 1)
        printf("  That is an equal one, of which there are more; this one is at 0x%llx\n",
               (unsigned long long)loupe_snapshot_address(scene->leaks->snapshot, leak->node));
}

/* Of leaks that are lost, those that a word still leads to. */
static void show_unowned(const struct leak_scene *scene, const struct loupe_leak_group *group) {
    if (group->unowned && scene->leaks->items[group->first].degree == LOUPE_DEGREE_LOST)
        printf("  Words that own nothing lead to %s of them\n", cli_count(group->unowned));
}

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
    show_doubt(scene, leak);
    if (!leak->is_cycle || !loupe_leak_knot(scene->leaks, leak))
        show_allocation(scene->leaks->snapshot, leak->node, "  ");
    show_kept(scene, group, leak);
}

/*
 * Snapshots of the same heap by different makers against the first one: the same nodes, classes,
 * sizes, retain counts, references, roots in memory, and leaks. Those behind "--" were taken from
 * outside of the process: they have the same roots on stacks and in registers, too.
 *
 * usage: check_agreement SNAPSHOT... [-- SNAPSHOT...]
 */
#include "check.h"
#include "opened.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SNAPSHOTS = 12 };

static struct opened all[MOST_SNAPSHOTS];
static unsigned count, first_outside = MOST_SNAPSHOTS;

/* ---- Nodes and references ---- */

static bool strings_agree(const struct loupe_snapshot *one, uint32_t a,
                          const struct loupe_snapshot *other, uint32_t b) {
    struct loupe_span first = loupe_snapshot_string(one, a),
                      second = loupe_snapshot_string(other, b);
    return first.length == second.length && !memcmp(first.bytes, second.bytes, first.length);
}

static bool links_agree(const struct loupe_snapshot *one, const struct loupe_snapshot *other,
                        uint32_t link) {
    uint32_t a = one->native->labels[link], b = other->native->labels[link];
    return loupe_snapshot_address(one, one->columns.to[link]) ==
               loupe_snapshot_address(other, other->columns.to[link]) &&
           one->columns.kinds[link] == other->columns.kinds[link] &&
           one->native->slots[link] == other->native->slots[link] &&
           (a == LOUPE_NONE) == (b == LOUPE_NONE) &&
           (a == LOUPE_NONE || strings_agree(one, one->native->label_table[a].path, other,
                                             other->native->label_table[b].path));
}

static void compare_nodes(const struct loupe_snapshot *one, const struct loupe_snapshot *other) {
    if (!CHECK_EQ(other->columns.nodes, one->columns.nodes))
        return;
    for (uint32_t i = 0; i < one->columns.nodes; i++) {
        bool same = loupe_snapshot_address(one, i) == loupe_snapshot_address(other, i) &&
                    one->columns.sizes[i] == other->columns.sizes[i] &&
                    one->native->retain_counts[i] == other->native->retain_counts[i] &&
                    one->native->marks[i] == other->native->marks[i] &&
                    one->columns.first[i + 1] == other->columns.first[i + 1] &&
                    strings_agree(one, one->class_table[one->classes[i]].name, other,
                                  other->class_table[other->classes[i]].name);
        if (!CHECK(same))
            return;
    }
    for (uint32_t i = 0; i < one->columns.first[one->columns.nodes]; i++) {
        if (!CHECK(links_agree(one, other, i)))
            return;
    }
}

static void test_nodes_and_references_agree(void) {
    for (unsigned i = 1; i < count; i++)
        compare_nodes(&all[0].snapshot, &all[i].snapshot);
}

/* ---- Roots ---- */

static bool is_of_thread(const struct loupe_snapshot_root *root) {
    return root->kind != LOUPE_ROOT_GLOBAL;
}

/* Stacks, registers and what the C library keeps of a thread differ by who asks. */
static uint64_t sum_of_roots(const struct loupe_snapshot *snapshot, bool of_threads,
                             uint32_t *count_ret) {
    uint64_t sum = 0;
    *count_ret = 0;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (is_of_thread(root) != of_threads)
            continue;
        sum += loupe_hash(snapshot->native->root_places[i].slot + root->kind) ^
               loupe_snapshot_address(snapshot, root->node);
        ++*count_ret;
    }
    return sum;
}

static void compare_roots(const struct opened *one, const struct opened *other, bool of_threads) {
    uint32_t first, second;
    uint64_t sum = sum_of_roots(&one->snapshot, of_threads, &first),
             other_sum = sum_of_roots(&other->snapshot, of_threads, &second);
    CHECK(of_threads || first > 0);
    if (!CHECK_EQ(second, first) || !CHECK_EQ(other_sum, sum))
        fprintf(stderr, "%s and %s\n", one->path, other->path);
}

static void test_roots_agree(void) {
    for (unsigned i = 1; i < count; i++)
        compare_roots(&all[0], &all[i], false);
    for (unsigned i = first_outside + 1; i < count; i++)
        compare_roots(&all[first_outside], &all[i], true);
}

/* ---- Leaks ---- */

static bool leak_agrees(const struct opened *one, const struct opened *other, uint32_t i) {
    const struct loupe_leak *a = &one->leaks.items[i], *b = &other->leaks.items[i];
    return loupe_snapshot_address(&one->snapshot, a->node) ==
               loupe_snapshot_address(&other->snapshot, b->node) &&
           a->fingerprint == b->fingerprint && a->kept.objects == b->kept.objects &&
           a->kept.bytes == b->kept.bytes && a->missing == b->missing && a->degree == b->degree &&
           a->is_cycle == b->is_cycle && a->is_leak_root == b->is_leak_root;
}

static void compare_leaks(const struct opened *one, const struct opened *other) {
    if (!CHECK_EQ(other->leaks.count, one->leaks.count) ||
        !CHECK_EQ(other->leaks.group_count, one->leaks.group_count) ||
        !CHECK_EQ(other->leaks.miscount_count, one->leaks.miscount_count)) {
        fprintf(stderr, "%s and %s\n", one->path, other->path);
        return;
    }
    CHECK_EQ(other->leaks.lost.objects, one->leaks.lost.objects);
    CHECK_EQ(other->leaks.lost.bytes, one->leaks.lost.bytes);
    for (uint32_t i = 0; i < one->leaks.count; i++)
        if (!CHECK(leak_agrees(one, other, i)))
            return;
}

static void test_leaks_agree(void) {
    for (unsigned i = 1; i < count; i++)
        compare_leaks(&all[0], &all[i]);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0)
            first_outside = count;
        else if (count == MOST_SNAPSHOTS)
            return 2;
        else
            opened_init(&all[count++], argv[i]);
    }
    if (count < 2)
        return 2;
    RUN(test_nodes_and_references_agree);
    RUN(test_roots_agree);
    RUN(test_leaks_agree);
    printf("%u snapshots of %" PRIu32 " nodes, %" PRIu32 " roots, %" PRIu32 " leaks\n", count,
           all[0].snapshot.columns.nodes, all[0].snapshot.columns.root_count, all[0].leaks.count);
    for (unsigned i = 0; i < count; i++)
        opened_deinit(&all[i]);
    return check_report();
}

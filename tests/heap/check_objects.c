/*
 * Snapshots of the same heap against what the program wrote down of it (objects.m), and against
 * each other: the same nodes, classes, sizes, retain counts, references and roots in memory.
 *
 * usage: check_objects TRUTH SNAPSHOT...
 */
#include "check.h"
#include "drawn_heap.h"
#include "snapshot/loupe_file.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_SNAPSHOTS = 8 };

struct opened {
    const char *path;
    uint8_t *bytes;
    struct loupe_snapshot snapshot;
};
static struct opened all[MOST_SNAPSHOTS];
static unsigned count;
static const char *truth_path;

/* ---- Files ---- */

static void open_one(struct opened *opened, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(2);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    opened->path = path;
    opened->bytes = aligned_alloc(64, (size + 64) / 64 * 64);
    if (!opened->bytes || fread(opened->bytes, 1, size, file) != size)
        exit(2);
    fclose(file);
    CHECK_EQ(loupe_file_open(opened->bytes, size, &drawn_chunks, &opened->snapshot, NULL),
             LOUPE_OK);
    CHECK(opened->snapshot.native != NULL);
}

/* ---- What the program knows ---- */

static bool has_class(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    return loupe_span_equals(loupe_snapshot_class_name(snapshot, snapshot->classes[node]), name);
}

static void check_object(const struct loupe_snapshot *snapshot, uint64_t address, const char *name,
                         uint32_t retains) {
    uint32_t node;
    if (!CHECK(loupe_snapshot_find(snapshot, address, &node)))
        return;
    CHECK(has_class(snapshot, node, name));
    CHECK_EQ(snapshot->native->retain_counts[node], retains);
}

static void check_raw(const struct loupe_snapshot *snapshot, uint64_t address) {
    uint32_t node;
    if (CHECK(loupe_snapshot_find(snapshot, address, &node)))
        CHECK_EQ(snapshot->class_table[snapshot->classes[node]].kind, LOUPE_CLASS_RAW);
}

/* Nothing that was given back is an object now, unless the truth names what took its place. */
static void check_freed(const struct loupe_snapshot *snapshot, uint64_t address) {
    uint32_t node;
    if (loupe_snapshot_find(snapshot, address, &node))
        CHECK(!has_class(snapshot, node, "Thing") && !has_class(snapshot, node, "LargeThing"));
}

static bool is_named(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link,
                     const char *path) {
    struct loupe_link_name name;
    loupe_snapshot_name_link(snapshot, node, link, &name);
    if (strcmp(path, "[]") == 0)
        return name.kind == LOUPE_LINK_NAME_ELEMENT;
    return loupe_span_equals(name.name, path);
}

static void check_reference(const struct loupe_snapshot *snapshot, uint64_t from, uint64_t to,
                            const char *path) {
    uint32_t node, other, found = 0;
    if (!CHECK(loupe_snapshot_find(snapshot, from, &node)) ||
        !CHECK(loupe_snapshot_find(snapshot, to, &other)))
        return;
    for (uint32_t i = snapshot->columns.first[node]; i < snapshot->columns.first[node + 1]; i++) {
        uint8_t kind = snapshot->columns.kinds[i];
        found += snapshot->columns.to[i] == other && is_named(snapshot, node, i, path) &&
                 (kind == LOUPE_LINK_STRONG || kind == LOUPE_LINK_ASSUMED);
    }
    CHECK(found >= 1);
}

static void check_line(const struct loupe_snapshot *snapshot, const char *line, unsigned *lines) {
    uint64_t from, to;
    uint32_t retains;
    char text[128];
    if (sscanf(line, "object 0x%" SCNx64 " %127s %" SCNu32, &from, text, &retains) == 3)
        check_object(snapshot, from, text, retains);
    else if (sscanf(line, "reference 0x%" SCNx64 " 0x%" SCNx64 " %127s", &from, &to, text) == 3)
        check_reference(snapshot, from, to, text);
    else if (sscanf(line, "raw 0x%" SCNx64, &from) == 1)
        check_raw(snapshot, from);
    else if (sscanf(line, "freed 0x%" SCNx64, &from) == 1)
        check_freed(snapshot, from);
    else
        CHECK(false);
    ++*lines;
}

static void test_snapshots_have_what_the_program_has(void) {
    for (unsigned i = 0; i < count; i++) {
        FILE *truth = fopen(truth_path, "r");
        char line[256];
        unsigned lines = 0;
        if (!truth)
            exit(2);
        while (fgets(line, sizeof(line), truth))
            check_line(&all[i].snapshot, line, &lines);
        fclose(truth);
        CHECK(lines > 100);
    }
}

/* No objects of its classes beside those that it has. */
static void test_snapshots_have_no_other_objects(void) {
    for (unsigned i = 0; i < count; i++) {
        const struct loupe_snapshot *snapshot = &all[i].snapshot;
        uint32_t shown = 0, known = 0;
        char line[256];
        FILE *truth = fopen(truth_path, "r");
        while (truth && fgets(line, sizeof(line), truth))
            known += strncmp(line, "object ", 7) == 0;
        fclose(truth);
        for (uint32_t node = 0; node < snapshot->columns.nodes; node++)
            shown += has_class(snapshot, node, "Thing") || has_class(snapshot, node, "LargeThing");
        CHECK_EQ(shown, known);
    }
}

/* ---- One against the other ---- */

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

/* Stacks, registers and what the C library keeps of a thread differ by who asks. */
static uint64_t sum_of_roots(const struct loupe_snapshot *snapshot, uint32_t *count_ret) {
    uint64_t sum = 0;
    *count_ret = 0;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        if (root->kind != LOUPE_HEAP_ROOT_GLOBAL)
            continue;
        sum += loupe_hash(snapshot->native->root_places[i].slot) ^
               loupe_snapshot_address(snapshot, root->node);
        ++*count_ret;
    }
    return sum;
}

static void test_snapshots_agree(void) {
    for (unsigned i = 1; i < count; i++) {
        uint32_t first, second;
        compare_nodes(&all[0].snapshot, &all[i].snapshot);
        CHECK_EQ(sum_of_roots(&all[i].snapshot, &second), sum_of_roots(&all[0].snapshot, &first));
        CHECK_EQ(second, first);
        CHECK(first > 0);
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 2 + MOST_SNAPSHOTS)
        return 2;
    truth_path = argv[1];
    for (int i = 2; i < argc; i++)
        open_one(&all[count++], argv[i]);
    RUN(test_snapshots_have_what_the_program_has);
    RUN(test_snapshots_have_no_other_objects);
    RUN(test_snapshots_agree);
    for (unsigned i = 0; i < count; i++) {
        loupe_snapshot_deinit(&all[i].snapshot);
        free(all[i].bytes);
    }
    return check_report();
}

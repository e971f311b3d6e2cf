/*
 * Snapshots of the same heap against what the program wrote down of it (objects.m).
 *
 * usage: check_objects TRUTH SNAPSHOT...
 */
#include "check.h"
#include "opened.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_SNAPSHOTS = 8 };

static struct opened all[MOST_SNAPSHOTS];
static unsigned count;
static const char *truth_path;

/* ---- What the program knows ---- */

static bool has_class(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    return loupe_span_equals(loupe_snapshot_class_name(snapshot, snapshot->classes[node]), name);
}

static bool is_thing(const struct loupe_snapshot *snapshot, uint32_t node) {
    return has_class(snapshot, node, "Thing") || has_class(snapshot, node, "LargeThing") ||
           has_class(snapshot, node, "LateThing");
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
        CHECK(!is_thing(snapshot, node));
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
            shown += is_thing(snapshot, node);
        CHECK_EQ(shown, known);
    }
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 2 + MOST_SNAPSHOTS)
        return 2;
    truth_path = argv[1];
    for (int i = 2; i < argc; i++)
        opened_init(&all[count++], argv[i]);
    RUN(test_snapshots_have_what_the_program_has);
    RUN(test_snapshots_have_no_other_objects);
    for (unsigned i = 0; i < count; i++)
        opened_deinit(&all[i]);
    return check_report();
}

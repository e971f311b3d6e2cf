/*
 * Snapshots of a program that knows all of its heap (census.m), against the file that it wrote:
 *
 *     block 0xADDRESS BYTES       asked for and not given back
 *     leaked 0xADDRESS BYTES      the same, and nothing keeps it alive
 *     early 0xADDRESS BYTES        the same, by libraries while they were set up; some lose it
 *     thing 0xADDRESS RETAINS CLASS    an object, in one of the blocks
 *     object 0xADDRESS 0 CLASS     one whose count is not known
 *     literal 0xADDRESS 0 CLASS    a block of Objective-C
 *     objects 0x0 COUNT            of all kinds of the last three, where not each has a line
 *
 * Each of these is there once, with nothing beside them; lost is what leaked and nothing else.
 *
 * usage: check_census TRUTH SNAPSHOT...
 */
#include "check.h"
#include "opened.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
    uint64_t address, number;
    char what[8], name[40];
};

static struct line *blocks, *objects; /* by rising address */
static uint32_t block_count, object_count, most_objects;

/* ---- The truth ---- */

static int by_address(const void *left, const void *right) {
    uint64_t a = ((const struct line *)left)->address, b = ((const struct line *)right)->address;
    return a < b ? -1 : a > b;
}

static bool is_block(const struct line *line) {
    return strcmp(line->what, "block") == 0 || strcmp(line->what, "leaked") == 0 ||
           strcmp(line->what, "early") == 0;
}

static void read_truth(const char *path) {
    enum { MOST_LINES = 1 << 21 };
    FILE *file = fopen(path, "r");
    char text[256];
    blocks = calloc(MOST_LINES, sizeof(*blocks));
    objects = calloc(MOST_LINES, sizeof(*objects));
    if (!file || !blocks || !objects)
        exit(2);
    while (fgets(text, sizeof(text), file)) {
        struct line line = {0};
        if (sscanf(text, "%7s 0x%" SCNx64 " %" SCNu64 " %39s", line.what, &line.address,
                   &line.number, line.name) < 3 ||
            block_count == MOST_LINES || object_count == MOST_LINES)
            exit(2);
        if (is_block(&line))
            blocks[block_count++] = line;
        else if (strcmp(line.what, "objects") == 0)
            most_objects = (uint32_t)line.number;
        else
            objects[object_count++] = line;
    }
    fclose(file);
    qsort(blocks, block_count, sizeof(*blocks), by_address);
    qsort(objects, object_count, sizeof(*objects), by_address);
}

/* The last line that is not behind an address. */
static const struct line *line_at(const struct line *lines, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &lines[low - 1] : NULL;
}

/* ---- One snapshot ---- */

static struct opened opened;
static const struct loupe_snapshot *const snapshot = &opened.snapshot;

static enum loupe_class_kind kind_of(uint32_t node) {
    return (enum loupe_class_kind)snapshot->class_table[snapshot->classes[node]].kind;
}

static bool is_inside(uint32_t node) {
    return !(snapshot->native->marks[node] & LOUPE_NODE_OUTSIDE);
}

/* The block that a node stands in: its object may begin some words later. */
static const struct line *block_of(uint32_t node) {
    enum { BEFORE_OBJECT = 64 };
    uint64_t address = loupe_snapshot_address(snapshot, node);
    const struct line *line = line_at(blocks, block_count, address);
    return line && address - line->address <= BEFORE_OBJECT &&
                   (address == line->address || kind_of(node) == LOUPE_CLASS_INSTANCES)
               ? line
               : NULL;
}

static void show(const char *what, uint32_t node) {
    struct loupe_span name = loupe_native_class_name(snapshot, node);
    fprintf(stderr, "%s: 0x%" PRIx64 ", %" PRIu32 " bytes, %.*s\n", what,
            loupe_snapshot_address(snapshot, node), snapshot->columns.sizes[node], (int)name.length,
            name.bytes);
}

static void test_each_block_is_there_and_no_other(void) {
    uint8_t *seen = calloc(block_count, 1);
    uint32_t foreign = 0, twice = 0, missed = 0, small = 0;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        const struct line *line = is_inside(node) ? block_of(node) : NULL;
        if (!is_inside(node))
            continue;
        if (!line) {
            show("nobody asked for it", node);
            foreign++;
            continue;
        }
        twice += seen[line - blocks]++ > 0;
        small += snapshot->columns.sizes[node] +
                     (loupe_snapshot_address(snapshot, node) - line->address) <
                 line->number;
    }
    for (uint32_t i = 0; i < block_count; i++)
        missed += !seen[i];
    CHECK_EQ(foreign, 0);
    CHECK_EQ(twice, 0);
    CHECK_EQ(missed, 0);
    CHECK_EQ(small, 0);
    free(seen);
}

static bool has_kind(uint32_t node, const struct line *line) {
    return kind_of(node) ==
           (strcmp(line->what, "literal") == 0 ? LOUPE_CLASS_BLOCKS : LOUPE_CLASS_INSTANCES);
}

static void test_each_object_is_there(void) {
    uint32_t missed = 0, other_class = 0, other_count = 0;
    for (uint32_t i = 0; i < object_count; i++) {
        const struct line *line = &objects[i];
        uint32_t node;
        if (!loupe_snapshot_find(snapshot, line->address, &node) || !has_kind(node, line)) {
            fprintf(stderr, "missed: 0x%" PRIx64 " %s\n", line->address, line->name);
            missed++;
            continue;
        }
        bool is_thing = strcmp(line->what, "thing") == 0;
        other_class +=
            is_thing && !loupe_span_equals(loupe_native_class_name(snapshot, node), line->name);
        other_count += is_thing && snapshot->native->retain_counts[node] != line->number;
    }
    CHECK_EQ(missed, 0);
    CHECK_EQ(other_class, 0);
    CHECK_EQ(other_count, 0);
}

static void test_nothing_else_is_an_object(void) {
    uint32_t shown = 0;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        uint64_t address = loupe_snapshot_address(snapshot, node);
        const struct line *line = line_at(objects, object_count, address);
        bool is_object =
            kind_of(node) == LOUPE_CLASS_INSTANCES || kind_of(node) == LOUPE_CLASS_BLOCKS;
        if (!is_inside(node) || !is_object)
            continue;
        shown++;
        if (!most_objects && !CHECK(line && line->address == address))
            show("no object", node);
    }
    CHECK_EQ(shown, most_objects ? most_objects : object_count);
}

static void test_what_leaked_is_lost_and_nothing_else(void) {
    uint32_t unseen = 0, false_ones = 0, lost = 0;
    for (uint32_t node = 0; node < snapshot->columns.nodes; node++) {
        const struct line *line = is_inside(node) ? block_of(node) : NULL;
        if (!line || (strcmp(line->what, "early") == 0 && kind_of(node) == LOUPE_CLASS_RAW))
            continue;
        bool is_lost = !loupe_is_marked(&opened.leaks.alive, node),
             has_leaked = strcmp(line->what, "leaked") == 0;
        lost += is_lost;
        unseen += has_leaked && !is_lost;
        false_ones += is_lost && !has_leaked;
        if (has_leaked != is_lost)
            show(is_lost ? "lost, and did not leak" : "leaked, and not lost", node);
    }
    CHECK(lost > 100);
    CHECK_EQ(unseen, 0);
    CHECK_EQ(false_ones, 0);
}

static void check_snapshot(const char *path) {
    int failures = check_failures;
    opened_init(&opened, path);
    RUN(test_each_block_is_there_and_no_other);
    RUN(test_each_object_is_there);
    RUN(test_nothing_else_is_an_object);
    RUN(test_what_leaked_is_lost_and_nothing_else);
    printf("%s: %" PRIu32 " nodes, %" PRIu32 " references, %" PRIu64 " objects lost%s\n", path,
           snapshot->columns.nodes, snapshot->columns.first[snapshot->columns.nodes],
           opened.leaks.lost.objects, check_failures == failures ? "" : ", WRONG");
    opened_deinit(&opened);
}

int main(int count, char **arguments) {
    if (count < 3)
        return 2;
    read_truth(arguments[1]);
    printf("%" PRIu32 " blocks, %" PRIu32 " objects\n", block_count, object_count);
    for (int i = 2; i < count; i++)
        check_snapshot(arguments[i]);
    free(blocks);
    free(objects);
    return check_report();
}

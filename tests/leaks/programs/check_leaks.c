/*
 * What `loupe leaks` says of a snapshot, against what the program knows (a file of lines):
 *
 *     leaked 0xADDRESS NAME   nobody can give it back
 *     stale 0xADDRESS NAME    nobody can, and a word on a stack still leads there
 *     unsure 0xADDRESS NAME   words that last lead there, of which only the program knows that they
 *                             own nothing: it may be told or not
 *     held 0xADDRESS NAME     something that is alive owns it
 *     freed 0xADDRESS NAME    it was freed; something else may stand there now
 *     again 0xADDRESS CLASS   of a time before, when the program did the same: of each class, as
 *                             many leaked as now; the others were made once and for all
 *
 * Every object that is leaked is told as a leak or as kept by one, no other object is, and each
 * leak has one of them in what it keeps. What is stale may be told as kept by words on stacks only.
 * Memory that is no object may be lost beside that.
 *
 * usage: check_leaks TRUTH SNAPSHOT
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "leaks/leaks.h"
#include "snapshot/file/loupe_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 1024 };

struct line {
    char what[16], name[64];
    uint64_t address;
};
static struct line lines[MOST_LINES];
static unsigned line_count;
static uint8_t *bytes;
static struct loupe_snapshot snapshot;
static struct loupe_arena arena;
static struct loupe_leaks leaks;

static void read_truth(const char *path) {
    FILE *file = fopen(path, "r");
    char text[256];
    if (!file)
        exit(2);
    while (line_count < MOST_LINES && fgets(text, sizeof(text), file)) {
        struct line *line = &lines[line_count++];
        if (sscanf(text, "%15s 0x%" SCNx64 " %63s", line->what, &line->address, line->name) != 3)
            exit(2);
    }
    fclose(file);
}

static void open_snapshot(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(2);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    bytes = aligned_alloc(64, (size + 64) / 64 * 64);
    if (!bytes || fread(bytes, 1, size, file) != size)
        exit(2);
    fclose(file);
    if (loupe_file_open(bytes, size, &drawn_chunks, &snapshot, NULL) || !snapshot.native)
        exit(2);
}

/* ---- What is told ---- */

static bool is_object(uint32_t node) {
    return loupe_native_node_kind(&snapshot, node) != LOUPE_NODE_RAW;
}

/* The leak that keeps a node, a suspect is none; NULL. */
static const struct loupe_leak *leak_around(uint32_t node) {
    const struct loupe_heap_part *part = &leaks.part;
    if (!leaks.has_kept || !loupe_heap_part_has(part, node))
        return NULL;
    node = loupe_heap_part_node(part, node);
    if (leaks.kept.immediate[node] == LOUPE_NO_NODE)
        return NULL;
    while (leaks.kept.immediate[node] < part->columns.nodes)
        node = leaks.kept.immediate[node];
    for (uint32_t i = 0; i < leaks.count; i++)
        if (loupe_heap_part_has(part, leaks.items[i].node) &&
            loupe_heap_part_node(part, leaks.items[i].node) == node)
            return leaks.items[i].degree == LOUPE_DEGREE_TIMER ? NULL : &leaks.items[i];
    return NULL;
}

/* What several leaks keep together is kept by none alone, and is lost all the same. */
static bool is_told(uint32_t node) {
    return !loupe_is_marked(&leaks.alive, node) || leak_around(node);
}

static const struct line *line_of(uint32_t node, const char *what) {
    uint64_t address = loupe_snapshot_address(&snapshot, node);
    for (unsigned i = 0; i < line_count; i++)
        if (lines[i].address == address && strcmp(lines[i].what, what) == 0)
            return &lines[i];
    return NULL;
}

static void test_what_leaked_is_told(void) {
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        bool is_there = loupe_snapshot_find(&snapshot, lines[i].address, &node);
        if (strcmp(lines[i].what, "leaked") == 0 && !CHECK(is_there && is_told(node)))
            fprintf(stderr, "leaked, and not told: %s\n", lines[i].name);
    }
}

/* A word that is stale looks like a variable. */
static void test_what_is_stale_is_told_or_kept_by_stacks_only(void) {
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        bool is_there = loupe_snapshot_find(&snapshot, lines[i].address, &node);
        if (strcmp(lines[i].what, "stale") == 0 &&
            !CHECK(is_there &&
                   (is_told(node) || !loupe_is_marked(&leaks.reached_without_stacks, node))))
            fprintf(stderr, "stale, and said to be held: %s\n", lines[i].name);
    }
}

static void test_what_is_held_is_not_told(void) {
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        bool is_there = loupe_snapshot_find(&snapshot, lines[i].address, &node);
        if (strcmp(lines[i].what, "held") == 0 &&
            !CHECK(is_there && is_object(node) && !is_told(node)))
            fprintf(stderr, "held, and told as leaked: %s\n", lines[i].name);
    }
}

static void test_what_is_unsure_is_an_object(void) {
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        bool is_there = loupe_snapshot_find(&snapshot, lines[i].address, &node);
        if (strcmp(lines[i].what, "unsure") == 0 && !CHECK(is_there && is_object(node)))
            fprintf(stderr, "alive, and no object: %s\n", lines[i].name);
    }
}

static bool may_be_told(uint32_t node) {
    return line_of(node, "leaked") || line_of(node, "stale") || line_of(node, "again") ||
           line_of(node, "unsure");
}

static bool is_alive_line(uint32_t node) {
    return may_be_told(node) || line_of(node, "held");
}

static void test_what_was_freed_is_no_object(void) {
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        if (strcmp(lines[i].what, "freed") != 0 ||
            !loupe_snapshot_find(&snapshot, lines[i].address, &node) || is_alive_line(node))
            continue;
        if (!CHECK(!is_object(node) || !is_told(node)))
            fprintf(stderr, "freed, and told as leaked: %s\n", lines[i].name);
    }
}

/* How many lines of the class are of that kind, and told if they have to be. */
static unsigned count_lines(const char *what, const char *name, bool only_told) {
    unsigned count = 0;
    for (unsigned i = 0; i < line_count; i++) {
        uint32_t node;
        if (strcmp(lines[i].what, what) == 0 && strcmp(lines[i].name, name) == 0 &&
            (!only_told ||
             (loupe_snapshot_find(&snapshot, lines[i].address, &node) && is_told(node))))
            count++;
    }
    return count;
}

static void test_as_many_leaked_before(void) {
    for (unsigned i = 0; i < line_count; i++) {
        const char *name = lines[i].name;
        if (strcmp(lines[i].what, "again") != 0)
            continue;
        unsigned told = count_lines("again", name, true),
                 leaked = count_lines("leaked", name, false);
        if (!CHECK_EQ(told, leaked))
            fprintf(stderr, "of %s, %u are told of the times before, %u leaked\n", name, told,
                    leaked);
    }
}

static void test_each_object_that_is_told_leaked(void) {
    for (uint32_t node = 0; node < snapshot.columns.nodes; node++) {
        enum loupe_node_kind kind = loupe_native_node_kind(&snapshot, node);
        if ((kind == LOUPE_NODE_OBJECT || kind == LOUPE_NODE_BLOCK) && is_told(node) &&
            !CHECK(may_be_told(node))) {
            struct loupe_span name = loupe_native_class_name(&snapshot, node);
            fprintf(stderr, "told, and nobody counted it: %.*s 0x%" PRIx64 "\n", (int)name.length,
                    name.bytes, loupe_snapshot_address(&snapshot, node));
        }
    }
}

/* Of objects: byrefs and storage have no line of their own, and hang on those that have. */
static void test_no_other_object_is_a_leak(void) {
    for (uint32_t i = 0; i < leaks.count; i++) {
        const struct loupe_leak *leak = &leaks.items[i];
        bool has_truth = false;
        if (leak->degree == LOUPE_DEGREE_TIMER || !is_object(leak->node))
            continue;
        for (uint32_t node = 0; node < snapshot.columns.nodes && !has_truth; node++)
            has_truth = leak_around(node) == leak && may_be_told(node);
        if (!CHECK(has_truth)) {
            struct loupe_span name = loupe_native_class_name(&snapshot, leak->node);
            fprintf(stderr, "told, and not leaked: %.*s 0x%" PRIx64 ", %s\n", (int)name.length,
                    name.bytes, loupe_snapshot_address(&snapshot, leak->node),
                    loupe_degree_name((enum loupe_degree)leak->degree));
        }
    }
}

int main(int count, char **arguments) {
    static const struct loupe_leaks_options options = {0};
    if (count != 3)
        return 2;
    read_truth(arguments[1]);
    open_snapshot(arguments[2]);
    loupe_arena_init(&arena, &drawn_chunks);
    if (CHECK_EQ(loupe_leaks_find(&snapshot, &options, &drawn_chunks, &arena, &leaks), LOUPE_OK)) {
        RUN(test_what_leaked_is_told);
        RUN(test_what_is_stale_is_told_or_kept_by_stacks_only);
        RUN(test_what_is_held_is_not_told);
        RUN(test_what_is_unsure_is_an_object);
        RUN(test_what_was_freed_is_no_object);
        RUN(test_as_many_leaked_before);
        RUN(test_each_object_that_is_told_leaked);
        RUN(test_no_other_object_is_a_leak);
        loupe_leaks_deinit(&leaks);
    }
    loupe_arena_deinit(&arena);
    loupe_snapshot_deinit(&snapshot);
    free(bytes);
    return check_report();
}

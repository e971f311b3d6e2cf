/*
 * fuzz_snapshot.h - asks a snapshot everything, whatever it was made of, and writes it as a file.
 */
#ifndef LOUPE_TESTS_FUZZ_SNAPSHOT_H
#define LOUPE_TESTS_FUZZ_SNAPSHOT_H

#include "fuzz_target.h"

#include "analysis/heap_rings.h"
#include "analysis/dominators/histogram.h"
#include "snapshot/values/collections.h"
#include "snapshot/difference.h"
#include "snapshot/values/fields.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/referrers.h"
#include "snapshot/rules/trace.h"

#include <stdlib.h>
#include <string.h>

struct fuzz_bytes {
    uint8_t *bytes;
    uint64_t size, room;
};

static inline enum loupe_status fuzz_keep_bytes(void *ctx, const char *bytes, size_t len) {
    struct fuzz_bytes *kept = (struct fuzz_bytes *)ctx;
    if (kept->size + len > kept->room) {
        kept->room = 2 * (kept->size + len);
        kept->bytes = (uint8_t *)realloc(kept->bytes, kept->room);
        FUZZ_CHECK(kept->bytes != NULL);
    }
    memcpy(kept->bytes + kept->size, bytes, len);
    kept->size += len;
    return LOUPE_OK;
}

/* With dominators. The caller frees the bytes. */
static inline struct fuzz_bytes fuzz_write(const struct loupe_snapshot *snapshot) {
    struct fuzz_bytes file = {0};
    struct loupe_dominators dominators;
    struct loupe_sink sink = {.write = fuzz_keep_bytes, .ctx = &file};
    FUZZ_CHECK(loupe_dominators_by_policy(&snapshot->columns, &loupe_link_policies[0], &fuzz_chunks,
                                          &dominators) == LOUPE_OK);
    struct loupe_shortest_options options = {.kinds = loupe_link_policies[0].paths,
                                             .late = loupe_link_policies[0].late};
    struct loupe_shortest paths;
    FUZZ_CHECK(loupe_shortest_find(&snapshot->columns, &options, &fuzz_chunks, &paths) == LOUPE_OK);
    struct loupe_file_results results = {&dominators, &paths, 1};
    FUZZ_CHECK(loupe_file_write(snapshot, &results, &fuzz_chunks, sink) == LOUPE_OK);
    loupe_shortest_deinit(&paths);
    loupe_dominators_deinit(&dominators);
    return file;
}

/* ---- Damage to files ---- */

/* At most 7 changes: their number, then for each 2 bytes of a place, 2 that say how, 4 of a value.
 */
enum { FUZZ_CHANGE_SIZE = 8, FUZZ_TABLE = 32, FUZZ_TABLE_ENTRY = 40 };

/* How many bytes of the input describe changes; 0: it is too short. */
static inline size_t fuzz_changes_size(const uint8_t *data, size_t size) {
    size_t used = size ? 1 + data[0] % 8u * (size_t)FUZZ_CHANGE_SIZE : 1;
    return used <= size ? used : 0;
}

static inline uint32_t fuzz_word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Places are in the header and the table of sections, or in a section. */
static inline void fuzz_change(struct fuzz_bytes *file, uint32_t sections, const uint8_t *data) {
    uint64_t place = fuzz_word_at(data) & 0xffff, offset;
    uint32_t how = fuzz_word_at(data) >> 16, value = fuzz_word_at(data + 4), old;
    if (how & 1) {
        memcpy(&offset, file->bytes + FUZZ_TABLE + (how >> 8) % sections * FUZZ_TABLE_ENTRY + 8,
               sizeof(offset));
        place = offset < file->size ? offset + place : place;
    }
    if (place + sizeof(value) > file->size)
        place %= file->size - sizeof(value);
    old = fuzz_word_at(file->bytes + place);
    value = how & 2 ? old + value : how & 4 ? old ^ value : value;
    memcpy(file->bytes + place, &value, sizeof(value));
}

static inline void fuzz_change_file(struct fuzz_bytes *file, const uint8_t *data) {
    uint32_t sections = fuzz_word_at(file->bytes + 12); /* as it was written */
    for (unsigned i = 0; i < data[0] % 8u; i++)
        fuzz_change(file, sections, data + 1 + i * FUZZ_CHANGE_SIZE);
}

/* ---- Nodes ---- */

static inline bool fuzz_take_item(void *ctx, const struct loupe_item *item) {
    uint64_t *left = (uint64_t *)ctx;
    FUZZ_CHECK((*left)-- > 0); /* not more than there are objects, and one */
    FUZZ_CHECK(item->value.type <= LOUPE_VALUE_LONG && item->key.type <= LOUPE_VALUE_LONG);
    return true;
}

static inline void fuzz_show(const struct loupe_snapshot *snapshot, uint32_t node) {
    struct loupe_field_cursor cursor = loupe_fields_begin(snapshot, node);
    struct loupe_collection collection;
    struct loupe_field field;
    uint64_t left = (uint64_t)snapshot->columns.nodes + 1;
    if (snapshot->native)
        left += snapshot->columns.first[snapshot->columns.nodes];
    for (unsigned i = 0; i < 4096 && loupe_fields_next(&cursor, &field); i++)
        FUZZ_CHECK(field.declared_by < snapshot->class_count);
    loupe_collection_of(snapshot, node, &collection);
    FUZZ_CHECK(loupe_collection_each(snapshot, &fuzz_chunks, node, fuzz_take_item, &left) ==
               LOUPE_OK);
}

static inline void fuzz_referrers(const struct loupe_snapshot *snapshot) {
    struct loupe_vector referrers;
    uint64_t others;
    loupe_vector_init(&referrers, &fuzz_chunks, sizeof(struct loupe_referrer));
    FUZZ_CHECK(loupe_referrers_find(snapshot, 0, &fuzz_chunks, &referrers, &others) == LOUPE_OK);
    loupe_vector_deinit(&referrers);
}

static inline void fuzz_ask_node(const struct loupe_snapshot *snapshot, uint32_t node) {
    const struct loupe_columns *columns = &snapshot->columns;
    struct loupe_link_name name;
    struct loupe_value value;
    char text[64];
    uint32_t found;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        loupe_snapshot_name_link(snapshot, node, link, &name);
        FUZZ_CHECK(name.declared_by == LOUPE_NONE || name.declared_by < snapshot->class_count);
    }
    FUZZ_CHECK(loupe_snapshot_show_value(snapshot, node, text, sizeof(text)) < sizeof(text));
    FUZZ_CHECK(loupe_snapshot_text(snapshot, node, text, sizeof(text)) < sizeof(text));
    loupe_snapshot_field_value(snapshot, node, "number", &value);
    struct loupe_shortest stored = {.from = (uint32_t *)(uintptr_t)snapshot->paths.from,
                                    .levels = (uint8_t *)(uintptr_t)snapshot->paths.levels};
    if (stored.from && loupe_stored_path_is_sound(snapshot, &stored, node) &&
        loupe_path_level(&stored, node) != LOUPE_LEVEL_NONE)
        FUZZ_CHECK(loupe_path_root(&stored, node) < columns->root_count);
    fuzz_show(snapshot, node);
    uint32_t heap = loupe_snapshot_heap_of(snapshot, node);
    FUZZ_CHECK(heap == LOUPE_NONE || heap < snapshot->heap_count);
    loupe_snapshot_find(snapshot, loupe_snapshot_address(snapshot, node), &found);
}

/* ---- Analyses, with rules about everything ---- */

static inline void fuzz_trace(const struct loupe_tracer *tracer,
                              const struct loupe_shortest *shortest, uint32_t node) {
    struct loupe_trace trace;
    if (loupe_path_level(shortest, node) == LOUPE_LEVEL_NONE)
        return;
    FUZZ_CHECK(loupe_trace_shortest(tracer, shortest, node, NULL, &trace) == LOUPE_OK);
    FUZZ_CHECK(trace.root < tracer->columns.root_count);
    FUZZ_CHECK(trace.steps[0].node == tracer->columns.roots[trace.root]);
    FUZZ_CHECK(trace.steps[trace.count - 1].node == node);
    for (uint32_t i = 0; i + 1 < trace.count; i++)
        FUZZ_CHECK(tracer->columns.to[trace.steps[i].link] == trace.steps[i + 1].node);
}

static inline void fuzz_root_paths(const struct loupe_tracer *tracer, const uint8_t *levels) {
    struct loupe_transposed transposed;
    struct loupe_root_paths paths;
    struct loupe_trace trace;
    FUZZ_CHECK(loupe_transposed_make(&tracer->columns, tracer->policy->paths, &fuzz_chunks,
                                     &transposed) == LOUPE_OK);
    struct loupe_shortest_options options = {.late = tracer->policy->late, .root_levels = levels};
    FUZZ_CHECK(loupe_root_paths_find(&tracer->columns, &transposed, &options,
                                     tracer->columns.nodes - 1, 3, &paths) == LOUPE_OK);
    for (uint32_t i = 0; i < paths.count; i++)
        FUZZ_CHECK(loupe_trace_root_path(tracer, &paths, i, NULL, &trace) == LOUPE_OK);
    loupe_root_paths_deinit(&paths);
    loupe_transposed_deinit(&transposed);
}

static inline void fuzz_paths(const struct loupe_tracer *tracer) {
    struct loupe_vector suspects;
    struct loupe_shortest shortest;
    uint8_t *levels = loupe_root_levels(tracer);
    FUZZ_CHECK(levels != NULL);
    struct loupe_shortest_options options = {
        .kinds = tracer->policy->paths, .late = tracer->policy->late, .root_levels = levels};
    FUZZ_CHECK(loupe_shortest_find(&tracer->columns, &options, &fuzz_chunks, &shortest) ==
               LOUPE_OK);
    loupe_vector_init(&suspects, &fuzz_chunks, sizeof(struct loupe_suspect));
    FUZZ_CHECK(loupe_suspects_find(tracer->ruled, &fuzz_chunks, &suspects) == LOUPE_OK);
    for (uint32_t i = 0; i < suspects.count && i < 16; i++) {
        const struct loupe_suspect *suspect =
            (const struct loupe_suspect *)loupe_vector_at(&suspects, i, sizeof(*suspect));
        fuzz_trace(tracer, &shortest, suspect->node);
    }
    loupe_vector_deinit(&suspects);
    loupe_shortest_deinit(&shortest);
    if (tracer->columns.nodes)
        fuzz_root_paths(tracer, levels);
}

static inline void fuzz_rings(const struct loupe_columns *columns) {
    struct loupe_heap_knots knots;
    struct loupe_heap_rings rings;
    FUZZ_CHECK(loupe_heap_knots_find(columns, LOUPE_ALL_LINKS, NULL, &fuzz_chunks, &knots) ==
               LOUPE_OK);
    FUZZ_CHECK(loupe_heap_rings_find(columns, LOUPE_ALL_LINKS, &knots,
                                     (struct loupe_heap_likeness){0}, &fuzz_chunks,
                                     &rings) == LOUPE_OK);
    loupe_heap_rings_deinit(&rings);
    loupe_heap_knots_deinit(&knots);
}

static inline void fuzz_analyse(const struct loupe_snapshot *snapshot) {
    static const char text[] = "leaking *Node when number is not 1 and next is not nil\n"
                               "leaking next of *Node when next.next.number is 2\n"
                               "alive *Main\nleaking *\nlibrary *.next\nlibrary thread m*n\n"
                               "leaking *Node when self is outside *Main|*Map\n"
                               "alive * when next is not outside *Main\nalong next of Node\n"
                               "part *.next\npart *.* to *Node\nspare Main\n"
                               "weak *.cache because all kinds of rules are here\n";
    struct loupe_arena arena;
    struct loupe_rules rules;
    struct loupe_ruled_classes ruled;
    struct loupe_difference difference;
    loupe_arena_init(&arena, &fuzz_chunks);
    loupe_rules_init(&rules, &arena);
    FUZZ_CHECK(loupe_rules_add(&rules, loupe_span_of(text), "rules", NULL) == LOUPE_OK);
    FUZZ_CHECK(loupe_ruled_classes_find(snapshot, &rules, &arena, &ruled) == LOUPE_OK);
    uint32_t links = snapshot->columns.first[snapshot->columns.nodes];
    uint8_t *kinds = (uint8_t *)calloc((size_t)links + 1, 1);
    FUZZ_CHECK(kinds != NULL);
    loupe_rules_change_kinds(&ruled, kinds);
    struct loupe_tracer tracer = {.snapshot = snapshot,
                                  .columns = snapshot->columns,
                                  .policy = loupe_link_policies,
                                  .ruled = &ruled,
                                  .arena = &arena};
    tracer.columns.kinds = kinds;
    fuzz_paths(&tracer);
    fuzz_rings(&snapshot->columns);
    FUZZ_CHECK(loupe_difference_find(snapshot, snapshot, &arena, &difference) == LOUPE_OK);
    FUZZ_CHECK(!difference.total.added && !difference.total.gone);
    free(kinds);
    loupe_arena_deinit(&arena);
}

static inline void fuzz_ask(const struct loupe_snapshot *snapshot) {
    enum { MOST_NODES = 256 };
    FUZZ_CHECK(loupe_columns_are_valid(&snapshot->columns));
    for (uint32_t i = 0; i < snapshot->columns.nodes && i < MOST_NODES; i++) {
        FUZZ_CHECK(snapshot->classes[i] < snapshot->class_count);
        fuzz_ask_node(snapshot, i);
    }
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, i);
        FUZZ_CHECK(name.length <= snapshot->text_size);
        loupe_snapshot_is_kind_of(snapshot, i, 0);
    }
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++)
        FUZZ_CHECK(snapshot->roots[i].node == snapshot->columns.roots[i]);
    loupe_snapshot_is_incomplete(snapshot);
    if (snapshot->columns.nodes)
        fuzz_referrers(snapshot);
    fuzz_analyse(snapshot);
}

#endif

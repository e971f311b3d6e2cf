/*
 * fuzz_snapshot.h - asks a snapshot everything, whatever it was made of, and writes it as a file.
 */
#ifndef LOUPE_TESTS_FUZZ_SNAPSHOT_H
#define LOUPE_TESTS_FUZZ_SNAPSHOT_H

#include "fuzz_target.h"

#include "analysis/histogram.h"
#include "snapshot/loupe_file.h"

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
    FUZZ_CHECK(loupe_file_write(snapshot, &dominators, &fuzz_chunks, sink) == LOUPE_OK);
    loupe_dominators_deinit(&dominators);
    return file;
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
    loupe_snapshot_find(snapshot, loupe_snapshot_address(snapshot, node), &found);
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
}

#endif

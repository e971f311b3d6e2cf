/*
 * A damaged file of an Objective-C heap: it is refused, or every question about it is safe, and so
 * is every way to write it. The input is changes to a file, and a number that the heap is drawn by.
 */
#include "fuzz_snapshot.h"

#include "memory/drawn_native.h"
#include "leaks/leaks.h"
#include "hprof/hprof.h"
#include "hprof/hprof_write.h"
#include "snapshot/recorded_stacks.h"

enum { MOST_NODES = 40 };

static struct drawn_native drawn;

static void find_leaks(const struct loupe_snapshot *snapshot) {
    struct loupe_leaks_options options = {.filters = NULL};
    struct loupe_leaks leaks;
    struct loupe_arena arena;
    loupe_arena_init(&arena, &fuzz_chunks);
    if (!loupe_leaks_find(snapshot, &options, &fuzz_chunks, &arena, &leaks)) {
        for (uint32_t i = 0; i < leaks.count; i++)
            FUZZ_CHECK(leaks.items[i].node < snapshot->columns.nodes);
        loupe_leaks_deinit(&leaks);
    }
    loupe_arena_deinit(&arena);
}

static void read_stacks(const struct loupe_snapshot *snapshot) {
    struct loupe_recorded_stack stack;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < snapshot->columns.nodes; i++) {
        loupe_snapshot_read_stack(snapshot, loupe_snapshot_stack(snapshot, i), &stack);
        for (uint32_t k = 0; k < stack.count; k++)
            sum += loupe_snapshot_string(snapshot, stack.frames[k]->function).length;
    }
    FUZZ_CHECK(sum < UINT64_MAX);
}

/* What is written can be read, whatever it was made of. */
static void write_dump(const struct loupe_snapshot *snapshot) {
    struct fuzz_bytes dump = {0};
    struct loupe_snapshot read;
    struct loupe_error error;
    FUZZ_CHECK(loupe_hprof_write(snapshot, &fuzz_chunks,
                                 (struct loupe_sink){.write = fuzz_keep_bytes, .ctx = &dump}) ==
               LOUPE_OK);
    FUZZ_CHECK(loupe_hprof_open(dump.bytes, dump.size, &fuzz_chunks, NULL, &read, &error) ==
               LOUPE_OK);
    loupe_snapshot_deinit(&read);
    free(dump.bytes);
}

/* Sizes are the writer's to print, and a damaged one can be any number. */
static bool is_small(const struct loupe_snapshot *snapshot) {
    enum { MOST_BYTES = 1 << 22 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < snapshot->columns.nodes; i++)
        bytes += loupe_columns_size(&snapshot->columns, i);
    return bytes < MOST_BYTES;
}

static bool ask_file(const struct fuzz_bytes *file) {
    struct loupe_snapshot snapshot;
    struct loupe_error error;
    if (loupe_file_open(file->bytes, file->size, &fuzz_chunks, &snapshot, &error))
        return false;
    fuzz_ask(&snapshot);
    if (snapshot.native) {
        find_leaks(&snapshot);
        read_stacks(&snapshot);
        if (is_small(&snapshot))
            write_dump(&snapshot);
    }
    struct fuzz_bytes again = fuzz_write(&snapshot);
    free(again.bytes);
    loupe_snapshot_deinit(&snapshot);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t used = fuzz_changes_size(data, size);
    uint64_t random = 1;
    if (!used)
        return 0;
    for (size_t i = used; i < size; i++)
        random = random * 31 + data[i];
    drawn_native_random(&drawn, &random, MOST_NODES);
    drawn_native_thread(&drawn, "main");
    drawn_native_build(&drawn);
    struct fuzz_bytes file = fuzz_write(&drawn.snapshot);
    fuzz_change_file(&file, data);
    bool is_read = ask_file(&file);
    FUZZ_CHECK(is_read || data[0] % 8u); /* what nobody changed is */
    free(file.bytes);
    return 0;
}

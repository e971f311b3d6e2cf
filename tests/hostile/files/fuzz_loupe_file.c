/*
 * A damaged file of a snapshot: it is refused, or every question about it is safe. The input is a
 * number of changes to the file (2 bytes of a place, 2 that say how, 4 of a value), and the heap
 * dump that the file is made of; or, where it begins as such a file does, the file itself.
 */
#include "fuzz_snapshot.h"

#include "hprof/hprof.h"

static void ask_file(const struct fuzz_bytes *file) {
    struct loupe_snapshot snapshot;
    struct loupe_error error;
    if (loupe_file_open(file->bytes, file->size, &fuzz_chunks, &snapshot, &error))
        return;
    fuzz_ask(&snapshot);
    struct fuzz_bytes again = fuzz_write(&snapshot);
    free(again.bytes);
    loupe_snapshot_deinit(&snapshot);
}

static void change_and_ask(const uint8_t *data, size_t size) {
    struct loupe_snapshot snapshot;
    struct loupe_error error;
    size_t used = fuzz_changes_size(data, size);
    if (!used)
        return;
    if (loupe_hprof_open(data + used, size - used, &fuzz_chunks, NULL, &snapshot, &error))
        return;
    struct fuzz_bytes file = fuzz_write(&snapshot);
    loupe_snapshot_deinit(&snapshot);
    fuzz_change_file(&file, data);
    ask_file(&file);
    free(file.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_bytes file = {.bytes = malloc(size + 1), .size = size};
    FUZZ_CHECK(file.bytes != NULL);
    if (size)
        memcpy(file.bytes, data, size); /* aligned, as a mapping is */
    if (loupe_file_is(file.bytes, size))
        ask_file(&file);
    else
        change_and_ask(data, size);
    free(file.bytes);
    return 0;
}

/*
 * A damaged file of a snapshot: it is refused, or every question about it is safe. The input is a
 * number of changes to the file (2 bytes of a place, 2 that say how, 4 of a value), and the heap
 * dump that the file is made of; or, where it begins as such a file does, the file itself.
 */
#include "fuzz_snapshot.h"

#include "snapshot/hprof.h"

enum { CHANGE_SIZE = 8, TABLE = 32, TABLE_ENTRY = 24 };

static uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Places are in the header and the table of sections, or in a section. */
static void change(struct fuzz_bytes *file, uint32_t sections, const uint8_t *data) {
    uint64_t place = word_at(data) & 0xffff, offset;
    uint32_t how = word_at(data) >> 16, value = word_at(data + 4), old;
    if (how & 1) {
        memcpy(&offset, file->bytes + TABLE + (how >> 8) % sections * TABLE_ENTRY + 8,
               sizeof(offset));
        place = offset < file->size ? offset + place : place;
    }
    if (place + sizeof(value) > file->size)
        place %= file->size - sizeof(value);
    old = word_at(file->bytes + place);
    value = how & 2 ? old + value : how & 4 ? old ^ value : value;
    memcpy(file->bytes + place, &value, sizeof(value));
}

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
    size_t changes = size ? data[0] % 8u : 0;
    if (size < 1 + changes * CHANGE_SIZE)
        return;
    const uint8_t *dump = data + 1 + changes * CHANGE_SIZE;
    if (loupe_hprof_open(dump, size - (size_t)(dump - data), &fuzz_chunks, NULL, &snapshot, &error))
        return;
    struct fuzz_bytes file = fuzz_write(&snapshot);
    loupe_snapshot_deinit(&snapshot);
    uint32_t sections = word_at(file.bytes + 12); /* as it was written */
    for (size_t i = 0; i < changes; i++)
        change(&file, sections, data + 1 + i * CHANGE_SIZE);
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

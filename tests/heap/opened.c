#include "opened.h"

#include "memory/drawn_heap.h"
#include "snapshot/file/loupe_file.h"

#include <stdio.h>
#include <stdlib.h>

static uint8_t *bytes_of(const char *path, size_t *size_ret) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    size_t size = (size_t)ftell(file);
    uint8_t *bytes = aligned_alloc(64, (size + 64) / 64 * 64);
    rewind(file);
    if (bytes)
        *size_ret = fread(bytes, 1, size, file);
    fclose(file);
    return bytes;
}

void opened_init(struct opened *opened, const char *path) {
    static const struct loupe_leaks_options options = {0};
    size_t size = 0;
    *opened = (struct opened){.path = path, .bytes = bytes_of(path, &size)};
    loupe_arena_init(&opened->arena, &drawn_chunks);
    if (!opened->bytes ||
        loupe_file_open(opened->bytes, size, &drawn_chunks, &opened->snapshot, NULL) ||
        !opened->snapshot.native ||
        loupe_leaks_find(&opened->snapshot, &options, &drawn_chunks, &opened->arena,
                         &opened->leaks)) {
        fprintf(stderr, "%s: no snapshot of an Objective-C heap\n", path);
        exit(2);
    }
}

void opened_deinit(struct opened *opened) {
    loupe_leaks_deinit(&opened->leaks);
    loupe_arena_deinit(&opened->arena);
    loupe_snapshot_deinit(&opened->snapshot);
    free(opened->bytes);
}

/*
 * Any bytes as a heap dump: what is made of them is a sound snapshot, every link has a name and
 * every object can be shown, and a file of it reads back as the same snapshot, bit for bit.
 */
#include "fuzz_snapshot.h"

#include "hprof/hprof_summary.h"

struct pieces {
    const uint8_t *bytes;
    size_t left;
};

/* A few bytes at a time, as a pipe may have them. */
static bool read_piece(void *ctx, uint8_t *to, size_t size, size_t *ret) {
    struct pieces *pieces = ctx;
    size_t most = pieces->left % 61 + 1;
    *ret = pieces->left < most ? pieces->left : most;
    *ret = *ret < size ? *ret : size;
    memcpy(to, pieces->bytes, *ret);
    pieces->bytes += *ret;
    pieces->left -= *ret;
    return true;
}

/* Classes that are counted on the way are sound, whatever the bytes are. */
static void summarize(const uint8_t *data, size_t size) {
    struct pieces pieces = {data, size};
    struct loupe_byte_source source = {read_piece, &pieces, 0};
    struct loupe_hprof_summary summary;
    struct loupe_error error;
    if (loupe_hprof_summarize(&source, &fuzz_chunks, NULL, &summary, &error))
        return;
    uint64_t objects = summary.unnamed.count;
    for (uint32_t i = 0; i < summary.classes.class_count; i++)
        objects += summary.sums[i].count;
    FUZZ_CHECK(objects == summary.objects);
    loupe_hprof_summary_deinit(&summary);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_snapshot snapshot;
    struct loupe_error error;
    summarize(data, size);
    enum loupe_status status = loupe_hprof_open(data, size, &fuzz_chunks, NULL, &snapshot, &error);
    FUZZ_CHECK(status == LOUPE_OK || status == LOUPE_EUSAGE);
    if (status)
        return 0;
    fuzz_ask(&snapshot);
    struct fuzz_bytes first = fuzz_write(&snapshot), second;
    loupe_snapshot_deinit(&snapshot);
    FUZZ_CHECK(loupe_file_open(first.bytes, first.size, &fuzz_chunks, &snapshot, &error) ==
               LOUPE_OK);
    fuzz_ask(&snapshot);
    second = fuzz_write(&snapshot);
    FUZZ_CHECK(first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
    loupe_snapshot_deinit(&snapshot);
    free(first.bytes);
    free(second.bytes);
    return 0;
}

/*
 * Any bytes as a heap dump: what is made of them is a sound snapshot, every link has a name and
 * every object can be shown, and a file of it reads back as the same snapshot, bit for bit.
 */
#include "fuzz_snapshot.h"

#include "hprof/hprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_snapshot snapshot;
    struct loupe_error error;
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

#include "hprof/hprof_own.h"

#include "snapshot/file/loupe_file.h"

enum {
    OWN_PART_START = 64,
    SETTINGS_START = 40,
    BEFORE_OWN_PART = OWN_PART_START - SETTINGS_START
};

static enum loupe_status put_part(void *ctx, const char *bytes, size_t len) {
    struct hprof_output *output = ctx;
    hprof_put_bytes(output, bytes, len);
    return output->status;
}

void hprof_put_own_part(struct hprof_output *output, const struct loupe_snapshot *snapshot,
                        const struct loupe_chunk_ops *chunks) {
    struct loupe_file_results none = {.dominators = NULL};
    uint64_t size;
    if (!output->status)
        output->status = loupe_file_measure(snapshot, &none, chunks, &size);
    if (output->status || size > UINT32_MAX - BEFORE_OWN_PART)
        return;
    hprof_put_record(output, HPROF_CONTROL_SETTINGS, (uint32_t)size + BEFORE_OWN_PART);
    hprof_put_zeros(output, BEFORE_OWN_PART);
    enum loupe_status status = loupe_file_write(
        snapshot, &none, chunks, (struct loupe_sink){.write = put_part, .ctx = output});
    if (!output->status)
        output->status = status;
}

bool hprof_find_own_part(const uint8_t *bytes, uint64_t size, uint64_t *start_ret,
                         uint64_t *length_ret, bool *is_whole_ret) {
    struct hprof_header header;
    struct hprof_record record;
    if (!hprof_read_header(bytes, size, &header))
        return false;
    uint64_t at = header.length;
    if (!hprof_next_record(bytes, size, &at, &record) || record.tag != HPROF_CONTROL_SETTINGS ||
        record.start != SETTINGS_START || record.length < BEFORE_OWN_PART ||
        !loupe_file_is(bytes + OWN_PART_START, record.length - BEFORE_OWN_PART))
        return false;
    *start_ret = OWN_PART_START;
    *length_ret = record.length - BEFORE_OWN_PART;
    *is_whole_ret = !record.cut_off;
    return true;
}

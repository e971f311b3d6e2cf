#include "fuzz_memory.h"

#include <string.h>

enum loupe_status fuzz_read(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct fuzz_memory *from = ctx;
    if (addr < from->start || addr - from->start > from->size ||
        len > from->size - (addr - from->start))
        return LOUPE_EFAULT;
    memcpy(dst, from->bytes + (addr - from->start), len);
    return LOUPE_OK;
}

bool fuzz_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct fuzz_memory *from = ctx;
    *ret = (struct loupe_window){
        .start = from->start, .end = from->start + from->size, .bytes = from->bytes};
    return addr >= from->start && addr - from->start < from->size;
}

const struct loupe_reader_ops fuzz_memory_ops = {
    .read = fuzz_read, .window = fuzz_window, .region = loupe_no_region};

/* fuzz_memory.h - a target whose memory is the input, at one address; nothing else can be read. */
#ifndef LOUPE_TESTS_FUZZ_MEMORY_H
#define LOUPE_TESTS_FUZZ_MEMORY_H

#include "base/target/memory.h"

#include <stddef.h>
#include <stdint.h>

struct fuzz_memory {
    const uint8_t *bytes;
    loupe_addr start;
    size_t size;
};

/* The ctx of each is a struct fuzz_memory, or begins with one. */
enum loupe_status fuzz_read(void *ctx, loupe_addr addr, void *dst, size_t len);
/* All of it in place: what is smaller than a page can be read too. */
bool fuzz_window(void *ctx, loupe_addr addr, struct loupe_window *ret);

/* By these two alone: nothing else can be read, and nothing has a name. */
extern const struct loupe_reader_ops fuzz_memory_ops;

#endif

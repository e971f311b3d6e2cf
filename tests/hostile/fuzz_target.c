#include "fuzz_target.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_MEMORY = 256 << 20 };

static size_t outstanding;

void fuzz_check(bool ok, const char *file, int line, const char *text) {
    if (!ok) {
        fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
        abort();
    }
}

static void *get_limited(void *ctx, size_t size) {
    (void)ctx;
    outstanding += size;
    FUZZ_CHECK(outstanding <= MOST_MEMORY);
    return malloc(size);
}

static void put_limited(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    outstanding -= size;
    free(chunk);
}

const struct loupe_chunk_ops fuzz_chunks = {.get = get_limited, .put = put_limited};

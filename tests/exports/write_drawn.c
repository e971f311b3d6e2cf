/* Writes a random native heap as a heap dump of Java. usage: write_drawn FILE SEED */
#include "graphs/drawn_graph.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "hprof/hprof_write.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 3000 };

static struct drawn_native drawn;

static enum loupe_status write_part(void *ctx, const char *bytes, size_t len) {
    return fwrite(bytes, 1, len, ctx) == len ? LOUPE_OK : LOUPE_EFAULT;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    uint64_t random = strtoull(argv[2], NULL, 0);
    FILE *file = fopen(argv[1], "wb");
    if (!file)
        return 1;
    drawn_native_random(&drawn, &random, MOST_NODES);
    drawn_native_thread(&drawn, "main");
    drawn_native_build(&drawn);
    enum loupe_status status = loupe_hprof_write(
        &drawn.snapshot, &drawn_chunks, (struct loupe_sink){.write = write_part, .ctx = file});
    return fclose(file) || status;
}

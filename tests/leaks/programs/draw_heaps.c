/* Writes random native heaps as snapshots into a folder: 0.loupe, 1.loupe, … */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"
#include "snapshot/file/loupe_file.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 40, SEED = 33 };

static struct drawn_native drawn;

static bool write_heap(const char *folder, unsigned number) {
    static const struct loupe_file_results none = {.dominators = NULL};
    char name[4096];
    struct drawn_text text = {0};
    snprintf(name, sizeof(name), "%s/%u.loupe", folder, number);
    CHECK_EQ(loupe_file_write(&drawn.snapshot, &none, &drawn_chunks, drawn_text_sink(&text)),
             LOUPE_OK);
    FILE *file = fopen(name, "wb");
    bool is_written = file && fwrite(text.text, 1, text.length, file) == text.length;
    if (file)
        is_written = !fclose(file) && is_written;
    free(text.text);
    return is_written;
}

int main(int argc, char **argv) {
    uint64_t random = SEED;
    if (argc != 3)
        return 2;
    for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++) {
        drawn_native_random(&drawn, &random, MOST_NODES);
        drawn_native_thread(&drawn, "main");
        drawn_native_build(&drawn);
        CHECK(write_heap(argv[1], i));
    }
    return check_report();
}

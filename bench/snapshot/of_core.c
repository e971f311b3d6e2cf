/*
 * A core file, until its leaks are known: how long, and how many bytes of ours a block takes at
 * most; beside one pass over all bytes of the core.
 *
 * usage: snapshot_of_core CORE
 */
#define _GNU_SOURCE
#include "leaks/leaks.h"
#include "loupe.h"
#include "target/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 5 };

static size_t held, most;

static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    held += size;
    most = held > most ? held : most;
    return malloc(size);
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    held -= size;
    free(chunk);
}

static const struct loupe_chunk_ops chunks = {.get = get_chunk, .put = put_chunk};

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static enum loupe_status drop(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    (void)bytes;
    (void)len;
    return LOUPE_OK;
}

struct found {
    uint32_t nodes;
    uint64_t lost;
};

static struct found find_leaks(const uint8_t *bytes, uint64_t size) {
    struct loupe_reader_options options = {.chunks = &chunks};
    struct loupe_snapshot snapshot = {0};
    struct loupe_snapshot_taker taker = {.snapshot = &snapshot};
    struct loupe_question question = {
        .query = LOUPE_QUERY_SNAPSHOT, .engine = "memory", .taker = &taker, .of_core = true};
    struct loupe_leaks_options leak_options = {.max_rings = 1};
    struct loupe_leaks leaks;
    struct loupe_arena arena;
    struct loupe_reader *reader;
    struct loupe_error error;
    loupe_arena_init(&arena, &chunks);
    if (loupe_core_open(bytes, size, &options, &reader, &error) ||
        loupe_answer(loupe_reader_memory(reader), &chunks, &question,
                     (struct loupe_sink){.write = drop}) ||
        loupe_leaks_find(&snapshot, &leak_options, &chunks, &arena, &leaks))
        exit(1);
    struct found found = {.nodes = snapshot.columns.nodes, .lost = leaks.lost.objects};
    loupe_leaks_deinit(&leaks);
    loupe_arena_deinit(&arena);
    loupe_snapshot_deinit(&snapshot);
    loupe_reader_close(reader);
    return found;
}

static double read_once(const uint8_t *bytes, uint64_t size) {
    double began = milliseconds();
    volatile uint64_t sum = 0;
    for (uint64_t i = 0; i + 8 <= size; i += 8)
        sum += *(const uint64_t *)(const void *)(bytes + i);
    return milliseconds() - began;
}

int main(int argc, char **argv) {
    struct stat about;
    int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || fstat(file, &about))
        return 2;
    const uint8_t *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    double best = 1e9, read = read_once(bytes, (uint64_t)about.st_size);
    struct found found = {0};
    for (int i = 0; i < TIMES; i++) {
        double began = milliseconds();
        found = find_leaks(bytes, (uint64_t)about.st_size);
        double took = milliseconds() - began;
        best = took < best ? took : best;
    }
    printf(
        "%9u blocks of a core, %llu lost: leaks after %8.1f ms, one pass over its bytes %6.1f ms; "
        "%5.1f bytes a block\n",
        found.nodes, (unsigned long long)found.lost, best, read, (double)most / found.nodes);
    return 0;
}

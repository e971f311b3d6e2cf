/*
 * What it costs to know the blocks of a heap of 10^6: beside one plain read of the same memory, and
 * the search for each word of it.
 *
 * usage: blocks [BLOCKS]
 */
#define _GNU_SOURCE
#include "heap/allocators/blocks.h"
#include "runtime/abi.h"
#include "target/reader.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t bytes_out;

static void *get(void *ctx, size_t size) {
    (void)ctx;
    bytes_out += size;
    return malloc(size);
}

static void put(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    bytes_out -= size;
    free(chunk);
}

static const struct loupe_chunk_ops chunks = {.get = get, .put = put};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Every eighth block is given back, so that there are holes and full caches. */
static int start_program(unsigned count) {
    int ready[2];
    char byte = 'r';
    if (pipe(ready))
        exit(1);
    int pid = fork();
    if (pid) {
        close(ready[1]);
        if (read(ready[0], &byte, 1) != 1)
            exit(1);
        close(ready[0]);
        return pid;
    }
    void **blocks = malloc(count * sizeof(*blocks));
    unsigned random = 1;
    for (unsigned i = 0; blocks && i < count; i++) {
        random = random * 1664525 + 1013904223;
        blocks[i] = malloc(16 + random % 240);
        if (blocks[i])
            *(void **)blocks[i] = i ? blocks[random % i] : NULL;
    }
    for (unsigned i = 0; blocks && i < count; i += 8)
        free(blocks[i]);
    if (write(ready[1], &byte, 1) == 1)
        pause();
    _exit(0);
}

static double read_plainly(struct loupe_memory *memory, const struct loupe_ranges *ranges,
                           uint64_t *bytes) {
    enum { PIECE = 1 << 20 };
    static uint8_t piece[PIECE];
    double began = now();
    for (uint32_t i = 0; i < loupe_ranges_count(ranges); i++) {
        const struct loupe_range *range = loupe_ranges_at(ranges, i);
        for (loupe_addr at = range->start; at < range->end; at += PIECE) {
            uint64_t size = range->end - at < PIECE ? range->end - at : PIECE;
            if (!loupe_memory_read_once(memory, at, piece, size))
                *bytes += size;
        }
    }
    return now() - began;
}

static double find_all(struct loupe_memory *memory, const struct loupe_blocks *blocks,
                       uint64_t *words, uint64_t *found) {
    double began = now();
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint64_t size = loupe_blocks_size(blocks, i), word;
        for (uint64_t offset = 0; offset + 8 <= size; offset += 8, ++*words) {
            uint32_t block;
            if (!loupe_memory_read_word(memory, blocks->starts[i] + offset, &word))
                *found += loupe_blocks_find(blocks, word, &block);
        }
    }
    return now() - began;
}

int main(int count, char **arguments) {
    static const struct loupe_abi no_runtime = {.name = "none"};
    unsigned wanted = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 1000000;
    int pid = start_program(wanted);
    struct loupe_reader_options options = {.chunks = &chunks};
    struct loupe_reader *reader;
    struct loupe_error error;
    if (loupe_process_open((uint64_t)pid, &options, &reader, &error)) {
        fprintf(stderr, "%s\n", error.message);
        kill(pid, SIGKILL);
        return 1;
    }
    struct loupe_request request = {0};
    struct loupe_target target;
    struct loupe_scene scene;
    struct loupe_blocks blocks;
    uint64_t bytes = 0, words = 0, found = 0;
    loupe_target_init(&target, loupe_reader_memory(reader), &chunks);
    target.abi = &no_runtime;
    loupe_scene_init(&scene, &target);
    if (loupe_scene_take(&scene, &request))
        return 1;
    double plain = read_plainly(target.memory, &scene.writable, &bytes);
    loupe_blocks_init(&blocks, &chunks);
    double began = now();
    if (loupe_blocks_take(&blocks, &target, &scene))
        return 1;
    double took = now() - began;
    double searched = find_all(target.memory, &blocks, &words, &found);
    uint32_t found_blocks = blocks.count;
    size_t held = bytes_out;
    loupe_blocks_deinit(&blocks);
    printf("%u blocks in %.1f MB: found in %.1f ms, %.2f x a plain read (%.1f ms)\n", found_blocks,
           (double)bytes / 1e6, took * 1e3, took / plain, plain * 1e3);
    printf("%.1f bytes a block are kept; %llu words looked up in %.1f ms, %.1f ns each, %llu lead "
           "to blocks\n",
           (double)(held - bytes_out) / found_blocks, (unsigned long long)words, searched * 1e3,
           searched * 1e9 / (double)words, (unsigned long long)found);
    loupe_target_deinit(&target);
    loupe_reader_close(reader);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return 0;
}

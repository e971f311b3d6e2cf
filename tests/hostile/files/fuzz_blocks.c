/*
 * A drawn heap with some of its words changed: the first byte says which heap, then each word has
 * two bytes for its place among the tables and eight for what stands there.
 */
#include "memory/drawn_allocators.h"
#include "fuzz_target.h"
#include "heap/allocators/blocks.h"
#include "runtime/abi.h"

#include <string.h>

struct drawing {
    const char *release; /* of glibc; NULL: a zone */
    void (*zone)(struct drawn_allocators *drawn, struct drawn_heap *heap);
    loupe_addr tables[4]; /* of 16 KB each; 0: no more */
};

static const struct drawing drawings[] = {
    {.release = "2.31", .tables = {0x7f0000000000, 0x555500000000, 0x7e0000000000}},
    {.release = "2.42", .tables = {0x7f0000000000, 0x555500000000, 0x7e0000000000, 0x7d0000000000}},
    {.release = "2.43", .tables = {0x7f0000000000, 0x555500000000, 0x7e0000000000, 0x7d0000000000}},
    {.zone = drawn_nano_zone, .tables = {0x100000000, 0x100008000, 0x600000000000 ^ (0x5a << 14)}},
    {.zone = drawn_xzone_zone, .tables = {0x100000000, 0x100008000, 0x130000000, 0x120000000}},
};

static struct drawn_heap heap;
static struct drawn_allocators drawn;

static void change_words(const struct drawing *drawing, const uint8_t *data, size_t size) {
    enum { CHANGE = 10, TABLE = 1 << 14, WORD = 8 };
    unsigned tables = 0;
    while (tables < 4 && drawing->tables[tables])
        tables++;
    for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
        uint32_t place = (data[0] | (uint32_t)data[1] << 8) * WORD;
        uint64_t word;
        loupe_addr table = drawing->tables[place / TABLE % tables];
        memcpy(&word, data + 2, sizeof(word));
        for (unsigned i = 0; i < heap.region_count; i++) {
            const struct drawn_region *region = &heap.regions[i];
            loupe_addr address = table + place % TABLE;
            if (address >= region->start && address - region->start <= region->size - WORD)
                drawn_put_word(&heap, address, word);
        }
    }
}

static void check_blocks(const struct loupe_blocks *blocks) {
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint64_t size = loupe_blocks_size(blocks, i);
        uint32_t found;
        FUZZ_CHECK(size > 0);
        FUZZ_CHECK(!i ||
                   blocks->starts[i - 1] + loupe_blocks_size(blocks, i - 1) <= blocks->starts[i]);
        FUZZ_CHECK(loupe_blocks_find(blocks, blocks->starts[i] + size - 1, &found) && found == i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct loupe_abi no_runtime = {.name = "none"};
    struct loupe_request request = {0};
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_scene scene;
    struct loupe_blocks blocks;
    if (!size)
        return 0;
    const struct drawing *drawing = &drawings[data[0] % (sizeof(drawings) / sizeof(drawings[0]))];
    drawn_heap_init(&heap, 8);
    if (drawing->release)
        drawn_glibc(&drawn, &heap, drawing->release);
    else
        drawing->zone(&drawn, &heap);
    change_words(drawing, data + 1, size - 1);
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    target.abi = &no_runtime;
    loupe_scene_init(&scene, &target);
    FUZZ_CHECK(loupe_scene_take(&scene, &request) == LOUPE_OK);
    loupe_blocks_init(&blocks, &fuzz_chunks);
    if (loupe_blocks_take(&blocks, &target, &scene) == LOUPE_OK)
        check_blocks(&blocks);
    loupe_blocks_deinit(&blocks);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
    return 0;
}

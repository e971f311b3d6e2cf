#include "drawn_captures.h"

#include "check.h"

const struct loupe_block_traits apple = {
    .byref_count_mask = 0xfffe, .byref_count_unit = 2, .has_layouts = true};
const struct loupe_block_traits libobjc2 = {
    .count = LOUPE_BLOCK_COUNT_IN_RESERVED, .byref_count_mask = 0xffffff, .byref_count_unit = 1};

struct drawn_heap heap;
struct loupe_memory memory;
struct loupe_arena arena;

void open_heap(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_memory(&heap, &memory);
    loupe_arena_init(&arena, &drawn_chunks);
}

void close_heap(void) {
    loupe_arena_deinit(&arena);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

struct loupe_captures read_captures(const struct drawn_block *shape,
                                    const struct loupe_block_traits *traits) {
    struct loupe_block block = {0};
    struct loupe_captures captures = {0};
    loupe_addr address = drawn_block(&heap, shape);
    loupe_memory_forget(&memory); /* one test may draw several */
    CHECK_EQ(loupe_block_read(&memory, address, traits, &block, NULL), LOUPE_OK);
    CHECK_EQ(loupe_captures_read(&memory, &arena, &block, traits, &captures), LOUPE_OK);
    check_cover(&captures, 3u * heap.machine.pointer_size + 8, shape->size);
    return captures;
}

void check_cover(const struct loupe_captures *captures, uint32_t start, uint32_t end) {
    uint32_t at = start;
    for (uint32_t i = 0; i < captures->count; i++) {
        CHECK_EQ(captures->items[i].offset, at);
        CHECK(captures->items[i].size > 0);
        at += captures->items[i].size;
    }
    CHECK_EQ(at, end);
}

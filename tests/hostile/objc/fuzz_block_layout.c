/* Any bytes as an extended layout, inline and as a string, and as inline generic-helper
 * information. Its string form is in fuzz_block.c, which reads it in a target. */
#include "fuzz_target.h"

#include "blocks/block_layout.h"
#include "blocks/captures.h"

#include <string.h>

static void check_layout(struct loupe_arena *arena, const struct loupe_layout *layout,
                         uint8_t pointer_size, uint32_t limit) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < layout->run_count; i++) {
        FUZZ_CHECK(layout->runs[i].offset == at && layout->runs[i].size > 0);
        at += layout->runs[i].size;
    }
    FUZZ_CHECK(at == layout->size && at <= limit);
    struct loupe_captures captures;
    FUZZ_CHECK(loupe_captures_of_layout(arena, layout, pointer_size, &captures) == LOUPE_OK);
    uint32_t covered = 0;
    for (uint32_t i = 0; i < captures.count; i++)
        covered += captures.items[i].size;
    FUZZ_CHECK(covered == layout->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 5)
        return 0;
    uint8_t pointer_size = data[0] & 1 ? 4 : 8;
    uint32_t limit = data[0] >> 1 ? (data[0] >> 1) * 24u : LOUPE_LAYOUT_NO_LIMIT;
    uint32_t word;
    memcpy(&word, data + 1, sizeof(word));
    struct loupe_span bytes = {.bytes = (const char *)data + 1, .length = size - 1};
    struct loupe_layout layout;
    struct loupe_arena arena;
    loupe_arena_init(&arena, &fuzz_chunks);
    FUZZ_CHECK(!loupe_layout_decode_inline(&arena, word, pointer_size, limit, &layout));
    check_layout(&arena, &layout, pointer_size, limit);
    FUZZ_CHECK(!loupe_generic_decode_inline(&arena, word, pointer_size, limit, &layout));
    check_layout(&arena, &layout, pointer_size, limit);
    FUZZ_CHECK(!loupe_layout_decode_bytes(&arena, bytes, pointer_size, limit, &layout));
    check_layout(&arena, &layout, pointer_size, limit);
    loupe_arena_deinit(&arena);
    return 0;
}

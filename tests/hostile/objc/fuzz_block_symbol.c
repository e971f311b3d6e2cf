/* Any bytes as the name of a descriptor or helper. The first byte says what is known of the block.
 */
#include "fuzz_target.h"

#include "blocks/block_symbol.h"
#include "blocks/captures.h"

/* The whole block is covered, once. */
static void check_cover(const struct loupe_captures *captures, uint32_t start) {
    uint32_t at = start;
    for (uint32_t i = 0; i < captures->count; i++) {
        FUZZ_CHECK(captures->items[i].offset == at && captures->items[i].size > 0);
        at += captures->items[i].size;
    }
}

static void check_symbol(const struct loupe_block_symbol *symbol, struct loupe_span name) {
    for (uint32_t i = 0; i < symbol->capture_count; i++) {
        const struct loupe_symbol_capture *capture = &symbol->captures[i];
        FUZZ_CHECK(i == 0 || symbol->captures[i - 1].offset <= capture->offset);
        FUZZ_CHECK(!capture->type.length ||
                   (capture->type.bytes >= name.bytes &&
                    capture->type.bytes + capture->type.length <= name.bytes + name.length));
    }
    FUZZ_CHECK(symbol->capture_count <= LOUPE_SYMBOL_MAX_CAPTURES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    uint8_t known = data[0];
    struct loupe_symbol_context context = {
        .pointer_size = known & 1 ? 4 : 8,
        .helpers = (enum loupe_helpers)(known >> 1 & 3) % 3,
        .block_size = known >> 3 ? 20 + (known >> 3) * 8u : 0,
    };
    struct loupe_span name = {.bytes = (const char *)data + 1, .length = size - 1};
    struct loupe_arena arena;
    struct loupe_block_symbol symbol;
    struct loupe_captures captures;
    loupe_arena_init(&arena, &fuzz_chunks);
    if (loupe_block_symbol_parse(&arena, name, &context, &symbol, NULL) == LOUPE_OK) {
        check_symbol(&symbol, name);
        if (loupe_captures_of_symbol(&arena, &symbol, context.pointer_size, &captures) == LOUPE_OK)
            check_cover(&captures, 3u * context.pointer_size + 8);
    }
    loupe_arena_deinit(&arena);
    return 0;
}

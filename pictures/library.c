/* The entry point of the library that debuggers load. */
#include "pictures/library.h"

#include "pictures/words.h"

#include <string.h>

/* ---- Memory that is taken and never given back ---- */

struct pile {
    char *bytes;
    size_t size, used;
};

static void *take(void *ctx, size_t size) {
    enum { ALIGNMENT = 16 };
    struct pile *pile = ctx;
    size_t start =
        pile->used + (ALIGNMENT - (uintptr_t)(pile->bytes + pile->used) % ALIGNMENT) % ALIGNMENT;
    if (start > pile->size || size > pile->size - start)
        return NULL;
    pile->used = start + size;
    return pile->bytes + start;
}

static void leave(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)chunk;
    (void)size;
}

static enum loupe_status put(void *ctx, const char *bytes, size_t length) {
    struct pile *pile = ctx;
    if (length > pile->size - pile->used)
        return LOUPE_ENOMEM;
    memcpy(pile->bytes + pile->used, bytes, length);
    pile->used += length;
    return LOUPE_OK;
}

long loupe_answers_words(const char *answer, size_t length,
                         const struct loupe_answers_memory *memory) {
    struct pile scratch = {.bytes = memory->scratch, .size = memory->scratch_size};
    struct pile text = {.bytes = memory->text, .size = memory->text_size};
    struct loupe_chunk_ops chunks = {.get = take, .put = leave, .ctx = &scratch};
    struct loupe_sink sink = {.write = put, .ctx = &text};
    struct loupe_arena arena;
    struct loupe_error err = {0};
    const struct json_value *tree;
    loupe_arena_init(&arena, &chunks);
    enum loupe_status status = json_read((struct loupe_span){answer, length}, &arena, &tree, &err);
    if (!status)
        status = answer_write_words(tree, &arena, sink, &err);
    if (status == LOUPE_ENOMEM)
        return LOUPE_ANSWERS_NO_ROOM;
    return status ? LOUPE_ANSWERS_NO_ANSWER : (long)text.used;
}

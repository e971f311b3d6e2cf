/*
 * What the core makes of a block or a __block variable of which only the compiler's words are
 * known.
 *
 *     describe_block captures POINTER-SIZE FLAGS SIZE DESCRIPTOR-NAME COPY-HELPER-NAME LAYOUT
 *     describe_block byref POINTER-SIZE FLAGS SIZE LAYOUT
 *
 * LAYOUT is the word in hex, or "s" and the bytes of a string in hex; "-" stands for no name and
 * for no layout. Prints a line for each capture: kind, offset, size; the kind of bytes in a C++
 * object is "cxx". A block without a layout is taken to be of a runtime without layouts.
 */
#include "blocks/block.h"
#include "blocks/byref.h"
#include "objects/drawn_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
    fprintf(stderr, "describe_block: %s\n", what);
    exit(1);
}

static uint32_t number(const char *text) {
    return (uint32_t)strtoul(text, NULL, 0);
}

static const char *name(const char *text) {
    return strcmp(text, "-") == 0 ? NULL : text;
}

static uint64_t layout_word(const char *text) {
    return text[0] == 's' || text[0] == '-' ? 0 : strtoull(text, NULL, 16);
}

/* The bytes behind "s", ended by a NUL; NULL when there is no string. */
static const char *layout_bytes(const char *text) {
    static char bytes[256];
    if (text[0] != 's')
        return NULL;
    size_t count = strlen(text + 1) / 2;
    if (count >= sizeof(bytes))
        fail("layout too long");
    for (size_t i = 0; i < count; i++) {
        char digits[3] = {text[1 + 2 * i], text[2 + 2 * i]};
        bytes[i] = (char)strtoul(digits, NULL, 16);
    }
    bytes[count] = '\0';
    return bytes;
}

static void print_captures(const struct loupe_captures *captures) {
    for (uint32_t i = 0; i < captures->count; i++) {
        const struct loupe_capture *item = &captures->items[i];
        bool is_cxx = item->kind == LOUPE_CAPTURE_UNKNOWN && item->type.length;
        printf("%s %u %u\n", is_cxx ? "cxx" : loupe_capture_kind_name(item->kind), item->offset,
               item->size);
    }
}

static enum loupe_status describe_captures(struct drawn_heap *heap, struct loupe_memory *memory,
                                           struct loupe_arena *arena, char **words) {
    struct drawn_block shape = {.flags = number(words[0]),
                                .size = number(words[1]),
                                .descriptor_name = name(words[2]),
                                .copy_name = name(words[3]),
                                .layout = layout_word(words[4]),
                                .layout_bytes = layout_bytes(words[4])};
    struct loupe_block_traits traits = {.has_layouts = name(words[4]) != NULL};
    struct loupe_block block;
    struct loupe_captures captures;
    enum loupe_status status =
        loupe_block_read(memory, drawn_block(heap, &shape), &traits, &block, NULL);
    if (!status)
        status = loupe_captures_read(memory, arena, &block, &traits, &captures);
    if (!status && shape.descriptor_name && !captures.symbol.length)
        fail("the name is not taken for a descriptor's");
    if (!status)
        print_captures(&captures);
    return status;
}

static enum loupe_status describe_byref(struct drawn_heap *heap, struct loupe_memory *memory,
                                        struct loupe_arena *arena, char **words) {
    struct drawn_byref shape = {.flags = number(words[0]),
                                .size = number(words[1]),
                                .layout = layout_word(words[2]),
                                .layout_bytes = layout_bytes(words[2])};
    struct loupe_block_traits traits = {.has_layouts = name(words[2]) != NULL};
    struct loupe_byref byref;
    enum loupe_status status =
        loupe_byref_read(memory, arena, drawn_byref(heap, &shape), &traits, &byref, NULL);
    if (!status) {
        printf("variable %u\n", byref.variable_offset);
        print_captures(&byref.variable);
    }
    return status;
}

static void answer(char **words, int count) {
    bool of_block = count == 7 && strcmp(words[0], "captures") == 0;
    if (!of_block && !(count == 5 && strcmp(words[0], "byref") == 0))
        fail("not a question");
    struct drawn_heap heap;
    struct loupe_memory memory;
    struct loupe_arena arena;
    drawn_heap_init(&heap, (uint8_t)number(words[1]));
    drawn_memory(&heap, &memory);
    loupe_arena_init(&arena, &drawn_chunks);
    enum loupe_status status = of_block ? describe_captures(&heap, &memory, &arena, words + 2)
                                        : describe_byref(&heap, &memory, &arena, words + 2);
    if (status)
        fail(loupe_status_name(status));
    printf("end\n");
    fflush(stdout);
    loupe_arena_deinit(&arena);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof(line), stdin)) {
        char *words[8];
        int count = 0;
        for (char *word = strtok(line, "\t\n"); word && count < 8; word = strtok(NULL, "\t\n"))
            words[count++] = word;
        answer(words, count);
    }
    return 0;
}

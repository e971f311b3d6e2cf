#include "drawn_heap.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "drawn heap: %s\n", what);
        abort();
    }
}

void drawn_heap_init(struct drawn_heap *heap, uint8_t pointer_size) {
    *heap = (struct drawn_heap){
        .machine = {.pointer_size = pointer_size,
                    .arch = pointer_size == 8 ? LOUPE_ARCH_X86_64 : LOUPE_ARCH_OTHER}};
    drawn_region_add(heap, 0x10000, 1 << 20);
    heap->next = heap->regions[0].start;
    heap->alignment = 16;
}

void drawn_heap_deinit(struct drawn_heap *heap) {
    for (unsigned i = 0; i < heap->region_count; i++)
        free(heap->regions[i].bytes);
}

uint8_t *drawn_region_add(struct drawn_heap *heap, loupe_addr start, size_t size) {
    require(heap->region_count < DRAWN_MAX_REGIONS, "too many regions");
    uint8_t *bytes = calloc(1, size);
    require(bytes != NULL, "no memory");
    heap->regions[heap->region_count++] =
        (struct drawn_region){.start = start, .size = size, .bytes = bytes};
    return bytes;
}

/* The bytes of a range inside one region, or NULL. */
static uint8_t *bytes_at(const struct drawn_heap *heap, loupe_addr addr, size_t len) {
    for (unsigned i = 0; i < heap->region_count; i++) {
        const struct drawn_region *region = &heap->regions[i];
        if (addr >= region->start && addr - region->start <= region->size &&
            len <= region->size - (addr - region->start))
            return region->bytes + (addr - region->start);
    }
    return NULL;
}

loupe_addr drawn_alloc(struct drawn_heap *heap, size_t size) {
    loupe_addr place = heap->next;
    heap->next += (size + heap->alignment - 1) / heap->alignment * heap->alignment;
    require(bytes_at(heap, place, size) != NULL, "the first region is full");
    return place;
}

loupe_addr drawn_bytes(struct drawn_heap *heap, const void *bytes, size_t size) {
    loupe_addr place = drawn_alloc(heap, size ? size : 1);
    drawn_put(heap, place, bytes, size);
    return place;
}

loupe_addr drawn_string(struct drawn_heap *heap, const char *text) {
    return drawn_bytes(heap, text, strlen(text) + 1);
}

void drawn_get(const struct drawn_heap *heap, loupe_addr addr, void *dst, size_t size) {
    const uint8_t *place = bytes_at(heap, addr, size);
    require(place != NULL, "read outside of the regions");
    memcpy(dst, place, size);
}

void drawn_put(struct drawn_heap *heap, loupe_addr addr, const void *bytes, size_t size) {
    uint8_t *place = bytes_at(heap, addr, size);
    require(place != NULL, "write outside of the regions");
    if (size)
        memcpy(place, bytes, size);
}

void drawn_put_u32(struct drawn_heap *heap, loupe_addr addr, uint32_t value) {
    drawn_put(heap, addr, &value, sizeof(value));
}

void drawn_put_word(struct drawn_heap *heap, loupe_addr addr, uint64_t value) {
    drawn_put(heap, addr, &value, heap->machine.pointer_size);
}

void drawn_symbol_add(struct drawn_heap *heap, const char *name, loupe_addr addr) {
    require(heap->symbol_count < DRAWN_MAX_SYMBOLS, "too many symbols");
    heap->symbols[heap->symbol_count++] = (struct drawn_symbol){.name = name, .address = addr};
}

/* ---- Reader ---- */

static enum loupe_status read_drawn(void *ctx, loupe_addr addr, void *dst, size_t len) {
    struct drawn_heap *heap = ctx;
    heap->reads++;
    if (heap->fail_at && heap->reads >= heap->fail_at)
        return LOUPE_EFAULT;
    if (heap->bad_page && addr < heap->bad_page + LOUPE_PAGE_SIZE && addr + len > heap->bad_page)
        return LOUPE_EFAULT;
    const uint8_t *bytes = bytes_at(heap, addr, len);
    if (!bytes)
        return LOUPE_EFAULT;
    memcpy(dst, bytes, len);
    return LOUPE_OK;
}

static bool find_drawn_region(void *ctx, loupe_addr addr, loupe_addr *start_ret,
                              loupe_addr *end_ret) {
    const struct drawn_heap *heap = ctx;
    for (unsigned i = 0; i < heap->region_count; i++) {
        const struct drawn_region *region = &heap->regions[i];
        if (addr >= region->start && addr - region->start < region->size) {
            *start_ret = region->start;
            *end_ret = region->start + region->size;
            return true;
        }
    }
    return false;
}

static enum loupe_status find_drawn_symbol(void *ctx, const char *name, loupe_addr *ret) {
    const struct drawn_heap *heap = ctx;
    for (unsigned i = 0; i < heap->symbol_count; i++) {
        if (strcmp(heap->symbols[i].name, name) == 0) {
            *ret = heap->symbols[i].address;
            return LOUPE_OK;
        }
    }
    return LOUPE_EFAULT;
}

/* Drawn symbols cover their own address only. */
static enum loupe_status name_drawn_address(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                            uint64_t *offset_ret) {
    const struct drawn_heap *heap = ctx;
    for (unsigned i = 0; i < heap->symbol_count; i++) {
        if (heap->symbols[i].address == addr) {
            loupe_format(dst, cap, "%s", heap->symbols[i].name);
            *offset_ret = 0;
            return LOUPE_OK;
        }
    }
    return LOUPE_EFAULT;
}

static loupe_addr strip_drawn(void *ctx, loupe_addr addr) {
    const struct drawn_heap *heap = ctx;
    return heap->address_mask ? addr & heap->address_mask : addr;
}

void drawn_memory(struct drawn_heap *heap, struct loupe_memory *ret) {
    heap->ops = (struct loupe_reader_ops){.read = read_drawn,
                                          .region = heap->tells_regions ? find_drawn_region : NULL,
                                          .find_symbol = find_drawn_symbol,
                                          .name_address = name_drawn_address,
                                          .strip = strip_drawn,
                                          .process = heap->process};
    loupe_memory_init(ret, &heap->ops, heap, heap->machine, &drawn_chunks);
}

/* ---- Chunks ---- */

static void *get_malloc(void *ctx, size_t size) {
    (void)ctx;
    return malloc(size);
}

static void put_malloc(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)size;
    free(chunk);
}

const struct loupe_chunk_ops drawn_chunks = {.get = get_malloc, .put = put_malloc};

static void *get_failing(void *ctx, size_t size) {
    struct drawn_failing_chunks *state = ctx;
    if (state->fail_at && ++state->gets >= state->fail_at)
        return NULL;
    void *chunk = malloc(size);
    if (chunk)
        state->outstanding++;
    return chunk;
}

static void put_failing(void *ctx, void *chunk, size_t size) {
    struct drawn_failing_chunks *state = ctx;
    (void)size;
    state->outstanding--;
    free(chunk);
}

struct loupe_chunk_ops drawn_failing_chunk_ops(struct drawn_failing_chunks *state) {
    return (struct loupe_chunk_ops){.get = get_failing, .put = put_failing, .ctx = state};
}

void drawn_tight_arena(struct loupe_arena *arena, struct loupe_chunk_ops *chunks,
                       struct drawn_failing_chunks *state, size_t room) {
    *state = (struct drawn_failing_chunks){.fail_at = 2};
    *chunks = drawn_failing_chunk_ops(state);
    loupe_arena_init(arena, chunks);
    require(loupe_arena_alloc(arena, 1) != NULL, "no memory");
    size_t left = arena->total - arena->used;
    require(room <= left && loupe_arena_alloc(arena, left - room), "no such room");
}

/* ---- Sink ---- */

static enum loupe_status write_text(void *ctx, const char *bytes, size_t len) {
    struct drawn_text *text = ctx;
    if (text->length + len + 1 > text->capacity) {
        size_t capacity = (text->length + len + 1) * 2;
        char *larger = realloc(text->text, capacity);
        if (!larger)
            return LOUPE_ENOMEM;
        text->text = larger;
        text->capacity = capacity;
    }
    memcpy(text->text + text->length, bytes, len);
    text->length += len;
    text->text[text->length] = '\0';
    return LOUPE_OK;
}

struct loupe_sink drawn_text_sink(struct drawn_text *text) {
    return (struct loupe_sink){.write = write_text, .ctx = text};
}

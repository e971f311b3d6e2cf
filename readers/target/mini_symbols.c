/*
 * Symbols of local functions that distributors leave in a stripped file: a small ELF file, packed
 * by xz, in .gnu_debugdata. What unpacks it is loaded when it is first needed; where it is missing
 * the functions have no names.
 */
#define _DEFAULT_SOURCE

#include "target/parts.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/mman.h>

/* lzma_stream_buffer_decode() of liblzma 5. */
typedef int decode_function(uint64_t *memory_limit, uint32_t flags, const void *allocator,
                            const uint8_t *in, size_t *in_at, size_t in_size, uint8_t *out,
                            size_t *out_at, size_t out_size);

enum { DONE = 0, NO_ROOM = 10 };

static const uint64_t most_memory = UINT64_C(64) << 20;
static const size_t first_room = (size_t)1 << 20, most_room = (size_t)64 << 20;

static decode_function *find_decoder(void) {
    void *library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "lzma_stream_buffer_decode") : NULL;
    return (decode_function *)(uintptr_t)found;
}

/* NULL: it is damaged, or larger than such a file is. */
static uint8_t *unpack(decode_function *decode, struct loupe_span packed, size_t *size_ret) {
    int result = NO_ROOM;
    for (size_t room = first_room; room <= most_room && result == NO_ROOM; room *= 2) {
        uint64_t limit = most_memory;
        size_t in_at = 0;
        uint8_t *bytes =
            mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED)
            return NULL;
        *size_ret = 0;
        result = decode(&limit, 0, NULL, (const uint8_t *)packed.bytes, &in_at, packed.length,
                        bytes, size_ret, room);
        if (result == DONE && *size_ret) {
            size_t used = (*size_ret + LOUPE_PAGE_SIZE - 1) / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
            if (used < room)
                munmap(bytes + used, room - used);
            return bytes;
        }
        munmap(bytes, room);
    }
    return NULL;
}

void loupe_reader_find_mini_symbols(struct loupe_reader *reader,
                                    struct loupe_reader_image *loaded) {
    struct loupe_image_part part;
    size_t size;
    const struct loupe_reader_file *file = loaded->file;
    if (!file || loaded->debug_file ||
        !loupe_image_find_part(&loaded->file->memory, "gnu_debugdata", &part) ||
        part.offset > file->size || part.size > file->size - part.offset)
        return;
    decode_function *decode = find_decoder();
    if (!decode)
        return;
    struct loupe_span packed = {(const char *)file->bytes + part.offset, (size_t)part.size};
    uint8_t *bytes = unpack(decode, packed, &size);
    if (!bytes) {
        reader->missing.damaged_parts++;
        return;
    }
    struct loupe_reader_file *mini =
        loupe_reader_keep_mapped(reader, "(.gnu_debugdata)", bytes, size);
    loaded->mini = loaded->image;
    loaded->has_mini = mini && !loupe_image_open_file(&loaded->mini, &mini->memory);
}

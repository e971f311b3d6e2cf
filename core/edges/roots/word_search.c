#include "edges/roots/word_search.h"

enum { PART = 1 << 16 }; /* bytes that are searched at once */

/* The bits of a word that are an address on all machines of 64 bits that we know. */
#define ADDRESS_BITS UINT64_C(0x0000ffffffffffff)

void loupe_word_search_init(struct loupe_word_search *search, const struct loupe_chunk_ops *chunks,
                            loupe_addr address, uint64_t size) {
    *search = (struct loupe_word_search){.start = address};
    search->end = address + (size < sizeof(uint64_t) ? sizeof(uint64_t) : size);
    loupe_vector_init(&search->places, chunks, sizeof(loupe_addr));
}

void loupe_word_search_deinit(struct loupe_word_search *search) {
    loupe_vector_deinit(&search->places);
}

static enum loupe_status add_place(struct loupe_word_search *search, loupe_addr place) {
    if (place >= search->start && place < search->end)
        return LOUPE_OK;
    if (search->places.count == LOUPE_MAX_FOUND_WORDS) {
        search->incomplete = true;
        return LOUPE_OK;
    }
    loupe_addr *added = loupe_vector_add(&search->places);
    if (!added)
        return LOUPE_ENOMEM;
    *added = place;
    return LOUPE_OK;
}

static enum loupe_status search_bytes(struct loupe_word_search *search, uint8_t pointer_size,
                                      const uint8_t *bytes, size_t size, loupe_addr start) {
    uint64_t length = search->end - search->start;
    enum loupe_status status = LOUPE_OK;
    search->bytes += size;
    for (size_t at = 0; at + pointer_size <= size && !status; at += pointer_size) {
        uint64_t word = 0;
        if (pointer_size == sizeof(uint64_t))
            memcpy(&word, bytes + at, sizeof(uint64_t));
        else
            memcpy(&word, bytes + at, sizeof(uint32_t));
        if ((word & ADDRESS_BITS) - search->start < length)
            status = add_place(search, start + at);
    }
    return status;
}

/* Whether there is memory that cannot be had, as in a core that was saved without it. */
static bool is_missing(const struct loupe_memory *memory, loupe_addr at) {
    loupe_addr start, end;
    bool is_there = !memory->ops->region || memory->ops->region(memory->ctx, at, &start, &end);
    return is_there && !loupe_memory_is_left_out(memory, at);
}

/* Where a page ends, or what is left out begins or ends in it. */
static loupe_addr next_border(const struct loupe_memory *memory, loupe_addr at, loupe_addr end) {
    const loupe_addr borders[] = {(at | (LOUPE_PAGE_SIZE - 1)) + 1, memory->unused_start,
                                  memory->unused_end};
    for (unsigned i = 0; i < sizeof(borders) / sizeof(borders[0]); i++) {
        if (borders[i] > at && borders[i] < end)
            end = borders[i];
    }
    return end;
}

/* By pages where it cannot be had in one piece. */
static enum loupe_status search_part(struct loupe_word_search *search, struct loupe_memory *memory,
                                     loupe_addr start, size_t size, uint8_t *bytes) {
    enum loupe_status status = loupe_memory_read_once(memory, start, bytes, size);
    if (!status)
        return search_bytes(search, memory->machine.pointer_size, bytes, size, start);
    for (loupe_addr at = start, end = start + size, next; at < end; at = next) {
        next = next_border(memory, at, end);
        if (loupe_memory_read_once(memory, at, bytes, (size_t)(next - at))) {
            search->incomplete |= is_missing(memory, at);
            continue;
        }
        status = search_bytes(search, memory->machine.pointer_size, bytes, (size_t)(next - at), at);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_word_search_add(struct loupe_word_search *search,
                                        struct loupe_memory *memory, struct loupe_range range) {
    const struct loupe_chunk_ops *chunks = search->places.chunks;
    uint8_t *bytes = loupe_chunk_get(chunks, PART);
    enum loupe_status status = bytes ? LOUPE_OK : LOUPE_ENOMEM;
    loupe_addr at = (range.start + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    while (!status && at < range.end) {
        size_t size = range.end - at < PART ? (size_t)(range.end - at) : PART;
        if (loupe_memory_interrupted(memory)) {
            search->incomplete = search->interrupted = true;
            break;
        }
        status = search_part(search, memory, at, size, bytes);
        at += size;
    }
    loupe_chunk_put(chunks, bytes, PART);
    return status;
}

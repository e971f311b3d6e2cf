#include "runtime/free_chunks.h"

#include "runtime/glibc_chunk.h"

enum { WORD = LOUPE_GLIBC_WORD, HEADER = LOUPE_GLIBC_HEADER };

static bool read_word(struct loupe_memory *memory, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(memory, address, ret) == LOUPE_OK;
}

/* Mapped chunks are unmapped when they are freed: they are on no list. */
static bool read_chunk(struct loupe_memory *memory, loupe_addr address,
                       struct loupe_glibc_chunk *ret) {
    return loupe_glibc_chunk_read(memory, address, ret) && !(ret->flags & LOUPE_GLIBC_MAPPED);
}

static bool follows_used(const struct loupe_glibc_chunk *chunk) {
    return chunk->flags & LOUPE_GLIBC_FOLLOWS_USED;
}

/* ---- Lists of chunks of one size, which count as used: caches of threads, fast bins ---- */

/* How such a list links: to the memory of the next chunk or to its header; mixed with the place
 * where the link stands, or, before glibc 2.32, plainly. */
struct linking {
    bool to_memory, mixed;
};

/*
 * Whether links lead from chunk to chunk of this size. The end is a mixed 0, which is as good as a
 * signature; a plain 0 is none, so it takes links before it.
 */
static bool is_linked_singly(struct loupe_memory *memory, const struct loupe_glibc_chunk *chunk,
                             struct linking linking) {
    enum { LINKS_ENOUGH = 8, MOST_LINKS = 1 << 12 };
    struct loupe_glibc_chunk at = *chunk;
    /* Cap: the object is not called freed; it is walked. */
    for (unsigned links = 0; links < MOST_LINKS; links++) {
        uint64_t next;
        loupe_addr place = at.address + HEADER;
        if (!read_word(memory, place, &next))
            return false;
        if (linking.mixed)
            next = loupe_glibc_unmixed(place, next);
        if (!next || (linking.mixed && links == LINKS_ENOUGH))
            return linking.mixed || links;
        if (!read_chunk(memory, linking.to_memory ? next - HEADER : next, &at) ||
            at.size != chunk->size)
            return false;
    }
    return false;
}

/*
 * The chunk behind it has to be one, too: what constant objects left in memory that was used before
 * can look like a chunk whose size is the address of their class, with a link to the next one.
 */
static bool is_on_list_of_its_size(struct loupe_memory *memory,
                                   const struct loupe_glibc_chunk *chunk) {
    static const struct linking linkings[] = {
        {true, true}, {false, true}, {true, false}, {false, false}};
    struct loupe_glibc_chunk next;
    if (!read_chunk(memory, chunk->address + chunk->size, &next) || !follows_used(&next))
        return false;
    for (unsigned i = 0; i < sizeof(linkings) / sizeof(linkings[0]); i++) {
        if (is_linked_singly(memory, chunk, linkings[i]))
            return true;
    }
    return false;
}

/* ---- Chunks that count as free, and took their free neighbours in ---- */

static bool is_linked_doubly(struct loupe_memory *memory, loupe_addr chunk) {
    uint64_t next, previous, back, forth;
    return read_word(memory, chunk + HEADER, &next) &&
           read_word(memory, chunk + HEADER + WORD, &previous) &&
           read_word(memory, next + HEADER + WORD, &back) &&
           read_word(memory, previous + HEADER, &forth) && back == chunk && forth == chunk;
}

/*
 * Whether a free chunk that ends at a header has this one in it. Headers of what it took in still
 * stand there, so the one that knows of it may be a few further on.
 */
static bool is_in_binned_chunk(struct loupe_memory *memory, const struct loupe_glibc_chunk *chunk) {
    enum { HEADERS_ENOUGH = 16 };
    loupe_addr at = chunk->address + chunk->size;
    /* Cap: enough to believe it; it hides nothing. */
    for (unsigned i = 0; i < HEADERS_ENOUGH; i++) {
        struct loupe_glibc_chunk next, whole;
        uint64_t size;
        if (!read_chunk(memory, at, &next))
            return false;
        if (!follows_used(&next))
            return read_word(memory, at, &size) && size >= at - chunk->address && size <= at &&
                   read_chunk(memory, at - size, &whole) && whole.size == size &&
                   is_linked_doubly(memory, whole.address);
        at += next.size;
    }
    return false;
}

uint64_t loupe_chunk_room(struct loupe_memory *memory, loupe_addr address) {
    struct loupe_glibc_chunk chunk, next;
    if (memory->machine.pointer_size != WORD || address < HEADER ||
        !read_chunk(memory, address - HEADER, &chunk) ||
        !read_chunk(memory, chunk.address + chunk.size, &next) || !follows_used(&next))
        return 0;
    return chunk.size - WORD;
}

static bool is_mapped(struct loupe_memory *memory, loupe_addr address, uint64_t size) {
    struct loupe_glibc_mapped mapped;
    return address >= HEADER && loupe_glibc_mapped_read(memory, address - HEADER, &mapped) &&
           mapped.room >= size;
}

bool loupe_chunk_is_used(struct loupe_memory *memory, loupe_addr address, uint64_t size) {
    return memory->machine.pointer_size == WORD &&
           (loupe_chunk_room(memory, address) >= size || is_mapped(memory, address, size));
}

bool loupe_is_in_free_chunk(struct loupe_memory *memory, loupe_addr address, unsigned words_before,
                            uint64_t size) {
    struct loupe_glibc_chunk chunk;
    uint64_t before = (uint64_t)words_before * WORD, needed = before + size;
    if (memory->machine.pointer_size != WORD || address < before + HEADER ||
        !read_chunk(memory, address - before - HEADER, &chunk) || chunk.size - WORD < needed ||
        chunk.size - WORD <= before)
        return false;
    return is_on_list_of_its_size(memory, &chunk) || is_in_binned_chunk(memory, &chunk);
}

/* What stood in the memory of a cache or a fast bin may be left in a chunk that has been given out
 * since, so that only the other lists tell. */
bool loupe_is_free_word(struct loupe_memory *memory, loupe_addr place) {
    enum { FARTHEST = 2048 };
    struct loupe_glibc_chunk chunk;
    loupe_addr last = place - place % HEADER;
    if (memory->machine.pointer_size != WORD)
        return false;
    /* Cap: the word counts as one that may own the object. */
    for (loupe_addr back = 0; back < FARTHEST && back + HEADER <= last; back += HEADER) {
        if (read_chunk(memory, last - back - HEADER, &chunk) &&
            place - chunk.address < chunk.size && is_in_binned_chunk(memory, &chunk))
            return true;
    }
    return false;
}

/* Copies of memory, found by their addresses. */
#include "process/copies.h"

#include <string.h>

struct part {
    loupe_addr start, end;
    uint8_t *bytes;
};

static struct part *part_at(const struct loupe_copies *copies, uint32_t number) {
    return loupe_vector_at(&copies->parts, number, sizeof(struct part));
}

void loupe_copies_init(struct loupe_copies *copies, const struct loupe_chunk_ops *chunks) {
    *copies = (struct loupe_copies){.chunks = chunks};
    loupe_vector_init(&copies->parts, chunks, sizeof(struct part));
}

void loupe_copies_deinit(struct loupe_copies *copies) {
    for (uint32_t i = 0; i < copies->parts.count; i++) {
        const struct part *part = part_at(copies, i);
        loupe_chunk_put(copies->chunks, part->bytes, (size_t)(part->end - part->start));
    }
    loupe_vector_deinit(&copies->parts);
}

enum loupe_status loupe_copies_add(struct loupe_copies *copies, loupe_addr start, loupe_addr end,
                                   loupe_copies_source *read, void *ctx) {
    size_t size = (size_t)(end - start);
    uint8_t *bytes = loupe_chunk_get(copies->chunks, size);
    enum loupe_status status = bytes ? read(ctx, start, bytes, size) : LOUPE_ENOMEM;
    struct part *added = status ? NULL : loupe_vector_add(&copies->parts);
    if (!added) {
        if (bytes)
            loupe_chunk_put(copies->chunks, bytes, size);
        return status ? status : LOUPE_ENOMEM;
    }
    *added = (struct part){.start = start, .end = end, .bytes = bytes};
    copies->bytes += size;
    return LOUPE_OK;
}

/* The part around an address; NULL: there is none. */
static const struct part *part_around(const struct loupe_copies *copies, loupe_addr addr) {
    uint32_t low = 0, high = copies->parts.count; /* the first that ends behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part_at(copies, middle)->end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < copies->parts.count && part_at(copies, low)->start <= addr;
    return found ? part_at(copies, low) : NULL;
}

bool loupe_copies_read(const struct loupe_copies *copies, loupe_addr addr, void *dst, size_t len) {
    uint8_t *to = dst;
    for (size_t done = 0, size; done < len; done += size) {
        const struct part *part = part_around(copies, addr + done);
        if (!part)
            return false;
        loupe_addr at = addr + done;
        size = part->end - at < len - done ? (size_t)(part->end - at) : len - done;
        memcpy(to + done, part->bytes + (at - part->start), size);
    }
    return true;
}

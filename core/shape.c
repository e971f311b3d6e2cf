#include "shape.h"

#include "edges.h"

enum { INLINE_EXTENT = 2048 /* bytes; larger objects are read word by word */ };

typedef enum loupe_status visit_fn(struct loupe_walk *walk, loupe_addr address,
                                   const struct loupe_slot *slot, uint64_t word);

static void count_findings(struct loupe_walk *walk, const struct loupe_shape *shape,
                           loupe_addr address) {
    for (unsigned i = 0; i < LOUPE_FINDING_COUNT; i++) {
        if (shape->findings & 1u << i)
            loupe_findings_add(&walk->target->findings, (enum loupe_finding)i, address);
    }
}

/* For objects that are long or cannot be had in one piece. */
static enum loupe_status visit_one_by_one(struct loupe_walk *walk, const struct loupe_shape *shape,
                                          loupe_addr address, visit_fn *visit) {
    for (uint32_t i = 0; i < shape->slot_count; i++) {
        uint64_t word;
        loupe_addr place = address + shape->slots[i].offset;
        enum loupe_status status = loupe_memory_read_word(walk->target->memory, place, &word);
        if (status == LOUPE_EFAULT) {
            loupe_findings_add(&walk->target->findings, LOUPE_FINDING_UNREADABLE, place);
            continue;
        }
        if (!status && word)
            status = visit(walk, address, &shape->slots[i], word);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_shape_visit(struct loupe_walk *walk, const struct loupe_shape *shape,
                                    loupe_addr address, visit_fn *visit) {
    uint8_t pointer_size = walk->target->memory->machine.pointer_size;
    uint8_t bytes[INLINE_EXTENT];
    enum loupe_status status = LOUPE_OK;
    if (shape->findings)
        count_findings(walk, shape, address);
    if (shape->slot_count == 0)
        return LOUPE_OK;
    if (shape->extent > INLINE_EXTENT ||
        loupe_memory_read(walk->target->memory, address, bytes, shape->extent))
        return visit_one_by_one(walk, shape, address, visit);
    for (uint32_t i = 0; i < shape->slot_count && !status; i++) {
        uint64_t word = loupe_load_word(pointer_size, bytes + shape->slots[i].offset);
        if (word)
            status = visit(walk, address, &shape->slots[i], word);
    }
    return status;
}

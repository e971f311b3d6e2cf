#include "blocks/claims.h"

bool loupe_claims_add(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t offset,
                      enum loupe_capture_kind kind) {
    struct loupe_claim *items =
        loupe_arena_grow(arena, claims->items, claims->count, &claims->capacity, sizeof(*items));
    if (!items)
        return false;
    claims->items = items;
    items[claims->count++] = (struct loupe_claim){.offset = offset, .kind = kind};
    return true;
}

bool loupe_claims_add_run(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t offset,
                          uint32_t count, enum loupe_capture_kind kind, uint8_t pointer_size) {
    for (uint32_t i = 0; i < count; i++) {
        if (!loupe_claims_add(arena, claims, offset + i * pointer_size, kind))
            return false;
    }
    return true;
}

static enum loupe_capture_kind kind_of_op(enum loupe_layout_op op) {
    switch (op) {
    case LOUPE_LAYOUT_STRONG:
        return LOUPE_CAPTURE_STRONG;
    case LOUPE_LAYOUT_BLOCK:
        return LOUPE_CAPTURE_BLOCK;
    case LOUPE_LAYOUT_BYREF:
        return LOUPE_CAPTURE_BYREF;
    case LOUPE_LAYOUT_WEAK:
        return LOUPE_CAPTURE_WEAK;
    case LOUPE_LAYOUT_UNRETAINED:
        return LOUPE_CAPTURE_UNRETAINED;
    case LOUPE_LAYOUT_BYTES:
    case LOUPE_LAYOUT_WORDS:
        return LOUPE_CAPTURE_DATA;
    case LOUPE_LAYOUT_RESERVED:
    case LOUPE_LAYOUT_OP_COUNT:
        break;
    }
    return LOUPE_CAPTURE_UNKNOWN;
}

bool loupe_claims_add_layout(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t start,
                             const struct loupe_layout *layout, uint8_t pointer_size) {
    for (uint32_t i = 0; i < layout->run_count; i++) {
        const struct loupe_layout_run *run = &layout->runs[i];
        enum loupe_capture_kind kind = kind_of_op(run->op);
        if (kind != LOUPE_CAPTURE_DATA && !loupe_claims_add_run(arena, claims, start + run->offset,
                                                                run->count, kind, pointer_size))
            return false;
    }
    return true;
}

bool loupe_claims_need_helpers(const struct loupe_claims *claims) {
    for (uint32_t i = 0; i < claims->count; i++) {
        enum loupe_capture_kind kind = claims->items[i].kind;
        if (loupe_capture_kind_owns(kind) || kind == LOUPE_CAPTURE_WEAK)
            return true;
    }
    return false;
}

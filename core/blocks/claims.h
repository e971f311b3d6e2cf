/*
 * claims.h - what one source says the words of a block are, as a list.
 */
#ifndef LOUPE_CLAIMS_H
#define LOUPE_CLAIMS_H

#include "blocks/block_layout.h"
#include "blocks/captures.h"

/* The word at an offset is of a kind. */
struct loupe_claim {
    uint32_t offset;
    enum loupe_capture_kind kind;
};

/* By ascending offset. */
struct loupe_claims {
    struct loupe_claim *items;
    uint32_t count, capacity;
};

/* All return false when there is no memory. */
bool loupe_claims_add(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t offset,
                      enum loupe_capture_kind kind);
/* Neighbouring words of one kind. */
bool loupe_claims_add_run(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t offset,
                          uint32_t count, enum loupe_capture_kind kind, uint8_t pointer_size);
/* Every word of a layout that is not data; start is where the layout starts. */
bool loupe_claims_add_layout(struct loupe_arena *arena, struct loupe_claims *claims, uint32_t start,
                             const struct loupe_layout *layout, uint8_t pointer_size);

/* One of them is of a kind that the compiler writes copy and destroy helpers for. */
bool loupe_claims_need_helpers(const struct loupe_claims *claims);

#endif

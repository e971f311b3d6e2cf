/*
 * capture_merge.h - one list of captures out of what several sources claim.
 *
 * A claim says what the word at an offset is. The sources are asked in the order of their numbers;
 * the first that claims a word is believed, and one that is known to err in a certain way (the
 * extended layout, capture_merge.c says how) only as far as the more trusted ones do not exclude
 * what it says. Bytes that nobody claims become data or unknown, depending on what the sources say
 * by not naming them.
 */
#ifndef LOUPE_CAPTURE_MERGE_H
#define LOUPE_CAPTURE_MERGE_H

#include "blocks/claims.h"

enum loupe_capture_source {
    LOUPE_SOURCE_SYMBOL,
    LOUPE_SOURCE_GENERIC,
    LOUPE_SOURCE_LAYOUT,
    LOUPE_SOURCE_COUNT
};

/* Where a C++ object lies: the symbol names its type and nothing inside. */
struct loupe_cxx_region {
    uint32_t start, end;
    struct loupe_span type;
};

struct loupe_merge_input {
    uint8_t pointer_size;
    uint32_t start, end; /* the bytes to cover; all claims lie inside */
    bool owns;           /* false: nothing is owned, whoever claims it */
    bool expects_claims; /* owns is false for a reason that makes claims of ownership normal */
    struct loupe_claims claims[LOUPE_SOURCE_COUNT];
    struct loupe_cxx_region *regions; /* ascending */
    uint32_t region_count, region_capacity;
    enum loupe_memory_mode mode;
    /* What is owned and not in the region of a C++ object, this source names. */
    bool symbol_names_all_owned;
    bool generic_names_all_owned;
    bool symbol_names_unretained; /* the same of objects that are not owned */
    uint32_t layout_end;          /* bytes from start to here are described by the layout */
    bool layout_may_miss_owned;   /* what it does not name may be owned all the same */
};

/* Takes in an extended layout, which starts at input->start. False: no memory. */
bool loupe_merge_input_add_layout(struct loupe_arena *arena, struct loupe_merge_input *input,
                                  const struct loupe_layout *layout);

/* Fills items and conflicts of *ret. LOUPE_ENOMEM or LOUPE_OK. */
enum loupe_status loupe_captures_merge(struct loupe_arena *arena,
                                       const struct loupe_merge_input *input,
                                       struct loupe_captures *ret);

#endif

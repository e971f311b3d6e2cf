/*
 * recorded_stacks.h - who allocated the blocks of a snapshot, where libloupe_record recorded that
 * (recorded/recorded.h): the stacks of blocks that live, each once, with names (snapshot/native.h).
 */
#ifndef LOUPE_HEAP_RECORDED_STACKS_H
#define LOUPE_HEAP_RECORDED_STACKS_H

#include "heap/allocators/blocks.h"
#include "heap/tables.h"
#include "recorded/recorded.h"

struct loupe_heap_stacks {
    struct loupe_recorded *recorded; /* NULL: there is no recorder, and nothing here */
    struct loupe_heap_tables *tables;
    struct loupe_vector of_blocks;   /* of uint32_t: call or LOUPE_NONE, by block */
    struct loupe_vector calls;       /* of struct loupe_recorded_call */
    struct loupe_vector frames;      /* of struct loupe_recorded_frame */
    struct loupe_vector recorder;    /* of struct loupe_recorder: one, or none */
    struct loupe_vector code;        /* of struct loupe_code_stretch, by address */
    struct loupe_map call_by_number; /* of the recorder */
    struct loupe_map frame_by_address;
};

void loupe_heap_stacks_init(struct loupe_heap_stacks *stacks, struct loupe_heap_tables *tables);
void loupe_heap_stacks_deinit(struct loupe_heap_stacks *stacks);

/* Of all blocks. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_stacks_take(struct loupe_heap_stacks *stacks,
                                         const struct loupe_blocks *blocks);

#endif

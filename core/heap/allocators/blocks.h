/*
 * blocks.h - the memory that allocators gave out: every block in use, and no other.
 *
 * Allocators are found in the target's memory by their own structures, with or without symbols, and
 * each is recognised by checks that only its structures pass. Its blocks are *exact* where its
 * tables agree with one another and with its own counts: then none is missing, and none was freed.
 * Where something does not add up, the allocator says so, and what could not be read is counted.
 *
 * An allocator that is known by name only has blocks that are *guessed*: the objects of the runtime
 * that stand in memory of nobody else's. They may be freed ones.
 *
 * Blocks are numbered from 0 by rising address, and do not overlap. A column has one plain array:
 * 12 bytes a block, and 12 bytes a KB of them for finding them.
 */
#ifndef LOUPE_HEAP_BLOCKS_H
#define LOUPE_HEAP_BLOCKS_H

#include "base/bits.h"
#include "base/target/target.h"
#include "scene/scene.h"

enum {
    LOUPE_MAX_BLOCKS = 1 << 26,
    LOUPE_CELL_SHIFT = 20, /* finding: memory in cells of 1 MB, a cell in grains of 1 KB, */
    LOUPE_GRAIN_SHIFT = 10,
    LOUPE_UNIT_SHIFT = 4, /* and a grain in units, in which one block may begin */
    LOUPE_WIDE_BLOCK = 16 << LOUPE_CELL_SHIFT,
    LOUPE_GRAINS = 1 << (LOUPE_CELL_SHIFT - LOUPE_GRAIN_SHIFT)
};

/* A heap of its own, with its own tables: an arena of glibc's, a zone of Apple's. */
struct loupe_allocator {
    const char *name;     /* as people know it: "glibc main arena"; in the target's arena */
    loupe_addr address;   /* of its tables; 0: not known */
    const char *doubt;    /* why its blocks are not exact, a phrase; NULL: they are */
    bool guessed;         /* its blocks are not by its tables: they are objects, freed or not */
    uint32_t blocks;      /* given out */
    uint64_t bytes;       /* that those have for their users */
    uint64_t free_blocks; /* as far as it counts them: given back, and not yet joined */
    uint64_t free_bytes;  /* that it could give out without more memory of the system's */
    uint64_t damaged;     /* places of its tables that make no sense: what they tell is left out */
    loupe_addr first_damaged; /* 0: none */
    uint32_t header; /* bytes before a block where what its own code calls the block begins */
};

/* A size that does not fit 32 bits; by rising block. */
struct loupe_large_block {
    uint32_t block;
    uint64_t size;
};
#define LOUPE_LARGE_BLOCK UINT32_MAX

/* From a block on, up to the next such place, all are of one allocator. */
struct loupe_block_owner {
    uint32_t first;
    uint32_t allocator;
};

/* A stretch of 1 << LOUPE_CELL_SHIFT bytes that blocks lie in. */
struct loupe_block_cell {
    uint32_t cell; /* address >> LOUPE_CELL_SHIFT, less that of the lowest block */
    uint32_t first,
        end;         /* the blocks that lie in it, with one that begins before; empty: no cell */
    uint32_t grains; /* its number among the tables of grains; LOUPE_NO_GRAINS: it has none */
};
#define LOUPE_NO_GRAINS UINT32_MAX

struct loupe_block_grain {
    uint32_t first;     /* the first block that begins in it or behind it */
    uint32_t begins[2]; /* set of units in which one begins, the lower ones first: 64 bits would
                           have the first number padded */
};

struct loupe_blocks {
    const struct loupe_chunk_ops *chunks;
    loupe_addr *starts; /* by block */
    uint32_t *sizes;    /* by block: bytes for the user; LOUPE_LARGE_BLOCK: look into `large` */
    uint32_t count;
    uint32_t large_count, owner_count;
    struct loupe_large_block *large;
    struct loupe_block_owner *owners;
    struct loupe_vector allocators; /* of struct loupe_allocator */
    struct loupe_ranges explained;  /* memory of allocators: given out, free, tables; joined */
    struct loupe_ranges tables;     /* of allocators, that keep nothing alive; joined */

    /* For loupe_blocks_find(). */
    loupe_addr lowest;              /* start of the first block */
    uint64_t extent;                /* bytes from there to the end of the last one */
    uint64_t first_cell;            /* the number of the cell of the lowest block */
    struct loupe_block_cell *cells; /* open addressing */
    uint32_t cell_bits;             /* 1 << cell_bits places; at least 1 */
    uint32_t table_count;
    struct loupe_block_grain *grains; /* LOUPE_GRAINS for each table */
    /* Blocks that have more than LOUPE_WIDE_BLOCK bytes; they are in the cell of their start alone.
     */
    uint32_t *wide;
    uint32_t wide_count;
};

/* Takes chunks until deinit; those stay the caller's. Empty until loupe_blocks_take(). */
void loupe_blocks_init(struct loupe_blocks *blocks, const struct loupe_chunk_ops *chunks);
void loupe_blocks_deinit(struct loupe_blocks *blocks);

/*
 * Finds the allocators of the target and all blocks they gave out. The scene was taken of a request
 * that names no roots; the runtime need not be known, but guessed blocks are only found where it
 * is. Damage is counted, never a failure. LOUPE_ENOMEM, LOUPE_ELIMIT (of the memory's budget, or
 * more than LOUPE_MAX_BLOCKS), LOUPE_ETIMEOUT; the blocks are empty then.
 */
enum loupe_status loupe_blocks_take(struct loupe_blocks *blocks, struct loupe_target *target,
                                    const struct loupe_scene *scene);

static inline const struct loupe_allocator *
loupe_blocks_allocator(const struct loupe_blocks *blocks, uint32_t number) {
    return loupe_vector_at(&blocks->allocators, number, sizeof(struct loupe_allocator));
}

/* The number of the allocator that gave a block out. log n steps. */
uint32_t loupe_blocks_owner(const struct loupe_blocks *blocks, uint32_t block);

uint64_t loupe_blocks_large_size(const struct loupe_blocks *blocks, uint32_t block);

/* Bytes that a user of the block may touch: at least as many as were asked for. */
static inline uint64_t loupe_blocks_size(const struct loupe_blocks *blocks, uint32_t block) {
    uint32_t size = blocks->sizes[block];
    return size == LOUPE_LARGE_BLOCK ? loupe_blocks_large_size(blocks, block) : size;
}

/* ---- Finding: here, because it is asked for every word of a heap ---- */

static inline uint32_t loupe_block_cell_place(uint32_t cell, uint32_t cell_bits) {
    return cell * 0x9e3779b1u >> (32 - cell_bits);
}

static inline bool loupe_blocks_holds(const struct loupe_blocks *blocks, uint32_t block,
                                      loupe_addr address) {
    return address >= blocks->starts[block] &&
           address - blocks->starts[block] < loupe_blocks_size(blocks, block);
}

/* Among the wide ones. */
bool loupe_blocks_find_wide(const struct loupe_blocks *blocks, loupe_addr address, uint32_t *ret);

/* The cell that an address lies in, or NULL. */
static inline const struct loupe_block_cell *loupe_blocks_cell(const struct loupe_blocks *blocks,
                                                               loupe_addr address) {
    uint32_t cell = (uint32_t)((address >> LOUPE_CELL_SHIFT) - blocks->first_cell);
    uint32_t last_place = (1u << blocks->cell_bits) - 1;
    uint32_t place = loupe_block_cell_place(cell, blocks->cell_bits);
    const struct loupe_block_cell *found = &blocks->cells[place];
    while (found->cell != cell && found->first != found->end)
        found = &blocks->cells[place = (place + 1) & last_place];
    return found->first != found->end ? found : NULL;
}

static inline const struct loupe_block_grain *
loupe_blocks_grain(const struct loupe_blocks *blocks, const struct loupe_block_cell *cell,
                   loupe_addr address) {
    return &blocks->grains[(size_t)cell->grains * LOUPE_GRAINS +
                           (address >> LOUPE_GRAIN_SHIFT & (LOUPE_GRAINS - 1))];
}

/* One more than the last block that begins in the unit of an address or before it. */
static inline uint32_t loupe_blocks_rank(const struct loupe_block_grain *grain,
                                         loupe_addr address) {
    uint64_t begins = (uint64_t)grain->begins[1] << 32 | grain->begins[0];
    return grain->first +
           loupe_count_bits(begins & UINT64_MAX >> (63 - (address >> LOUPE_UNIT_SHIFT & 63)));
}

/* Where a cell has no grains. */
uint32_t loupe_blocks_find_in_cell(const struct loupe_blocks *blocks,
                                   const struct loupe_block_cell *cell, loupe_addr address);

/* The cell that holds an address if any block does, wide ones aside; or NULL. */
static inline const struct loupe_block_cell *
loupe_blocks_cell_around(const struct loupe_blocks *blocks, loupe_addr address) {
    return address - blocks->lowest < blocks->extent ? loupe_blocks_cell(blocks, address) : NULL;
}

/* The block that has the address in it if any has; wide ones aside, and LOUPE_MAX_BLOCKS for none.
 * The cell is the one around the address. */
static inline uint32_t loupe_blocks_guess_in(const struct loupe_blocks *blocks,
                                             const struct loupe_block_cell *cell,
                                             loupe_addr address) {
    if (!cell)
        return LOUPE_MAX_BLOCKS;
    if (cell->grains == LOUPE_NO_GRAINS)
        return loupe_blocks_find_in_cell(blocks, cell, address);
    uint32_t rank = loupe_blocks_rank(loupe_blocks_grain(blocks, cell, address), address);
    return rank > cell->first ? rank - 1 : LOUPE_MAX_BLOCKS;
}

static inline uint32_t loupe_blocks_guess(const struct loupe_blocks *blocks, loupe_addr address) {
    return loupe_blocks_guess_in(blocks, loupe_blocks_cell_around(blocks, address), address);
}

/* Whether a guess is right; it may begin in the same unit, behind the address. */
static inline bool loupe_blocks_settle(const struct loupe_blocks *blocks, uint32_t guess,
                                       loupe_addr address, uint32_t *ret) {
    if (guess != LOUPE_MAX_BLOCKS) {
        *ret = guess;
        if (loupe_blocks_holds(blocks, guess, address))
            return true;
        if (guess && blocks->starts[guess] > address) {
            *ret = guess - 1;
            if (loupe_blocks_holds(blocks, guess - 1, address))
                return true;
        }
    }
    return blocks->wide_count && loupe_blocks_find_wide(blocks, address, ret);
}

/* The block that has the address in it, its first byte or any other. */
static inline bool loupe_blocks_find(const struct loupe_blocks *blocks, loupe_addr address,
                                     uint32_t *ret) {
    if (address - blocks->lowest >= blocks->extent)
        return false;
    return loupe_blocks_settle(blocks, loupe_blocks_guess(blocks, address), address, ret);
}

/* ---- In three steps, for whoever has many words to look up: each fetches what the next needs ----
 */

/* The cell around the address, or NULL. */
static inline const struct loupe_block_cell *loupe_blocks_await(const struct loupe_blocks *blocks,
                                                                loupe_addr address) {
    const struct loupe_block_cell *cell = loupe_blocks_cell_around(blocks, address);
    if (cell && cell->grains != LOUPE_NO_GRAINS)
        loupe_prefetch(loupe_blocks_grain(blocks, cell, address));
    return cell;
}

/* The guess. */
static inline uint32_t loupe_blocks_expect_in(const struct loupe_blocks *blocks,
                                              const struct loupe_block_cell *cell,
                                              loupe_addr address) {
    uint32_t guess = loupe_blocks_guess_in(blocks, cell, address);
    if (guess != LOUPE_MAX_BLOCKS) {
        loupe_prefetch(&blocks->starts[guess]);
        loupe_prefetch(&blocks->sizes[guess]);
    }
    return guess;
}

/* Both at once. */
static inline uint32_t loupe_blocks_expect(const struct loupe_blocks *blocks, loupe_addr address) {
    return loupe_blocks_expect_in(blocks, loupe_blocks_cell_around(blocks, address), address);
}

#endif

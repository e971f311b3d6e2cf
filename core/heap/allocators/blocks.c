#include "heap/allocators/blocks.h"

#include "base/sort.h"
#include "heap/allocators/allocation_scan.h"

#include <string.h>

void loupe_blocks_init(struct loupe_blocks *blocks, const struct loupe_chunk_ops *chunks) {
    *blocks = (struct loupe_blocks){.chunks = chunks};
    loupe_vector_init(&blocks->allocators, chunks, sizeof(struct loupe_allocator));
    loupe_ranges_init(&blocks->explained, chunks);
    loupe_ranges_init(&blocks->tables, chunks);
}

/* Arrays have room for one element more than is asked for: none is empty. */
static void *get_array(const struct loupe_chunk_ops *chunks, size_t count, size_t size) {
    void *array = loupe_chunk_get(chunks, (count + 1) * size);
    if (array)
        memset(array, 0, (count + 1) * size);
    return array;
}

static void put_array(const struct loupe_chunk_ops *chunks, void *array, size_t count,
                      size_t size) {
    loupe_chunk_put(chunks, array, (count + 1) * size);
}

void loupe_blocks_deinit(struct loupe_blocks *blocks) {
    const struct loupe_chunk_ops *chunks = blocks->chunks;
    put_array(chunks, blocks->starts, blocks->count, sizeof(*blocks->starts));
    put_array(chunks, blocks->sizes, blocks->count, sizeof(*blocks->sizes));
    put_array(chunks, blocks->large, blocks->large_count, sizeof(*blocks->large));
    put_array(chunks, blocks->owners, blocks->owner_count, sizeof(*blocks->owners));
    put_array(chunks, blocks->wide, blocks->wide_count, sizeof(*blocks->wide));
    put_array(chunks, blocks->cells, (size_t)1 << blocks->cell_bits, sizeof(*blocks->cells));
    put_array(chunks, blocks->grains, (size_t)blocks->table_count * LOUPE_GRAINS,
              sizeof(*blocks->grains));
    loupe_vector_deinit(&blocks->allocators);
    loupe_ranges_deinit(&blocks->explained);
    loupe_ranges_deinit(&blocks->tables);
    loupe_blocks_init(blocks, chunks);
}

/* ---- Asked of packed blocks ---- */

uint32_t loupe_blocks_owner(const struct loupe_blocks *blocks, uint32_t block) {
    uint32_t low = 0, high = blocks->owner_count - 1; /* the last that begins at it or before */
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (blocks->owners[middle].first <= block)
            low = middle;
        else
            high = middle - 1;
    }
    return blocks->owners[low].allocator;
}

uint64_t loupe_blocks_large_size(const struct loupe_blocks *blocks, uint32_t block) {
    uint32_t low = 0, high = blocks->large_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks->large[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return blocks->large[low].size;
}

uint32_t loupe_blocks_find_in_cell(const struct loupe_blocks *blocks,
                                   const struct loupe_block_cell *cell, loupe_addr address) {
    uint32_t low = cell->first, high = cell->end; /* the first that starts behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks->starts[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > cell->first ? low - 1 : LOUPE_MAX_BLOCKS;
}

bool loupe_blocks_find_wide(const struct loupe_blocks *blocks, loupe_addr address, uint32_t *ret) {
    uint32_t low = 0, high = blocks->wide_count; /* the first that starts behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks->starts[blocks->wide[middle]] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !loupe_blocks_holds(blocks, blocks->wide[low - 1], address))
        return false;
    *ret = blocks->wide[low - 1];
    return true;
}

/* ---- In order, without what was freed ---- */

static bool starts_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return ((const struct loupe_taken_block *)a)->start <
           ((const struct loupe_taken_block *)b)->start;
}

static bool is_lower(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    return *(const loupe_addr *)a < *(const loupe_addr *)b;
}

static struct loupe_taken_block *taken_at(const struct loupe_allocation_scan *scan,
                                          uint32_t index) {
    return loupe_vector_at(&scan->taken, index, sizeof(struct loupe_taken_block));
}

/* As most allocators tell theirs. */
static bool is_in_order(const struct loupe_allocation_scan *scan) {
    loupe_addr last = 0;
    for (uint32_t i = 0; i < scan->taken.count; i++) {
        loupe_addr start = taken_at(scan, i)->start;
        if (start < last)
            return false;
        last = start;
    }
    return true;
}

/* Whether an address is among sorted ones, the next of which is asked for with rising addresses. */
static bool is_next(const struct loupe_vector *addresses, uint32_t *next, loupe_addr address) {
    for (; *next < addresses->count; ++*next) {
        const loupe_addr *at = loupe_vector_at(addresses, *next, sizeof(*at));
        if (*at >= address)
            return *at == address;
    }
    return false;
}

/* Finding has 32 bits for cells, so that memory is at most 4 PB wide. */
static bool is_in_reach(const struct loupe_taken_block *block, loupe_addr lowest) {
    const uint64_t most = (uint64_t)UINT32_MAX << LOUPE_CELL_SHIFT;
    return block->start - lowest < most && block->size <= most - (block->start - lowest);
}

/* Keeps the blocks that are in use, at the front, and counts them for their allocators. */
static void keep_used(struct loupe_allocation_scan *scan) {
    uint32_t kept = 0, freed = 0, own = 0;
    loupe_addr end = 0, lowest = scan->taken.count ? taken_at(scan, 0)->start : 0;
    for (uint32_t i = 0; i < scan->taken.count; i++) {
        struct loupe_taken_block block = *taken_at(scan, i);
        struct loupe_allocator *allocator = loupe_allocation_scan_at(scan, block.allocator);
        if (is_next(&scan->own, &own, block.start))
            continue;
        if (is_next(&scan->freed, &freed, block.start)) {
            allocator->free_blocks++;
            allocator->free_bytes += block.size;
        } else if (!block.size || block.start < end || !is_in_reach(&block, lowest)) {
            loupe_allocation_scan_damage(scan, block.allocator, block.start, "allocations overlap");
        } else {
            *taken_at(scan, kept++) = block;
            allocator->blocks++;
            allocator->bytes += block.size;
            end = block.start + block.size;
        }
    }
    scan->taken.count = kept;
}

/* ---- Columns ---- */

static bool begins_owner(const struct loupe_allocation_scan *scan, uint32_t index) {
    return !index || taken_at(scan, index)->allocator != taken_at(scan, index - 1)->allocator;
}

static bool make_columns(struct loupe_blocks *blocks, const struct loupe_allocation_scan *scan) {
    const struct loupe_chunk_ops *chunks = blocks->chunks;
    blocks->count = scan->taken.count;
    for (uint32_t i = 0; i < scan->taken.count; i++) {
        blocks->large_count += taken_at(scan, i)->size >= LOUPE_LARGE_BLOCK;
        blocks->wide_count += taken_at(scan, i)->size > LOUPE_WIDE_BLOCK;
        blocks->owner_count += begins_owner(scan, i);
    }
    blocks->starts = get_array(chunks, blocks->count, sizeof(*blocks->starts));
    blocks->sizes = get_array(chunks, blocks->count, sizeof(*blocks->sizes));
    blocks->large = get_array(chunks, blocks->large_count, sizeof(*blocks->large));
    blocks->wide = get_array(chunks, blocks->wide_count, sizeof(*blocks->wide));
    blocks->owners = get_array(chunks, blocks->owner_count, sizeof(*blocks->owners));
    return blocks->starts && blocks->sizes && blocks->large && blocks->wide && blocks->owners;
}

static void fill_columns(struct loupe_blocks *blocks, const struct loupe_allocation_scan *scan) {
    uint32_t large = 0, wide = 0, owner = 0;
    for (uint32_t i = 0; i < scan->taken.count; i++) {
        const struct loupe_taken_block *block = taken_at(scan, i);
        bool is_large = block->size >= LOUPE_LARGE_BLOCK;
        blocks->starts[i] = block->start;
        blocks->sizes[i] = is_large ? LOUPE_LARGE_BLOCK : (uint32_t)block->size;
        if (is_large)
            blocks->large[large++] = (struct loupe_large_block){.block = i, .size = block->size};
        if (block->size > LOUPE_WIDE_BLOCK)
            blocks->wide[wide++] = i;
        if (begins_owner(scan, i))
            blocks->owners[owner++] =
                (struct loupe_block_owner){.first = i, .allocator = block->allocator};
    }
}

/* ---- Finding ---- */

enum { FEW_BLOCKS = 8 /* of a cell: they are found without grains */ };

static uint64_t end_of(const struct loupe_blocks *blocks, uint32_t block) {
    return blocks->starts[block] + loupe_blocks_size(blocks, block);
}

/* The last cell that a block is in for finding. */
static uint64_t last_cell_of(const struct loupe_blocks *blocks, uint32_t block) {
    bool is_wide = loupe_blocks_size(blocks, block) > LOUPE_WIDE_BLOCK;
    return ((is_wide ? blocks->starts[block] : end_of(blocks, block) - 1) >> LOUPE_CELL_SHIFT) -
           blocks->first_cell;
}

/* One cell after the other, by rising address. */
struct cells {
    const struct loupe_blocks *blocks;
    uint32_t next;  /* the first block that begins behind the cell */
    uint64_t after; /* one more than the number of the cell */
    struct loupe_block_cell at;
};

static bool next_cell(struct cells *cells) {
    const struct loupe_blocks *blocks = cells->blocks;
    uint32_t last = cells->next - 1; /* only if there is one */
    uint64_t cell = cells->after;
    bool goes_on = cells->next && last_cell_of(blocks, last) >= cell;
    if (!goes_on && cells->next == blocks->count)
        return false;
    if (!goes_on)
        cell = (blocks->starts[cells->next] >> LOUPE_CELL_SHIFT) - blocks->first_cell;
    cells->at = (struct loupe_block_cell){
        .cell = (uint32_t)cell, .first = goes_on ? last : cells->next, .grains = LOUPE_NO_GRAINS};
    /* Cap: the number of a cell, not a bound. */
    while (cells->next < blocks->count &&
           (blocks->starts[cells->next] >> LOUPE_CELL_SHIFT) - blocks->first_cell == cell)
        cells->next++;
    cells->at.end = cells->next;
    cells->after = cell + 1;
    return true;
}

/* The unit that a block begins in, of all memory. */
static uint64_t unit_of(const struct loupe_blocks *blocks, uint32_t block) {
    return blocks->starts[block] >> LOUPE_UNIT_SHIFT;
}

/* Many blocks, no two of which begin in the same unit: no allocator gives out less. */
static bool needs_grains(const struct loupe_blocks *blocks, const struct loupe_block_cell *cell) {
    if (cell->end - cell->first <= FEW_BLOCKS)
        return false;
    for (uint32_t block = cell->first + 1; block < cell->end; block++)
        if (unit_of(blocks, block) == unit_of(blocks, block - 1))
            return false;
    return true;
}

static void fill_grains(const struct loupe_blocks *blocks, const struct loupe_block_cell *cell) {
    struct loupe_block_grain *grain = blocks->grains + (size_t)cell->grains * LOUPE_GRAINS;
    loupe_addr start = (blocks->first_cell + cell->cell) << LOUPE_CELL_SHIFT;
    uint32_t block = cell->first + (blocks->starts[cell->first] < start);
    /* Cap: all of a cell. */
    for (uint32_t i = 0; i < LOUPE_GRAINS; i++, grain++) {
        uint64_t end = (start >> LOUPE_UNIT_SHIFT) + 64 * ((uint64_t)i + 1);
        *grain = (struct loupe_block_grain){.first = block};
        for (; block < cell->end && unit_of(blocks, block) < end; block++)
            grain->begins[unit_of(blocks, block) >> 5 & 1] |= 1u << (unit_of(blocks, block) & 31);
    }
}

static void put_cell(struct loupe_blocks *blocks, struct loupe_block_cell cell) {
    uint32_t place = loupe_block_cell_place(cell.cell, blocks->cell_bits);
    while (blocks->cells[place].first != blocks->cells[place].end)
        place = (place + 1) & ((1u << blocks->cell_bits) - 1);
    blocks->cells[place] = cell;
}

static enum loupe_status make_findable(struct loupe_blocks *blocks) {
    uint32_t count = 0, tables = 0;
    if (!blocks->count)
        return LOUPE_OK;
    blocks->first_cell = blocks->starts[0] >> LOUPE_CELL_SHIFT;
    for (struct cells cells = {.blocks = blocks}; next_cell(&cells); count++)
        tables += needs_grains(blocks, &cells.at);
    for (blocks->cell_bits = 1; (uint64_t)1 << blocks->cell_bits < 2 * (uint64_t)count;)
        blocks->cell_bits++;
    blocks->table_count = tables;
    blocks->cells =
        get_array(blocks->chunks, (size_t)1 << blocks->cell_bits, sizeof(*blocks->cells));
    blocks->grains =
        get_array(blocks->chunks, (size_t)tables * LOUPE_GRAINS, sizeof(*blocks->grains));
    if (!blocks->cells || !blocks->grains)
        return LOUPE_ENOMEM;
    tables = 0;
    for (struct cells cells = {.blocks = blocks}; next_cell(&cells);) {
        if (needs_grains(blocks, &cells.at)) {
            cells.at.grains = tables++;
            fill_grains(blocks, &cells.at);
        }
        put_cell(blocks, cells.at);
    }
    blocks->lowest = blocks->starts[0];
    blocks->extent = end_of(blocks, blocks->count - 1) - blocks->lowest;
    return LOUPE_OK;
}

enum loupe_status loupe_blocks_pack(struct loupe_blocks *blocks,
                                    struct loupe_allocation_scan *scan) {
    if (!is_in_order(scan))
        loupe_vector_sort(&scan->taken, starts_before, NULL);
    loupe_vector_sort(&scan->freed, is_lower, NULL);
    loupe_vector_sort(&scan->own, is_lower, NULL);
    keep_used(scan);
    if (!make_columns(blocks, scan))
        return LOUPE_ENOMEM;
    fill_columns(blocks, scan);
    return make_findable(blocks);
}

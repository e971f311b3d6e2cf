#include "base/target/pieces.h"

#include <string.h>

enum {
    PAGES_PER_PIECE = LOUPE_PIECE_SIZE / LOUPE_PAGE_SIZE,
    PIECES_PER_CELL = LOUPE_CELL_SIZE / LOUPE_PIECE_SIZE,
    WORD_BITS = 64
};

_Static_assert(PAGES_PER_PIECE == 16, "the page sets of a piece are uint16_t");

struct loupe_cell {
    loupe_addr start;
    uint8_t *room;    /* LOUPE_CELL_SIZE bytes once there are enough pieces, else NULL */
    uint32_t fetched; /* pieces, each page of them */
    /* Bit i: the i-th piece was added; it stands in the room and is readable throughout. */
    uint64_t added[PIECES_PER_CELL / WORD_BITS];
    uint64_t whole[PIECES_PER_CELL / WORD_BITS];
};

/* ---- Life ---- */

void loupe_pieces_init(struct loupe_pieces *pieces, const struct loupe_chunk_ops *chunks) {
    *pieces = (struct loupe_pieces){0};
    loupe_arena_init(&pieces->arena, chunks);
    loupe_map_init(&pieces->index, chunks);
    loupe_map_init(&pieces->cell_index, chunks);
}

void loupe_pieces_deinit(struct loupe_pieces *pieces) {
    for (uint32_t i = 0; i < pieces->cell_count; i++)
        loupe_chunk_put(pieces->arena.chunks, pieces->cells[i].room, LOUPE_CELL_SIZE);
    loupe_map_deinit(&pieces->cell_index);
    loupe_map_deinit(&pieces->index);
    loupe_arena_deinit(&pieces->arena);
}

/* ---- Cells ---- */

static struct loupe_cell *find_cell(const struct loupe_pieces *pieces, loupe_addr addr) {
    uint32_t number;
    bool known = loupe_map_find(&pieces->cell_index, addr / LOUPE_CELL_SIZE, &number);
    return known ? &pieces->cells[number] : NULL;
}

static struct loupe_cell *find_or_add_cell(struct loupe_pieces *pieces, loupe_addr addr) {
    struct loupe_cell *cell = find_cell(pieces, addr);
    if (cell)
        return cell;
    struct loupe_cell *cells = loupe_arena_grow(&pieces->arena, pieces->cells, pieces->cell_count,
                                                &pieces->cell_capacity, sizeof(*cells));
    if (!cells)
        return NULL;
    pieces->cells = cells;
    cell = &cells[pieces->cell_count];
    *cell = (struct loupe_cell){.start = addr / LOUPE_CELL_SIZE * LOUPE_CELL_SIZE};
    if (loupe_map_put(&pieces->cell_index, addr / LOUPE_CELL_SIZE, pieces->cell_count))
        return NULL;
    pieces->cell_count++;
    return cell;
}

static uint32_t number_in_cell(loupe_addr addr) {
    return (uint32_t)(addr % LOUPE_CELL_SIZE / LOUPE_PIECE_SIZE);
}

static void set_whole(struct loupe_cell *cell, uint32_t i, const struct loupe_piece *piece) {
    if (piece->readable == LOUPE_ALL_PAGES)
        cell->whole[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
}

/* Without memory for it the pieces stay where they are. */
static void put_together(struct loupe_pieces *pieces, struct loupe_cell *cell) {
    cell->room = loupe_chunk_get(pieces->arena.chunks, LOUPE_CELL_SIZE);
    for (uint32_t i = 0; cell->room && i < PIECES_PER_CELL; i++) {
        loupe_addr offset = (loupe_addr)i * LOUPE_PIECE_SIZE;
        struct loupe_piece *piece = loupe_pieces_find(pieces, cell->start + offset);
        if (!piece)
            continue;
        memcpy(cell->room + offset, piece->bytes, LOUPE_PIECE_SIZE);
        piece->bytes = cell->room + offset;
        set_whole(cell, i, piece);
    }
}

/* ---- Pieces ---- */

struct loupe_piece *loupe_pieces_find(const struct loupe_pieces *pieces, loupe_addr addr) {
    uint32_t number;
    bool known = loupe_map_find(&pieces->index, addr / LOUPE_PIECE_SIZE, &number);
    return known ? pieces->items[number] : NULL;
}

uint8_t *loupe_pieces_room(struct loupe_pieces *pieces, loupe_addr addr, uint32_t count) {
    struct loupe_cell *cell = find_or_add_cell(pieces, addr);
    if (!cell)
        return NULL;
    if (!cell->room && cell->fetched >= LOUPE_DENSE_CELL / LOUPE_PIECE_SIZE)
        put_together(pieces, cell);
    if (cell->room)
        return cell->room + (addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE - cell->start);
    return loupe_arena_alloc_array(&pieces->arena, count, LOUPE_PIECE_SIZE);
}

static bool make_room_for_one(struct loupe_pieces *pieces) {
    struct loupe_piece **larger = loupe_arena_grow(&pieces->arena, pieces->items, pieces->count,
                                                   &pieces->capacity, sizeof(*larger));
    if (larger)
        pieces->items = larger;
    return larger != NULL;
}

enum loupe_status loupe_pieces_add(struct loupe_pieces *pieces, loupe_addr addr,
                                   const struct loupe_piece *piece) {
    struct loupe_cell *cell = find_cell(pieces, addr);
    struct loupe_piece *copy = loupe_arena_alloc(&pieces->arena, sizeof(*copy));
    if (!copy || !make_room_for_one(pieces))
        return LOUPE_ENOMEM;
    *copy = *piece;
    pieces->items[pieces->count] = copy;
    enum loupe_status status =
        loupe_map_put(&pieces->index, addr / LOUPE_PIECE_SIZE, pieces->count);
    if (status)
        return status;
    pieces->count++;
    uint32_t i = number_in_cell(addr);
    cell->fetched += piece->readable == LOUPE_ALL_PAGES;
    cell->added[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
    if (cell->room)
        set_whole(cell, i, piece);
    return LOUPE_OK;
}

void loupe_pieces_filled(struct loupe_pieces *pieces, loupe_addr addr,
                         const struct loupe_piece *piece) {
    struct loupe_cell *cell = find_cell(pieces, addr);
    cell->fetched += piece->readable == LOUPE_ALL_PAGES;
    if (cell->room)
        set_whole(cell, number_in_cell(addr), piece);
}

uint32_t loupe_pieces_count(const struct loupe_pieces *pieces, loupe_addr addr, loupe_addr last) {
    const struct loupe_cell *cell = find_cell(pieces, addr);
    uint32_t first = number_in_cell(addr), end = number_in_cell(last) + 1, count = 0;
    for (uint32_t word = first / WORD_BITS; cell && word * WORD_BITS < end; word++) {
        uint64_t bits = cell->added[word];
        if (word == first / WORD_BITS)
            bits &= UINT64_MAX << first % WORD_BITS;
        if (end - word * WORD_BITS < WORD_BITS)
            bits &= (UINT64_C(1) << end % WORD_BITS) - 1;
        for (; bits; bits &= bits - 1)
            count++;
    }
    return count;
}

/* ---- Windows ---- */

/* The first piece after i that is not whole, and the last one before it. Piece i is whole. */
static int whole_until(const struct loupe_cell *cell, int i) {
    int word = i / WORD_BITS;
    uint64_t others = ~cell->whole[word] & UINT64_MAX << i % WORD_BITS;
    while (!others && ++word < PIECES_PER_CELL / WORD_BITS)
        others = ~cell->whole[word];
    return others ? word * WORD_BITS + __builtin_ctzll(others) : PIECES_PER_CELL;
}

static int whole_after(const struct loupe_cell *cell, int i) {
    int word = i / WORD_BITS;
    uint64_t others = ~cell->whole[word] & UINT64_MAX >> (WORD_BITS - 1 - i % WORD_BITS);
    while (!others && --word >= 0)
        others = ~cell->whole[word];
    return others ? word * WORD_BITS + WORD_BITS - 1 - __builtin_clzll(others) : -1;
}

static bool is_whole(const struct loupe_cell *cell, int i) {
    return cell->whole[i / WORD_BITS] >> i % WORD_BITS & 1;
}

struct loupe_window loupe_pieces_window(const struct loupe_pieces *pieces, loupe_addr addr,
                                        const struct loupe_piece *piece) {
    size_t unit = piece->readable == LOUPE_ALL_PAGES ? LOUPE_PIECE_SIZE : LOUPE_PAGE_SIZE;
    loupe_addr start = addr / unit * unit;
    struct loupe_window window = {
        .start = start, .end = start + unit, .bytes = piece->bytes + start % LOUPE_PIECE_SIZE};
    const struct loupe_cell *cell = find_cell(pieces, addr);
    int i = (int)number_in_cell(addr);
    if (!is_whole(cell, i))
        return window;
    window.start = cell->start + (loupe_addr)(whole_after(cell, i) + 1) * LOUPE_PIECE_SIZE;
    window.end = cell->start + (loupe_addr)whole_until(cell, i) * LOUPE_PIECE_SIZE;
    window.bytes = cell->room + (window.start - cell->start);
    return window;
}

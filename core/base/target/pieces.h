/*
 * pieces.h - the target memory that was fetched, by address.
 *
 * It is kept in aligned pieces. A *cell* is a much larger aligned stretch: once a good part of one
 * was fetched, its pieces move to where they would stand in the target, in room for the whole cell
 * (which the host's system commits when it is touched), and what lies side by side can be looked at
 * in one window. Questions that read little never come to that.
 */
#ifndef LOUPE_PIECES_H
#define LOUPE_PIECES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"

enum {
    LOUPE_PAGE_SIZE = 4096,
    LOUPE_PIECE_SIZE = 64 * 1024,       /* aligned; what one miss asks of the reader at first */
    LOUPE_CELL_SIZE = 64 * 1024 * 1024, /* aligned */
    LOUPE_DENSE_CELL = 2 * 1024 * 1024  /* fetched of a cell when its pieces are put together */
};

/* Readable target memory [start, end) that the host can look at in place. */
struct loupe_window {
    loupe_addr start;
    loupe_addr end;
    const uint8_t *bytes; /* of start */
};

/* One stretch of LOUPE_PIECE_SIZE. Bit i of the sets speaks of its i-th page. */
struct loupe_piece {
    uint8_t *bytes; /* those of readable pages are filled */
    uint16_t tried;
    uint16_t readable;
    bool has_holes; /* as far as a read of several pages has failed */
};

enum { LOUPE_ALL_PAGES = 0xffff };

struct loupe_pieces {
    struct loupe_arena arena; /* the pieces, and the bytes of those that are in no cell's room */
    struct loupe_map index;   /* addr / LOUPE_PIECE_SIZE -> number of the piece */
    struct loupe_piece **items;
    uint32_t count, capacity;
    struct loupe_map cell_index; /* addr / LOUPE_CELL_SIZE -> number of the cell */
    struct loupe_cell *cells;
    uint32_t cell_count, cell_capacity;
};

/* chunks stay the caller's and must outlive the pieces. */
void loupe_pieces_init(struct loupe_pieces *pieces, const struct loupe_chunk_ops *chunks);
void loupe_pieces_deinit(struct loupe_pieces *pieces);

/* The piece of an address, NULL when it was not added. Valid until deinit, its bytes until the next
 * add. */
struct loupe_piece *loupe_pieces_find(const struct loupe_pieces *pieces, loupe_addr addr);

/*
 * Room for the bytes of count pieces side by side, the first one being that of addr; none of them
 * was added yet and all lie in one cell. Uninitialized. NULL: no memory.
 */
uint8_t *loupe_pieces_room(struct loupe_pieces *pieces, loupe_addr addr, uint32_t count);

/* Adds the piece of addr, whose bytes stand in what room() returned for it. */
enum loupe_status loupe_pieces_add(struct loupe_pieces *pieces, loupe_addr addr,
                                   const struct loupe_piece *piece);

/* To be told when pages of an added piece have become readable. */
void loupe_pieces_filled(struct loupe_pieces *pieces, loupe_addr addr,
                         const struct loupe_piece *piece);

/* How many pieces of [addr, last], which lies in one cell, were added. */
uint32_t loupe_pieces_count(const struct loupe_pieces *pieces, loupe_addr addr, loupe_addr last);

/* As much readable memory as is known to be at hand around an address of a readable page. */
struct loupe_window loupe_pieces_window(const struct loupe_pieces *pieces, loupe_addr addr,
                                        const struct loupe_piece *piece);

#endif

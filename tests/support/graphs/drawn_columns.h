/*
 * drawn_columns.h - whole heaps that a test draws, as the columns that analyses take.
 *
 *     >A       A is a root         A->B   a strong link     A~>B   a weak one
 *     A^>B     B is A's class      A*>B   a known matter of a library
 *     A=24     A has 24 bytes, else 1
 *
 * Nodes are numbered as they are named first, the links of a node stand in the order in which they
 * are drawn. A picture that cannot be read ends the test program.
 */
#ifndef LOUPE_TESTS_DRAWN_COLUMNS_H
#define LOUPE_TESTS_DRAWN_COLUMNS_H

#include "analysis/columns.h"

struct drawn_link {
    uint32_t from, to;
    uint8_t kind;
};

struct drawn_columns {
    struct loupe_columns columns; /* after drawn_columns_build() */
    char (*names)[16];            /* of drawn nodes; numbered ones have none */
    struct drawn_link *links;
    uint32_t *roots, *sizes;
    uint32_t nodes, link_count, root_count;
    uint32_t node_capacity, link_capacity, root_capacity;
};

void drawn_columns_init(struct drawn_columns *drawn);
void drawn_columns_deinit(struct drawn_columns *drawn);
/* Forgets the drawing and keeps its memory. */
void drawn_columns_clear(struct drawn_columns *drawn);

void drawn_columns_draw(struct drawn_columns *drawn, const char *picture);
/* Nodes without a name, of one byte; the number of the first. */
uint32_t drawn_columns_add_nodes(struct drawn_columns *drawn, uint32_t count);
void drawn_columns_link(struct drawn_columns *drawn, uint32_t from, uint32_t to,
                        enum loupe_link_kind kind);
void drawn_columns_root(struct drawn_columns *drawn, uint32_t node);

/* Makes ->columns of the drawing, which may go on and be built again. */
void drawn_columns_build(struct drawn_columns *drawn);

/* The node of a name. */
uint32_t drawn_columns_node(const struct drawn_columns *drawn, const char *name);

/*
 * A random drawing of 1 to max_nodes nodes: parallel links, links to oneself, some weak ones, roots
 * that others lead to, nodes that none does.
 */
void drawn_columns_random(struct drawn_columns *drawn, uint64_t *random, uint32_t max_nodes);

#endif

/*
 * made_block.h - a block made by hand with one capture, so that a test can choose its helpers.
 */
#ifndef LOUPE_TESTS_HELPER_MADE_BLOCK_H
#define LOUPE_TESTS_HELPER_MADE_BLOCK_H

struct made_block {
    void *isa;
    unsigned flags;
    int reserved;
    void (*invoke)(void *);
    const struct {
        unsigned long reserved, size;
        void (*copy)(void *, const void *);
        void (*dispose)(void *);
    } * descriptor;
    const void *captured;
};

extern void *_NSConcreteMallocBlock[];

#endif

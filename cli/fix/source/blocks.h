/*
 * blocks.h - a block in a source: found by the line in which it begins, with the function and the
 * statement that it stands in.
 *
 * Only a block that stands alone in its line and directly in a function or method is found: the
 * brackets around it are followed, and nothing of what a compiler knows.
 */
#ifndef LOUPE_CLI_FIX_BLOCKS_H
#define LOUPE_CLI_FIX_BLOCKS_H

#include "fix/source/source_tree.h"

/* Tokens of a file. */
struct fix_block {
    const struct fix_file *file;
    uint32_t head;               /* where the header of the function begins, as far as it has one */
    uint32_t body, body_end;     /* of the function: its braces */
    uint32_t statement;          /* the first of that which the block is in */
    uint32_t caret, open, close; /* the ^, and the braces of the block */
    struct loupe_span class_name; /* of a method, else empty */
};

/*
 * The one block that begins in such a line of the file, in a function whose name is as debug
 * information has it: "-[Class selector:]", "function". False: what is in the way.
 */
bool fix_find_block(const struct fix_file *file, uint64_t line, struct loupe_span function,
                    struct fix_block *ret, struct fix_reason *reason);

/* Whether a block begins at a ^; then the token of its brace. */
bool fix_begins_block(const struct fix_source *source, uint32_t caret, uint32_t *ret_open);

/* The - or + that the header of a method begins with, whose brace it is; 0: it is no method's. */
uint32_t fix_sign_before(const struct fix_source *source, uint32_t body);

/* Whether nothing but blanks stands before a token in its line; then those blanks. */
bool fix_begins_line(const struct fix_source *source, uint32_t token,
                     struct loupe_span *ret_blanks);

#endif

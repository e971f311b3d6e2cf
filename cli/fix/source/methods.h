/*
 * methods.h - methods of a source: their selectors, as they are written in headers and at their
 * code.
 */
#ifndef LOUPE_CLI_FIX_METHODS_H
#define LOUPE_CLI_FIX_METHODS_H

#include "fix/source/tokens.h"

enum { FIX_LONGEST_NAME = 512 };

/* A name that is put together; no NUL at its end. */
struct fix_name {
    char bytes[FIX_LONGEST_NAME];
    size_t length;
    bool is_cut;
};

void fix_add_to_name(struct fix_name *name, struct loupe_span text);

/* The selector of the method whose header begins behind its - or + and ends before such a token: a
 * brace, a semicolon. False: it is no header. */
bool fix_read_selector(const struct fix_source *source, uint32_t at, uint32_t end,
                       struct fix_name *ret);

#endif

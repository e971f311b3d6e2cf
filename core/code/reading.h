/*
 * reading.h - which offsets of a structure, and which places, some code of the target may touch.
 *
 * Code is read from a function's beginning along its branches, jumps and calls of functions that it
 * names, so a static function of the same library is read, too; what other libraries do is not
 * known, and where code calls by a register it goes on. An answer is for certain only that
 * something is not touched: any access at the offset by any register but the stack's counts, and
 * where an instruction is not known, the code is too long or goes on by a table, everything may be
 * touched.
 */
#ifndef LOUPE_CODE_READING_H
#define LOUPE_CODE_READING_H

#include "base/map.h"
#include "base/target/memory.h"
#include "base/vector.h"

enum { LOUPE_MOST_INSTRUCTIONS = 1 << 12 /* of one reading */ };

struct loupe_code_reading {
    struct loupe_memory *memory;
    struct loupe_vector todo;       /* of loupe_addr: code to be read */
    struct loupe_map begun;         /* addresses of instructions that were read or are to be */
    struct loupe_vector accesses;   /* of struct code_access, reading.c's own */
    struct loupe_vector pages;      /* of struct code_page, reading.c's own */
    struct loupe_vector functions;  /* of loupe_addr: that the code calls or goes on with */
    struct loupe_vector places;     /* of loupe_addr: that the code tells */
    struct loupe_vector references; /* of loupe_addr: those, and what it may reach from them */
    struct loupe_map referred, steps;
    uint32_t stepped; /* places that all steps were added to */
    uint32_t instructions;
    bool is_uncertain; /* everything may be touched */
    bool has_index;    /* it adds registers: where to, does not show */
    bool is_scaled;    /* it goes through arrays, and perhaps jumps by one */
    enum loupe_status status;
};

void loupe_code_reading_init(struct loupe_code_reading *reading, struct loupe_memory *memory,
                             const struct loupe_chunk_ops *chunks);
void loupe_code_reading_deinit(struct loupe_code_reading *reading);

/* Reads a function, if it was not read before. Only LOUPE_ENOMEM is a failure. */
enum loupe_status loupe_code_reading_follow(struct loupe_code_reading *reading, loupe_addr code);

/*
 * Whether what was read may touch the bytes at an offset of a structure. has_variable: code of this
 * structure finds the offset in a variable, which is one of the references if it is touched, or has
 * it as a number; so registers that are added are not taken for it.
 */
bool loupe_code_reading_may_touch(const struct loupe_code_reading *reading, uint32_t offset,
                                  uint32_t size, bool has_variable);

/* Whether what was read has an access to just these bytes behind any register but the stack's. */
bool loupe_code_reading_has_access(const struct loupe_code_reading *reading, int64_t displacement,
                                   uint32_t width);

#endif

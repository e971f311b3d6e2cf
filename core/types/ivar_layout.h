/*
 * ivar_layout.h - the strings that tell which words of an object hold object pointers.
 *
 * A class has one for its strong ivars and one for its weak ones. Each byte says "skip high nibble
 * words, then low nibble words hold objects"; a NUL ends the string. A layout covers the class's
 * own ivars only, not those of its superclass, and word 0 is the first word boundary at or after
 * the class's instanceStart (objc4-818 objc-class.mm, isScanned and alignedInstanceStart).
 */
#ifndef LOUPE_IVAR_LAYOUT_H
#define LOUPE_IVAR_LAYOUT_H

#include "base/target/memory.h"
#include "base/status.h"
#include "base/text.h"

/* A longer layout is cut; its words would fill an object of eight megabytes. */
enum { LOUPE_IVAR_LAYOUT_MAX_BYTES = 64 * 1024 };

/* count words from the word numbered first; count > 0. */
struct loupe_word_run {
    uint32_t first;
    uint32_t count;
};

struct loupe_ivar_layout_cursor {
    struct loupe_span bytes;     /* where the string is at hand */
    struct loupe_memory *memory; /* else */
    loupe_addr address;
    uint32_t at;   /* bytes decoded */
    uint32_t word; /* the next word that is not yet described */
    struct loupe_word_run pending;
    enum loupe_status status; /* why the walk ended: see loupe_ivar_layout_next() */
};

/* The first word boundary at or after instance_start, as an offset from the object's start. */
uint32_t loupe_ivar_layout_base(uint32_t instance_start, uint8_t pointer_size);

/* Over bytes at hand: the layout ends at a NUL or where they end. They outlive the cursor. */
void loupe_ivar_layout_begin(struct loupe_ivar_layout_cursor *cursor, struct loupe_span bytes);
/* Over the target's memory. The caller has checked that there is a layout (address != 0). */
void loupe_ivar_layout_begin_at(struct loupe_ivar_layout_cursor *cursor,
                                struct loupe_memory *memory, loupe_addr address);

/*
 * The next run of words that hold objects, in ascending order; runs never touch each other. False
 * at the end, where cursor->status says LOUPE_OK, a failure to read, or LOUPE_ELIMIT when there is
 * no NUL within the limit: the runs so far are right, but there may be more.
 */
bool loupe_ivar_layout_next(struct loupe_ivar_layout_cursor *cursor, struct loupe_word_run *ret);

#endif

/*
 * rows.h - rules in 24 bytes, as nearly all functions have them, and a cache of them by place.
 *
 * The cache is of this process and of static memory. Any number of threads and signal handlers may
 * use it at once, without a lock: an entry that two of them write at a time is none. It forgets
 * what it has no room for.
 */
#ifndef LOUPE_STACKS_ROWS_H
#define LOUPE_STACKS_ROWS_H

#include "tables/unwind_rules.h"

enum { LOUPE_ROW_SAVED = 12 };

enum loupe_row_kind {
    LOUPE_ROW_NONE,      /* the tables say nothing of the place */
    LOUPE_ROW_USUAL,     /* all is below */
    LOUPE_ROW_OUTERMOST, /* there is no caller */
    LOUPE_ROW_OTHER      /* the rules need more room */
};

struct loupe_row {
    uint8_t kind, base; /* the frame's address is that register + offset */
    int32_t offset;
    /* Words from the frame's address to where each preserved register is, in the order of
     * loupe_row_registers(); 0: it keeps its value. */
    int8_t saved[LOUPE_ROW_SAVED];
    int8_t return_address; /* the same for it; 0: it is in the link register */
};

/* The preserved registers of a machine, *count_ret of them. */
const uint8_t *loupe_row_registers(const struct loupe_frame_machine *machine, unsigned *count_ret);

/* Rules as a row; LOUPE_ROW_OTHER where that is not possible. */
struct loupe_row loupe_row_of(const struct loupe_frame_machine *machine,
                              const struct loupe_unwind_rules *rules);

bool loupe_row_recall(loupe_addr place, struct loupe_row *ret);
void loupe_row_remember(loupe_addr place, const struct loupe_row *row);
/* Forgets all of them. */
void loupe_rows_forget(void);
/* Another number after each time they were forgotten; never 0. */
uint64_t loupe_rows_generation(void);

#endif

/*
 * progress.h - what is being done, on a terminal, while it takes long: one line that is written
 * over.
 *
 * Nothing is shown in the first second, and then not more than some times a second. Phases that
 * cannot say how far they are are shown too, by a thread of ours that looks at the clock: none is
 * silent. There is one question at a time, and one line.
 */
#ifndef LOUPE_CLI_PROGRESS_H
#define LOUPE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* "reading", "a.hprof". The phase before, if any, is over. Both stay valid until progress_end(). */
void progress_begin(const char *what, const char *name);
/* How much of the phase is done; of 0: bytes of what nobody knows the end of. */
void progress_at(uint64_t done, uint64_t of);
/* The line goes. */
void progress_end(void);

/* ---- What it is made of, with a clock and a terminal of whoever tries it ---- */

struct progress {
    const char *what, *name; /* what NULL: nothing goes on */
    uint64_t done, of;
    uint64_t began, shown; /* by the clock; shown 0: not yet */
    bool is_there;         /* the line */
    uint64_t (*now)(void); /* milliseconds */
    FILE *terminal;
};

/* Writes the line where it is time for it. */
void progress_look(struct progress *progress);
void progress_clear(struct progress *progress);

#endif

/*
 * recorder.h - what is told of blocks that an allocator gave out or takes back, wherever that was
 * seen: by functions in its place (malloc_linux.c) or by its own notices (malloc_darwin.c).
 *
 * Safe in signal handlers and in the child of a fork(); allocates nothing; leaves errno alone.
 */
#ifndef LOUPE_RECORDER_H
#define LOUPE_RECORDER_H

#include "recorded/layout.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Begins, before the first block. False: there is no memory to begin with; nothing is recorded and
 * nothing of what follows may be called.
 */
bool loupe_recorder_begin(void);
/* Whether it has. */
bool loupe_recorder_is_on(void);

/* How much memory it may take from now on, as the environment says; NULL: it says nothing. */
void loupe_recorder_limit(const char *megabytes);

/* The program's own malloc is called in place of what would tell the recorder. */
void loupe_recorder_is_bypassed(void);

/* Where the code of the allocator stands, in whose own functions stacks begin: these frames are
 * left out. */
void loupe_recorder_leave_out(uintptr_t start, uintptr_t end);

/* The block was given out just now, by a function with that frame to who called it. */
void loupe_recorder_gave(void *block, const struct loupe_frame *frame);
/* The block is about to be taken back. The number of its stack; 0: it was not recorded. */
uint32_t loupe_recorder_takes(void *block);
/* It was not taken back after all. */
void loupe_recorder_keeps(void *block, uint32_t stack);

/* Room for what is counted. False: there is no memory for it. */
bool loupe_recorder_counts(void);
/* Something happened to the retain count of an object, in a function with that frame to who called
 * it. */
void loupe_recorder_counted(void *object, enum loupe_record_event_kind kind,
                            const struct loupe_frame *frame);

#endif

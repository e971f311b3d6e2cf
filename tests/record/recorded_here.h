/*
 * recorded_here.h - what libloupe_record recorded in this process, read as any host reads it, for
 * programs that know the truth.
 */
#ifndef LOUPE_TESTS_RECORDED_HERE_H
#define LOUPE_TESTS_RECORDED_HERE_H

#include "recorded/recorded.h"

/* Looks at it as it is now; what is asked below is about that time, but of memory as it is. Ends
 * the program where nothing is recorded. */
const struct loupe_record_header *recorded_look(void);

/* How many blocks stand in all tables; looks. */
uint64_t recorded_blocks(void);

/* Whether the block was allocated by a call of function, as its stack tells: its innermost frame,
 * or the one that called that, and so on, is in it. */
bool recorded_is_from(const void *block, void *(*function)(size_t size));
/* Whether it stands in a table. */
bool recorded_is_there(const void *block);

#endif

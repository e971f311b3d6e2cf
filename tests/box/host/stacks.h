/*
 * stacks.h - stacks of threads, in memory that the program can find.
 */
#ifndef LOUPE_BOX_STACKS_H
#define LOUPE_BOX_STACKS_H

#include <pthread.h>
#include <stdint.h>

/* With a page below that nobody may touch. */
char *box_stack_make(uint64_t size);
void box_stack_note(pthread_t pthread, uint64_t start, uint64_t size);

#endif

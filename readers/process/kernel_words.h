/*
 * kernel_words.h - what the kernel keeps for a process that stands still: data of epolls, values of
 * timers.
 */
#ifndef LOUPE_READERS_KERNEL_WORDS_H
#define LOUPE_READERS_KERNEL_WORDS_H

#include "target/parts.h"

/* Fills kernel_words and kernel_words_told. LOUPE_ENOMEM. */
enum loupe_status loupe_process_take_kernel_words(struct loupe_reader *reader);

#endif

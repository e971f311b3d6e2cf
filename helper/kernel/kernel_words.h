/*
 * kernel_words.h - what the kernel keeps for this process, as far as it tells: data of epolls,
 * values of timers.
 */
#ifndef LOUPE_HELPER_KERNEL_WORDS_H
#define LOUPE_HELPER_KERNEL_WORDS_H

#include "base/target/process.h"

/* LOUPE_EFAULT: not all is told; otherwise what visit() returns. */
enum loupe_status loupe_kernel_words_visit(loupe_kernel_word_visit visit, void *visitor);

#endif

/*
 * amounts.h - numbers as people read them: the only place that writes them, for every output.
 */
#ifndef LOUPE_ANSWERS_AMOUNTS_H
#define LOUPE_ANSWERS_AMOUNTS_H

#include <stddef.h>
#include <stdint.h>

enum { ANSWER_LONGEST_AMOUNT = 32 };

/* "24 bytes", "1.2 MB": in powers of 1000. Cut to cap bytes with its NUL (cap > 0); its length. */
size_t answer_bytes_text(uint64_t bytes, char *dst, size_t cap);
/* "3,400"; cut as above. */
size_t answer_number_text(uint64_t number, char *dst, size_t cap);

#endif

/*
 * own_pages.h - how the helper's own memory is told from the program's where somebody else looks
 * at the process: a core of it, or a debugger, while a question is under way or was broken off.
 * It is full of addresses that the program never had there.
 */
#ifndef LOUPE_OWN_PAGES_H
#define LOUPE_OWN_PAGES_H

#include <stdint.h>

#define LOUPE_OWN_PAGES_MAGIC "loupe own pages" /* with its NUL, 16 bytes */

enum { LOUPE_OWN_PAGES_ALIGNMENT = 2 << 20 };

/* Stands at the start of the pages, which is the start of a region: what is before it, if anything,
 * has no access. */
struct loupe_own_pages {
    char magic[16];
    uint64_t start; /* its own address */
    uint64_t size;  /* of the pages */
};

#endif

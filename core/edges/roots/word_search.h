/*
 * word_search.h - every word of some memory that leads to one object: what tells that nothing else
 * can own it. No roots come of the memory that is searched.
 *
 * Bits that a signature, a tag or a number next to it may use do not count, and a word that leads
 * inside the object counts too. What is found may own the object, know it or be left over.
 */
#ifndef LOUPE_WORD_SEARCH_H
#define LOUPE_WORD_SEARCH_H

#include "base/target/memory.h"
#include "base/vector.h"
#include "request/request.h"

enum { LOUPE_MAX_FOUND_WORDS = 1 << 16 };

struct loupe_word_search {
    loupe_addr start, end;      /* of the object */
    struct loupe_vector places; /* of loupe_addr: where such words stand, outside of the object */
    uint64_t bytes;             /* that were searched */
    bool incomplete;            /* some could not be read, or there were too many such words */
    bool interrupted;           /* the host wanted it to end */
};

/* Of the object at an address, size bytes long. */
void loupe_word_search_init(struct loupe_word_search *search, const struct loupe_chunk_ops *chunks,
                            loupe_addr address, uint64_t size);
void loupe_word_search_deinit(struct loupe_word_search *search);

/* Searches some memory. Nothing of it is kept; 64 KB meanwhile. LOUPE_ENOMEM. */
enum loupe_status loupe_word_search_add(struct loupe_word_search *search,
                                        struct loupe_memory *memory, struct loupe_range range);

#endif

/*
 * free_chunks.h - glibc's free memory, as far as one chunk tells of itself: no symbol of the
 * library is needed, and where another allocator is at work nothing fits.
 */
#ifndef LOUPE_FREE_CHUNKS_H
#define LOUPE_FREE_CHUNKS_H

#include "base/target/memory.h"

/*
 * Whether an address lies in memory that was given back, if its allocation began so many words
 * before it and was large enough for size bytes from it on. What is on a list has to be linked as
 * that list links it, so that true is certain. False: it is in use, or nothing shows.
 */
bool loupe_is_in_free_chunk(struct loupe_memory *memory, loupe_addr address, unsigned words_before,
                            uint64_t size);

/*
 * Whether a word stands in memory that was given back, which is certain: in a chunk that counts as
 * free and is on a list now. The chunk, or what was one before it took its neighbours in, begins at
 * most 2 KB before the word; false where none does.
 */
bool loupe_is_free_word(struct loupe_memory *memory, loupe_addr place);

/*
 * Whether an allocation of at least so many bytes begins at an address, by glibc's header: one from
 * its heaps, or one that is mapped by itself.
 */
bool loupe_chunk_is_used(struct loupe_memory *memory, loupe_addr address, uint64_t size);

/* The bytes of the allocation that begins at an address, if it is glibc's; 0: not known. */
uint64_t loupe_chunk_room(struct loupe_memory *memory, loupe_addr address);

#endif

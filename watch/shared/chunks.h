/*
 * chunks.h - memory for the core's structures, from malloc.
 */
#ifndef LOUPE_WATCH_CHUNKS_H
#define LOUPE_WATCH_CHUNKS_H

#include "base/arena.h"

extern const struct loupe_chunk_ops watch_chunks;

#endif

/*
 * cache.h - the folder that keeps what servers sent, for its owner alone: `loupe/debuginfod` below
 * XDG_CACHE_HOME or ~/.cache. What was not used for longest goes when it gets too large.
 */
#ifndef LOUPE_CLI_CACHE_H
#define LOUPE_CLI_CACHE_H

#include <stdint.h>

enum { LONGEST_CACHE = 2048 };

/* Makes it where it is not there. NULL, or why it cannot be used; ret is its path. */
const char *cache_open(char ret[LONGEST_CACHE]);
/* Removes what was begun long ago and never ended, and what there is no room for. */
void cache_make_room(const char *folder, uint64_t room);
/* That a file was used just now. */
void cache_touch(const char *path);

#endif

/* What only clang can compile, and only without Foundation: Debian's headers refuse -fblocks. */
#ifndef LOUPE_TESTS_GNUSTEP_BLOCK_H
#define LOUPE_TESTS_GNUSTEP_BLOCK_H

#include <objc/objc.h>

/* A block on the heap that captures an object; the caller owns it. */
id make_block(id owner);
/* One that captures that block, which it takes over. */
id make_block_of_block(id block);
void release_block(id block);

#endif

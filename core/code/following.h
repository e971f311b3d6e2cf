/*
 * following.h - which words of an instance its code gives up, instruction by instruction.
 *
 * Nothing runs: registers and the words of its frames are kept as what they are of an instance that
 * stands nowhere, and the code is followed from a method's beginning until it returns. That needs
 * no symbols of the program, and goes through loops; but only of x86-64, and only of what clang
 * makes of destructors. All else is not understood, which read by reading.h may still tell
 * something.
 */
#ifndef LOUPE_FOLLOWING_H
#define LOUPE_FOLLOWING_H

#include "base/target/memory.h"

/* Released, or weak and destroyed. */
typedef void loupe_given_up_visit(void *ctx, uint64_t offset, bool is_weak);

/* True: the method was followed to its end, and all that it gives up was visited. False: it is not
 * understood; some may have been visited. */
bool loupe_code_gives_up(struct loupe_memory *memory, loupe_addr method,
                         loupe_given_up_visit *visit, void *ctx);

#endif

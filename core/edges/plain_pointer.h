/*
 * plain_pointer.h - pointers of C in ivars and captures: id __strong *, struct Box *, void *. No
 * layout speaks of what they lead to, and neither the runtime nor ARC says who owns it, so nothing
 * behind them is followed. Where an object is, directly or in the memory there, it is counted, by
 * the pointer's name.
 */
#ifndef LOUPE_PLAIN_POINTER_H
#define LOUPE_PLAIN_POINTER_H

#include "edges/edges.h"

/*
 * Adds those in an ivar of a class to what may be met, for the two findings there can be.
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_pointers_of_ivar(struct loupe_walk *walk, const struct loupe_class *cls,
                                         const struct loupe_ivar *ivar);

/* The same for the words of a capture of which nothing tells that they are objects. */
enum loupe_status loupe_pointers_of_capture(struct loupe_unread *unread,
                                            const struct loupe_capture *capture,
                                            uint8_t pointer_size, enum loupe_memory_mode mode);

/*
 * Whether the pointer of an object hides what its finding says, an object or memory with objects in
 * it. Memory beyond the walk's budget is taken to have some.
 */
bool loupe_pointer_hides(struct loupe_walk *walk, const struct loupe_unread_member *pointer,
                         loupe_addr object);

#endif

/*
 * watch.h - the truth check of fixtures on libobjc2: objects that -dealloc passes, blocks whose
 * memory is given back.
 */
#ifndef LOUPE_TESTS_LIBOBJC2_WATCH_H
#define LOUPE_TESTS_LIBOBJC2_WATCH_H

void watch_freed(const void *object);

/* For tests of whole heaps: writes what became of each object to a file, and wipes the words that
 * lead to them, as they would hold them. */
void watch_tell(const char *path);

#endif

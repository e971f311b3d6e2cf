/*
 * watch.h - the truth check of fixtures on libobjc2: objects that -dealloc passes. Blocks free
 * themselves and are not checked.
 */
#ifndef LOUPE_TESTS_LIBOBJC2_WATCH_H
#define LOUPE_TESTS_LIBOBJC2_WATCH_H

void watch_freed(const void *object);

#endif

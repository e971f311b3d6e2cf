/*
 * counts.h - sees who retains, releases, autoreleases and deallocates objects of chosen classes:
 * LOUPE_RECORD=Class,Other. Their methods are replaced by functions that tell the recorder and call
 * what was there before.
 */
#ifndef LOUPE_RECORD_COUNTS_H
#define LOUPE_RECORD_COUNTS_H

/* Which classes, by names with commas between. */
void loupe_counts_choose(const char *names);

/* Begins, once their classes are there; tells of those that are not. */
void loupe_counts_begin(void);

#endif

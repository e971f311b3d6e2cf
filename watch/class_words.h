/*
 * class_words.h - classes by the names that programs use.
 */
#ifndef LOUPE_WATCH_CLASS_WORDS_H
#define LOUPE_WATCH_CLASS_WORDS_H

/* NSMutableArray for __NSArrayM; without the prefix of key-value observing; else the name itself.
 */
const char *watch_class_in_words(const char *name);

#endif

/*
 * drawn_gnu.h - classes and objects as GCC's libobjc and GNUstep's libobjc2 lay them out, on a heap
 * that a test draws. There is one such heap at a time: gnu_heap, between gnu_open_heap() and
 * gnu_close_heap().
 */
#ifndef LOUPE_TESTS_DRAWN_GNU_H
#define LOUPE_TESTS_DRAWN_GNU_H

#include "show_walk.h"

enum gnu_runtime { GCC, GNUSTEP2 };
enum { CLASS_WORDS = 17, REFERENCE_LIST_WORDS = 1 + 5 + 1 + 3 * 10 };
enum { META_INFO = 2, CLASS_INFO = 1, RESOLVED = 8 };        /* of GCC's */
enum { META_2 = 0x301, CLASS_2 = 0xb00, HIDDEN_2 = 0x3600 }; /* of libobjc2 */
enum { NONE, STRONG, WEAK, UNRETAINED };                     /* ownership in libobjc2 */

extern struct drawn_heap gnu_heap;
extern struct drawn_world gnu_world; /* for CHECK_WALK, which needs no more of it than the heap */

void gnu_open_heap(enum gnu_runtime of);
void gnu_close_heap(void);

struct ivar {
    const char *name, *type;
    uint32_t offset, size, ownership;
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define IVARS(array)  array, LENGTH(array)

/* A class from its first seven words, with room for what libobjc2 keeps behind it. */
loupe_addr gnu_put_class_words(const char *name, loupe_addr isa, loupe_addr superclass,
                               uint64_t info, uint64_t size, loupe_addr ivars);
/* A resolved class with a metaclass. */
loupe_addr gnu_put_class(const char *name, loupe_addr superclass, uint64_t size,
                         const struct ivar *ivars, unsigned count);
/* NSObject. */
loupe_addr gnu_put_root(void);
/* An instance; the word before it is its count without the first owner. */
loupe_addr gnu_put_object(loupe_addr cls, size_t size);

#endif

/*
 * sections.h - what stands in a section of a program or library, by its name.
 *
 * ELF with libobjc2's or GCC's runtime, Mach-O with Apple's: where the compiler puts a table it
 * names its section after it, so that a name tells whether a word there can be a reference that the
 * program made.
 */
#ifndef LOUPE_SECTIONS_H
#define LOUPE_SECTIONS_H

#include "base/text.h"

enum loupe_section_use {
    LOUPE_SECTION_DATA,         /* global and static variables: where it can be written */
    LOUPE_SECTION_NO_ROOTS,     /* the runtime's and the loader's own tables */
    LOUPE_SECTION_THREAD_LOCAL, /* the template of variables that each thread has of its own */
    /* Each word is the address of a class, of a category or of a loader's symbol. The place of one
     * begins as an object of that class does, and it is none. No roots either. */
    LOUPE_SECTION_TABLE
};

/* By ".data", "__data" or "__DATA,__data". */
enum loupe_section_use loupe_section_use(const char *name);

/* Whether the compiler of Swift made it, so that the image has Swift in it. By its name. */
bool loupe_section_is_swifts(const char *name);

/* Whether an image comes with the system, or with a simulator's runtime: many of those are large
 * and hold little. By its path. */
bool loupe_image_is_systems(const char *path);
/* Whether the kernel put it into the process, and no file has it: nothing there is written. */
bool loupe_image_is_kernels(const char *path);
/* Whether it is the helper's library, which is no part of the program. By its path. */
bool loupe_image_is_ours(const char *path);

#endif

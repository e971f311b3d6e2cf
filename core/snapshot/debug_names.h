/*
 * debug_names.h - what debug information knew of a native heap when somebody asked who had it:
 * where the functions of blocks were written and ivars declared, what captured variables, members
 * of C++ and the places of roots are called. A snapshot keeps it, so that a file of it says
 * elsewhere what was said where it was made.
 */
#ifndef LOUPE_DEBUG_NAMES_H
#define LOUPE_DEBUG_NAMES_H

#include "base/text.h"

/* Stand in files: a new one gets the next number, and whoever does not know it passes over it. */
enum loupe_debug_name_kind {
    LOUPE_NAME_BLOCK, /* at: the function. name: the one it is written in; where: path of the file;
                         number: line, 0 not known */
    LOUPE_NAME_CAPTURE, /* at: the block's function; number: offset. name: of the variable */
    LOUPE_NAME_PLACE,   /* at: address of a word. name: the variable that stands there; where:
                           "static in a.m" */
    LOUPE_NAME_THREAD,  /* at: the system's number; number: that of the debugger */
    LOUPE_NAME_IVAR,    /* at: loupe_debug_ivar_key(). name: "Class.ivar"; where: path of the file;
                           number: line of its declaration */
    LOUPE_NAME_MEMBER, /* at: loupe_debug_class_key() of a class of C++; number: offset of a word in
                          its memory. name: of the member there; where: the class */
};

struct loupe_debug_name {
    uint64_t at;
    uint32_t number, kind;
    uint32_t name, where; /* where they begin in the text; empty: not known */
};

/* Tables without pointers, as those of a snapshot. All zero: none. */
struct loupe_debug_names {
    const struct loupe_debug_name *entries; /* sorted: loupe_debug_names_sort() */
    const char *text;                       /* texts that end with a NUL each */
    uint64_t text_size;
    uint32_t count;
};

/* By kind, at, number: the order in which they are found. */
void loupe_debug_names_sort(struct loupe_debug_name *entries, uint32_t count);
/* Whether any bytes are such tables. */
bool loupe_debug_names_are_valid(const struct loupe_debug_names *names);

/* The one of a kind at a place; number: of captures and members alone. NULL: not known. In the time
 * of a bisection. */
const struct loupe_debug_name *loupe_debug_name(const struct loupe_debug_names *names,
                                                enum loupe_debug_name_kind kind, uint64_t at,
                                                uint32_t number);

/* A key of the ivar of a class: two may have the same. */
uint64_t loupe_debug_ivar_key(struct loupe_span class_name, struct loupe_span ivar);
/* The ivar's declaration; NULL: not known. */
const struct loupe_debug_name *loupe_debug_ivar(const struct loupe_debug_names *names,
                                                struct loupe_span class_name,
                                                struct loupe_span ivar);

uint64_t loupe_debug_class_key(struct loupe_span class_name);
/* The name of a member of a class of C++ at an offset; NULL: not known. */
const char *loupe_debug_member(const struct loupe_debug_names *names, struct loupe_span class_name,
                               uint32_t offset);

static inline const char *loupe_debug_text(const struct loupe_debug_names *names, uint32_t text) {
    return names->text + text;
}

#endif

/*
 * list.h - every verb, one a line, in the order in which help lists them.
 *
 * To add one: a file NAME.c beside this one with its `struct verb`, and its line here. What it can
 * be told is in options.h.
 */
#ifndef LOUPE_VERBS_LIST_H
#define LOUPE_VERBS_LIST_H

/* clang-format off */
#define LOUPE_VERBS(VERB) \
    VERB(leaks)           \
    VERB(cycles)          \
    VERB(path)            \
    VERB(retained)        \
    VERB(heap)            \
    VERB(find)            \
    VERB(suspects)        \
    VERB(diff)            \
    VERB(snapshot)        \
    VERB(draw)            \
    VERB(functions)       \
    VERB(serve)           \
    VERB(explain)         \
    VERB(verbs)           \
    VERB(completion)      \
    VERB(help)            \
    VERB(retain_cycles)   \
    VERB(block_layout)    \
    VERB(ivar_layout)     \
    VERB(strong_refs)     \
    VERB(backtraces)      \
    VERB(break)           \
    VERB(doctor)          \
    VERB(history)         \
    VERB(inject)          \
    VERB(mark)            \
    VERB(summary)         \
    VERB(watch)
/* clang-format on */

#endif

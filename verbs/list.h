/*
 * list.h - every verb, one a line, in the order in which help lists them.
 *
 * To add one: a file NAME.c in one of the rooms beside this file with its `struct verb`, and its
 * line here. HEAP: it is about a whole heap, and takes what all of these take; OTHER: it is not.
 * More that it can be told is in options.h.
 */
#ifndef LOUPE_VERBS_LIST_H
#define LOUPE_VERBS(VERB)                                                                          \
    VERB(leaks, HEAP)                                                                              \
    VERB(cycles, HEAP)                                                                             \
    VERB(path, HEAP)                                                                               \
    VERB(retained, HEAP)                                                                           \
    VERB(suspects, HEAP)                                                                           \
    VERB(heap, HEAP)                                                                               \
    VERB(find, HEAP)                                                                               \
    VERB(show, HEAP)                                                                               \
    VERB(threads, HEAP)                                                                            \
    VERB(sql, HEAP)                                                                                \
    VERB(diff, HEAP)                                                                               \
    VERB(snapshot, HEAP)                                                                           \
    VERB(draw, OTHER)                                                                              \
    VERB(fix, OTHER)                                                                               \
    VERB(report, OTHER)                                                                            \
    VERB(compare, OTHER)                                                                           \
    VERB(serve, OTHER)                                                                             \
    VERB(functions, HEAP)                                                                          \
    VERB(explain, OTHER)                                                                           \
    VERB(verbs, OTHER)                                                                             \
    VERB(completion, OTHER)                                                                        \
    VERB(help, OTHER)                                                                              \
    VERB(retain_cycles, OTHER)                                                                     \
    VERB(block_layout, OTHER)                                                                      \
    VERB(ivar_layout, OTHER)                                                                       \
    VERB(strong_refs, OTHER)                                                                       \
    VERB(allocated, OTHER)                                                                         \
    VERB(backtraces, OTHER)                                                                        \
    VERB(break, OTHER)                                                                             \
    VERB(doctor, OTHER)                                                                            \
    VERB(history, OTHER)                                                                           \
    VERB(ignore, OTHER)                                                                            \
    VERB(inject, OTHER)                                                                            \
    VERB(mark, OTHER)                                                                              \
    VERB(summary, OTHER)                                                                           \
    VERB(watch, OTHER)
/* clang-format on */

#endif

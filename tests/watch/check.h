/*
 * check.h - what has to be so in a test program; else it says what is not and ends.
 */
#ifndef LOUPE_TESTS_WATCH_CHECK_H
#define LOUPE_TESTS_WATCH_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif

/* What LoupeGNUstep.h needs of GNUstep's Testing.h: PASS(EXPRESSION, FORMAT, ...). */
#include <stdio.h>

extern int gnustep_passed, gnustep_failed;

#define PASS(expression, ...)                                                                      \
    do {                                                                                           \
        if (expression)                                                                            \
            gnustep_passed++;                                                                      \
        else                                                                                       \
            gnustep_failed++;                                                                      \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
    } while (0)

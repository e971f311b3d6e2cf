/*
 * loupe_testing.h - assertions for the tests of a program: nothing keeps itself alive, nothing
 * leaks, and what should die does (docs/testing.md).
 *
 *     LoupeAssertNoCycles(screen);
 *     LoupeAssertDies(^{ return [[Screen alloc] init]; });       (Objective-C)
 *     LoupeAssertNoLeaks(^{ [loader load]; });                   (with blocks)
 *
 * One that fails writes "FILE:LINE: error: ..." and a report for people to standard error, and
 * tells whoever loupe_testing_on_failure() named. LoupeXCTest.h and LoupeGNUstep.h name their
 * frameworks.
 *
 * Reports are made by the tool `loupe`, of a snapshot: it is found where this library is installed
 * or built, or named by LOUPE_TOOL. One test at a time, on one thread.
 */
#ifndef LOUPE_TESTING_H
#define LOUPE_TESTING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LOUPE_TESTING_API __attribute__((visibility("default")))

/* Called for each assertion that fails, behind its report; NULL: nobody. message is one line. */
typedef void (*loupe_testing_listener)(const char *message, const char *file, int line);
LOUPE_TESTING_API void loupe_testing_on_failure(loupe_testing_listener listener);

/* ---- What the macros call: whether the assertion holds ---- */

LOUPE_TESTING_API bool loupe_testing_no_cycles(const void *object, const char *expression,
                                               const char *file, int line);

/* An object that is alive, and should be dead one second after the second call, behind the pool
 * that made it. */
LOUPE_TESTING_API void loupe_testing_expect(const void *object);
LOUPE_TESTING_API bool loupe_testing_died(const void *object, const char *expression,
                                          const char *file, int line);

/* Snapshots of the heap before and after what may leak. */
LOUPE_TESTING_API void loupe_testing_before(void);
LOUPE_TESTING_API bool loupe_testing_no_leaks(const char *expression, const char *file, int line);

#ifdef __cplusplus
}
#endif

#ifdef __OBJC__
#if __has_feature(objc_arc)
#define LOUPE_TESTING_ADDRESS(object) ((__bridge const void *)(object))
#else
#define LOUPE_TESTING_ADDRESS(object) ((const void *)(object))
#endif
#else
#define LOUPE_TESTING_ADDRESS(object) ((const void *)(object))
#endif

#define LoupeAssertNoCycles(object)                                                                \
    loupe_testing_no_cycles(LOUPE_TESTING_ADDRESS(object), #object, __FILE__, __LINE__)

#ifdef __BLOCKS__
#define LoupeAssertNoLeaks(...)                                                                    \
    loupe_testing_leaks_in(__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__)

static inline bool loupe_testing_leaks_in(void (^block)(void), const char *expression,
                                          const char *file, int line) {
    loupe_testing_before();
#ifdef __OBJC__
    @autoreleasepool {
        block();
    }
#else
    block();
#endif
    return loupe_testing_no_leaks(expression, file, line);
}

#ifdef __OBJC__
/* The block returns the object, which nobody else should keep. */
#define LoupeAssertDies(...) loupe_testing_dies_of(__VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__)

static inline bool loupe_testing_dies_of(id (^block)(void), const char *expression,
                                         const char *file, int line) {
    const void *address = 0;
    @autoreleasepool {
        id object = block();
        address = LOUPE_TESTING_ADDRESS(object);
        loupe_testing_expect(address);
    }
    return loupe_testing_died(address, expression, file, line);
}
#endif
#endif

#endif

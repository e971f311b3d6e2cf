/*
 * Placeholder.h - what +alloc of a class cluster answers: a static object without a count, whose
 * initializers make the concrete object. One for the immutable, one for the mutable class.
 */
#ifndef LOUPE_TEST_PLACEHOLDER_H
#define LOUPE_TEST_PLACEHOLDER_H

#import <Foundation/Foundation.h>

struct placeholder {
    Class isa;
};

static inline id placeholder_object(struct placeholder *placeholder, Class cls) {
    __atomic_store_n((uintptr_t *)placeholder, (uintptr_t)cls, __ATOMIC_RELAXED);
    return (id)placeholder;
}

#define PLACEHOLDER_REFERENCE_COUNTING                                                             \
    -(instancetype)retain {                                                                        \
        return self;                                                                               \
    }                                                                                              \
    -(oneway void)release {                                                                        \
    }                                                                                              \
    -(instancetype)autorelease {                                                                   \
        return self;                                                                               \
    }

#endif

/*
 * CFBase.h - objects of CoreFoundation: a plain isa, four bytes of information, four bytes of
 * reference count (CFRuntime.h, CF-1153). The count is not in the isa: 0 means for ever.
 */
#ifndef LOUPE_TEST_CFBASE_H
#define LOUPE_TEST_CFBASE_H

#import <Foundation/Foundation.h>

struct cf_base {
    Class isa;
    uint32_t info;
    uint32_t rc;
};

/* An object of size bytes, header included, with one reference and an isa that is not packed. */
id cf_create(Class cls, size_t size, uint32_t info);
id cf_retain(id object);
void cf_release(id object);
NSUInteger cf_retain_count(id object);
BOOL cf_try_retain(id object);
BOOL cf_is_deallocating(id object);

#define CF_REFERENCE_COUNTING                                                                      \
    -(instancetype)retain {                                                                        \
        return cf_retain(self);                                                                    \
    }                                                                                              \
    -(oneway void)release {                                                                        \
        cf_release(self);                                                                          \
    }                                                                                              \
    -(NSUInteger)retainCount {                                                                     \
        return cf_retain_count(self);                                                              \
    }                                                                                              \
    -(BOOL)retainWeakReference {                                                                   \
        return cf_try_retain(self);                                                                \
    }                                                                                              \
    -(BOOL)allowsWeakReference {                                                                   \
        return !cf_is_deallocating(self);                                                          \
    }

#endif

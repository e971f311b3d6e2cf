/*
 * Foundation.h - the root classes, and nothing else: enough for the fixtures that need no more to run
 * on GNUstep's libobjc2 alone.
 */
#ifndef LOUPE_TESTS_LIBOBJC2_FOUNDATION_H
#define LOUPE_TESTS_LIBOBJC2_FOUNDATION_H

#include <objc/runtime.h>

#include <stdint.h>

typedef unsigned long NSUInteger;
typedef long NSInteger;

#define NS_NOESCAPE __attribute__((noescape))

@protocol NSObject
- (BOOL)respondsToSelector:(SEL)selector;
@end

@protocol NSCopying
- (id)copyWithZone:(void *)zone;
@end

__attribute__((objc_root_class)) @interface NSObject <NSObject> {
    Class isa;
}
+ (instancetype)alloc;
+ (instancetype)new;
+ (Class)class;
- (instancetype)init;
- (void)dealloc;
- (id)copy;
- (Class)class;
@end

/* Another root. */
__attribute__((objc_root_class)) @interface NSProxy {
    Class isa;
}
+ (instancetype)alloc;
+ (Class)class;
- (void)dealloc;
@end

#if !__has_feature(objc_arc)
@interface NSObject ()
- (id)retain;
- (oneway void)release;
@end
@interface NSProxy ()
- (id)retain;
- (oneway void)release;
@end
#endif

#endif

/*
 * NSProxy.m - a root class that forwards: nothing here comes from NSObject.
 */
#import <Foundation/Foundation.h>
#import "internal.h"

@implementation NSProxy

+ (void)initialize {
}

+ (id)allocWithZone:(NSZone *)zone {
    return _objc_rootAllocWithZone(self, zone);
}

+ (id)alloc {
    return [self allocWithZone:NULL];
}

+ (Class)class {
    return self;
}

- (void)dealloc {
    _objc_rootDealloc(self);
}

- (instancetype)retain {
    return _objc_rootRetain(self);
}

- (oneway void)release {
    _objc_rootRelease(self);
}

- (instancetype)autorelease {
    return _objc_rootAutorelease(self);
}

- (NSUInteger)retainCount {
    return _objc_rootRetainCount(self);
}

- (BOOL)retainWeakReference {
    return _objc_rootTryRetain(self);
}

- (BOOL)allowsWeakReference {
    return !_objc_rootIsDeallocating(self);
}

+ (instancetype)retain {
    return (id)self;
}

+ (oneway void)release {
}

- (id)forwardingTargetForSelector:(SEL)sel {
    return nil;
}

- (void)doesNotRecognizeSelector:(SEL)sel {
    rt_fatal("-[%s %s]: unrecognized selector sent to %p", object_getClassName(self),
             sel_getName(sel), (void *)self);
}

- (instancetype)self {
    return self;
}

- (Class)class {
    return object_getClass(self);
}

- (Class)superclass {
    return class_getSuperclass(object_getClass(self));
}

- (BOOL)isProxy {
    return YES;
}

- (NSUInteger)hash {
    return (NSUInteger)self >> 4;
}

- (BOOL)isEqual:(id)object {
    return self == object;
}

- (NSString *)description {
    return [NSString stringWithFormat:@"<%s: %p>", object_getClassName(self), self];
}

/* A proxy answers these for what it stands for. */

- (BOOL)isKindOfClass:(Class)cls {
    return [[self forwardingTargetForSelector:_cmd] isKindOfClass:cls];
}

- (BOOL)isMemberOfClass:(Class)cls {
    return [[self forwardingTargetForSelector:_cmd] isMemberOfClass:cls];
}

- (BOOL)conformsToProtocol:(Protocol *)protocol {
    return [[self forwardingTargetForSelector:_cmd] conformsToProtocol:protocol];
}

- (BOOL)respondsToSelector:(SEL)sel {
    return class_respondsToSelector(object_getClass(self), sel) ||
           [[self forwardingTargetForSelector:sel] respondsToSelector:sel];
}

+ (BOOL)respondsToSelector:(SEL)sel {
    return class_respondsToSelector(object_getClass(self), sel);
}

- (id)performSelector:(SEL)sel {
    return ((id(*)(id, SEL))objc_msgSend)(self, sel);
}

- (id)performSelector:(SEL)sel withObject:(id)object {
    return ((id(*)(id, SEL, id))objc_msgSend)(self, sel, object);
}

- (id)performSelector:(SEL)sel withObject:(id)object1 withObject:(id)object2 {
    return ((id(*)(id, SEL, id, id))objc_msgSend)(self, sel, object1, object2);
}

@end

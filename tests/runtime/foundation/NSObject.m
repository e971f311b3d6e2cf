/*
 * NSObject.m - the root class, the class of protocols, and the free functions of NSObjCRuntime.h.
 */
#import <Foundation/Foundation.h>
#import "internal.h"

@interface Protocol : NSObject
@end

@implementation Protocol
@end

static _Noreturn void unrecognized(char kind, Class cls, SEL sel, const void *receiver) {
    rt_fatal("%c[%s %s]: unrecognized selector sent to %p", kind, class_getName(cls),
             sel_getName(sel), receiver);
}

static BOOL is_kind_of(Class cls, Class other) {
    for (; cls; cls = class_getSuperclass(cls)) {
        if (cls == other)
            return YES;
    }
    return NO;
}

static BOOL conforms(Class cls, Protocol *protocol) {
    for (; cls; cls = class_getSuperclass(cls)) {
        if (class_conformsToProtocol(cls, protocol))
            return YES;
    }
    return NO;
}

@implementation NSObject

+ (void)load {
}

+ (void)initialize {
}

+ (instancetype)allocWithZone:(NSZone *)zone {
    return _objc_rootAllocWithZone(self, zone);
}

+ (instancetype)alloc {
    return [self allocWithZone:NULL];
}

+ (instancetype)new {
    return [[self alloc] init];
}

- (instancetype)init {
    return self;
}

- (void)dealloc {
    _objc_rootDealloc(self);
}

- (id)copy {
    return [(id<NSCopying>)self copyWithZone:NULL];
}

- (id)mutableCopy {
    return [(id<NSMutableCopying>)self mutableCopyWithZone:NULL];
}

/* ---- references; a class is never counted ---- */

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

+ (instancetype)autorelease {
    return (id)self;
}

+ (NSUInteger)retainCount {
    return NSUIntegerMax;
}

+ (BOOL)retainWeakReference {
    return YES;
}

+ (BOOL)allowsWeakReference {
    return YES;
}

+ (id)copyWithZone:(NSZone *)zone {
    return (id)self;
}

/* ---- what an object is ---- */

+ (Class)class {
    return self;
}

- (Class)class {
    return object_getClass(self);
}

+ (Class)superclass {
    return class_getSuperclass(self);
}

- (Class)superclass {
    return class_getSuperclass([self class]);
}

- (instancetype)self {
    return self;
}

- (BOOL)isProxy {
    return NO;
}

- (BOOL)isKindOfClass:(Class)cls {
    return is_kind_of(object_getClass(self), cls);
}

- (BOOL)isMemberOfClass:(Class)cls {
    return object_getClass(self) == cls;
}

+ (BOOL)isSubclassOfClass:(Class)cls {
    return is_kind_of(self, cls);
}

- (BOOL)conformsToProtocol:(Protocol *)protocol {
    return conforms([self class], protocol);
}

+ (BOOL)conformsToProtocol:(Protocol *)protocol {
    return conforms(self, protocol);
}

- (NSUInteger)hash {
    return (NSUInteger)self >> 4;
}

- (BOOL)isEqual:(id)object {
    return self == object;
}

+ (NSString *)description {
    return [NSString stringWithUTF8String:class_getName(self)];
}

- (NSString *)description {
    return [NSString stringWithFormat:@"<%s: %p>", object_getClassName(self), self];
}

/* ---- messages ---- */

- (BOOL)respondsToSelector:(SEL)sel {
    return class_respondsToSelector(object_getClass(self), sel);
}

+ (BOOL)instancesRespondToSelector:(SEL)sel {
    return class_respondsToSelector(self, sel);
}

- (IMP)methodForSelector:(SEL)sel {
    return class_getMethodImplementation(object_getClass(self), sel);
}

+ (IMP)instanceMethodForSelector:(SEL)sel {
    return class_getMethodImplementation(self, sel);
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

+ (BOOL)resolveInstanceMethod:(SEL)sel {
    return NO;
}

+ (BOOL)resolveClassMethod:(SEL)sel {
    return NO;
}

- (id)forwardingTargetForSelector:(SEL)sel {
    return nil;
}

- (void)doesNotRecognizeSelector:(SEL)sel {
    unrecognized(object_isClass(self) ? '+' : '-', [self class], sel, self);
}

@end

/* ---- functions ------------------------------------------------------------------------------ */

NSString *NSStringFromClass(Class cls) {
    return cls ? [NSString stringWithUTF8String:class_getName(cls)] : nil;
}

NSString *NSStringFromSelector(SEL sel) {
    return sel ? [NSString stringWithUTF8String:sel_getName(sel)] : nil;
}

Class NSClassFromString(NSString *name) {
    return name ? objc_lookUpClass([name UTF8String]) : Nil;
}

SEL NSSelectorFromString(NSString *name) {
    return name ? sel_registerName([name UTF8String]) : NULL;
}

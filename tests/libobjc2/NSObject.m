/* Compiled without ARC: the root classes, on the functions of the runtime. */
#import <Foundation/Foundation.h>

#include "watch.h"

#include <objc/blocks_runtime.h>
#include <objc/objc-arc.h>

BOOL objc_create_block_classes_as_subclasses_of(Class super);

void *_Block_copy(const void *block);
void _Block_release(const void *block);

@interface NSObject ()
- (id)copyWithZone:(void *)zone;
@end

/* What the classes of blocks inherit from. */
@interface NSBlock : NSObject
@end

@implementation NSObject

+ (instancetype)alloc {
    return class_createInstance(self, 0);
}

+ (instancetype)new {
    return [[self alloc] init];
}

+ (Class)class {
    return self;
}

- (instancetype)init {
    return self;
}

- (Class)class {
    return object_getClass(self);
}

- (id)copy {
    return [self copyWithZone:0];
}

- (id)retain {
    return objc_retain_fast_np(self);
}

- (oneway void)release {
    objc_release_fast_np(self);
}

- (id)autorelease {
    return objc_autorelease(self);
}

/* Says that the three above do nothing that the runtime could not do by itself. */
- (void)_ARCCompliantRetainRelease {
}

- (BOOL)respondsToSelector:(SEL)selector {
    return class_respondsToSelector(object_getClass(self), selector);
}

- (void)dealloc {
    watch_freed(self);
    object_dispose(self);
}

@end

@implementation NSProxy

+ (instancetype)alloc {
    return class_createInstance(self, 0);
}

+ (Class)class {
    return self;
}

- (id)retain {
    return objc_retain_fast_np(self);
}

- (oneway void)release {
    objc_release_fast_np(self);
}

- (id)autorelease {
    return objc_autorelease(self);
}

- (void)_ARCCompliantRetainRelease {
}

- (void)dealloc {
    object_dispose(self);
}

@end

@implementation NSBlock

+ (void)load {
    objc_create_block_classes_as_subclasses_of(self);
}

- (id)copy {
    return _Block_copy(self);
}

- (id)retain {
    return _Block_copy(self);
}

- (void)release {
    _Block_release(self);
}

@end

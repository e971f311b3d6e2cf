/*
 * NSBlock.m - the classes of blocks. The compiler refers to them as _NSConcrete...Block; those
 * names are second names of the class objects.
 */
#import <Foundation/Foundation.h>
#import "internal.h"

OBJC_EXTERN BOOL _Block_tryRetain(const void *block);
OBJC_EXTERN BOOL _Block_isDeallocating(const void *block);

@interface NSBlock : NSObject <NSCopying>
@end

@implementation NSBlock

- (id)copy {
    return _Block_copy(self);
}

- (id)copyWithZone:(NSZone *)zone {
    return _Block_copy(self);
}

- (instancetype)retain {
    return _Block_copy(self);
}

- (oneway void)release {
    _Block_release(self);
}

- (instancetype)autorelease {
    return _objc_rootAutorelease(self);
}

/* Apple's answer for every block; the count is in the flags. */
- (NSUInteger)retainCount {
    return 1;
}

- (BOOL)retainWeakReference {
    return _Block_tryRetain(self);
}

- (BOOL)allowsWeakReference {
    return !_Block_isDeallocating(self);
}

@end

/* A second name of a class. In Mach-O it is given when the library is linked. */
#if defined(__ELF__)
#define SECOND_NAME(class_name, symbol)                                                            \
    __asm__(".globl " #symbol "\n"                                                                 \
            ".set " #symbol ", OBJC_CLASS_$_" #class_name);
#else
#define SECOND_NAME(class_name, symbol)
#endif

/* Realized from the start, like Apple's: blocks are not sent a message before they are used. */
#define BLOCK_CLASS(class_name, symbol)                                                            \
    @interface class_name : NSBlock                                                                \
    @end                                                                                           \
    SECOND_NAME(class_name, symbol)                                                                \
    @implementation class_name                                                                     \
    +(void)load {                                                                                  \
    }

BLOCK_CLASS(__NSStackBlock__, _NSConcreteStackBlock)
- (instancetype)retain {
    return self;
}
- (oneway void)release {
}
- (instancetype)autorelease {
    return self;
}
@end

BLOCK_CLASS(__NSMallocBlock__, _NSConcreteMallocBlock)
@end

BLOCK_CLASS(__NSGlobalBlock__, _NSConcreteGlobalBlock)
@end

BLOCK_CLASS(__NSAutoBlock__, _NSConcreteAutoBlock)
@end

BLOCK_CLASS(__NSFinalizingBlock__, _NSConcreteFinalizingBlock)
@end

BLOCK_CLASS(__NSWeakBlockVariable__, _NSConcreteWeakBlockVariable)
@end

/*
 * ArrayClasses.h - the concrete array classes, with the ivars that Apple's CoreFoundation has.
 */
#ifndef LOUPE_TEST_ARRAYCLASSES_H
#define LOUPE_TEST_ARRAYCLASSES_H

#import "Collections.h"
#import "Placeholder.h"

@interface __NSPlaceholderArray : NSMutableArray
@end

@interface __NSPlaceholderMutableArray : __NSPlaceholderArray
@end

@interface __NSSingleObjectArrayI : NSArray {
    id _object;
}
+ (id)newWithObject:(id)object;
@end

@interface __NSArrayI : NSArray {
    NSUInteger _used;
    id _list[0];
}
+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count;
@end

/* A ring buffer: element i is at place offset + i, wrapped once. */
@interface __NSArrayM : NSMutableArray {
    void *_cow;
    id *_list;
    uint32_t _offset;
    uint32_t _size;
    uint32_t _mutations;
    uint32_t _used;
}
+ (id)newWithObjects:(const id[])objects count:(NSUInteger)count;
@end

#endif

/*
 * DictionaryClasses.h - the concrete dictionary classes, with the ivars that Apple's CoreFoundation
 * has.
 */
#ifndef LOUPE_TEST_DICTIONARYCLASSES_H
#define LOUPE_TEST_DICTIONARYCLASSES_H

#import "Collections.h"
#import "Placeholder.h"

@interface __NSPlaceholderDictionary : NSMutableDictionary
@end

@interface __NSPlaceholderMutableDictionary : __NSPlaceholderDictionary
@end

@interface __NSSingleEntryDictionaryI : NSDictionary {
    id _obj;
    id _key;
}
+ (id)newWithObject:(id)object forKey:(id)key;
@end

/* Key and value by turns, inline. */
@interface __NSDictionaryI : NSDictionary {
    NSUInteger _used : 58;
    NSUInteger _szidx : 6;
    id _list[0];
}
+ (id)newWithObjects:(const id[])objects
             forKeys:(const id<NSCopying>[])keys
               count:(NSUInteger)count;
@end

/* All keys, then all values, in one buffer. */
@interface __NSDictionaryM : NSMutableDictionary {
    id *_buffer;
    uint32_t _mutations;
    uint32_t _used : 25;
    uint32_t _kvo : 1;
    uint32_t _szidx : 6;
}
@end

#endif

/*
 * NSFastEnumeration.h - what for (... in ...) asks of a collection.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSFASTENUMERATION_H
#define LOUPE_TEST_FOUNDATION_NSFASTENUMERATION_H

#import <Foundation/NSObject.h>

typedef struct {
    unsigned long state;
    id __unsafe_unretained *itemsPtr;
    unsigned long *mutationsPtr;
    unsigned long extra[5];
} NSFastEnumerationState;

@protocol NSFastEnumeration
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained[])buffer
                                    count:(NSUInteger)capacity;
@end

@interface NSEnumerator<ObjectType> : NSObject <NSFastEnumeration>
- (ObjectType)nextObject;
@end

#endif

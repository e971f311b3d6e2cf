/*
 * NSTagged.h - strings, dates and paths of indexes that are the pointer itself: a source for the
 * programs that want them, whose classes no other program has.
 */
#ifndef LOUPE_TEST_NSTAGGED_H
#define LOUPE_TEST_NSTAGGED_H

#import <Foundation/Foundation.h>

/* Of up to 7 ASCII characters, or of up to 9 or 11 frequent ones; of others the program ends. */
NSString *loupe_test_tagged_string(const char *text);

/* Seconds since 2001. */
@interface NSDate : NSObject
+ (instancetype)dateWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds;
@property(readonly) NSTimeInterval timeIntervalSinceReferenceDate;
@end

/* Of at most four indexes below 8192. */
@interface NSIndexPath : NSObject
+ (instancetype)indexPathWithIndexes:(const NSUInteger[])indexes length:(NSUInteger)length;
@property(readonly) NSUInteger length;
- (NSUInteger)indexAtPosition:(NSUInteger)position;
@end

#endif

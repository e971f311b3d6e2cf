/*
 * NSString.h - immutable UTF-8 strings, as far as fixtures need them.
 *
 * A literal is a static __NSCFConstantString, everything else a __NSCFString. -length counts bytes:
 * these strings are names and keys in tests, not text for people.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSSTRING_H
#define LOUPE_TEST_FOUNDATION_NSSTRING_H

#import <Foundation/NSObject.h>

@interface NSString : NSObject <NSCopying, NSMutableCopying>
@property(readonly) NSUInteger length;
@property(readonly) const char *UTF8String __attribute__((objc_returns_inner_pointer));
@end

@interface NSString (NSStringCreation)
+ (instancetype)string;
+ (instancetype)stringWithUTF8String:(const char *)bytes;
+ (instancetype)stringWithString:(NSString *)string;
/* Understands %@ %d %i %u %x %c %s %p %f %g %% with the lengths l, ll, z and a precision for %f. */
+ (instancetype)stringWithFormat:(NSString *)format,
                                 ... __attribute__((format(__NSString__, 1, 2)));
- (instancetype)initWithUTF8String:(const char *)bytes;
- (instancetype)initWithString:(NSString *)string;
- (instancetype)initWithFormat:(NSString *)format
                     arguments:(va_list)arguments __attribute__((format(__NSString__, 1, 0)));
@end

@interface NSString (NSStringUse)
- (BOOL)isEqualToString:(NSString *)other;
- (BOOL)hasPrefix:(NSString *)prefix;
- (BOOL)hasSuffix:(NSString *)suffix;
- (NSComparisonResult)compare:(NSString *)other;
- (NSString *)stringByAppendingString:(NSString *)other;
@end

#endif

/*
 * NSValue.h - boxed numbers and pointers.
 *
 * A small integer is a tagged pointer of class __NSCFNumber, any other number a __NSCFNumber on the
 * heap; a BOOL is one of the two static __NSCFBoolean.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSVALUE_H
#define LOUPE_TEST_FOUNDATION_NSVALUE_H

#import <Foundation/NSObject.h>

@interface NSValue : NSObject <NSCopying>
/* The object is not retained. */
+ (NSValue *)valueWithNonretainedObject:(id)object;
+ (NSValue *)valueWithPointer:(const void *)pointer;
+ (NSValue *)valueWithBytes:(const void *)bytes objCType:(const char *)type;
- (void)getValue:(void *)bytes;
@property(readonly) const char *objCType;
@property(readonly) id nonretainedObjectValue;
@property(readonly) void *pointerValue;
@end

@interface NSNumber : NSValue
+ (NSNumber *)numberWithChar:(char)value;
+ (NSNumber *)numberWithUnsignedChar:(unsigned char)value;
+ (NSNumber *)numberWithShort:(short)value;
+ (NSNumber *)numberWithUnsignedShort:(unsigned short)value;
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithUnsignedInt:(unsigned)value;
+ (NSNumber *)numberWithLong:(long)value;
+ (NSNumber *)numberWithUnsignedLong:(unsigned long)value;
+ (NSNumber *)numberWithLongLong:(long long)value;
+ (NSNumber *)numberWithUnsignedLongLong:(unsigned long long)value;
+ (NSNumber *)numberWithFloat:(float)value;
+ (NSNumber *)numberWithDouble:(double)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
+ (NSNumber *)numberWithInteger:(NSInteger)value;
+ (NSNumber *)numberWithUnsignedInteger:(NSUInteger)value;
@property(readonly) int intValue;
@property(readonly) long longValue;
@property(readonly) long long longLongValue;
@property(readonly) unsigned long long unsignedLongLongValue;
@property(readonly) float floatValue;
@property(readonly) double doubleValue;
@property(readonly) BOOL boolValue;
@property(readonly) NSInteger integerValue;
@property(readonly) NSUInteger unsignedIntegerValue;
- (BOOL)isEqualToNumber:(NSNumber *)other;
@end

#endif

/*
 * NSTagged.m - makes them and reads them back. Without ARC, as Apple's Foundation is.
 */
#import "NSTagged.h"

#include <stdlib.h>
#include <string.h>

OBJC_EXTERN void _objc_registerTaggedPointerClass(unsigned tag, Class cls);
OBJC_EXTERN id _objc_taggedPointer(unsigned tag, uintptr_t payload);
OBJC_EXTERN uintptr_t _objc_taggedPointerPayload(id tagged);

#define STRING_TAG     2
#define INDEX_PATH_TAG 4
#define DATE_TAG       6
#define INFO_BITS      4
#define PAYLOAD_BITS   60

/* ---- Strings -------------------------------------------------------------------------------- */

/* Places in this table stand for characters where their bytes do not fit; of 5 bits in its half. */
static const char frequent[] = "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX";
#define LONGEST_OF_BYTES  7
#define LONGEST_OF_6_BITS 9
#define LONGEST           11

@interface NSTaggedPointerString : NSString
@end

static unsigned width_for(size_t length) {
    return length <= LONGEST_OF_BYTES ? 8 : length <= LONGEST_OF_6_BITS ? 6 : 5;
}

/* False: the character has no place in so many bits. */
static bool find_place(char character, unsigned width, uintptr_t *place) {
    const char *found = memchr(frequent, character, sizeof frequent - 1);
    if (!found || found - frequent >= 1 << width)
        return false;
    *place = (uintptr_t)(found - frequent);
    return true;
}

/* Bytes from the bottom up, places from the top down. */
static bool pack(const char *text, size_t length, uintptr_t *packed) {
    unsigned width = width_for(length);
    *packed = 0;
    for (size_t i = 0; i < length; i++) {
        uintptr_t place = (unsigned char)text[width == 8 ? length - 1 - i : i];
        if (width == 8 ? place > 0x7f : !find_place(text[i], width, &place))
            return false;
        *packed = *packed << width | place;
    }
    return true;
}

NSString *loupe_test_tagged_string(const char *text) {
    size_t length = strlen(text);
    uintptr_t packed;
    if (length > LONGEST || !pack(text, length, &packed))
        abort();
    return _objc_taggedPointer(STRING_TAG, packed << INFO_BITS | length);
}

@implementation NSTaggedPointerString

+ (void)load {
    _objc_registerTaggedPointerClass(STRING_TAG, self);
}

- (NSUInteger)length {
    return _objc_taggedPointerPayload(self) & 0xf;
}

/* Of the string that this was asked last in the thread. */
- (const char *)UTF8String {
    static _Thread_local char text[LONGEST + 1];
    size_t length = [self length];
    uintptr_t packed = _objc_taggedPointerPayload(self) >> INFO_BITS;
    unsigned width = width_for(length);
    for (size_t i = 0; i < length; i++, packed >>= width) {
        uintptr_t place = packed & ((1U << width) - 1);
        text[width == 8 ? i : length - 1 - i] = width == 8 ? (char)place : frequent[place];
    }
    text[length] = '\0';
    return text;
}

@end

/* ---- Dates ---------------------------------------------------------------------------------- */

/* Of the eleven bits of a double's exponent seven are kept, less this. */
#define EXPONENT_BIAS 0x3ef
#define FRACTION_BITS 52
#define FRACTION_MASK ((1UL << FRACTION_BITS) - 1)

@interface __NSTaggedDate : NSDate
@end

@implementation NSDate

+ (instancetype)dateWithTimeIntervalSinceReferenceDate:(NSTimeInterval)seconds {
    uintptr_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    long exponent = (long)(bits >> FRACTION_BITS & 0x7ff) - EXPONENT_BIAS;
    if (seconds == 0)
        return _objc_taggedPointer(DATE_TAG, 0);
    if (exponent < -64 || exponent > 63)
        abort();
    return _objc_taggedPointer(DATE_TAG, (bits & FRACTION_MASK) |
                                             ((uintptr_t)exponent & 0x7f) << FRACTION_BITS |
                                             bits >> 63 << (PAYLOAD_BITS - 1));
}

- (NSTimeInterval)timeIntervalSinceReferenceDate {
    uintptr_t payload = _objc_taggedPointerPayload(self);
    long exponent = (long)(payload << (64 - PAYLOAD_BITS + 1)) >> (64 - 7);
    uintptr_t bits = payload >> (PAYLOAD_BITS - 1) << 63 |
                     (uintptr_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS |
                     (payload & FRACTION_MASK);
    NSTimeInterval seconds;
    memcpy(&seconds, &bits, sizeof seconds);
    return payload ? seconds : 0;
}

@end

@implementation __NSTaggedDate

+ (void)load {
    _objc_registerTaggedPointerClass(DATE_TAG, self);
}

@end

/* ---- Paths of indexes ------------------------------------------------------------------------ */

#define INDEX_BITS  13
#define FIRST_INDEX 8
#define COUNT_SHIFT 3

@implementation NSIndexPath

+ (void)load {
    _objc_registerTaggedPointerClass(INDEX_PATH_TAG, self);
}

+ (instancetype)indexPathWithIndexes:(const NSUInteger[])indexes length:(NSUInteger)length {
    uintptr_t payload = length << COUNT_SHIFT;
    if (length > 4)
        abort();
    for (NSUInteger i = 0; i < length; i++)
        payload |= indexes[i] << (FIRST_INDEX + INDEX_BITS * i);
    return _objc_taggedPointer(INDEX_PATH_TAG, payload);
}

- (NSUInteger)length {
    return _objc_taggedPointerPayload(self) >> COUNT_SHIFT & 7;
}

- (NSUInteger)indexAtPosition:(NSUInteger)position {
    return _objc_taggedPointerPayload(self) >> (FIRST_INDEX + INDEX_BITS * position) &
           ((1U << INDEX_BITS) - 1);
}

@end

/*
 * NSNumber.m - numbers: tagged pointers, CFNumber objects and the two booleans.
 */
#import "CFBase.h"
#import "internal.h"

/* Low bits of a CFNumber's information and payload type of a tagged number. */
enum number_type {
    NUMBER_CHAR = 1,
    NUMBER_SHORT = 2,
    NUMBER_INT = 3,
    NUMBER_LONG = 4,
    NUMBER_FLOAT = 5,
    NUMBER_DOUBLE = 6,
    NUMBER_UNSIGNED_LONG = 17,
};
#define NUMBER_TYPE_MASK 0x1fU

#define NUMBER_TAG 3
/* A tagged payload has 60 bits: four of type (CFNumber's less one), 56 of value. */
#define TAGGED_VALUE_BITS 56

struct cf_number {
    struct cf_base base;
    union {
        long long integer;
        double floating;
        float single;
    } value;
};

/* Of NUMBER_UNSIGNED_LONG, 128 bits. */
struct cf_wide_number {
    struct cf_base base;
    long long high;
    unsigned long long low;
};

@interface __NSCFNumber : NSNumber
@end

@interface __NSCFBoolean : NSNumber
@end

static struct cf_base boolean_true = {Nil, 1, 0};
static struct cf_base boolean_false = {Nil, 0, 0};

OBJC_EXTERN const void *const kCFNumberNaN, *const kCFBooleanTrue, *const kCFBooleanFalse;
static struct cf_number not_a_number = {{Nil, NUMBER_DOUBLE, 0}, {.floating = __builtin_nan("")}};
const void *const kCFNumberNaN = &not_a_number;
const void *const kCFBooleanTrue = &boolean_true;
const void *const kCFBooleanFalse = &boolean_false;

static BOOL is_tagged(id number) {
    return rt_is_tagged(number);
}

static enum number_type type_of(NSNumber *number) {
    if (is_tagged(number))
        return (enum number_type)((_objc_taggedPointerPayload(number) & 0xf) + 1);
    return ((struct cf_base *)number)->info & NUMBER_TYPE_MASK;
}

static BOOL is_floating(NSNumber *number) {
    return type_of(number) == NUMBER_FLOAT || type_of(number) == NUMBER_DOUBLE;
}

static double floating_of(NSNumber *number);

static long long integer_of(NSNumber *number) {
    if (is_tagged(number))
        return (long long)(_objc_taggedPointerPayload(number) << 4) >> 8;
    const struct cf_number *cf = (const struct cf_number *)number;
    if (type_of(number) == NUMBER_UNSIGNED_LONG)
        return (long long)((const struct cf_wide_number *)number)->low;
    return is_floating(number) ? (long long)floating_of(number) : cf->value.integer;
}

static double floating_of(NSNumber *number) {
    if (type_of(number) == NUMBER_FLOAT)
        return ((const struct cf_number *)number)->value.single;
    if (!is_tagged(number) && is_floating(number))
        return ((const struct cf_number *)number)->value.floating;
    if (type_of(number) == NUMBER_UNSIGNED_LONG)
        return (double)(unsigned long long)integer_of(number);
    return (double)integer_of(number);
}

static NSNumber *number_with_integer(enum number_type type, long long value) {
    long long rest = value >> (TAGGED_VALUE_BITS - 1);
    if ((rest == 0 || rest == -1) && type != NUMBER_UNSIGNED_LONG) {
        return _objc_taggedPointer(NUMBER_TAG, ((uintptr_t)value << 4 | (type - 1)));
    }
    bool is_wide = type == NUMBER_UNSIGNED_LONG;
    id number = cf_create([__NSCFNumber class],
                          is_wide ? sizeof(struct cf_wide_number) : sizeof(struct cf_number), type);
    if (is_wide)
        ((struct cf_wide_number *)number)->low = (unsigned long long)value;
    else
        ((struct cf_number *)number)->value.integer = value;
    return [number autorelease];
}

static NSNumber *number_with_unsigned(unsigned long long value) {
    enum number_type type = value > LLONG_MAX ? NUMBER_UNSIGNED_LONG : NUMBER_LONG;
    return number_with_integer(type, (long long)value);
}

static NSNumber *number_with_floating(enum number_type type, double value) {
    struct cf_number *number =
        (struct cf_number *)cf_create([__NSCFNumber class], sizeof *number, type);
    if (type == NUMBER_FLOAT)
        number->value.single = (float)value;
    else
        number->value.floating = value;
    return [(id)number autorelease];
}

@implementation NSNumber

+ (NSNumber *)numberWithChar:(char)value {
    return number_with_integer(NUMBER_CHAR, value);
}

+ (NSNumber *)numberWithUnsignedChar:(unsigned char)value {
    return number_with_integer(NUMBER_SHORT, value);
}

+ (NSNumber *)numberWithShort:(short)value {
    return number_with_integer(NUMBER_SHORT, value);
}

+ (NSNumber *)numberWithUnsignedShort:(unsigned short)value {
    return number_with_integer(NUMBER_INT, value);
}

+ (NSNumber *)numberWithInt:(int)value {
    return number_with_integer(NUMBER_INT, value);
}

+ (NSNumber *)numberWithUnsignedInt:(unsigned)value {
    return number_with_integer(NUMBER_LONG, value);
}

+ (NSNumber *)numberWithLong:(long)value {
    return number_with_integer(NUMBER_LONG, value);
}

+ (NSNumber *)numberWithUnsignedLong:(unsigned long)value {
    return number_with_unsigned(value);
}

+ (NSNumber *)numberWithLongLong:(long long)value {
    return number_with_integer(NUMBER_LONG, value);
}

+ (NSNumber *)numberWithUnsignedLongLong:(unsigned long long)value {
    return number_with_unsigned(value);
}

+ (NSNumber *)numberWithFloat:(float)value {
    return number_with_floating(NUMBER_FLOAT, (double)value);
}

+ (NSNumber *)numberWithDouble:(double)value {
    return number_with_floating(NUMBER_DOUBLE, value);
}

+ (NSNumber *)numberWithBool:(BOOL)value {
    return (id)(value ? &boolean_true : &boolean_false);
}

+ (NSNumber *)numberWithInteger:(NSInteger)value {
    return number_with_integer(NUMBER_LONG, value);
}

+ (NSNumber *)numberWithUnsignedInteger:(NSUInteger)value {
    return number_with_unsigned(value);
}

- (long long)longLongValue {
    return integer_of(self);
}

- (unsigned long long)unsignedLongLongValue {
    return (unsigned long long)integer_of(self);
}

- (int)intValue {
    return (int)integer_of(self);
}

- (long)longValue {
    return (long)integer_of(self);
}

- (NSInteger)integerValue {
    return (NSInteger)integer_of(self);
}

- (NSUInteger)unsignedIntegerValue {
    return (NSUInteger)integer_of(self);
}

- (float)floatValue {
    return (float)floating_of(self);
}

- (double)doubleValue {
    return floating_of(self);
}

- (BOOL)boolValue {
    return floating_of(self) != 0;
}

- (const char *)objCType {
    switch (type_of(self)) {
    case NUMBER_CHAR:
        return @encode(char);
    case NUMBER_SHORT:
        return @encode(short);
    case NUMBER_INT:
        return @encode(int);
    case NUMBER_FLOAT:
        return @encode(float);
    case NUMBER_DOUBLE:
        return @encode(double);
    case NUMBER_UNSIGNED_LONG:
        return @encode(unsigned long long);
    case NUMBER_LONG:
        break;
    }
    return @encode(long long);
}

- (void)getValue:(void *)bytes {
    switch (type_of(self)) {
    case NUMBER_CHAR:
        *(char *)bytes = (char)integer_of(self);
        break;
    case NUMBER_SHORT:
        *(short *)bytes = (short)integer_of(self);
        break;
    case NUMBER_INT:
        *(int *)bytes = (int)integer_of(self);
        break;
    case NUMBER_FLOAT:
        *(float *)bytes = (float)floating_of(self);
        break;
    case NUMBER_DOUBLE:
        *(double *)bytes = floating_of(self);
        break;
    case NUMBER_LONG:
    case NUMBER_UNSIGNED_LONG:
        *(long long *)bytes = integer_of(self);
        break;
    }
}

- (BOOL)isEqualToNumber:(NSNumber *)other {
    if (is_floating(self) || is_floating(other))
        return floating_of(self) == floating_of(other);
    return integer_of(self) == integer_of(other);
}

- (BOOL)isEqual:(id)object {
    return [object isKindOfClass:[NSNumber class]] && [self isEqualToNumber:object];
}

- (NSUInteger)hash {
    return (NSUInteger)integer_of(self);
}

- (NSString *)description {
    if (is_floating(self))
        return [NSString stringWithFormat:@"%g", floating_of(self)];
    return [NSString stringWithFormat:@"%ld", (long)integer_of(self)];
}

@end

@implementation __NSCFNumber

+ (void)load {
    _objc_registerTaggedPointerClass(NUMBER_TAG, self);
    not_a_number.base.isa = self;
}

CF_REFERENCE_COUNTING

@end

@implementation __NSCFBoolean

+ (void)load {
    boolean_true.isa = boolean_false.isa = self;
}

CF_REFERENCE_COUNTING

- (long long)longLongValue {
    return self == (id)&boolean_true;
}

- (BOOL)boolValue {
    return self == (id)&boolean_true;
}

- (int)intValue {
    return [self boolValue];
}

- (double)doubleValue {
    return [self boolValue];
}

- (const char *)objCType {
    return @encode(BOOL);
}

- (BOOL)isEqualToNumber:(NSNumber *)other {
    return [self longLongValue] == [other longLongValue];
}

- (NSUInteger)hash {
    return [self boolValue] ? 1 : 0;
}

- (NSString *)description {
    return [self boolValue] ? @"1" : @"0";
}

@end

/*
 * NSValue.m - boxed bytes. The box owns nothing, even if the bytes are an object.
 */
#import <Foundation/Foundation.h>

#include <stdlib.h>
#include <string.h>

/* The bytes follow the object. */
@interface NSConcreteValue : NSValue {
    NSUInteger _specialFlags;
    const char *_type;
}
@end

/* The size of what an encoding describes, for the scalars and pointers that are boxed here. */
static size_t size_of_type(const char *type) {
    switch (*type) {
    case 'c':
    case 'C':
    case 'B':
        return 1;
    case 's':
    case 'S':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case '{':
    case '(':
    case '[':
        abort(); /* structures are not boxed here */
    default:
        return 8;
    }
}

@implementation NSValue

+ (NSValue *)valueWithBytes:(const void *)bytes objCType:(const char *)type {
    size_t size = size_of_type(type);
    NSConcreteValue *value = class_createInstance([NSConcreteValue class], size);
    return [[value initWithBytes:bytes size:size objCType:type] autorelease];
}

+ (NSValue *)valueWithNonretainedObject:(id)object {
    return [self valueWithBytes:&object objCType:@encode(void *)];
}

+ (NSValue *)valueWithPointer:(const void *)pointer {
    return [self valueWithBytes:&pointer objCType:@encode(void *)];
}

- (instancetype)initWithBytes:(const void *)bytes size:(size_t)size objCType:(const char *)type {
    return [self init];
}

- (id)copyWithZone:(NSZone *)zone {
    return [self retain];
}

- (const char *)objCType {
    return "";
}

- (void)getValue:(void *)bytes {
}

- (void *)pointerValue {
    void *pointer = NULL;
    [self getValue:&pointer];
    return pointer;
}

- (id)nonretainedObjectValue {
    return (id)[self pointerValue];
}

@end

static void *bytes_of(NSConcreteValue *value) {
    return (char *)value + class_getInstanceSize([NSConcreteValue class]);
}

@implementation NSConcreteValue

- (instancetype)initWithBytes:(const void *)bytes size:(size_t)size objCType:(const char *)type {
    _type = type;
    memcpy(bytes_of(self), bytes, size);
    return self;
}

- (const char *)objCType {
    return _type;
}

- (void)getValue:(void *)bytes {
    memcpy(bytes, bytes_of(self), size_of_type(_type));
}

- (NSUInteger)hash {
    return (NSUInteger)[self pointerValue] >> 4;
}

- (BOOL)isEqual:(id)object {
    return [object isKindOfClass:[NSConcreteValue class]] &&
           strcmp([object objCType], _type) == 0 &&
           memcmp(bytes_of(object), bytes_of(self), size_of_type(_type)) == 0;
}

@end

/*
 * NSString.m - strings of bytes: constants that the compiler made, and copies on the heap.
 */
#import "CFBase.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The compiler emits constants in this form, with a count of zero. */
struct cf_string {
    struct cf_base base;
    const char *bytes;
    long length;
};

/* Immutable, contents elsewhere, one byte per character: __CFStringMakeConstantString's 0x7c8. */
#define CF_STRING_INFO 0x7c8U

@interface __NSCFString : NSString
@end

@interface __NSCFConstantString : __NSCFString
@end

#if defined(__ELF__) /* in Mach-O the linker gives this second name */
__asm__(".globl __CFConstantStringClassReference\n"
        ".set __CFConstantStringClassReference, OBJC_CLASS_$___NSCFConstantString");
#endif

static struct cf_string *string_of(id object) {
    return (struct cf_string *)object;
}

static id string_with_bytes(const char *bytes, size_t length) {
    struct cf_string *string = string_of(
        cf_create([__NSCFString class], sizeof(struct cf_string) + length + 1, CF_STRING_INFO));
    char *copy = (char *)(string + 1);
    memcpy(copy, bytes, length);
    string->bytes = copy;
    string->length = (long)length;
    return (id)string;
}

/* ---- formatting ----------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t length;
};

static void append(struct text *text, const char *bytes, size_t length) {
    char *longer = realloc(text->bytes, text->length + length + 1);
    if (!longer)
        abort();
    memcpy(longer + text->length, bytes, length);
    text->bytes = longer;
    text->length += length;
}

/* One conversion, from behind its '%'; answers where the format goes on. */
static const char *append_conversion(struct text *text, const char *format, va_list *arguments) {
    char spec[16] = "%";
    size_t used = 1;
    int longs = 0;
    for (; *format && strchr("0123456789.-+lz", *format) && used < sizeof spec - 4; format++) {
        if (*format == 'l' || *format == 'z')
            longs++;
        else
            spec[used++] = *format;
    }
    char buffer[128];
    int length = 0;
    const char *string = buffer;
    switch (*format) {
    case '@':
        string = [[va_arg(*arguments, id) description] UTF8String];
        string = string ? string : "(null)";
        length = (int)strlen(string);
        break;
    case 's':
        string = va_arg(*arguments, const char *);
        string = string ? string : "(null)";
        length = (int)strlen(string);
        break;
    case 'd':
    case 'i':
        memcpy(spec + used, "ld", 3);
        length = snprintf(buffer, sizeof buffer, spec,
                          longs ? va_arg(*arguments, long) : (long)va_arg(*arguments, int));
        break;
    case 'u':
    case 'x':
        spec[used++] = 'l';
        spec[used] = *format;
        length = snprintf(buffer, sizeof buffer, spec,
                          longs ? va_arg(*arguments, unsigned long)
                                : (unsigned long)va_arg(*arguments, unsigned));
        break;
    case 'c':
        buffer[0] = (char)va_arg(*arguments, int);
        length = 1;
        break;
    case 'p':
        length = snprintf(buffer, sizeof buffer, "%p", va_arg(*arguments, void *));
        break;
    case 'f':
    case 'g':
        spec[used] = *format;
        length = snprintf(buffer, sizeof buffer, spec, va_arg(*arguments, double));
        break;
    case '%':
        buffer[0] = '%';
        length = 1;
        break;
    default:
        fprintf(stderr, "NSString: conversion %%%c is not known\n", *format);
        abort();
    }
    append(text, string, (size_t)length);
    return format + 1;
}

static id string_with_format(NSString *format, va_list arguments) {
    struct text text = {NULL, 0};
    append(&text, "", 0);
    va_list copy;
    va_copy(copy, arguments);
    for (const char *rest = [format UTF8String]; *rest;) {
        size_t plain = strcspn(rest, "%");
        append(&text, rest, plain);
        rest += plain;
        if (*rest)
            rest = append_conversion(&text, rest + 1, &copy);
    }
    va_end(copy);
    id string = string_with_bytes(text.bytes, text.length);
    free(text.bytes);
    return string;
}

void NSLog(NSString *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    NSString *line = string_with_format(format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s\n", [line UTF8String]);
    [line release];
}

/* ---- the class that programs name ----------------------------------------------------------- */

@implementation NSString

/* +alloc gives a place that the initializers replace by a string. */
+ (instancetype)allocWithZone:(NSZone *)zone {
    return string_with_bytes("", 0);
}

- (instancetype)initWithUTF8String:(const char *)bytes {
    [self release];
    return string_with_bytes(bytes, strlen(bytes));
}

- (instancetype)initWithString:(NSString *)string {
    return [self initWithUTF8String:[string UTF8String]];
}

- (instancetype)initWithFormat:(NSString *)format arguments:(va_list)arguments {
    [self release];
    return string_with_format(format, arguments);
}

+ (instancetype)string {
    return [[[self alloc] init] autorelease];
}

+ (instancetype)stringWithUTF8String:(const char *)bytes {
    return [string_with_bytes(bytes, strlen(bytes)) autorelease];
}

+ (instancetype)stringWithString:(NSString *)string {
    return [self stringWithUTF8String:[string UTF8String]];
}

+ (instancetype)stringWithFormat:(NSString *)format, ... {
    va_list arguments;
    va_start(arguments, format);
    id string = string_with_format(format, arguments);
    va_end(arguments);
    return [string autorelease];
}

- (id)copyWithZone:(NSZone *)zone {
    return [self retain];
}

- (id)mutableCopyWithZone:(NSZone *)zone {
    return string_with_bytes([self UTF8String], [self length]);
}

- (NSUInteger)length {
    return (NSUInteger)string_of(self)->length;
}

- (const char *)UTF8String {
    return string_of(self)->bytes;
}

- (NSString *)description {
    return self;
}

- (NSUInteger)hash {
    NSUInteger hash = 5381;
    for (const char *byte = [self UTF8String]; *byte; byte++)
        hash = hash * 33 + (unsigned char)*byte;
    return hash;
}

- (BOOL)isEqual:(id)object {
    return self == object ||
           ([object isKindOfClass:[NSString class]] && [self isEqualToString:object]);
}

- (BOOL)isEqualToString:(NSString *)other {
    return other && strcmp([self UTF8String], [other UTF8String]) == 0;
}

- (BOOL)hasPrefix:(NSString *)prefix {
    return strncmp([self UTF8String], [prefix UTF8String], [prefix length]) == 0;
}

- (BOOL)hasSuffix:(NSString *)suffix {
    NSUInteger length = [suffix length];
    return [self length] >= length &&
           strcmp([self UTF8String] + [self length] - length, [suffix UTF8String]) == 0;
}

- (NSComparisonResult)compare:(NSString *)other {
    int order = strcmp([self UTF8String], [other UTF8String]);
    return order < 0 ? NSOrderedAscending : order > 0 ? NSOrderedDescending : NSOrderedSame;
}

- (NSString *)stringByAppendingString:(NSString *)other {
    return [NSString stringWithFormat:@"%s%s", [self UTF8String], [other UTF8String]];
}

@end

@implementation __NSCFString

CF_REFERENCE_COUNTING

@end

@implementation __NSCFConstantString
@end

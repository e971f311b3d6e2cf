/*
 * NSObjCRuntime.h - types and macros of Foundation.
 */
#ifndef LOUPE_TEST_FOUNDATION_NSOBJCRUNTIME_H
#define LOUPE_TEST_FOUNDATION_NSOBJCRUNTIME_H

#include <objc/objc.h>
#include <objc/message.h>
#include <objc/runtime.h>
#include <Block.h>
#include <limits.h>
#include <stdarg.h>

typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
typedef struct _NSZone NSZone;

#define NSIntegerMax LONG_MAX
#define NSIntegerMin LONG_MIN
#define NSUIntegerMax ULONG_MAX
#define NSNotFound NSIntegerMax

#define FOUNDATION_EXPORT OBJC_EXTERN
#define NS_ENUM(type, name)                                                                        \
    enum name : type name;                                                                         \
    enum name : type
#define NS_OPTIONS(type, name) NS_ENUM(type, name)
#define NS_NOESCAPE __attribute__((noescape))
#define NS_ROOT_CLASS __attribute__((objc_root_class))
#define NS_REQUIRES_NIL_TERMINATION __attribute__((sentinel(0, 1)))
#define NS_RETURNS_RETAINED __attribute__((ns_returns_retained))
#define NS_VALID_UNTIL_END_OF_SCOPE __attribute__((objc_precise_lifetime))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")

typedef NS_ENUM(NSInteger, NSComparisonResult) {
    NSOrderedAscending = -1L,
    NSOrderedSame,
    NSOrderedDescending,
};

@class NSString;

FOUNDATION_EXPORT NSString *NSStringFromClass(Class cls);
FOUNDATION_EXPORT NSString *NSStringFromSelector(SEL sel);
FOUNDATION_EXPORT Class NSClassFromString(NSString *name);
FOUNDATION_EXPORT SEL NSSelectorFromString(NSString *name);

/* Writes one line to standard error; the format language is that of +stringWithFormat:. */
FOUNDATION_EXPORT void NSLog(NSString *format, ...);

#endif

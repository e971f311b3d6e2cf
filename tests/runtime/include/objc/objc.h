/*
 * objc/objc.h - the basic Objective-C types, under Apple's names.
 */
#ifndef LOUPE_TEST_OBJC_OBJC_H
#define LOUPE_TEST_OBJC_OBJC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct objc_class *Class;

struct objc_object {
    /* On the heap this is a packed word, not a plain pointer: use object_getClass(). */
    Class isa;
};

typedef struct objc_object *id;
typedef struct objc_selector *SEL;
typedef void (*IMP)(void);

/* As on macOS: a character on Intel, a bool on arm64. It shows in type encodings ("c" or "B"). */
#ifdef __aarch64__
typedef bool BOOL;
#else
typedef signed char BOOL;
#endif

#ifdef __OBJC__
#define YES __objc_yes
#define NO __objc_no
#else
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#endif

#ifndef Nil
#define Nil ((Class)0)
#endif
#ifndef nil
#define nil ((id)0)
#endif

#ifdef __OBJC__
#if __has_feature(objc_arc)
#define OBJC_ARC_UNAVAILABLE __attribute__((unavailable("ARC sends this message itself")))
#else
#define OBJC_ARC_UNAVAILABLE
#endif
#endif

#ifdef __cplusplus
#define OBJC_EXTERN extern "C" __attribute__((visibility("default")))
#else
#define OBJC_EXTERN extern __attribute__((visibility("default")))
#endif

OBJC_EXTERN SEL sel_registerName(const char *name);
OBJC_EXTERN SEL sel_getUid(const char *name);
OBJC_EXTERN const char *sel_getName(SEL sel);
OBJC_EXTERN BOOL sel_isEqual(SEL a, SEL b);

#endif

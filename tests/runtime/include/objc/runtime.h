/*
 * objc/runtime.h - looking at and making classes, under Apple's names.
 *
 * What a copy... function returns is freed by the caller with free(). Names, encodings and layouts
 * belong to the class. All functions accept nil and answer nothing, 0 or NULL for it.
 */
#ifndef LOUPE_TEST_OBJC_RUNTIME_H
#define LOUPE_TEST_OBJC_RUNTIME_H

#include <objc/objc.h>

typedef struct objc_method *Method;
typedef struct objc_ivar *Ivar;
typedef struct objc_property *objc_property_t;

#ifdef __OBJC__
@class Protocol;
#else
typedef struct objc_object Protocol;
#endif

enum {
    OBJC_ASSOCIATION_ASSIGN = 0,
    OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
    OBJC_ASSOCIATION_COPY_NONATOMIC = 3,
    OBJC_ASSOCIATION_RETAIN = 01401,
    OBJC_ASSOCIATION_COPY = 01403,
};
typedef uintptr_t objc_AssociationPolicy;

OBJC_EXTERN void objc_setAssociatedObject(id object, const void *key, id value,
                                          objc_AssociationPolicy policy);
OBJC_EXTERN id objc_getAssociatedObject(id object, const void *key);
OBJC_EXTERN void objc_removeAssociatedObjects(id object);

/* How many classes there are; as many of them as there is room for are copied. */
OBJC_EXTERN int objc_getClassList(Class *buffer, int room);

OBJC_EXTERN Class object_getClass(id object);
OBJC_EXTERN Class object_setClass(id object, Class cls);
OBJC_EXTERN const char *object_getClassName(id object);
OBJC_EXTERN BOOL object_isClass(id object);
OBJC_EXTERN id object_getIvar(id object, Ivar ivar);
OBJC_EXTERN void object_setIvar(id object, Ivar ivar, id value);

/* objc_getClass realizes the class, objc_lookUpClass too; both answer Nil for an unknown name. */
OBJC_EXTERN Class objc_getClass(const char *name);
OBJC_EXTERN Class objc_lookUpClass(const char *name);
OBJC_EXTERN Class objc_getMetaClass(const char *name);
OBJC_EXTERN Protocol *objc_getProtocol(const char *name);

OBJC_EXTERN const char *class_getName(Class cls);
OBJC_EXTERN Class class_getSuperclass(Class cls);
OBJC_EXTERN BOOL class_isMetaClass(Class cls);
OBJC_EXTERN size_t class_getInstanceSize(Class cls);
OBJC_EXTERN Ivar class_getInstanceVariable(Class cls, const char *name);
OBJC_EXTERN Ivar *class_copyIvarList(Class cls, unsigned *count_ret);
OBJC_EXTERN const uint8_t *class_getIvarLayout(Class cls);
OBJC_EXTERN const uint8_t *class_getWeakIvarLayout(Class cls);
OBJC_EXTERN Method *class_copyMethodList(Class cls, unsigned *count_ret); /* free() it */
OBJC_EXTERN Method class_getInstanceMethod(Class cls, SEL sel);
OBJC_EXTERN Method class_getClassMethod(Class cls, SEL sel);
OBJC_EXTERN IMP class_getMethodImplementation(Class cls, SEL sel);
OBJC_EXTERN BOOL class_respondsToSelector(Class cls, SEL sel);
OBJC_EXTERN BOOL class_conformsToProtocol(Class cls, Protocol *protocol);
OBJC_EXTERN objc_property_t class_getProperty(Class cls, const char *name);
OBJC_EXTERN id class_createInstance(Class cls, size_t extra_bytes);

OBJC_EXTERN const char *ivar_getName(Ivar ivar);
OBJC_EXTERN const char *ivar_getTypeEncoding(Ivar ivar);
OBJC_EXTERN ptrdiff_t ivar_getOffset(Ivar ivar);
OBJC_EXTERN SEL method_getName(Method method);
OBJC_EXTERN IMP method_getImplementation(Method method);
OBJC_EXTERN const char *method_getTypeEncoding(Method method);
OBJC_EXTERN IMP method_setImplementation(Method method, IMP imp);
OBJC_EXTERN void method_exchangeImplementations(Method a, Method b);
OBJC_EXTERN const char *property_getName(objc_property_t property);
OBJC_EXTERN const char *property_getAttributes(objc_property_t property);
OBJC_EXTERN const char *protocol_getName(Protocol *protocol);
OBJC_EXTERN BOOL protocol_conformsToProtocol(Protocol *protocol, Protocol *other);

/* A new class pair becomes usable with objc_registerClassPair; ivars are added before that, methods
 * at any time. The name is copied. Nil if the name is taken. */
OBJC_EXTERN Class objc_allocateClassPair(Class superclass, const char *name, size_t extra_bytes);
OBJC_EXTERN void objc_registerClassPair(Class cls);
OBJC_EXTERN void objc_disposeClassPair(Class cls);
OBJC_EXTERN BOOL class_addIvar(Class cls, const char *name, size_t size, uint8_t alignment_log2,
                               const char *types);
OBJC_EXTERN void class_setIvarLayout(Class cls, const uint8_t *layout);
OBJC_EXTERN void class_setWeakIvarLayout(Class cls, const uint8_t *layout);
OBJC_EXTERN BOOL class_addMethod(Class cls, SEL sel, IMP imp, const char *types);
OBJC_EXTERN IMP class_replaceMethod(Class cls, SEL sel, IMP imp, const char *types);
OBJC_EXTERN BOOL class_addProtocol(Class cls, Protocol *protocol);

OBJC_EXTERN id objc_storeWeak(id *location, id value);
OBJC_EXTERN id objc_loadWeak(id *location);

#endif

/*
 * introspection.c - the public functions of objc/runtime.h that look at objects and classes.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

Class object_getClass(id object) {
    return object ? rt_class(object) : Nil;
}

Class object_setClass(id object, Class cls) {
    if (!object)
        return Nil;
    rt_class_initialize(cls);
    Class before = rt_class(object);
    uintptr_t isa = rt_isa(object);
    uintptr_t now;
    do {
        if (isa & ISA_NONPOINTER) {
            now = (isa & ~ISA_CLASS_MASK) | (uintptr_t)cls;
            now = cls->cache.flags & CACHE_HAS_CXX_DTOR ? now | ISA_HAS_CXX_DTOR
                                                        : now & ~ISA_HAS_CXX_DTOR;
        } else {
            now = (uintptr_t)cls;
        }
    } while (!__atomic_compare_exchange_n((uintptr_t *)object, &isa, now, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    return before;
}

/* The class of anything that may be an object, for debuggers (objc4: objc-gdb.h): what lldb calls
 * before it sends a message in an expression. */
Class gdb_object_getClass(id object);

Class gdb_object_getClass(id object) {
    return object_getClass(object);
}

const char *object_getClassName(id object) {
    return object ? rt_class_ro(rt_class(object))->name : "nil";
}

BOOL object_isClass(id object) {
    return object && !rt_is_tagged(object) && rt_class_is_meta(rt_class(object));
}

id object_getIvar(id object, Ivar ivar) {
    return object && ivar ? *(id *)((char *)object + *ivar->offset) : nil;
}

void object_setIvar(id object, Ivar ivar, id value) {
    if (object && ivar)
        *(id *)((char *)object + *ivar->offset) = value;
}

Class objc_lookUpClass(const char *name) {
    Class cls = name ? rt_class_named(name) : Nil;
    if (cls)
        rt_class_realize(cls);
    return cls;
}

Class objc_getClass(const char *name) {
    return objc_lookUpClass(name);
}

Class objc_getMetaClass(const char *name) {
    Class cls = objc_lookUpClass(name);
    return cls ? cls->isa : Nil;
}

const char *class_getName(Class cls) {
    return cls ? rt_class_ro(cls)->name : "nil";
}

Class class_getSuperclass(Class cls) {
    return cls ? cls->superclass : Nil;
}

BOOL class_isMetaClass(Class cls) {
    return cls && rt_class_is_meta(cls);
}

size_t class_getInstanceSize(Class cls) {
    if (!cls)
        return 0;
    rt_class_realize(cls);
    return rt_class_instance_size(cls);
}

Ivar *class_copyIvarList(Class cls, unsigned *count_ret) {
    if (cls)
        rt_class_realize(cls);
    const struct ivar_list *ivars = cls ? rt_class_ro(cls)->ivars : NULL;
    uint32_t count = ivars ? ivars->count : 0;
    Ivar *copy = count ? calloc(count + 1U, sizeof *copy) : NULL;
    for (uint32_t i = 0; copy && i < count; i++)
        copy[i] = (Ivar)(uintptr_t)&ivars->entries[i];
    if (count_ret)
        *count_ret = copy ? count : 0;
    return copy;
}

Ivar class_getInstanceVariable(Class cls, const char *name) {
    if (cls)
        rt_class_realize(cls);
    for (; cls; cls = cls->superclass) {
        const struct ivar_list *ivars = rt_class_ro(cls)->ivars;
        for (uint32_t i = 0; ivars && i < ivars->count; i++) {
            if (ivars->entries[i].name && strcmp(ivars->entries[i].name, name) == 0)
                return (Ivar)(uintptr_t)&ivars->entries[i];
        }
    }
    return NULL;
}

const uint8_t *class_getIvarLayout(Class cls) {
    return cls && !rt_class_is_meta(cls) ? rt_class_ro(cls)->ivar_layout : NULL;
}

const uint8_t *class_getWeakIvarLayout(Class cls) {
    return cls ? rt_class_ro(cls)->weak_ivar_layout : NULL;
}

Method class_getInstanceMethod(Class cls, SEL sel) {
    if (!cls)
        return NULL;
    rt_class_realize(cls);
    rt_lock();
    struct objc_method *method = rt_method(cls, sel);
    rt_unlock();
    return method;
}

Method class_getClassMethod(Class cls, SEL sel) {
    if (!cls)
        return NULL;
    rt_class_realize(cls);
    return class_getInstanceMethod(cls->isa, sel);
}

IMP class_getMethodImplementation(Class cls, SEL sel) {
    Method method = class_getInstanceMethod(cls, sel);
    return method ? method->imp : NULL;
}

BOOL class_respondsToSelector(Class cls, SEL sel) {
    return class_getInstanceMethod(cls, sel) != NULL;
}

static unsigned copy_methods(struct method_list *list, Method *copy, unsigned count) {
    list = rt_method_list_absolute(list);
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (copy)
            copy[count] = &list->entries[i];
        count++;
    }
    return count;
}

static unsigned copy_own_methods(Class cls, Method *copy) {
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    unsigned count = 0;
    if (!ext)
        return copy_methods(rt_class_ro(cls)->base_methods, copy, 0);
    for (unsigned i = 0; i < rt_list_count(ext->methods); i++)
        count = copy_methods(rt_list_at(ext->methods, i), copy, count);
    return count;
}

Method *class_copyMethodList(Class cls, unsigned *count_ret) {
    unsigned count = 0;
    Method *copy = NULL;
    if (cls) {
        rt_class_realize(cls);
        rt_lock();
        count = copy_own_methods(cls, NULL);
        copy = count ? calloc(count + 1U, sizeof *copy) : NULL;
        if (copy)
            copy_own_methods(cls, copy);
        rt_unlock();
    }
    if (count_ret)
        *count_ret = copy ? count : 0;
    return copy;
}

static objc_property_t property_in_list(const struct property_list *list, const char *name) {
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (strcmp(list->entries[i].name, name) == 0)
            return (objc_property_t)(uintptr_t)&list->entries[i];
    }
    return NULL;
}

static objc_property_t own_property(Class cls, const char *name) {
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    if (!ext)
        return property_in_list(rt_class_ro(cls)->base_properties, name);
    objc_property_t found = NULL;
    for (unsigned i = 0; i < rt_list_count(ext->properties) && !found; i++)
        found = property_in_list(rt_list_at(ext->properties, i), name);
    return found;
}

objc_property_t class_getProperty(Class cls, const char *name) {
    if (cls)
        rt_class_realize(cls);
    objc_property_t found = NULL;
    rt_lock();
    for (; cls && !found; cls = cls->superclass)
        found = own_property(cls, name);
    rt_unlock();
    return found;
}

const char *ivar_getName(Ivar ivar) {
    return ivar ? ivar->name : NULL;
}

const char *ivar_getTypeEncoding(Ivar ivar) {
    return ivar ? ivar->type : NULL;
}

ptrdiff_t ivar_getOffset(Ivar ivar) {
    return ivar && ivar->offset ? *ivar->offset : 0;
}

SEL method_getName(Method method) {
    return method ? method->name : NULL;
}

IMP method_getImplementation(Method method) {
    return method ? method->imp : NULL;
}

const char *method_getTypeEncoding(Method method) {
    return method ? method->types : NULL;
}

const char *property_getName(objc_property_t property) {
    return property ? property->name : NULL;
}

const char *property_getAttributes(objc_property_t property) {
    return property ? property->attributes : NULL;
}

/*
 * object.c - the beginning and the end of an object.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define MIN_OBJECT_SIZE 16

/* Apple's switch for programs that want plain isa words. */
static bool all_isas_are_raw(void) {
    static _Atomic(int) kept = -1;
    int answer = kept;
    if (answer < 0) {
        const char *value = getenv("OBJC_DISABLE_NONPOINTER_ISA");
        kept = answer = value && strcmp(value, "YES") == 0;
    }
    return answer != 0;
}

static uintptr_t first_isa(Class cls) {
    if (all_isas_are_raw())
        return (uintptr_t)cls;
    uintptr_t isa = (uintptr_t)cls | ISA_MAGIC_VALUE | ISA_NONPOINTER | ISA_RC_ONE;
    return cls->cache.flags & CACHE_HAS_CXX_DTOR ? isa | ISA_HAS_CXX_DTOR : isa;
}

static void call_cxx_construct(id object, Class cls) {
    if (cls->superclass)
        call_cxx_construct(object, cls->superclass);
    struct objc_method *method = rt_own_method(cls, rt_sel.cxx_construct);
    if (method)
        ((id(*)(id, SEL))method->imp)(object, rt_sel.cxx_construct);
}

id rt_create_instance(Class cls, size_t extra) {
    rt_class_realize(cls);
    size_t size = rt_class_instance_size(cls) + extra;
    id object = rt_object_alloc(size < MIN_OBJECT_SIZE ? MIN_OBJECT_SIZE : size);
    *(uintptr_t *)object = first_isa(cls);
    if (cls->cache.flags & CACHE_HAS_CXX_CTOR)
        call_cxx_construct(object, cls);
    return object;
}

void rt_isa_set_flag(id object, uintptr_t flag) {
    if (!rt_is_tagged(object) && (rt_isa(object) & ISA_NONPOINTER))
        __atomic_or_fetch((uintptr_t *)object, flag, __ATOMIC_RELAXED);
}

void rt_call_cxx_destruct(id object, Class cls) {
    for (; cls; cls = cls->superclass) {
        struct objc_method *method = rt_own_method(cls, rt_sel.cxx_destruct);
        if (method)
            ((void (*)(id, SEL))method->imp)(object, rt_sel.cxx_destruct);
    }
}

/* The order is Apple's: members first, then associations, weak references last. */
id rt_destruct_instance(id object) {
    uintptr_t isa = rt_isa(object);
    Class cls = rt_class_of_isa(isa);
    if (cls->cache.flags & CACHE_HAS_CXX_DTOR)
        rt_call_cxx_destruct(object, cls);
    isa = rt_isa(object);
    if (!(isa & ISA_NONPOINTER) || (isa & ISA_HAS_ASSOC))
        rt_associations_remove(object);
    isa = rt_isa(object);
    if (!(isa & ISA_NONPOINTER) || (isa & (ISA_WEAKLY_REFERENCED | ISA_HAS_SIDETABLE_RC)))
        rt_side_clear_deallocating(object);
    return object;
}

void rt_dispose(id object) {
    rt_destruct_instance(object);
    rt_object_free(object);
}

void *objc_destructInstance(id object) {
    return object ? rt_destruct_instance(object) : NULL;
}

void _objc_rootDealloc(id object) {
    if (!rt_is_tagged(object))
        rt_dispose(object);
}

id _objc_rootAllocWithZone(Class cls, void *zone) {
    (void)zone;
    return rt_create_instance(cls, 0);
}

id class_createInstance(Class cls, size_t extra_bytes) {
    return cls ? rt_create_instance(cls, extra_bytes) : nil;
}

/* ---- what the compiler calls instead of +alloc, +new, -class... --------------------------------
 */

OBJC_EXTERN id objc_alloc(Class cls);
OBJC_EXTERN id objc_allocWithZone(Class cls);
OBJC_EXTERN id objc_alloc_init(Class cls);
OBJC_EXTERN id objc_opt_new(Class cls);
OBJC_EXTERN id objc_opt_self(id object);
OBJC_EXTERN Class objc_opt_class(id object);
OBJC_EXTERN BOOL objc_opt_isKindOfClass(id object, Class cls);
OBJC_EXTERN BOOL objc_opt_respondsToSelector(id object, SEL sel);

static bool has_default_alloc(Class cls) {
    return rt_class_is_realized(cls) && (cls->isa->cache.flags & CACHE_HAS_DEFAULT_AWZ);
}

id objc_alloc(Class cls) {
    if (!cls)
        return nil;
    return has_default_alloc(cls) ? rt_create_instance(cls, 0) : rt_send(cls, rt_sel.alloc);
}

id objc_allocWithZone(Class cls) {
    if (!cls)
        return nil;
    if (has_default_alloc(cls))
        return rt_create_instance(cls, 0);
    return rt_send_pointer(cls, rt_sel.allocWithZone, NULL);
}

id objc_alloc_init(Class cls) {
    return rt_send(objc_alloc(cls), rt_sel.init);
}

id objc_opt_new(Class cls) {
    return rt_send(cls, rt_sel.new_);
}

id objc_opt_self(id object) {
    return rt_send(object, rt_sel.self);
}

Class objc_opt_class(id object) {
    return (Class)rt_send(object, rt_sel.class_);
}

BOOL objc_opt_isKindOfClass(id object, Class cls) {
    return rt_ask_pointer(object, rt_sel.isKindOfClass, cls);
}

BOOL objc_opt_respondsToSelector(id object, SEL sel) {
    return rt_ask_pointer(object, rt_sel.respondsToSelector, sel);
}

/*
 * dynamic_class.c - changing classes, and making new ones at run time.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

IMP method_setImplementation(Method method, IMP imp) {
    if (!method)
        return NULL;
    IMP before = method->imp;
    method->imp = imp;
    rt_cache_flush(rt_class_named("NSObject"));
    rt_cache_flush(rt_class_named("NSProxy"));
    return before;
}

void method_exchangeImplementations(Method a, Method b) {
    if (!a || !b)
        return;
    IMP imp = a->imp;
    a->imp = b->imp;
    method_setImplementation(b, imp);
}

static void add_method(Class cls, SEL sel, IMP imp, const char *types) {
    struct method_list *list = rt_meta_alloc(sizeof *list + sizeof list->entries[0]);
    list->entsize_and_flags = sizeof list->entries[0] | METHOD_LIST_FIXED_UP;
    list->count = 1;
    list->entries[0] = (struct objc_method){sel, rt_meta_strdup(types ? types : ""), imp};
    rt_list_prepend(&rt_class_rw_ext_create(cls)->methods, list);
    rt_cache_flush(cls);
}

BOOL class_addMethod(Class cls, SEL sel, IMP imp, const char *types) {
    if (!cls)
        return NO;
    rt_class_realize(cls);
    rt_lock();
    bool added = rt_own_method(cls, sel) == NULL;
    if (added)
        add_method(cls, sel, imp, types);
    rt_unlock();
    return added;
}

IMP class_replaceMethod(Class cls, SEL sel, IMP imp, const char *types) {
    if (!cls)
        return NULL;
    rt_class_realize(cls);
    rt_lock();
    struct objc_method *method = rt_own_method(cls, sel);
    IMP before = method ? method->imp : NULL;
    if (method) {
        method->imp = imp;
        rt_cache_flush(cls);
    } else {
        add_method(cls, sel, imp, types);
    }
    rt_unlock();
    return before;
}

/* ---- class pairs
 * --------------------------------------------------------------------------------- */

/* The layouts of a class that nobody has described: empty ones, at one place. */
static const uint8_t unset_layout;

static Class make_class(Class cls, Class super, const char *name, bool meta) {
    struct class_ro *ro = rt_meta_alloc(sizeof *ro);
    struct class_rw *rw = rt_meta_alloc(sizeof *rw);
    ro->name = name;
    ro->flags = meta ? RO_META : 0;
    if (!super)
        ro->flags |= RO_ROOT;
    ro->instance_start = super ? rt_class_ro(super)->instance_size : sizeof(void *);
    ro->instance_size = ro->instance_start;
    if (meta)
        ro->instance_start = ro->instance_size = sizeof(struct objc_class);
    else
        ro->ivar_layout = ro->weak_ivar_layout = &unset_layout;
    rw->flags = RW_REALIZED | RW_COPIED_RO | RW_CONSTRUCTING | (meta ? RW_META : 0);
    rw->ro_or_rw_ext = (uintptr_t)ro;
    OBJC_EXTERN struct cache_bucket _objc_empty_cache;
    cls->superclass = super;
    cls->cache.buckets = &_objc_empty_cache;
    if (super) {
        cls->cache.flags =
            (uint16_t)(super->cache.flags & (CACHE_HAS_CXX_DTOR | CACHE_HAS_CXX_CTOR));
    }
    cls->cache.flags |= meta ? CACHE_META : 0;
    cls->bits = (uintptr_t)rw | CLASS_IS_RW;
    return cls;
}

static void link_class(Class cls) {
    struct class_rw *super = rt_class_rw(cls->superclass);
    rt_class_rw(cls)->next_sibling = super->first_subclass;
    super->first_subclass = cls;
}

Class objc_allocateClassPair(Class superclass, const char *name, size_t extra_bytes) {
    if (!superclass || rt_class_named(name))
        return Nil;
    rt_class_realize(superclass);
    rt_lock();
    Class root = superclass;
    while (root->superclass)
        root = root->superclass;
    char *own_name = rt_meta_strdup(name);
    Class meta = make_class(rt_meta_alloc(sizeof(struct objc_class) + extra_bytes), superclass->isa,
                            own_name, true);
    Class cls = make_class(rt_meta_alloc(sizeof(struct objc_class) + extra_bytes), superclass,
                           own_name, false);
    cls->isa = meta;
    meta->isa = root->isa;
    link_class(cls);
    link_class(meta);
    rt_unlock();
    return cls;
}

void objc_registerClassPair(Class cls) {
    rt_lock();
    for (int i = 0; i < 2; i++) {
        struct class_rw *rw = rt_class_rw(i ? cls->isa : cls);
        rw->flags = (rw->flags & ~RW_CONSTRUCTING) | RW_CONSTRUCTED;
    }
    struct class_ro *ro = (struct class_ro *)(uintptr_t)rt_class_ro(cls);
    cls->cache.flags |= (uint16_t)((ro->instance_size + 15U) & ~15U & CACHE_ALLOC_MASK);
    rt_class_name_add(cls);
    rt_unlock();
}

static void free_methods(list_array methods) {
    for (unsigned i = 0; i < rt_list_count(methods); i++) {
        struct method_list *list = rt_list_at(methods, i);
        for (uint32_t k = 0; k < list->count; k++)
            free((void *)(uintptr_t)list->entries[k].types);
        free(list);
    }
    rt_list_array_free(methods);
}

static void free_protocols(list_array protocols) {
    for (unsigned i = 0; i < rt_list_count(protocols); i++)
        free(rt_list_at(protocols, i));
    rt_list_array_free(protocols);
}

static void free_ivars(struct ivar_list *ivars) {
    for (uint32_t i = 0; ivars && i < ivars->count; i++) {
        free(ivars->entries[i].offset);
        free((void *)(uintptr_t)ivars->entries[i].name);
        free((void *)(uintptr_t)ivars->entries[i].type);
    }
    free(ivars);
}

static void free_layout(const uint8_t *layout) {
    if (layout != &unset_layout)
        free((void *)(uintptr_t)layout);
}

/* Of a class that was made here: all of it, but the name, which its metaclass has too. */
static void free_class(Class cls) {
    struct class_ro *ro = (struct class_ro *)(uintptr_t)rt_class_ro(cls);
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    rt_cache_free(cls);
    if (ext) {
        free_methods(ext->methods);
        free_protocols(ext->protocols);
    }
    free_ivars(ro->ivars);
    free_layout(ro->ivar_layout);
    free_layout(ro->weak_ivar_layout);
    free(ro);
    free(ext);
    free(rt_class_rw(cls));
    free(cls);
}

void objc_disposeClassPair(Class cls) {
    rt_lock();
    rt_class_name_remove(cls);
    rt_class_unlink(cls->isa);
    rt_class_unlink(cls);
    char *name = (char *)(uintptr_t)rt_class_ro(cls)->name;
    free_class(cls->isa);
    free_class(cls);
    free(name);
    rt_unlock();
}

static struct class_ro *changeable_ro(Class cls) {
    if (!cls || !rt_class_is_realized(cls) || !(rt_class_rw(cls)->flags & RW_CONSTRUCTING))
        return NULL;
    return (struct class_ro *)(uintptr_t)rt_class_ro(cls);
}

BOOL class_addIvar(Class cls, const char *name, size_t size, uint8_t alignment_log2,
                   const char *types) {
    struct class_ro *ro = changeable_ro(cls);
    if (!ro || rt_class_is_meta(cls))
        return NO;
    uint32_t count = ro->ivars ? ro->ivars->count : 0;
    struct ivar_list *list = rt_meta_alloc(sizeof *list + (count + 1) * sizeof list->entries[0]);
    if (count)
        memcpy(list->entries, ro->ivars->entries, count * sizeof list->entries[0]);
    list->entsize = sizeof list->entries[0];
    list->count = count + 1;
    uint32_t alignment = 1U << alignment_log2;
    uint32_t offset = (ro->instance_size + alignment - 1) & ~(alignment - 1);
    /* The compiler's offset variables have eight bytes on x86_64; only four of them count. */
    int32_t *offset_variable = rt_meta_alloc(sizeof(int64_t));
    *offset_variable = (int32_t)offset;
    list->entries[count] =
        (struct objc_ivar){offset_variable, rt_meta_strdup(name), rt_meta_strdup(types),
                           alignment_log2, (uint32_t)size};
    free(ro->ivars);
    ro->ivars = list;
    ro->instance_size = offset + (uint32_t)size;
    return YES;
}

static const uint8_t *copied_layout(const uint8_t *layout) {
    return layout ? (const uint8_t *)rt_meta_strdup((const char *)layout) : NULL;
}

void class_setIvarLayout(Class cls, const uint8_t *layout) {
    struct class_ro *ro = changeable_ro(cls);
    if (!ro)
        return;
    free_layout(ro->ivar_layout);
    ro->ivar_layout = copied_layout(layout);
}

void class_setWeakIvarLayout(Class cls, const uint8_t *layout) {
    struct class_ro *ro = changeable_ro(cls);
    if (!ro)
        return;
    free_layout(ro->weak_ivar_layout);
    ro->weak_ivar_layout = copied_layout(layout);
}

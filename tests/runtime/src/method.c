/*
 * method.c - finding the implementation of a message: per-class cache, method lists, superclass.
 */
#include "internal.h"

OBJC_EXTERN struct cache_bucket _objc_empty_cache;
struct cache_bucket _objc_empty_cache;

/* A cache's buckets follow this header; the shared empty cache has none and is known by address. */
struct cache_header {
    uint64_t mask;
    struct cache_header *next; /* once they were replaced */
    struct cache_bucket buckets[];
};

/* Buckets that were replaced, as garbage_refs of objc-cache.mm has them; these are never freed:
 * another thread may be reading them. */
static struct cache_header *replaced_caches;

void rt_method_list_fix_up(struct method_list *list) {
    if ((list->entsize_and_flags & METHOD_LIST_FIXED_UP) == METHOD_LIST_FIXED_UP ||
        list->entsize_and_flags & METHOD_LIST_RELATIVE)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        list->entries[i].name = rt_selector((const char *)list->entries[i].name, false);
    list->entsize_and_flags |= METHOD_LIST_FIXED_UP;
}

static struct objc_method *method_in_list(struct method_list *list, SEL sel) {
    list = rt_method_list_absolute(list);
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (list->entries[i].name == sel)
            return &list->entries[i];
    }
    return NULL;
}

struct objc_method *rt_own_method(Class cls, SEL sel) {
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    if (!ext)
        return method_in_list(rt_class_ro(cls)->base_methods, sel);
    struct objc_method *method = NULL;
    unsigned count = rt_list_count(ext->methods);
    for (unsigned i = 0; i < count && !method; i++)
        method = method_in_list(rt_list_at(ext->methods, i), sel);
    return method;
}

struct objc_method *rt_method(Class cls, SEL sel) {
    struct objc_method *method = NULL;
    for (; cls && !method; cls = cls->superclass)
        method = rt_own_method(cls, sel);
    return method;
}

static uint32_t cache_index(SEL sel, uint64_t mask) {
    uintptr_t value = (uintptr_t)sel;
    return (uint32_t)((value ^ (value >> 7)) & mask);
}

IMP rt_cached_imp(Class cls, SEL sel) {
    struct cache_bucket *buckets = __atomic_load_n(&cls->cache.buckets, __ATOMIC_ACQUIRE);
    if (buckets == &_objc_empty_cache)
        return NULL;
    uint64_t mask = ((struct cache_header *)buckets)[-1].mask;
    for (uint32_t i = cache_index(sel, mask);; i = (uint32_t)((i + 1) & mask)) {
        SEL found = __atomic_load_n(&buckets[i].sel, __ATOMIC_ACQUIRE);
        if (found == sel)
            return buckets[i].imp;
        if (!found)
            return NULL;
    }
}

/* With the runtime lock. */
static void note_replaced(struct cache_bucket *buckets) {
    if (buckets == &_objc_empty_cache)
        return;
    struct cache_header *header = (struct cache_header *)buckets - 1;
    header->next = replaced_caches;
    replaced_caches = header;
}

static void cache_insert(Class cls, SEL sel, IMP imp) {
    struct class_cache *cache = &cls->cache;
    if (cache->buckets == &_objc_empty_cache ||
        (cache->occupied + 1U) * 4 > (cache->mask + 1U) * 3) {
        uint32_t size = cache->buckets == &_objc_empty_cache ? 4 : (cache->mask + 1U) * 2;
        struct cache_header *header =
            rt_meta_alloc(sizeof *header + size * sizeof header->buckets[0]);
        header->mask = size - 1;
        note_replaced(cache->buckets);
        cache->occupied = 0;
        cache->mask = size - 1;
        __atomic_store_n(&cache->buckets, header->buckets, __ATOMIC_RELEASE);
    }
    uint32_t i = cache_index(sel, cache->mask);
    while (cache->buckets[i].sel && cache->buckets[i].sel != sel)
        i = (i + 1) & cache->mask;
    if (cache->buckets[i].sel == sel)
        return;
    cache->buckets[i].imp = imp;
    __atomic_store_n(&cache->buckets[i].sel, sel, __ATOMIC_RELEASE);
    cache->occupied++;
}

IMP rt_imp(Class cls, SEL sel) {
    IMP imp = rt_cached_imp(cls, sel);
    if (imp)
        return imp;
    rt_lock();
    struct objc_method *method = rt_method(cls, sel);
    if (method) {
        imp = method->imp;
        cache_insert(cls, sel, imp);
    }
    rt_unlock();
    return imp;
}

static void empty_cache(Class cls) {
    note_replaced(cls->cache.buckets);
    cls->cache.occupied = 0;
    cls->cache.mask = 0;
    __atomic_store_n(&cls->cache.buckets, &_objc_empty_cache, __ATOMIC_RELEASE);
}

static void renew(Class cls) {
    empty_cache(cls);
    if (!rt_class_is_meta(cls) && rt_class_is_initialized(cls)) {
        rt_class_note_overrides(cls);
        rt_class_note_overrides(cls->isa);
    } else if (rt_class_is_meta(cls) && (rt_class_rw(cls)->flags & RW_INITIALIZED)) {
        rt_class_note_overrides(cls);
    }
}

void rt_cache_free(Class cls) {
    empty_cache(cls);
}

void rt_cache_flush(Class cls) {
    rt_lock();
    rt_class_visit_subclasses(cls, renew);
    rt_unlock();
}

/* Is the method that the class uses the one of the root class NSObject? */
static bool is_inherited_from(Class root, Class cls, SEL sel) {
    return rt_method(cls, sel) == rt_own_method(root, sel);
}

void rt_class_note_overrides(Class cls) {
    Class root = rt_class_named("NSObject");
    rt_class_realize(root);
    rt_lock();
    if (rt_class_is_meta(cls)) {
        bool plain = is_inherited_from(root->isa, cls, rt_sel.alloc) &&
                     is_inherited_from(root->isa, cls, rt_sel.allocWithZone);
        cls->cache.flags = (uint16_t)((cls->cache.flags & ~CACHE_HAS_DEFAULT_AWZ) |
                                      (plain ? CACHE_HAS_DEFAULT_AWZ : 0));
    }
    bool plain = true;
    const SEL sels[] = {rt_sel.retain,
                        rt_sel.release,
                        rt_sel.autorelease,
                        rt_sel.retainCount,
                        rt_sel.retainWeakReference,
                        rt_sel.allowsWeakReference};
    for (size_t i = 0; i < sizeof sels / sizeof sels[0]; i++)
        plain = plain && is_inherited_from(root, cls, sels[i]);
    uintptr_t flag = plain ? CLASS_HAS_DEFAULT_RR : 0;
    __atomic_store_n(&cls->bits, (cls->bits & ~CLASS_HAS_DEFAULT_RR) | flag, __ATOMIC_RELEASE);
    rt_unlock();
}

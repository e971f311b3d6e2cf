/*
 * class.c - from what the compiler emitted to a class that can be used.
 *
 * Realizing a class replaces class_ro by class_rw in its bits, links it into the tree of realized
 * classes, moves its ivars behind a superclass that has grown, and attaches its categories. It
 * happens at the first message, so a class that nobody has used yet is still as the compiler left
 * it: readers of memory meet both.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Root of the tree; readers look for it by this name (a local symbol). */
static Class _firstRealizedClass;
OBJC_EXTERN uintptr_t objc_debug_realized_class_generation_count;
uintptr_t objc_debug_realized_class_generation_count;

static void *class_data(Class cls) {
    return (void *)(__atomic_load_n(&cls->bits, __ATOMIC_ACQUIRE) & CLASS_DATA_MASK);
}

bool rt_class_is_realized(Class cls) {
    return (*(const uint32_t *)class_data(cls) & RW_REALIZED) != 0;
}

struct class_rw *rt_class_rw(Class cls) {
    return class_data(cls);
}

struct class_rw_ext *rt_class_rw_ext(Class cls) {
    uintptr_t word = __atomic_load_n(&rt_class_rw(cls)->ro_or_rw_ext, __ATOMIC_ACQUIRE);
    return word & 1 ? (struct class_rw_ext *)(word & ~1UL) : NULL;
}

const struct class_ro *rt_class_ro(Class cls) {
    if (!rt_class_is_realized(cls))
        return class_data(cls);
    uintptr_t word = __atomic_load_n(&rt_class_rw(cls)->ro_or_rw_ext, __ATOMIC_ACQUIRE);
    return word & 1 ? ((struct class_rw_ext *)(word & ~1UL))->ro : (const struct class_ro *)word;
}

struct class_rw_ext *rt_class_rw_ext_create(Class cls) {
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    if (ext)
        return ext;
    const struct class_ro *ro = rt_class_ro(cls);
    ext = rt_meta_alloc(sizeof *ext);
    ext->ro = ro;
    ext->methods = (list_array)ro->base_methods;
    ext->properties = (list_array)ro->base_properties;
    ext->protocols = (list_array)ro->base_protocols;
    ext->version = rt_class_is_meta(cls) ? 7 : 0;
    __atomic_store_n(&rt_class_rw(cls)->ro_or_rw_ext, (uintptr_t)ext | 1, __ATOMIC_RELEASE);
    return ext;
}

bool rt_class_is_meta(Class cls) {
    return (rt_class_ro(cls)->flags & RO_META) != 0;
}

size_t rt_class_instance_size(Class cls) {
    return (rt_class_ro(cls)->instance_size + 7UL) & ~7UL;
}

unsigned rt_list_count(list_array array) {
    if (array & 1)
        return ((struct counted_lists *)(array & ~1UL))->count;
    return array != 0;
}

void *rt_list_at(list_array array, unsigned index) {
    if (array & 1)
        return ((struct counted_lists *)(array & ~1UL))->lists[index];
    return (void *)array;
}

/* An array that is replaced is freed, so whoever reads one holds the runtime lock. */
void rt_list_prepend(list_array *array, void *list) {
    unsigned count = rt_list_count(*array);
    if (count == 0) {
        *array = (list_array)list;
        return;
    }
    struct counted_lists *lists =
        rt_meta_alloc(sizeof *lists + (count + 1) * sizeof lists->lists[0]);
    lists->count = count + 1;
    lists->lists[0] = list;
    for (unsigned i = 0; i < count; i++)
        lists->lists[i + 1] = rt_list_at(*array, i);
    list_array before = *array;
    __atomic_store_n(array, (list_array)lists | 1, __ATOMIC_RELEASE);
    rt_list_array_free(before);
}

void rt_list_array_free(list_array array) {
    if (array & 1)
        free((void *)(array & ~1UL));
}

static void link_into_tree(Class cls) {
    struct class_rw *rw = rt_class_rw(cls);
    Class *first =
        cls->superclass ? &rt_class_rw(cls->superclass)->first_subclass : &_firstRealizedClass;
    rw->next_sibling = *first;
    *first = cls;
    objc_debug_realized_class_generation_count++;
}

void rt_class_unlink(Class cls) {
    Class *link =
        cls->superclass ? &rt_class_rw(cls->superclass)->first_subclass : &_firstRealizedClass;
    while (*link && *link != cls)
        link = &rt_class_rw(*link)->next_sibling;
    if (*link)
        *link = rt_class_rw(cls)->next_sibling;
    objc_debug_realized_class_generation_count++;
}

void rt_class_visit_subclasses(Class root, void (*visit)(Class cls)) {
    Class cls = root;
    for (;;) {
        visit(cls);
        if (rt_class_rw(cls)->first_subclass) {
            cls = rt_class_rw(cls)->first_subclass;
            continue;
        }
        while (cls != root && !rt_class_rw(cls)->next_sibling)
            cls = cls->superclass;
        if (cls == root)
            return;
        cls = rt_class_rw(cls)->next_sibling;
    }
}

/* The superclass is larger than the compiler knew: move this class's ivars behind it. */
static const struct class_ro *slide_ivars(const struct class_ro *compiled, uint32_t super_size) {
    uint32_t alignment = 1;
    for (uint32_t i = 0; compiled->ivars && i < compiled->ivars->count; i++) {
        uint32_t log2 = compiled->ivars->entries[i].alignment_log2;
        uint32_t own = log2 > 31 ? (uint32_t)sizeof(void *) : 1U << log2;
        if (own > alignment)
            alignment = own;
    }
    uint32_t slide = (super_size - compiled->instance_start + alignment - 1) & ~(alignment - 1);
    for (uint32_t i = 0; compiled->ivars && i < compiled->ivars->count; i++) {
        int32_t *offset = compiled->ivars->entries[i].offset;
        if (offset)
            *offset += (int32_t)slide;
    }
    struct class_ro *ro = rt_meta_alloc(sizeof *ro);
    *ro = *compiled;
    ro->instance_start += slide;
    ro->instance_size += slide;
    return ro;
}

static uint16_t cache_flags(Class cls, const struct class_ro *ro) {
    uint16_t flags = ro->flags & RO_META ? CACHE_META : 0;
    flags |= (uint16_t)(((ro->instance_size + 15U) & ~15U) & CACHE_ALLOC_MASK);
    if (ro->flags & RO_HAS_CXX_STRUCTORS) {
        flags |= CACHE_HAS_CXX_DTOR;
        if (!(ro->flags & RO_HAS_CXX_DTOR_ONLY))
            flags |= CACHE_HAS_CXX_CTOR;
    }
    if (cls->superclass) {
        flags |=
            (uint16_t)(cls->superclass->cache.flags & (CACHE_HAS_CXX_DTOR | CACHE_HAS_CXX_CTOR));
    }
    return flags;
}

static void realize_locked(Class cls) {
    if (!cls || rt_class_is_realized(cls))
        return;
    const struct class_ro *ro = class_data(cls);
    realize_locked(cls->superclass);

    struct class_rw *rw = rt_meta_alloc(sizeof *rw);
    rw->flags = RW_REALIZED | (ro->flags & RO_META);
    if (cls->superclass) {
        uint32_t super_size = rt_class_ro(cls->superclass)->instance_size;
        if (!(ro->flags & RO_META) && ro->instance_start < super_size) {
            ro = slide_ivars(ro, super_size);
            rw->flags |= RW_COPIED_RO;
        }
    }
    if (ro->base_methods)
        rt_method_list_fix_up(ro->base_methods);
    rw->ro_or_rw_ext = (uintptr_t)ro;
    cls->cache.flags = cache_flags(cls, ro);
    __atomic_store_n(&cls->bits, (uintptr_t)rw | CLASS_IS_RW, __ATOMIC_RELEASE);
    link_into_tree(cls);

    if (!(ro->flags & RO_META)) {
        realize_locked(cls->isa);
        rt_categories_attach(cls);
    }
}

void rt_class_realize(Class cls) {
    if (rt_class_is_realized(cls))
        return;
    rt_lock();
    realize_locked(cls);
    rt_unlock();
}

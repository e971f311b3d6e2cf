/*
 * CFBase.m - reference counts of CoreFoundation objects.
 */
#import "CFBase.h"
#import "internal.h"

#define CF_DEALLOCATING (1U << 30)

static struct cf_base *base_of(id object) {
    return (struct cf_base *)object;
}

static BOOL is_tagged(id object) {
    return rt_is_tagged(object);
}

id cf_create(Class cls, size_t size, uint32_t info) {
    rt_class_realize(cls);
    struct cf_base *base = rt_object_alloc(size);
    *base = (struct cf_base){cls, info, 1};
    return (id)base;
}

id cf_retain(id object) {
    if (!is_tagged(object))
        cf_try_retain(object);
    return object;
}

void cf_release(id object) {
    if (is_tagged(object))
        return;
    struct cf_base *base = base_of(object);
    uint32_t rc = __atomic_load_n(&base->rc, __ATOMIC_RELAXED);
    do {
        if (rc == 0 || cf_is_deallocating(object))
            return;
    } while (rc > 1 && !__atomic_compare_exchange_n(&base->rc, &rc, rc - 1, true, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_RELAXED));
    if (rc == 1) {
        __atomic_or_fetch(&base->info, CF_DEALLOCATING, __ATOMIC_ACQ_REL);
        [object dealloc];
    }
}

NSUInteger cf_retain_count(id object) {
    return is_tagged(object) || base_of(object)->rc == 0 ? NSUIntegerMax : base_of(object)->rc;
}

BOOL cf_try_retain(id object) {
    if (is_tagged(object))
        return YES;
    struct cf_base *base = base_of(object);
    uint32_t rc = __atomic_load_n(&base->rc, __ATOMIC_RELAXED);
    do {
        if (cf_is_deallocating(object))
            return NO;
        if (rc == 0)
            return YES;
    } while (!__atomic_compare_exchange_n(&base->rc, &rc, rc + 1, true, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    return YES;
}

BOOL cf_is_deallocating(id object) {
    return !is_tagged(object) &&
           (__atomic_load_n(&base_of(object)->info, __ATOMIC_ACQUIRE) & CF_DEALLOCATING) != 0;
}

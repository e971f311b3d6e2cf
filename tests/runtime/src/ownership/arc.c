/*
 * arc.c - the functions that ARC code calls for strong and weak references.
 */
#include "internal.h"

OBJC_EXTERN void objc_storeStrong(id *location, id value);
OBJC_EXTERN id objc_initWeak(id *location, id value);
OBJC_EXTERN id objc_initWeakOrNil(id *location, id value);
OBJC_EXTERN void objc_destroyWeak(id *location);
OBJC_EXTERN void objc_copyWeak(id *to, id *from);
OBJC_EXTERN void objc_moveWeak(id *to, id *from);
OBJC_EXTERN id objc_loadWeakRetained(id *location);

/* Does the class count its references the way NSObject does, without a message? */
static bool has_default_rr(id object) {
    Class cls = rt_class_of_isa(rt_isa(object));
    return (__atomic_load_n(&cls->bits, __ATOMIC_RELAXED) & CLASS_HAS_DEFAULT_RR) != 0;
}

id objc_retain(id object) {
    if (!object || rt_is_tagged(object))
        return object;
    if (has_default_rr(object))
        return rt_root_retain(object);
    return rt_send(object, rt_sel.retain);
}

void objc_release(id object) {
    if (!object || rt_is_tagged(object))
        return;
    if (has_default_rr(object))
        rt_root_release(object);
    else
        rt_send(object, rt_sel.release);
}

id objc_autorelease(id object) {
    if (!object || rt_is_tagged(object))
        return object;
    if (!has_default_rr(object))
        return rt_send(object, rt_sel.autorelease);
    if (!rt_hand_over(__builtin_return_address(0)))
        rt_autorelease_add(object);
    return object;
}

/* Where a reference in a packed structure is. */
typedef id unaligned_id __attribute__((aligned(1)));

void objc_storeStrong(id *location, id value) {
    unaligned_id *slot = (unaligned_id *)location;
    id previous = *slot;
    if (value == previous)
        return;
    objc_retain(value);
    *slot = value;
    objc_release(previous);
}

/* ---- weak references ----------------------------------------------------------------------------
 */

static bool may_be_weakly_referenced(id object) {
    if (has_default_rr(object))
        return !rt_root_is_deallocating(object);
    return rt_ask(object, rt_sel.allowsWeakReference);
}

static void weak_remove(id *location, id referent) {
    if (!referent || rt_is_tagged(referent))
        return;
    struct side_table *table = rt_side_table(referent);
    rt_side_table_lock(table);
    if (*location == referent)
        rt_weak_unregister(&table->weak, referent, location);
    rt_side_table_unlock(table);
}

static void weak_add(id *location, id referent) {
    if (referent && !rt_is_tagged(referent)) {
        if (!may_be_weakly_referenced(referent))
            rt_fatal("cannot form a weak reference to %s %p: it is being deallocated",
                     object_getClassName(referent), (void *)referent);
        struct side_table *table = rt_side_table(referent);
        rt_side_table_lock(table);
        rt_weak_register(&table->weak, referent, location);
        rt_side_set_weakly_referenced_locked(table, referent);
        *location = referent;
        rt_side_table_unlock(table);
    } else {
        *location = referent;
    }
}

id objc_storeWeak(id *location, id value) {
    weak_remove(location, *location);
    weak_add(location, value);
    return value;
}

id objc_initWeak(id *location, id value) {
    weak_add(location, value);
    return value;
}

/* Whether its class counts references itself is asked without the lock: that sends a message. */
id objc_initWeakOrNil(id *location, id value) {
    *location = nil;
    if (!value || rt_is_tagged(value))
        return *location = value;
    bool is_packed = has_default_rr(value) && (rt_isa(value) & ISA_NONPOINTER);
    if (!is_packed && !may_be_weakly_referenced(value))
        return nil;
    struct side_table *table = rt_side_table(value);
    rt_side_table_lock(table);
    if (!is_packed || !rt_root_is_deallocating(value)) {
        rt_weak_register(&table->weak, value, location);
        rt_side_set_weakly_referenced_locked(table, value);
        *location = value;
    }
    rt_side_table_unlock(table);
    return *location;
}

/* The variable keeps its value, as with Apple: only the runtime forgets it. */
void objc_destroyWeak(id *location) {
    weak_remove(location, *location);
}

id objc_loadWeakRetained(id *location) {
    for (;;) {
        id object = __atomic_load_n(location, __ATOMIC_ACQUIRE);
        if (!object || rt_is_tagged(object))
            return object;
        struct side_table *table = rt_side_table(object);
        rt_side_table_lock(table);
        if (*location == object) {
            bool retained = has_default_rr(object) ? rt_root_try_retain(object)
                                                   : rt_ask(object, rt_sel.retainWeakReference);
            rt_side_table_unlock(table);
            return retained ? object : nil;
        }
        rt_side_table_unlock(table);
    }
}

id objc_loadWeak(id *location) {
    return objc_autorelease(objc_loadWeakRetained(location));
}

void objc_copyWeak(id *to, id *from) {
    id object = objc_loadWeakRetained(from);
    objc_initWeak(to, object);
    objc_release(object);
}

void objc_moveWeak(id *to, id *from) {
    objc_copyWeak(to, from);
    objc_destroyWeak(from);
}

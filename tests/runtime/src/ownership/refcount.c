/*
 * refcount.c - retain and release for the packed isa, after objc4-818: the count is extra_rc plus
 * what the side table holds, a new object has 1, and an object with none is being deallocated.
 */
#include "internal.h"

static bool replace_isa(id object, uintptr_t *expected, uintptr_t isa) {
    return __atomic_compare_exchange_n((uintptr_t *)object, expected, isa, true, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static bool is_deallocating(uintptr_t isa) {
    return (isa >> ISA_RC_SHIFT) == 0 && !(isa & ISA_HAS_SIDETABLE_RC);
}

/* Adds one; when the field is full, half of it moves to the side table, which may be locked. An
 * object that is being deallocated is left alone: what -dealloc retains, it releases again. */
static bool packed_retain(id object, bool table_is_locked) {
    uintptr_t isa = rt_isa(object);
    for (;;) {
        if (is_deallocating(isa))
            return false;
        if ((isa >> ISA_RC_SHIFT) < ISA_RC_MAX) {
            if (replace_isa(object, &isa, isa + ISA_RC_ONE))
                return true;
            continue;
        }
        struct side_table *table = rt_side_table(object);
        if (!table_is_locked)
            rt_side_table_lock(table);
        uintptr_t kept = (isa & ~(ISA_RC_MAX << ISA_RC_SHIFT)) | (ISA_RC_HALF << ISA_RC_SHIFT) |
                         ISA_HAS_SIDETABLE_RC;
        bool done = replace_isa(object, &isa, kept);
        if (done)
            rt_side_add_overflow(table, object, ISA_RC_HALF);
        if (!table_is_locked)
            rt_side_table_unlock(table);
        if (done)
            return true;
    }
}

/* Nothing is left in the isa: take back up to half a field from the side table. True if the object
 * has no reference left at all. */
static bool packed_release_borrow(id object) {
    struct side_table *table = rt_side_table(object);
    rt_side_table_lock(table);
    uintptr_t left;
    uintptr_t borrowed = rt_side_take_overflow(table, object, ISA_RC_HALF, &left);
    uintptr_t isa = rt_isa(object);
    uintptr_t next;
    bool retained_meanwhile;
    do {
        retained_meanwhile = (isa >> ISA_RC_SHIFT) != 0;
        if (retained_meanwhile)
            next = isa - ISA_RC_ONE;
        else
            next = isa + (borrowed > 0 ? borrowed - 1 : 0) * ISA_RC_ONE;
        if (!retained_meanwhile && left == 0)
            next &= ~ISA_HAS_SIDETABLE_RC;
    } while (!replace_isa(object, &isa, next));
    if (retained_meanwhile)
        rt_side_add_overflow(table, object, borrowed);
    rt_side_table_unlock(table);
    return is_deallocating(next);
}

/* True if that was the last reference. */
static bool packed_release(id object) {
    uintptr_t isa = rt_isa(object);
    for (;;) {
        if (is_deallocating(isa))
            return false;
        if ((isa >> ISA_RC_SHIFT) == 0)
            return packed_release_borrow(object);
        uintptr_t next = isa - ISA_RC_ONE;
        if (replace_isa(object, &isa, next))
            return is_deallocating(next);
    }
}

id rt_root_retain(id object) {
    if (rt_is_tagged(object))
        return object;
    if (rt_isa(object) & ISA_NONPOINTER)
        packed_retain(object, false);
    else
        rt_side_retain(object);
    return object;
}

bool rt_root_try_retain(id object) {
    if (rt_is_tagged(object))
        return true;
    if (rt_isa(object) & ISA_NONPOINTER)
        return packed_retain(object, true);
    return rt_side_try_retain_locked(object);
}

void rt_root_release(id object) {
    if (rt_is_tagged(object))
        return;
    bool last = rt_isa(object) & ISA_NONPOINTER ? packed_release(object) : rt_side_release(object);
    if (last)
        rt_send(object, rt_sel.dealloc);
}

uintptr_t rt_root_retain_count(id object) {
    if (rt_is_tagged(object))
        return UINTPTR_MAX;
    uintptr_t isa = rt_isa(object);
    if (!(isa & ISA_NONPOINTER))
        return rt_side_retain_count(object);
    uintptr_t count = isa >> ISA_RC_SHIFT;
    return isa & ISA_HAS_SIDETABLE_RC ? count + rt_side_overflow(object) : count;
}

bool rt_root_is_deallocating(id object) {
    if (rt_is_tagged(object))
        return false;
    uintptr_t isa = rt_isa(object);
    return isa & ISA_NONPOINTER ? is_deallocating(isa) : rt_side_is_deallocating(object);
}

id _objc_rootRetain(id object) {
    return rt_root_retain(object);
}

void _objc_rootRelease(id object) {
    rt_root_release(object);
}

BOOL _objc_rootTryRetain(id object) {
    return rt_root_try_retain(object);
}

id _objc_rootAutorelease(id object) {
    if (!rt_is_tagged(object) && !rt_hand_over(__builtin_return_address(0)))
        rt_autorelease_add(object);
    return object;
}

uintptr_t _objc_rootRetainCount(id object) {
    return rt_root_retain_count(object);
}

BOOL _objc_rootIsDeallocating(id object) {
    return rt_root_is_deallocating(object);
}

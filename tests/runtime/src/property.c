/*
 * property.c - the accessors that the compiler does not write inline: atomic ones and copying ones.
 */
#include "internal.h"

#include <string.h>

OBJC_EXTERN id objc_getProperty(id self, SEL sel, ptrdiff_t offset, BOOL atomic);
OBJC_EXTERN void objc_setProperty(id self, SEL sel, ptrdiff_t offset, id value, BOOL atomic,
                                  signed char copy);
OBJC_EXTERN void objc_setProperty_atomic(id self, SEL sel, id value, ptrdiff_t offset);
OBJC_EXTERN void objc_setProperty_nonatomic(id self, SEL sel, id value, ptrdiff_t offset);
OBJC_EXTERN void objc_setProperty_atomic_copy(id self, SEL sel, id value, ptrdiff_t offset);
OBJC_EXTERN void objc_setProperty_nonatomic_copy(id self, SEL sel, id value, ptrdiff_t offset);
OBJC_EXTERN void objc_copyStruct(void *to, const void *from, ptrdiff_t size, BOOL atomic,
                                 BOOL has_strong);
OBJC_EXTERN void objc_copyCppObjectAtomic(void *to, const void *from,
                                          void (*copy)(void *to, const void *from));

#define LOCK_COUNT 8
static uint32_t locks[LOCK_COUNT];

static uint32_t *lock_for(const void *place) {
    return &locks[((uintptr_t)place >> 4 ^ (uintptr_t)place >> 9) % LOCK_COUNT];
}

enum copying { NO_COPY = 0, COPY = 1, MUTABLE_COPY = 2 };

static id acquired(id value, enum copying copying) {
    SEL sel = copying == COPY ? rt_sel.copyWithZone : rt_sel.mutableCopyWithZone;
    if (copying == NO_COPY)
        return objc_retain(value);
    return rt_send_pointer(value, sel, NULL);
}

static void set(id self, ptrdiff_t offset, id value, bool atomic, enum copying copying) {
    id *slot = (id *)((char *)self + offset);
    id now = acquired(value, copying);
    if (atomic)
        rt_spin_lock(lock_for(slot));
    id before = *slot;
    *slot = now;
    if (atomic)
        rt_spin_unlock(lock_for(slot));
    objc_release(before);
}

id objc_getProperty(id self, SEL sel, ptrdiff_t offset, BOOL atomic) {
    (void)sel;
    id *slot = (id *)((char *)self + offset);
    if (!atomic)
        return *slot;
    rt_spin_lock(lock_for(slot));
    id value = objc_retain(*slot);
    rt_spin_unlock(lock_for(slot));
    return objc_autorelease(value);
}

void objc_setProperty(id self, SEL sel, ptrdiff_t offset, id value, BOOL atomic, signed char copy) {
    (void)sel;
    set(self, offset, value, atomic, (enum copying)copy);
}

void objc_setProperty_atomic(id self, SEL sel, id value, ptrdiff_t offset) {
    (void)sel;
    set(self, offset, value, true, NO_COPY);
}

void objc_setProperty_nonatomic(id self, SEL sel, id value, ptrdiff_t offset) {
    (void)sel;
    set(self, offset, value, false, NO_COPY);
}

void objc_setProperty_atomic_copy(id self, SEL sel, id value, ptrdiff_t offset) {
    (void)sel;
    set(self, offset, value, true, COPY);
}

void objc_setProperty_nonatomic_copy(id self, SEL sel, id value, ptrdiff_t offset) {
    (void)sel;
    set(self, offset, value, false, COPY);
}

/* Two locks in the order of their addresses, or one if they are the same. */
static void lock_both(uint32_t *a, uint32_t *b) {
    uint32_t *first = a < b ? a : b;
    rt_spin_lock(first);
    if (a != b)
        rt_spin_lock(first == a ? b : a);
}

static void unlock_both(uint32_t *a, uint32_t *b) {
    rt_spin_unlock(a);
    if (a != b)
        rt_spin_unlock(b);
}

void objc_copyStruct(void *to, const void *from, ptrdiff_t size, BOOL atomic, BOOL has_strong) {
    (void)has_strong;
    if (!atomic) {
        memmove(to, from, (size_t)size);
        return;
    }
    lock_both(lock_for(to), lock_for(from));
    memmove(to, from, (size_t)size);
    unlock_both(lock_for(to), lock_for(from));
}

void objc_copyCppObjectAtomic(void *to, const void *from,
                              void (*copy)(void *to, const void *from)) {
    lock_both(lock_for(to), lock_for(from));
    copy(to, from);
    unlock_both(lock_for(to), lock_for(from));
}

/*
 * A unit test in plain C, with assert() and the runtime's C functions: an object dies when it is
 * released, and lives while it is not.
 */
#include "loupe_watch.h"

#include <assert.h>
#include <objc/runtime.h>

extern void objc_release(id object);

int main(void) {
    id object = class_createInstance(objc_getClass("NSObject"), 0);
    const void *address = (const void *)object;
    assert(loupe_watch(address, 0.2) == LOUPE_WATCH_OK);
    objc_release(object);
    assert(loupe_expect_dead(address));

    object = class_createInstance(objc_getClass("NSObject"), 0);
    address = (const void *)object;
    assert(loupe_watch(address, 0.2) == LOUPE_WATCH_OK);
    assert(!loupe_expect_dead(address)); /* it is not released yet: a report says who holds it */
    objc_release(object);
    return 0;
}

#include "sensor.h"

#include "interception.h"
#include "shared/self_memory.h"

#include <stddef.h>

enum { BOX_OBJECT = 1 }; /* the word of libobjc2's weak reference that holds the object */

/* ---- By weak reference ---- */

static const char *arm_apple(void **slot, watch_id object) {
    const struct watch_objc *objc = watch_objc();
    if (!objc->objc_initWeakOrNil)
        return "this runtime cannot be asked whether an object may be referenced weakly";
    *slot = NULL;
    objc->objc_initWeakOrNil(slot, object);
    return *slot ? NULL
                 : "it cannot be referenced weakly: its class refuses (allowsWeakReference), or it "
                   "is "
                   "being deallocated";
}

static bool has_own(watch_class cls, const char *name) {
    watch_sel selector = watch_objc()->sel_registerName(name);
    watch_class super = watch_objc()->class_getSuperclass(cls);
    watch_method method = watch_objc()->class_getInstanceMethod(cls, selector);
    return method && (!super || method != watch_objc()->class_getInstanceMethod(super, selector));
}

/*
 * libobjc2 clears weak references when a count of its own falls to nothing. Classes say that they
 * use it by _ARCCompliantRetainRelease; those below them that count otherwise do not say it again.
 */
static bool is_counted_by_libobjc2(watch_class cls) {
    static _Atomic(watch_class) last_counted;
    watch_class level = cls;
    if (cls == last_counted)
        return true;
    while (level && !has_own(level, "_ARCCompliantRetainRelease")) {
        if (has_own(level, "retain") || has_own(level, "release"))
            return false;
        level = watch_objc()->class_getSuperclass(level);
    }
    last_counted = cls;
    return true;
}

static const char *arm_libobjc2(void **slot, watch_id object) {
    const struct watch_objc *objc = watch_objc();
    *slot = NULL;
    if (!is_counted_by_libobjc2(objc->object_getClass(object)))
        return "its class counts references itself, and this runtime does not tell of its death";
    objc->objc_initWeak(slot, object);
    if (!*slot)
        return "it cannot be referenced weakly: it is being deallocated";
    void *held;
    if (*slot != object &&
        watch_read((const void *const *)*slot + BOX_OBJECT, &held, sizeof(held)) && held == object)
        return NULL;
    bool is_raw = *slot == object;
    objc->objc_destroyWeak(slot);
    *slot = NULL;
    return is_raw ? "the runtime does not count its references: it never dies"
                  : "the runtime's weak references have a form that is not known";
}

/* ---- Without weak references: the slot holds the isa ---- */

static watch_sel dealloc_sel(void) {
    return watch_objc()->sel_registerName("dealloc");
}

static const char *arm_gcc(void **slot, watch_id object) {
    watch_class root = watch_objc()->object_getClass(object), super;
    while ((super = watch_objc()->class_getSuperclass(root)))
        root = super;
    const char *problem = watch_intercept_deaths(root, dealloc_sel());
    if (!problem)
        *slot = *(void **)object;
    return problem;
}

/* Key-value observing puts a subclass in front and takes it away again. Plain memory is read: no
 * lock of the runtime is taken, and what looks like a class may be none. */
static bool is_superclass(void *super, void *cls) {
    enum { SUPERCLASS = 1 }; /* the word of a class of GCC's runtime */
    void *found;
    return watch_read((void **)cls + SUPERCLASS, &found, sizeof(found)) && found == super;
}

static bool is_alive_gcc(void *isa, watch_id object) {
    void *now;
    return isa && watch_read(object, &now, sizeof(now)) &&
           (now == isa || is_superclass(isa, now) || is_superclass(now, isa));
}

/* ---- Of any kind ---- */

const char *watch_sensor_arm(void **slot, watch_id object) {
    switch (watch_objc()->kind) {
    case WATCH_APPLE:
        return arm_apple(slot, object);
    case WATCH_LIBOBJC2:
        return arm_libobjc2(slot, object);
    case WATCH_GCC:
        return arm_gcc(slot, object);
    default:
        return "there is no Objective-C runtime in this process";
    }
}

bool watch_sensor_is_alive(void *const *slot, watch_id object) {
    void *word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    switch (watch_objc()->kind) {
    case WATCH_APPLE:
        return word != NULL;
    case WATCH_LIBOBJC2:
        return word && __atomic_load_n((void *const *)word + BOX_OBJECT, __ATOMIC_ACQUIRE);
    case WATCH_GCC:
        return is_alive_gcc(word, object);
    default:
        return false;
    }
}

void watch_sensor_disarm(void **slot) {
    if (watch_objc()->kind == WATCH_APPLE || watch_objc()->kind == WATCH_LIBOBJC2) {
        if (*slot)
            watch_objc()->objc_destroyWeak(slot);
    }
    *slot = NULL;
}

void watch_sensor_note_death(void **slot) {
    __atomic_store_n(slot, NULL, __ATOMIC_RELEASE);
}

const char *watch_sensor_name(void) {
    return watch_objc()->kind == WATCH_GCC ? "dealloc and isa" : "weak reference";
}

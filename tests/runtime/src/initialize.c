/*
 * initialize.c - +initialize: once per class, superclass first, before any other message. The flags
 * are kept in the metaclass, as Apple's runtime does.
 */
#include "internal.h"

#include <pthread.h>

/* Held while +initialize runs: the same thread may use the class meanwhile, others wait. */
static pthread_mutex_t mutex;

static void mutex_init(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

bool rt_class_is_initialized(Class cls) {
    return (__atomic_load_n(&rt_class_rw(cls->isa)->flags, __ATOMIC_ACQUIRE) & RW_INITIALIZED) != 0;
}

static void initialize(Class cls) {
    uint32_t *flags = &rt_class_rw(cls->isa)->flags;
    if (__atomic_load_n(flags, __ATOMIC_ACQUIRE) & (RW_INITIALIZED | RW_INITIALIZING))
        return;
    __atomic_or_fetch(flags, RW_INITIALIZING, __ATOMIC_RELAXED);
    if (cls->superclass)
        initialize(cls->superclass);
    rt_class_note_overrides(cls);
    rt_class_note_overrides(cls->isa);
    if (rt_method(cls->isa, rt_sel.initialize))
        rt_send(cls, rt_sel.initialize);
    __atomic_and_fetch(flags, ~RW_INITIALIZING, __ATOMIC_RELAXED);
    __atomic_or_fetch(flags, RW_INITIALIZED, __ATOMIC_RELEASE);
}

void rt_class_initialize(Class cls) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, mutex_init);
    rt_class_realize(cls);
    if (rt_class_is_initialized(cls))
        return;
    pthread_mutex_lock(&mutex);
    initialize(cls);
    pthread_mutex_unlock(&mutex);
}

/*
 * synchronize.c - @synchronized, and what stands in for exceptions.
 */
#include "internal.h"

#include <pthread.h>

OBJC_EXTERN int objc_sync_enter(id object);
OBJC_EXTERN int objc_sync_exit(id object);
OBJC_EXTERN void objc_enumerationMutation(id collection);
OBJC_EXTERN void objc_exception_throw(id exception);
OBJC_EXTERN void objc_exception_rethrow(void);
OBJC_EXTERN id objc_begin_catch(void *exception);
OBJC_EXTERN void objc_end_catch(void);
OBJC_EXTERN void objc_terminate(void);
OBJC_EXTERN int __objc_personality_v0(int version, int actions, uint64_t exception_class,
                                      void *exception, void *context);

/* A recursive mutex for each object that is or was locked; one without users is used again. */
struct monitor {
    struct monitor *next;
    id object;
    unsigned users;
    pthread_mutex_t mutex;
};

static struct monitor *monitors;
static pthread_mutex_t monitors_lock = PTHREAD_MUTEX_INITIALIZER;

static struct monitor *monitor_create(void) {
    struct monitor *monitor = rt_meta_alloc(sizeof *monitor);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&monitor->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    monitor->next = monitors;
    monitors = monitor;
    return monitor;
}

static struct monitor *monitor_for(id object, bool create) {
    struct monitor *unused = NULL;
    for (struct monitor *monitor = monitors; monitor; monitor = monitor->next) {
        if (monitor->users > 0 && monitor->object == object)
            return monitor;
        if (monitor->users == 0)
            unused = monitor;
    }
    if (!create)
        return NULL;
    struct monitor *monitor = unused ? unused : monitor_create();
    monitor->object = object;
    return monitor;
}

int objc_sync_enter(id object) {
    if (!object)
        return 0;
    pthread_mutex_lock(&monitors_lock);
    struct monitor *monitor = monitor_for(object, true);
    monitor->users++;
    pthread_mutex_unlock(&monitors_lock);
    return pthread_mutex_lock(&monitor->mutex);
}

int objc_sync_exit(id object) {
    if (!object)
        return 0;
    pthread_mutex_lock(&monitors_lock);
    struct monitor *monitor = monitor_for(object, false);
    if (!monitor)
        rt_fatal("@synchronized is left without having been entered");
    pthread_mutex_unlock(&monitor->mutex);
    monitor->users--;
    pthread_mutex_unlock(&monitors_lock);
    return 0;
}

void objc_enumerationMutation(id collection) {
    rt_fatal("%s %p was changed while it was enumerated", object_getClassName(collection),
             (void *)collection);
}

/* ---- exceptions: programs that mention them link, programs that throw them end -----------------
 */

void objc_exception_throw(id exception) {
    rt_fatal("an exception of class %s was thrown: this runtime has none",
             object_getClassName(exception));
}

void objc_exception_rethrow(void) {
    rt_fatal("an exception was thrown again: this runtime has none");
}

id objc_begin_catch(void *exception) {
    rt_fatal("exception %p is to be caught: this runtime catches none", exception);
}

void objc_end_catch(void) {}

void objc_terminate(void) {
    rt_fatal("an exception left a function that lets none out");
}

/* Cleanups run when a C++ exception passes through Objective-C frames, as in C. */
extern int __gcc_personality_v0(int version, int actions, uint64_t exception_class, void *exception,
                                void *context);

int __objc_personality_v0(int version, int actions, uint64_t exception_class, void *exception,
                          void *context) {
    return __gcc_personality_v0(version, actions, exception_class, exception, context);
}

/*
 * memory.c - where class data and objects live, and the truth about which objects are gone.
 */
#include "internal.h"
#include <loupe_test_runtime.h>

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch {
    struct watch *next;
    const void *object; /* NULL once it has been freed */
    char name[];
};

static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch *watches;
static size_t watched_alive;
static size_t live_objects;
static size_t live_byrefs;
static loupe_test_free_observer free_observer;
static void *free_observer_context;

void rt_fatal(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("objc: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

void *rt_meta_alloc(size_t size) {
    void *memory = calloc(1, size);
    if (!memory)
        rt_fatal("no memory for %zu bytes of class data", size);
    return memory;
}

char *rt_meta_strdup(const char *string) {
    size_t size = strlen(string) + 1;
    return memcpy(rt_meta_alloc(size), string, size);
}

void *rt_object_alloc(size_t size) {
    void *object = calloc(1, size);
    if (!object)
        rt_fatal("no memory for an object of %zu bytes", size);
    __atomic_add_fetch(&live_objects, 1, __ATOMIC_RELAXED);
    return object;
}

static void watches_note_freed(const void *object) {
    pthread_mutex_lock(&watch_lock);
    for (struct watch *watch = watches; watch; watch = watch->next) {
        if (watch->object == object) {
            watch->object = NULL;
            __atomic_sub_fetch(&watched_alive, 1, __ATOMIC_RELAXED);
        }
    }
    pthread_mutex_unlock(&watch_lock);
}

void rt_object_free(void *object) {
    __atomic_sub_fetch(&live_objects, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&watched_alive, __ATOMIC_RELAXED) > 0)
        watches_note_freed(object);
    if (free_observer)
        free_observer(object, free_observer_context);
    free(object);
}

void rt_byref_count_add(int difference) {
    __atomic_add_fetch(&live_byrefs, (size_t)difference, __ATOMIC_RELAXED);
}

static struct watch *watch_named(const char *name) {
    struct watch *watch = watches;
    while (watch && strcmp(watch->name, name) != 0)
        watch = watch->next;
    return watch;
}

void loupe_test_watch(id object, const char *name) {
    pthread_mutex_lock(&watch_lock);
    struct watch *watch = watch_named(name);
    if (!watch) {
        size_t size = strlen(name) + 1;
        watch = rt_meta_alloc(sizeof *watch + size);
        memcpy(watch->name, name, size);
        watch->next = watches;
        watches = watch;
    }
    if (!watch->object)
        __atomic_add_fetch(&watched_alive, 1, __ATOMIC_RELAXED);
    if (!object)
        rt_fatal("\"%s\" is nil: there is nothing to watch", name);
    watch->object = object;
    pthread_mutex_unlock(&watch_lock);
}

bool loupe_test_deallocated(const char *name) {
    pthread_mutex_lock(&watch_lock);
    struct watch *watch = watch_named(name);
    if (!watch)
        rt_fatal("\"%s\" was never watched", name);
    bool gone = watch->object == NULL;
    pthread_mutex_unlock(&watch_lock);
    return gone;
}

void loupe_test_forget_watched(void) {
    pthread_mutex_lock(&watch_lock);
    for (struct watch *watch = watches; watch; watch = watch->next)
        watch->object = NULL;
    __atomic_store_n(&watched_alive, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&watch_lock);
}

size_t loupe_test_live_object_count(void) {
    return __atomic_load_n(&live_objects, __ATOMIC_RELAXED);
}

size_t loupe_test_live_byref_count(void) {
    return __atomic_load_n(&live_byrefs, __ATOMIC_RELAXED);
}

void loupe_test_set_free_observer(loupe_test_free_observer observer, void *context) {
    free_observer_context = context;
    free_observer = observer;
}

static pthread_mutex_t runtime_mutex;

static void runtime_mutex_init(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&runtime_mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void rt_lock(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, runtime_mutex_init);
    pthread_mutex_lock(&runtime_mutex);
}

void rt_unlock(void) {
    pthread_mutex_unlock(&runtime_mutex);
}

void rt_spin_lock(uint32_t *word) {
    while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

void rt_spin_unlock(uint32_t *word) {
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

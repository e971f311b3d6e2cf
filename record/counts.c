#include "counts.h"

#include "own_lines.h"
#include "recorder.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef void *object_t;
typedef struct method *method_t;
typedef const void *selector_t;
typedef void (*imp_t)(void);
typedef object_t answering_t(object_t self, selector_t selector);
typedef void silent_t(object_t self, selector_t selector);

/* ---- The runtime: functions that all of them have ---- */

#define RUNTIME(F)                                                                                 \
    F(void *, objc_lookUpClass, (const char *))                                                    \
    F(selector_t, sel_registerName, (const char *))                                                \
    F(method_t, class_getInstanceMethod, (void *, selector_t))                                     \
    F(void *, class_getSuperclass, (void *))                                                       \
    F(signed char, class_addMethod, (void *, selector_t, imp_t, const char *))                     \
    F(imp_t, method_getImplementation, (method_t))                                                 \
    F(imp_t, method_setImplementation, (method_t, imp_t))                                          \
    F(const char *, method_getTypeEncoding, (method_t))

static struct {
#define MEMBER(result, name, parameters) result(*name) parameters;
    RUNTIME(MEMBER)
#undef MEMBER
    void *(*object_getClass)(object_t); /* NULL: the isa is the first word, as in GCC's */
} objc;

static bool find_runtime(void) {
    void *found;
    bool has_all = true;
#define FIND(result, name, parameters)                                                             \
    found = dlsym(RTLD_DEFAULT, #name);                                                            \
    has_all = has_all && found;                                                                    \
    memcpy(&objc.name, &found, sizeof(found));
    RUNTIME(FIND)
#undef FIND
    found = dlsym(RTLD_DEFAULT, "object_getClass");
    memcpy(&objc.object_getClass, &found, sizeof(found));
    return has_all;
}

static void *class_of(object_t object) {
    return objc.object_getClass ? objc.object_getClass(object) : *(void **)object;
}

/* ---- Which classes ---- */

enum { MOST_CLASSES = 64, MOST_NAME = 128 };
enum { RETAIN, RELEASE, AUTORELEASE, DEALLOC, METHOD_COUNT };

struct chosen {
    char name[MOST_NAME];
    void *cls; /* NULL: there is none, or one above it is seen */
    imp_t before[METHOD_COUNT];
};

static struct chosen chosen[MOST_CLASSES];
static unsigned chosen_count;

static void say(const char *what, const char *name) {
    const char *const parts[] = {"loupe: LOUPE_RECORD: ", what, name, "\n"};
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        loupe_say(parts[i]);
}

void loupe_counts_choose(const char *names) {
    while (names && *names) {
        size_t length = strcspn(names, ",");
        if (length && (chosen_count == MOST_CLASSES || length >= MOST_NAME)) {
            say("not all are recorded, there are too many or too long names: ", names);
            return;
        }
        if (length)
            memcpy(chosen[chosen_count++].name, names, length);
        names += length + (names[length] == ',');
    }
}

/* The chosen class that an object is of, or of which its class inherits. */
static const struct chosen *choice_of(object_t object) {
    for (void *cls = class_of(object); cls; cls = objc.class_getSuperclass(cls)) {
        for (unsigned i = 0; i < chosen_count; i++) {
            if (__atomic_load_n(&chosen[i].cls, __ATOMIC_ACQUIRE) == cls)
                return &chosen[i];
        }
    }
    return NULL;
}

/* ---- What stands in the place of the methods ---- */

/* Inlined, so that the frame is that of the method. */
#define NOTE(self, kind)                                                                           \
    do {                                                                                           \
        struct loupe_frame frame;                                                                  \
        loupe_frame_capture(&frame);                                                               \
        loupe_recorder_counted(self, kind, &frame);                                                \
    } while (0)

static imp_t before(object_t self, unsigned method) {
    const struct chosen *choice = choice_of(self);
    return choice ? choice->before[method] : NULL;
}

static object_t retain_seen(object_t self, selector_t selector) {
    answering_t *next = (answering_t *)before(self, RETAIN);
    NOTE(self, LOUPE_RECORD_RETAINED);
    return next ? next(self, selector) : self;
}

/* Readers know the name: a class that has this one counts as the class above it does. */
__attribute__((visibility("default"))) void loupe_record_release(object_t self,
                                                                 selector_t selector);

void loupe_record_release(object_t self, selector_t selector) {
    silent_t *next = (silent_t *)before(self, RELEASE);
    NOTE(self, LOUPE_RECORD_RELEASED);
    if (next)
        next(self, selector);
    __asm__ volatile("" : : : "memory"); /* no jump: the frame is still needed */
}

/* In the place of a method that the class has itself, and may count by in a way of its own. */
static void own_release_seen(object_t self, selector_t selector) {
    silent_t *next = (silent_t *)before(self, RELEASE);
    NOTE(self, LOUPE_RECORD_RELEASED);
    if (next)
        next(self, selector);
    __asm__ volatile("" : : : "memory");
}

static object_t autorelease_seen(object_t self, selector_t selector) {
    answering_t *next = (answering_t *)before(self, AUTORELEASE);
    NOTE(self, LOUPE_RECORD_AUTORELEASED);
    return next ? next(self, selector) : self;
}

static void dealloc_seen(object_t self, selector_t selector) {
    silent_t *next = (silent_t *)before(self, DEALLOC);
    NOTE(self, LOUPE_RECORD_DEALLOCATED);
    if (next)
        next(self, selector);
    __asm__ volatile("" : : : "memory");
}

/* ---- Replacing them ---- */

static const struct {
    const char *name;
    imp_t seen, own_seen; /* added to a class; in the place of one that it has */
} methods[METHOD_COUNT] = {
    [RETAIN] = {"retain", (imp_t)retain_seen, (imp_t)retain_seen},
    [RELEASE] = {"release", (imp_t)loupe_record_release, (imp_t)own_release_seen},
    [AUTORELEASE] = {"autorelease", (imp_t)autorelease_seen, (imp_t)autorelease_seen},
    [DEALLOC] = {"dealloc", (imp_t)dealloc_seen, (imp_t)dealloc_seen},
};

static bool is_below_a_chosen_one(void *cls) {
    while ((cls = objc.class_getSuperclass(cls))) {
        for (unsigned i = 0; i < chosen_count; i++) {
            if (objc.objc_lookUpClass(chosen[i].name) == cls)
                return true;
        }
    }
    return false;
}

static void replace(void *cls, unsigned method) {
    selector_t selector = objc.sel_registerName(methods[method].name);
    method_t found = objc.class_getInstanceMethod(cls, selector);
    if (!objc.class_addMethod(cls, selector, methods[method].seen,
                              objc.method_getTypeEncoding(found)))
        objc.method_setImplementation(found, methods[method].own_seen);
}

static void see(struct chosen *choice, void *cls) {
    if (is_below_a_chosen_one(cls))
        return; /* the calls of its objects are seen there */
    for (unsigned i = 0; i < METHOD_COUNT; i++) {
        method_t found = objc.class_getInstanceMethod(cls, objc.sel_registerName(methods[i].name));
        if (!found) {
            say("its instances are not counted by messages: ", choice->name);
            return;
        }
        choice->before[i] = objc.method_getImplementation(found);
    }
    __atomic_store_n(&choice->cls, cls, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < METHOD_COUNT; i++)
        replace(cls, i);
}

void loupe_counts_begin(void) {
    if (!chosen_count || !loupe_recorder_is_on())
        return;
    bool has_runtime = find_runtime();
    if (!has_runtime)
        say("there is no Objective-C runtime in this program", "");
    for (unsigned i = 0; i < chosen_count && has_runtime; i++) {
        void *cls = objc.objc_lookUpClass(chosen[i].name);
        if (cls)
            see(&chosen[i], cls);
        else
            say("there is no class of that name when the program begins: ", chosen[i].name);
    }
}

#include "objc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct watch_objc objc;

/* ---- Looking the runtime up ---- */

static void *look_up(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

static watch_class class_by_isa(watch_id object) {
    return object ? *(watch_class *)object : NULL;
}

static enum watch_runtime_kind kind_found(void) {
    if (objc.objc_initWeak && objc.objc_destroyWeak)
        return objc.objc_msg_lookup ? WATCH_LIBOBJC2 : WATCH_APPLE;
    return objc.objc_msg_lookup ? WATCH_GCC : WATCH_NO_RUNTIME;
}

static bool find_functions(void) {
    bool has_all = true;
    void *found;
#define FIND(result, name, parameters)                                                             \
    found = look_up(#name);                                                                        \
    memcpy(&objc.name, &found, sizeof(found));
#define NEED(result, name, parameters)                                                             \
    FIND(result, name, parameters)                                                                 \
    has_all = has_all && found;
    WATCH_OBJC_FUNCTIONS(NEED)
    WATCH_OBJC_OPTIONAL(FIND)
#undef NEED
#undef FIND
    if (!objc.object_getClass && kind_found() == WATCH_GCC)
        objc.object_getClass = class_by_isa;
    return has_all && objc.object_getClass;
}

const struct watch_objc *watch_objc(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    enum watch_runtime_kind kind = __atomic_load_n(&objc.kind, __ATOMIC_ACQUIRE);
    if (kind == WATCH_NO_RUNTIME) {
        pthread_mutex_lock(&once);
        if (objc.kind == WATCH_NO_RUNTIME && find_functions())
            __atomic_store_n(&objc.kind, kind_found(), __ATOMIC_RELEASE);
        pthread_mutex_unlock(&once);
    }
    return &objc;
}

/* ---- Classes ---- */

bool watch_is_kind_of(watch_class cls, watch_class of) {
    while (cls && cls != of)
        cls = objc.class_getSuperclass(cls);
    return cls != NULL;
}

/* Key-value observing puts a class of its own in front of the program's. */
const char *watch_class_name(watch_class cls) {
    const char *name = objc.class_getName(cls);
    static const char *const prefixes[] = {"NSKVONotifying_", "GSKVO"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        watch_class super = objc.class_getSuperclass(cls);
        if (super && strncmp(name, prefixes[i], strlen(prefixes[i])) == 0 &&
            strcmp(name + strlen(prefixes[i]), objc.class_getName(super)) == 0)
            return objc.class_getName(super);
    }
    return name;
}

const char *watch_why_immortal(watch_id object) {
    if (!object)
        return "it is nil";
    if ((uintptr_t)object % sizeof(void *) || (uintptr_t)object >> 63)
        return "it has no memory of its own (a tagged pointer)";
    watch_class cls = objc.object_getClass(object);
    if (!cls)
        return "it has no class";
    if (objc.class_isMetaClass(cls))
        return "it is a class";
    return NULL;
}

/* ---- Messages ---- */

/* Behind qualifiers such as const and in. */
static char result_type(const char *encoding) {
    while (encoding && *encoding && strchr("rnNoORVA", *encoding))
        encoding++;
    return encoding ? *encoding : '\0';
}

/*
 * What a message would run, after +initialize of the receiver's class: the runtimes other than
 * Apple's answer class_getMethodImplementation() without it, and what the class has set up for its
 * methods by then is not there.
 */
static watch_imp implementation(watch_id receiver, watch_sel sel) {
    return objc.objc_msg_lookup
               ? objc.objc_msg_lookup(receiver, sel)
               : objc.class_getMethodImplementation(objc.object_getClass(receiver), sel);
}

#define ANSWER(type)                                                                               \
    (struct watch_value) {                                                                         \
        false, false, (int64_t)((type(*)(watch_id, watch_sel))imp)(object, getter)                 \
    }

bool watch_ask(watch_id object, watch_sel getter, struct watch_value *ret) {
    watch_class cls = objc.object_getClass(object);
    watch_method method = objc.class_getInstanceMethod(cls, getter);
    if (!method)
        return false;
    watch_imp imp = implementation(object, getter);
    switch (result_type(objc.method_getTypeEncoding(method))) {
    case '@':
    case '#':
        ret->number = (int64_t)(intptr_t)((watch_id(*)(watch_id, watch_sel))imp)(object, getter);
        ret->is_object = true;
        ret->is_argument = false;
        return true;
    case 'B':
    case 'C':
        *ret = ANSWER(unsigned char);
        return true;
    case 'c':
        *ret = ANSWER(signed char);
        return true;
    case 's':
        *ret = ANSWER(short);
        return true;
    case 'S':
        *ret = ANSWER(unsigned short);
        return true;
    case 'i':
        *ret = ANSWER(int);
        return true;
    case 'I':
        *ret = ANSWER(unsigned);
        return true;
    case 'l':
        *ret = ANSWER(long);
        return true;
    case 'q':
    case 'L':
    case 'Q':
        *ret = ANSWER(long long);
        return true;
    default:
        return false;
    }
}

/* NULL: it does not respond. */
static watch_imp found_implementation(watch_id receiver, watch_sel sel) {
    bool responds = objc.class_getInstanceMethod(objc.object_getClass(receiver), sel);
    return responds ? implementation(receiver, sel) : NULL;
}

static watch_id send(watch_id receiver, const char *name) {
    watch_sel sel = objc.sel_registerName(name);
    watch_imp imp = found_implementation(receiver, sel);
    return imp ? ((watch_id(*)(watch_id, watch_sel))imp)(receiver, sel) : NULL;
}

/* ---- Pools ---- */

void watch_pool_push(struct watch_pool *pool) {
    pool->token = NULL;
    if (objc.objc_autoreleasePoolPush && objc.objc_autoreleasePoolPop) {
        pool->token = objc.objc_autoreleasePoolPush();
        return;
    }
    watch_class cls = objc.objc_lookUpClass("NSAutoreleasePool");
    pool->token = cls ? send(cls, "new") : NULL;
}

void watch_pool_pop(struct watch_pool *pool) {
    if (!pool->token)
        return;
    if (objc.objc_autoreleasePoolPush && objc.objc_autoreleasePoolPop)
        objc.objc_autoreleasePoolPop(pool->token);
    else
        send(pool->token, "drain");
    pool->token = NULL;
}

/* ---- Collections ---- */

static bool is_a(watch_id object, const char *name) {
    watch_class cls = objc.objc_lookUpClass(name);
    return cls && watch_is_kind_of(objc.object_getClass(object), cls);
}

void watch_for_each(watch_id collection, void (*visit)(watch_id element, void *context),
                    void *context) {
    if (is_a(collection, "NSSet"))
        collection = send(collection, "allObjects");
    if (!collection)
        return;
    if (!is_a(collection, "NSArray")) {
        visit(collection, context);
        return;
    }
    watch_sel count_sel = objc.sel_registerName("count");
    watch_sel at_sel = objc.sel_registerName("objectAtIndex:");
    watch_imp count_imp = found_implementation(collection, count_sel);
    watch_imp at_imp = found_implementation(collection, at_sel);
    if (!count_imp || !at_imp)
        return;
    unsigned long count =
        ((unsigned long (*)(watch_id, watch_sel))count_imp)(collection, count_sel);
    for (unsigned long i = 0; i < count; i++) {
        watch_id element =
            ((watch_id(*)(watch_id, watch_sel, unsigned long))at_imp)(collection, at_sel, i);
        if (element)
            visit(element, context);
    }
}

/* ---- The run loop ---- */

bool watch_run_loop(double seconds) {
    int (*run)(const void *mode, double seconds, unsigned char once);
    void *found = look_up("CFRunLoopRunInMode"), *mode = look_up("kCFRunLoopDefaultMode");
    if (found && mode) {
        memcpy(&run, &found, sizeof(found));
        enum { FINISHED = 1 };
        return run(*(const void *const *)mode, seconds, 0) != FINISHED;
    }
    watch_class loops = objc.objc_lookUpClass("NSRunLoop"), dates = objc.objc_lookUpClass("NSDate");
    if (!loops || !dates)
        return false;
    watch_sel run_sel = objc.sel_registerName("runUntilDate:");
    watch_sel date_sel = objc.sel_registerName("dateWithTimeIntervalSinceNow:");
    watch_imp make = found_implementation(dates, date_sel);
    watch_id date =
        make ? ((watch_id(*)(watch_id, watch_sel, double))make)(dates, date_sel, seconds) : NULL;
    watch_id loop = date ? send(loops, "currentRunLoop") : NULL;
    watch_imp until = loop ? found_implementation(loop, run_sel) : NULL;
    if (!until)
        return false;
    ((void (*)(watch_id, watch_sel, watch_id))until)(loop, run_sel, date);
    return true;
}

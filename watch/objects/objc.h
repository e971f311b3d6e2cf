/*
 * objc.h - the Objective-C runtime of this process, by the names that all runtimes share. It is
 * looked up when it is first needed, so that the library can be loaded into any program.
 */
#ifndef LOUPE_WATCH_OBJC_H
#define LOUPE_WATCH_OBJC_H

#include <stdbool.h>
#include <stdint.h>

typedef struct watch_class *watch_class;
typedef struct watch_method *watch_method;
typedef void *watch_id;
typedef const void *watch_sel;
typedef void (*watch_imp)(void);

enum watch_runtime_kind {
    WATCH_NO_RUNTIME,
    WATCH_APPLE,
    WATCH_LIBOBJC2,
    WATCH_GCC, /* without weak references */
};

/* Functions every runtime has: result, name, parameters. */
#define WATCH_OBJC_FUNCTIONS(F)                                                                    \
    F(const char *, class_getName, (watch_class))                                                  \
    F(watch_class, class_getSuperclass, (watch_class))                                             \
    F(signed char, class_isMetaClass, (watch_class))                                               \
    F(watch_method, class_getInstanceMethod, (watch_class, watch_sel))                             \
    F(watch_imp, class_getMethodImplementation, (watch_class, watch_sel))                          \
    F(watch_method *, class_copyMethodList, (watch_class, unsigned *))                             \
    F(watch_sel, method_getName, (watch_method))                                                   \
    F(watch_imp, method_getImplementation, (watch_method))                                         \
    F(const char *, method_getTypeEncoding, (watch_method))                                        \
    F(watch_imp, method_setImplementation, (watch_method, watch_imp))                              \
    F(watch_sel, sel_registerName, (const char *))                                                 \
    F(signed char, sel_isEqual, (watch_sel, watch_sel))                                            \
    F(watch_class, objc_lookUpClass, (const char *))                                               \
    F(int, objc_getClassList, (watch_class *, int))

/* Functions some have, else NULL. */
#define WATCH_OBJC_OPTIONAL(F)                                                                     \
    F(watch_class, object_getClass, (watch_id)) /* never NULL: GCC's headers have it inline */     \
    F(watch_id, objc_initWeakOrNil, (void **, watch_id))                                           \
    F(watch_id, objc_initWeak, (void **, watch_id))                                                \
    F(void, objc_destroyWeak, (void **))                                                           \
    F(watch_imp, objc_msg_lookup, (watch_id, watch_sel))                                           \
    F(void *, objc_autoreleasePoolPush, (void))                                                    \
    F(void, objc_autoreleasePoolPop, (void *))

struct watch_objc {
    enum watch_runtime_kind kind;
#define WATCH_MEMBER(result, name, parameters) result(*name) parameters;
    WATCH_OBJC_FUNCTIONS(WATCH_MEMBER)
    WATCH_OBJC_OPTIONAL(WATCH_MEMBER)
#undef WATCH_MEMBER
};

/* The runtime, with kind WATCH_NO_RUNTIME while there is none. */
const struct watch_objc *watch_objc(void);

bool watch_is_kind_of(watch_class cls, watch_class of);

/* The class is what the program called it, also while it is observed. */
const char *watch_class_name(watch_class cls);

/*
 * What an address is that should be watched: NULL, or why no object that can die is there. Reads
 * the object, which has to be one if it is anything.
 */
const char *watch_why_immortal(watch_id object);

/* What a method answered. */
struct watch_value {
    bool is_object;
    bool is_argument; /* of a call, in a register: above the lowest 32 bits there may be anything */
    int64_t number;   /* or the object's address */
};

/*
 * What the object's method of that name answers, which takes nothing. False: it has none, or one
 * that answers neither an object nor a whole number. An exception passes through to the caller.
 */
bool watch_ask(watch_id object, watch_sel getter, struct watch_value *ret);

/* Around messages that may autorelease; costs nothing where it is not used. */
struct watch_pool {
    void *token;
};
void watch_pool_push(struct watch_pool *pool);
void watch_pool_pop(struct watch_pool *pool);

/* The elements of an array or a set, or the object itself if it is neither. */
void watch_for_each(watch_id collection, void (*visit)(watch_id element, void *context),
                    void *context);

/* Runs the run loop of this thread for some time; false: it has none. */
bool watch_run_loop(double seconds);

#endif

/*
 * Three kinds of loops. A program's own tells its turns. CFRunLoop has observers for that.
 * GNUstep's NSRunLoop has none: it is sent a message that it takes in its next turn, and once that
 * has come back the next one.
 *
 * Libraries are looked for when the watch has begun: this one is linked to none of them.
 */
#include "stalls/pulse.h"

#include "stalls/sample.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

enum kind { NONE, OWN, CORE_FOUNDATION, GNUSTEP };

static _Atomic(uint64_t) turns;
static _Atomic(bool) rests;
static _Atomic(int) kind;
static _Atomic(bool) is_asked; /* of GNUSTEP: a message is under way */

void loupe_pulse_beat(void) {
    atomic_store(&kind, OWN);
    atomic_store_explicit(&rests, false, memory_order_relaxed);
    atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
}

void loupe_pulse_rest(void) {
    atomic_store(&kind, OWN);
    atomic_store_explicit(&rests, true, memory_order_relaxed);
}

/* A function of the program by its name, as one of any type. */
#define FUNCTION(type, name) ((type)(uintptr_t)dlsym(RTLD_DEFAULT, name))

/* ---- CFRunLoop ---- */

typedef void observer_function(void *observer, unsigned long activity, void *info);
typedef void *get_main_function(void);
typedef void *create_observer_function(void *allocator, unsigned long activities,
                                       unsigned char repeats, long order, observer_function *call,
                                       void *context);
typedef void add_observer_function(void *loop, void *observer, const void *mode);

static void on_activity(void *observer, unsigned long activity, void *info) {
    enum { BEFORE_WAITING = 1 << 5, EXIT = 1 << 7 };
    (void)observer;
    (void)info;
    atomic_store(&rests, activity == BEFORE_WAITING || activity == EXIT);
    atomic_fetch_add(&turns, 1);
}

static bool find_core_foundation(void) {
    enum { ALL_ACTIVITIES = 0x0fffffff };
    get_main_function *get_main = FUNCTION(get_main_function *, "CFRunLoopGetMain");
    create_observer_function *create =
        FUNCTION(create_observer_function *, "CFRunLoopObserverCreate");
    add_observer_function *add = FUNCTION(add_observer_function *, "CFRunLoopAddObserver");
    const void *const *modes = dlsym(RTLD_DEFAULT, "kCFRunLoopCommonModes");
    if (!get_main || !create || !add || !modes)
        return false;
    void *observer = create(NULL, ALL_ACTIVITIES, 1, 0, on_activity, NULL);
    if (observer)
        add(get_main(), observer, *modes);
    return observer != NULL;
}

/* ---- GNUstep's NSRunLoop ---- */

typedef void *named_function(const char *name);
typedef void *lookup_function(void *receiver, void *selector);
typedef void *make_class_function(void *superclass, const char *name, size_t extra);
typedef void register_function(void *cls);
typedef unsigned char add_method_function(void *cls, void *selector, void *code, const char *types);
typedef void perform_function(void *receiver, void *selector, void *sent, void *argument,
                              unsigned char waits);

static void *ping_class, *sent_selector, *perform_selector;
static perform_function *perform;

static void arrive(void *self, void *selector) {
    (void)self;
    (void)selector;
    atomic_fetch_add(&turns, 1);
    atomic_store(&is_asked, false);
}

/* A class whose own method counts: no object is made that could leak. */
static bool make_ping(void) {
    named_function *class_named = FUNCTION(named_function *, "objc_getClass");
    named_function *selector_named = FUNCTION(named_function *, "sel_registerName");
    lookup_function *lookup = FUNCTION(lookup_function *, "objc_msg_lookup");
    make_class_function *make_class = FUNCTION(make_class_function *, "objc_allocateClassPair");
    register_function *register_class = FUNCTION(register_function *, "objc_registerClassPair");
    add_method_function *add_method = FUNCTION(add_method_function *, "class_addMethod");
    if (!class_named || !selector_named || !lookup || !make_class || !register_class || !add_method)
        return false;
    void *root = class_named("NSObject");
    ping_class = root ? make_class(root, "LoupeStallPing", 0) : NULL;
    if (!ping_class)
        return false;
    sent_selector = selector_named("loupeStallPingArrived");
    perform_selector = selector_named("performSelectorOnMainThread:withObject:waitUntilDone:");
    void *metaclass = *(void **)ping_class; /* object_getClass() is no function of GCC's library */
    add_method(metaclass, sent_selector, (void *)(uintptr_t)arrive, "v@:");
    register_class(ping_class);
    perform = (perform_function *)(uintptr_t)lookup(ping_class, perform_selector);
    return perform != NULL;
}

/*
 * Foundation takes the thread that first asks for a run loop for the main one. So nothing is asked
 * before the main thread is seen to be in one.
 */
static bool find_gnustep(void) {
    return FUNCTION(lookup_function *, "objc_msg_lookup") && loupe_sample_is_in("RunLoop") &&
           make_ping();
}

static void ask_gnustep(void) {
    if (!atomic_exchange(&is_asked, true))
        perform(ping_class, perform_selector, sent_selector, NULL, 0);
}

/* ---- Any of them ---- */

void loupe_pulse_tick(void) {
    int none = NONE;
    if (atomic_load(&kind) == NONE) {
        if (find_core_foundation())
            atomic_compare_exchange_strong(&kind, &none, CORE_FOUNDATION);
        else if (find_gnustep())
            atomic_compare_exchange_strong(&kind, &none, GNUSTEP);
    }
    if (atomic_load(&kind) == GNUSTEP)
        ask_gnustep();
}

struct loupe_stall_signs loupe_pulse_signs(void) {
    return (struct loupe_stall_signs){.turn = atomic_load(&turns),
                                      .is_known = atomic_load(&turns) != 0,
                                      .rests = atomic_load(&rests)};
}

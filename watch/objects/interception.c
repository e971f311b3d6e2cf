#include "interception.h"

#include "class_list.h"
#include "expectations.h"
#include "trampoline.h"

#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(__arm64e__)
#include <ptrauth.h>
#endif

/* ---- What the trampoline uses ---- */

struct watch_slot {
    watch_imp original;
    bool is_active;
};
static_assert(sizeof(struct watch_slot) == WATCH_SLOT_SIZE, "as trampoline.h says");
static_assert(offsetof(struct watch_slot, is_active) == WATCH_SLOT_IS_ACTIVE,
              "as trampoline.h says");

extern struct watch_slot watch_slots[WATCH_THUNK_COUNT];
extern char watch_thunks[];
extern int watch_wide_vectors;
struct watch_slot watch_slots[WATCH_THUNK_COUNT];
/* Vectors of 256 bits and more: 0 there are none; 1 + the argument of xgetbv that tells their use.
 */
int watch_wide_vectors;

/* The registers in the order in which methods take their arguments. */
#if defined(__x86_64__)
enum { INTEGER_REGISTERS = 6 };
#else
enum { INTEGER_REGISTERS = 8 };
#endif
void watch_intercepted(const intptr_t *registers, uintptr_t number);

/* ---- What is intercepted ---- */

/* A slot is never used for another method: a thread may be in its thunk for as long as it likes. */
struct interception {
    watch_class cls;
    watch_method method;
    watch_sel selector;
    bool answers_struct; /* whose address may come before self */
    bool is_of_deaths;
    void *tag;
};

static struct interception interceptions[WATCH_THUNK_COUNT];
static uint32_t interception_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static watch_imp thunk_of(uint32_t number) {
    char *code = watch_thunks + (size_t)number * WATCH_THUNK_SIZE;
    watch_imp imp;
#if defined(__arm64e__)
    code = ptrauth_sign_unauthenticated(ptrauth_strip(code, ptrauth_key_function_pointer),
                                        ptrauth_key_function_pointer, 0);
#endif
    memcpy(&imp, &code, sizeof(imp));
    return imp;
}

#if defined(__x86_64__)
#include <cpuid.h>

static void look_at_processor(void) {
    unsigned a, b, c, d;
    enum { HAS_SYSTEM_SUPPORT = 1 << 27, HAS_AVX = 1 << 28, TELLS_USE = 1 << 2 };
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & HAS_SYSTEM_SUPPORT) || !(c & HAS_AVX))
        return;
    bool tells_use = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & TELLS_USE);
    watch_wide_vectors = tells_use ? 2 : 1;
}
#else
static void look_at_processor(void) {}
#endif

const char *watch_interception_problem(void) {
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm64__)
    return NULL;
#else
    return "methods can be intercepted on x86-64 and arm64 only";
#endif
}

/* ---- Replacing implementations ---- */

static bool is_struct(const char *encoding) {
    while (encoding && *encoding && strchr("rnNoORVA", *encoding))
        encoding++;
    return encoding && (*encoding == '{' || *encoding == '(');
}

/* By the method as well: another class may have come to stand where a disposed one stood. */
static struct interception *interception_of(watch_class cls, watch_method method,
                                            watch_sel selector) {
    for (uint32_t i = 0; i < interception_count; i++) {
        if (interceptions[i].cls == cls && interceptions[i].method == method &&
            watch_objc()->sel_isEqual(interceptions[i].selector, selector))
            return &interceptions[i];
    }
    return NULL;
}

static void activate(struct interception *interception) {
    const struct watch_objc *objc = watch_objc();
    uint32_t number = (uint32_t)(interception - interceptions);
    struct watch_slot *slot = &watch_slots[number];
    watch_imp now = objc->method_getImplementation(interception->method);
    if (now != thunk_of(number)) {
        if (!slot->original)
            slot->original = now;
        /* After an end somebody else's implementation, which may call ours, is left alone. */
        if (slot->original == now)
            objc->method_setImplementation(interception->method, thunk_of(number));
    }
    __atomic_store_n(&slot->is_active, true, __ATOMIC_RELEASE);
}

static const char *intercept_own(watch_class cls, watch_method method, watch_sel selector,
                                 void *tag) {
    struct interception *interception = interception_of(cls, method, selector);
    if (!interception) {
        if (interception_count == WATCH_THUNK_COUNT)
            return "more than 1024 methods are intercepted";
        interception = &interceptions[interception_count++];
        *interception = (struct interception){
            .cls = cls,
            .method = method,
            .selector = selector,
            .answers_struct = is_struct(watch_objc()->method_getTypeEncoding(method)),
            .is_of_deaths = !tag,
            .tag = tag};
    }
    const struct watch_slot *slot = &watch_slots[interception - interceptions];
    if (!slot->is_active || watch_objc()->method_getImplementation(method) == slot->original)
        activate(interception);
    return NULL;
}

/* The method that the class itself has. */
static watch_method own_method(watch_class cls, watch_sel selector) {
    unsigned count = 0;
    watch_method found = NULL, *methods = watch_objc()->class_copyMethodList(cls, &count);
    for (unsigned i = 0; i < count && !found; i++) {
        if (watch_objc()->sel_isEqual(watch_objc()->method_getName(methods[i]), selector))
            found = methods[i];
    }
    free(methods);
    return found;
}

/* Without a tag it is about deaths. */
static const char *intercept_if_own(watch_class cls, watch_sel selector, void *tag,
                                    bool *ret_found) {
    watch_method method = own_method(cls, selector);
    *ret_found = method != NULL;
    return method ? intercept_own(cls, method, selector, tag) : NULL;
}

static const char *intercept_subclasses(watch_class cls, watch_sel selector, void *tag) {
    int count;
    const char *problem = NULL;
    watch_class *classes = watch_class_list_copy(&count);
    if (!classes)
        return "out of memory while listing the classes";
    for (int i = 0; i < count && !problem; i++) {
        bool is_own;
        if (classes[i] != cls && watch_is_kind_of(classes[i], cls))
            problem = intercept_if_own(classes[i], selector, tag, &is_own);
    }
    free(classes);
    return problem;
}

static const char *begin(void) {
    static bool is_begun;
    if (!is_begun)
        look_at_processor();
    is_begun = true;
    return watch_interception_problem();
}

const char *watch_intercept(watch_class cls, watch_sel selector, void *tag, bool *ret_found) {
    pthread_mutex_lock(&lock);
    const char *problem = begin();
    *ret_found = false;
    for (watch_class up = cls; up && !problem && !*ret_found;
         up = watch_objc()->class_getSuperclass(up))
        problem = intercept_if_own(up, selector, tag, ret_found);
    if (!problem)
        problem = intercept_subclasses(cls, selector, tag);
    pthread_mutex_unlock(&lock);
    return problem;
}

const char *watch_intercept_deaths(watch_class root, watch_sel dealloc) {
    static _Atomic(watch_class) last;
    if (last == root)
        return NULL;
    bool is_found;
    pthread_mutex_lock(&lock);
    const char *problem = begin();
    if (!problem)
        problem = intercept_if_own(root, dealloc, NULL, &is_found);
    pthread_mutex_unlock(&lock);
    if (!problem && !is_found)
        return "its root class has no -dealloc that could be intercepted";
    last = problem ? NULL : root;
    return problem;
}

static bool is_listed(watch_class cls, const watch_class *classes, int count) {
    int i = 0;
    while (i < count && classes[i] != cls)
        i++;
    return i < count;
}

/* Methods of disposed classes are not looked at. */
static void put_back(uint32_t number, const watch_class *classes, int count) {
    const struct watch_objc *objc = watch_objc();
    const struct interception *interception = &interceptions[number];
    watch_method method = interception->method;
    if (is_listed(interception->cls, classes, count) &&
        own_method(interception->cls, interception->selector) == method &&
        objc->method_getImplementation(method) == thunk_of(number))
        objc->method_setImplementation(method, watch_slots[number].original);
}

void watch_intercept_end(void) {
    int count;
    watch_class *classes = watch_class_list_copy(&count);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < interception_count; i++) {
        if (interceptions[i].is_of_deaths)
            continue;
        __atomic_store_n(&watch_slots[i].is_active, false, __ATOMIC_RELEASE);
        put_back(i, classes, classes ? count : 0);
    }
    pthread_mutex_unlock(&lock);
    free(classes);
}

/* ---- A call ---- */

/* Which argument the object is. */
#if defined(__x86_64__)
static bool is_selector(const struct interception *interception, const void *word) {
    return word == interception->selector ||
           watch_objc()->sel_isEqual(word, interception->selector);
}

/* The address of a result in memory comes first. Both words that can be the selector lead
 * somewhere. */
static unsigned object_register(const struct interception *interception,
                                const intptr_t *registers) {
    return interception->answers_struct && !is_selector(interception, (void *)registers[1]);
}
#else
static unsigned object_register(const struct interception *interception,
                                const intptr_t *registers) {
    (void)interception;
    (void)registers;
    return 0;
}
#endif

void watch_intercepted(const intptr_t *registers, uintptr_t number) {
    const struct interception *interception = &interceptions[number];
    if (interception->is_of_deaths) {
        watch_note_death((watch_id)registers[0]);
        return;
    }
    unsigned first = object_register(interception, registers);
    struct watch_call call = {.self = (watch_id)registers[first],
                              .selector = interception->selector,
                              .arguments = registers + first + 2,
                              .argument_count = INTEGER_REGISTERS - 2 - first,
                              .tag = interception->tag};
    watch_method_called(&call);
}

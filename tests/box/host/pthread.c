/*
 * pthread.c - threads for the program: libpthread's objects (libpthread-519, pthread/pthread_impl.h
 * has their sizes and how they begin) on the host's.
 *
 * An object begins with a word that says what it is. One that was initialized by its macro is made
 * when it is used first. A mutex has the host's inside of it; what is larger there than here is
 * written on futexes.
 */
#include "../kernel/kernel.h"
#include "../kernel/map.h"
#include "../kernel/threads.h"
#include "../kernel/vm.h"
#include "../loader/image.h"
#include "stacks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MUTEX_STATIC = 0x32AAABA7,
    MUTEX_STATIC_ERRORCHECK = 0x32AAABA1,
    MUTEX_STATIC_RECURSIVE = 0x32AAABA2,
    MUTEX_MADE = 0x4D555458,
    MUTEX_IN_MAKING = 0x4D55544D,
    COND_STATIC = 0x3CB0B1BB,
    ONCE_STATIC = 0x30B1BCBA,
    ONCE_RUNS = 0x30B1BCBB,
    ONCE_DONE = 0x4F4E4345,

    DARWIN_ERRORCHECK = 1,
    DARWIN_RECURSIVE = 2,
    DARWIN_ETIMEDOUT = 60
};

/* ---- Mutexes: 64 bytes ---- */

struct mutex {
    _Atomic(int64_t) what;
    pthread_mutex_t host;
};
_Static_assert(sizeof(struct mutex) <= 64, "Darwin's is larger");

static void make(struct mutex *mutex, int kind) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kind);
    pthread_mutex_init(&mutex->host, &attributes);
    pthread_mutexattr_destroy(&attributes);
    mutex->what = MUTEX_MADE;
}

static pthread_mutex_t *host_of(struct mutex *mutex) {
    for (;;) {
        int64_t what = mutex->what;
        if (what == MUTEX_MADE)
            return &mutex->host;
        if (what == MUTEX_IN_MAKING)
            continue;
        if (what != MUTEX_STATIC && what != MUTEX_STATIC_ERRORCHECK &&
            what != MUTEX_STATIC_RECURSIVE)
            box_fail("a mutex that was never initialized is used");
        if (atomic_compare_exchange_strong(&mutex->what, &what, MUTEX_IN_MAKING))
            make(mutex, what == MUTEX_STATIC_RECURSIVE    ? PTHREAD_MUTEX_RECURSIVE
                        : what == MUTEX_STATIC_ERRORCHECK ? PTHREAD_MUTEX_ERRORCHECK
                                                          : PTHREAD_MUTEX_NORMAL);
    }
}

struct mutex_attributes {
    int64_t what;
    int type;
};

int host_pthread_mutexattr_init(struct mutex_attributes *attributes) {
    *attributes = (struct mutex_attributes){.what = 0x4D545841};
    return 0;
}

int host_pthread_mutexattr_destroy(struct mutex_attributes *attributes) {
    attributes->what = 0;
    return 0;
}

int host_pthread_mutexattr_settype(struct mutex_attributes *attributes, int type) {
    attributes->type = type;
    return 0;
}

int host_pthread_mutex_init(struct mutex *mutex, const struct mutex_attributes *attributes) {
    int type = attributes ? attributes->type : 0;
    make(mutex, type == DARWIN_RECURSIVE    ? PTHREAD_MUTEX_RECURSIVE
                : type == DARWIN_ERRORCHECK ? PTHREAD_MUTEX_ERRORCHECK
                                            : PTHREAD_MUTEX_NORMAL);
    return 0;
}

int host_pthread_mutex_destroy(struct mutex *mutex) {
    mutex->what = 0;
    return 0;
}

int host_pthread_mutex_lock(struct mutex *mutex) {
    return pthread_mutex_lock(host_of(mutex));
}

int host_pthread_mutex_trylock(struct mutex *mutex) {
    return pthread_mutex_trylock(host_of(mutex));
}

int host_pthread_mutex_unlock(struct mutex *mutex) {
    return pthread_mutex_unlock(host_of(mutex));
}

/* ---- Conditions: 48 bytes, a count of what was told ---- */

struct condition {
    int64_t what;
    _Atomic(int) told;
};

int host_pthread_cond_init(struct condition *condition, const void *attributes) {
    (void)attributes;
    *condition = (struct condition){.what = COND_STATIC};
    return 0;
}

int host_pthread_cond_destroy(struct condition *condition) {
    condition->what = 0;
    return 0;
}

static int tell(struct condition *condition, int waiters) {
    condition->told++;
    syscall(SYS_futex, &condition->told, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
    return 0;
}

int host_pthread_cond_signal(struct condition *condition) {
    return tell(condition, 1);
}

int host_pthread_cond_broadcast(struct condition *condition) {
    return tell(condition, INT_MAX);
}

/* For so long, or for ever (NULL). */
static int wait_for(struct condition *condition, struct mutex *mutex, const struct timespec *time) {
    int told = condition->told;
    pthread_mutex_unlock(host_of(mutex));
    bool late = syscall(SYS_futex, &condition->told, FUTEX_WAIT_PRIVATE, told, time, NULL, 0) &&
                errno == ETIMEDOUT;
    errno = 0;
    pthread_mutex_lock(host_of(mutex));
    return late ? DARWIN_ETIMEDOUT : 0;
}

int host_pthread_cond_wait(struct condition *condition, struct mutex *mutex) {
    return wait_for(condition, mutex, NULL);
}

int host_pthread_cond_timedwait_relative_np(struct condition *condition, struct mutex *mutex,
                                            const struct timespec *time) {
    return wait_for(condition, mutex, time);
}

int host_pthread_cond_timedwait(struct condition *condition, struct mutex *mutex,
                                const struct timespec *until) {
    struct timespec now, left;
    clock_gettime(CLOCK_REALTIME, &now);
    left.tv_sec = until->tv_sec - now.tv_sec;
    left.tv_nsec = until->tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_nsec += 1000000000;
        left.tv_sec--;
    }
    if (left.tv_sec < 0)
        left = (struct timespec){0};
    return wait_for(condition, mutex, &left);
}

/* ---- Once, and locks of one word ---- */

struct once {
    _Atomic(int64_t) what;
};

int host_pthread_once(struct once *once, void (*routine)(void)) {
    int64_t fresh = ONCE_STATIC;
    if (atomic_compare_exchange_strong(&once->what, &fresh, ONCE_RUNS)) {
        routine();
        once->what = ONCE_DONE;
    }
    while (once->what == ONCE_RUNS)
        sched_yield();
    return 0;
}

/* Such a lock knows its owner, who may not take it twice, and nobody else gives it back: both end
 * the program (libplatform-340, src/os/lock.c). */

int host_os_unfair_lock_trylock(_Atomic(uint32_t) *lock) {
    uint32_t nobody = 0;
    return atomic_compare_exchange_strong(lock, &nobody, (uint32_t)gettid());
}

void host_os_unfair_lock_lock(_Atomic(uint32_t) *lock) {
    while (!host_os_unfair_lock_trylock(lock)) {
        if (*lock == (uint32_t)gettid())
            box_fail("a thread locks an os_unfair_lock again");
        sched_yield();
    }
}

void host_os_unfair_lock_unlock(_Atomic(uint32_t) *lock) {
    if (*lock != (uint32_t)gettid())
        box_fail("an os_unfair_lock is unlocked by a thread that does not own it");
    *lock = 0;
}

/* ---- Threads ---- */

enum { STACK_SIZE = 512 << 10, MOST_STACKS = 512, DARWIN_DETACHED = 2 };

struct attributes {
    int64_t what;
    uint64_t stack_size;
    int is_detached;
};
_Static_assert(sizeof(struct attributes) <= 64, "Darwin's is larger");

int host_pthread_attr_init(struct attributes *attributes) {
    *attributes = (struct attributes){.what = 0x54484441, .stack_size = STACK_SIZE};
    return 0;
}

int host_pthread_attr_destroy(struct attributes *attributes) {
    attributes->what = 0;
    return 0;
}

int host_pthread_attr_setstacksize(struct attributes *attributes, size_t size) {
    attributes->stack_size = size;
    return 0;
}

int host_pthread_attr_setdetachstate(struct attributes *attributes, int state) {
    attributes->is_detached = state == DARWIN_DETACHED;
    return 0;
}

/* A stack is given back when its thread was joined; that of a detached thread stays. */
static struct stack {
    pthread_t pthread;
    uint64_t start, size;
} stacks[MOST_STACKS];

static const struct stack *stack_of(pthread_t pthread) {
    for (unsigned i = 0; i < MOST_STACKS; i++)
        if (stacks[i].size && pthread_equal(stacks[i].pthread, pthread))
            return &stacks[i];
    return NULL;
}

void box_stack_note(pthread_t pthread, uint64_t start, uint64_t size) {
    struct box_kernel_entry entry = box_kernel_enter();
    unsigned i = 0;
    while (i < MOST_STACKS && stacks[i].size && !pthread_equal(stacks[i].pthread, pthread))
        i++;
    if (i == MOST_STACKS)
        box_fail("too many stacks");
    stacks[i] = (struct stack){pthread, start, size};
    box_kernel_leave(entry);
}

char *box_stack_make(uint64_t size) {
    char *pages = box_kernel_pages(size + box_page_size, BOX_TAG_STACK);
    host_mach_vm_protect(box_task_port, (uintptr_t)pages, box_page_size, 0, 0);
    return pages + box_page_size;
}

struct start {
    void *(*routine)(void *argument);
    void *argument;
    char *stack;
    uint64_t stack_size;
};

static void leave(void *ignored) {
    (void)ignored;
    box_thread_leave();
}

static void *begin(void *ctx) {
    struct start start = *(struct start *)ctx;
    void *result;
    free(ctx);
    box_stack_note(pthread_self(), (uintptr_t)start.stack, start.stack_size);
    box_thread_enter();
    pthread_cleanup_push(leave, NULL);
    result = start.routine(start.argument);
    pthread_cleanup_pop(1);
    return result;
}

int host_pthread_create(pthread_t *pthread, const struct attributes *wanted,
                        void *(*routine)(void *), void *argument) {
    struct box_kernel_entry entry = box_kernel_enter_unlocked(); /* the child inherits this */
    struct start *start = malloc(sizeof(*start));
    pthread_attr_t attributes;
    if (!start)
        box_fail("no memory");
    uint64_t size = box_page_up(wanted ? wanted->stack_size : STACK_SIZE);
    *start = (struct start){routine, argument, box_stack_make(size), size};
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, start->stack, size);
    pthread_attr_setsigmask_np(&attributes, &entry.before);
    if (wanted && wanted->is_detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int result = pthread_create(pthread, &attributes, begin, start);
    pthread_attr_destroy(&attributes);
    box_kernel_leave_unlocked(entry);
    return result;
}

int host_pthread_join(pthread_t pthread, void **result) {
    int failed = pthread_join(pthread, result);
    struct box_kernel_entry entry = box_kernel_enter();
    struct stack *stack = failed ? NULL : (struct stack *)(uintptr_t)stack_of(pthread);
    uint64_t start = stack ? stack->start : 0, size = stack ? stack->size : 0;
    if (stack)
        stack->size = 0;
    box_kernel_leave(entry);
    if (size)
        host_mach_vm_deallocate(box_task_port, start - box_page_size, size + box_page_size);
    return failed;
}

int host_pthread_detach(pthread_t pthread) {
    return pthread_detach(pthread);
}

void host_pthread_exit(void *result) {
    pthread_exit(result);
}

pthread_t host_pthread_self(void) {
    return pthread_self();
}

int host_pthread_equal(pthread_t one, pthread_t other) {
    return pthread_equal(one, other);
}

int host_pthread_main_np(void) {
    return getpid() == gettid();
}

int host_pthread_threadid_np(pthread_t pthread, uint64_t *id) {
    *id = box_thread_id(pthread ? pthread : pthread_self());
    return *id ? 0 : ESRCH;
}

uint32_t host_pthread_mach_thread_np(pthread_t pthread) {
    return box_thread_port(pthread);
}

int host_pthread_setname_np(const char *name) {
    box_thread_set_name(name);
    return 0;
}

int host_pthread_getname_np(pthread_t pthread, char *name, size_t capacity) {
    box_thread_get_name(pthread, name, capacity);
    return 0;
}

/* The end of the stack, where it begins to grow. */
void *host_pthread_get_stackaddr_np(pthread_t pthread) {
    const struct stack *stack = stack_of(pthread);
    return stack ? (void *)(uintptr_t)(stack->start + stack->size) : NULL;
}

size_t host_pthread_get_stacksize_np(pthread_t pthread) {
    const struct stack *stack = stack_of(pthread);
    return stack ? stack->size : 0;
}

/* ---- Keys, which are as wide as a word there ---- */

int host_pthread_key_create(uint64_t *key, void (*destroy)(void *)) {
    pthread_key_t host = 0;
    int result = pthread_key_create(&host, destroy);
    *key = host;
    return result;
}

int host_pthread_key_delete(uint64_t key) {
    return pthread_key_delete((pthread_key_t)key);
}

void *host_pthread_getspecific(uint64_t key) {
    return pthread_getspecific((pthread_key_t)key);
}

int host_pthread_setspecific(uint64_t key, const void *value) {
    return pthread_setspecific((pthread_key_t)key, value);
}

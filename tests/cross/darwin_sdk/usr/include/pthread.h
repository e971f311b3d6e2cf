#pragma once
#include <_types.h>
#define __need_NULL
#include <stddef.h>
#include <sched.h>
#include <time.h>

typedef struct _opaque_pthread_t {
    long __sig;
    struct __darwin_pthread_handler_rec *__cleanup_stack;
    char __opaque[8176];
} * pthread_t;
typedef struct _opaque_pthread_attr_t {
    long __sig;
    char __opaque[56];
} pthread_attr_t;
typedef struct _opaque_pthread_mutex_t {
    long __sig;
    char __opaque[56];
} pthread_mutex_t;
typedef struct _opaque_pthread_mutexattr_t {
    long __sig;
    char __opaque[8];
} pthread_mutexattr_t;
typedef struct _opaque_pthread_cond_t {
    long __sig;
    char __opaque[40];
} pthread_cond_t;
typedef struct _opaque_pthread_condattr_t {
    long __sig;
    char __opaque[8];
} pthread_condattr_t;
typedef struct _opaque_pthread_rwlock_t {
    long __sig;
    char __opaque[192];
} pthread_rwlock_t;
typedef struct _opaque_pthread_rwlockattr_t {
    long __sig;
    char __opaque[16];
} pthread_rwlockattr_t;
typedef struct _opaque_pthread_once_t {
    long __sig;
    char __opaque[8];
} pthread_once_t;
typedef unsigned long pthread_key_t;

#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        0x32AAABA7, {                                                                              \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_COND_INITIALIZER                                                                   \
    {                                                                                              \
        0x3CB0B1BB, {                                                                              \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_RWLOCK_INITIALIZER                                                                 \
    {                                                                                              \
        0x2DA8B3B4, {                                                                              \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_ONCE_INIT                                                                          \
    {                                                                                              \
        0x30B1BCBA, {                                                                              \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_CREATE_JOINABLE  1
#define PTHREAD_CREATE_DETACHED  2
#define PTHREAD_MUTEX_NORMAL     0
#define PTHREAD_MUTEX_ERRORCHECK 1
#define PTHREAD_MUTEX_RECURSIVE  2

__BEGIN_DECLS
int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_getstack(const pthread_attr_t *__restrict, void **__restrict, size_t *__restrict);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_setdetachstate(pthread_attr_t *, int);
int pthread_attr_setstack(pthread_attr_t *, void *, size_t);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_cancel(pthread_t);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_init(pthread_cond_t *__restrict, const pthread_condattr_t *__restrict);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_timedwait(pthread_cond_t *__restrict, pthread_mutex_t *__restrict,
                           const struct timespec *__restrict);
int pthread_cond_wait(pthread_cond_t *__restrict, pthread_mutex_t *__restrict);
int pthread_create(pthread_t *__restrict, const pthread_attr_t *__restrict, void *(*)(void *),
                   void *__restrict);
int pthread_detach(pthread_t);
int pthread_equal(pthread_t, pthread_t);
void pthread_exit(void *) __dead2;
void *pthread_getspecific(pthread_key_t);
int pthread_join(pthread_t, void **);
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_key_delete(pthread_key_t);
int pthread_kill(pthread_t, int);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_init(pthread_mutex_t *__restrict, const pthread_mutexattr_t *__restrict);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutexattr_destroy(pthread_mutexattr_t *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_rwlock_destroy(pthread_rwlock_t *);
int pthread_rwlock_init(pthread_rwlock_t *__restrict, const pthread_rwlockattr_t *__restrict);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
pthread_t pthread_self(void);
int pthread_setspecific(pthread_key_t, const void *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);

/* Of Darwin alone. */
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
pthread_t pthread_from_mach_thread_np(unsigned int);
int pthread_getname_np(pthread_t, char *, size_t);
void *pthread_get_stackaddr_np(pthread_t);
size_t pthread_get_stacksize_np(pthread_t);
unsigned int pthread_mach_thread_np(pthread_t);
int pthread_main_np(void);
int pthread_setname_np(const char *);
int pthread_threadid_np(pthread_t, __uint64_t *);
#endif
__END_DECLS

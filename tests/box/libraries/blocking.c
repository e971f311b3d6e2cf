/*
 * blocking.c - what of libsystem_kernel and libsystem_pthread may wait, or is called so often that
 * threads are stopped in it.
 */
#include "blocking.h"

struct timespec;

PASSING(clock_gettime, (int clock, struct timespec *time), (clock, time))
BLOCKING(nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
BLOCKING(usleep, (unsigned microseconds), (microseconds))
BLOCKING(pthread_cond_wait, (void *condition, void *mutex), (condition, mutex))
BLOCKING(pthread_cond_timedwait, (void *condition, void *mutex, const struct timespec *until),
         (condition, mutex, until))
BLOCKING(pthread_mutex_lock, (void *mutex), (mutex))
BLOCKING(pthread_join, (void *thread, void **value), (thread, value))

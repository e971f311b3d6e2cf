/*
 * mach_double.h - what Darwin's <pthread.h> declares and this system's does not, before each file
 * of Darwin's part that is compiled here.
 */
#ifndef LOUPE_TEST_MACH_DOUBLE_H
#define LOUPE_TEST_MACH_DOUBLE_H

#include <stdint.h>

int pthread_threadid_np(void *thread, uint64_t *id); /* a pthread_t is a pointer there */

#endif

#pragma once
#include <stdint.h>
typedef struct _opaque_pthread_t *pthread_t;
pthread_t pthread_self(void);
int pthread_threadid_np(pthread_t, uint64_t *);

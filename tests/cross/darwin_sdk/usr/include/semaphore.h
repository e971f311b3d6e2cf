#pragma once
#include <_types.h>
typedef int sem_t;
#define SEM_FAILED ((sem_t *)-1)
__BEGIN_DECLS
int sem_close(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_post(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
/* There, and refused by the kernel. */
int sem_init(sem_t *, int, unsigned int) __deprecated;
int sem_destroy(sem_t *) __deprecated;
__END_DECLS

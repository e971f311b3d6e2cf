#pragma once
#include <sys/_timespec.h>
#include <sys/_timeval.h>
struct itimerval {
    struct timeval it_interval, it_value;
};
#define ITIMER_REAL    0
#define ITIMER_VIRTUAL 1
#define ITIMER_PROF    2
__BEGIN_DECLS
int getitimer(int, struct itimerval *);
int gettimeofday(struct timeval *__restrict, void *__restrict);
int setitimer(int, const struct itimerval *__restrict, struct itimerval *__restrict);
int utimes(const char *, const struct timeval *);
__END_DECLS

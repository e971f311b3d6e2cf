#pragma once
#include <_types.h>
#define __need_NULL
#include <stddef.h>
#include <sys/_timespec.h>
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    char *tm_zone;
};
typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC_RAW = 4,
    _CLOCK_MONOTONIC_RAW_APPROX = 5,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_UPTIME_RAW = 8,
    _CLOCK_UPTIME_RAW_APPROX = 9,
    _CLOCK_PROCESS_CPUTIME_ID = 12,
    _CLOCK_THREAD_CPUTIME_ID = 16
} clockid_t;
#define CLOCK_REALTIME _CLOCK_REALTIME
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define CLOCK_MONOTONIC_RAW _CLOCK_MONOTONIC_RAW
#endif
#define CLOCK_MONOTONIC _CLOCK_MONOTONIC
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define CLOCK_UPTIME_RAW _CLOCK_UPTIME_RAW
#endif
#define CLOCK_PROCESS_CPUTIME_ID _CLOCK_PROCESS_CPUTIME_ID
#define CLOCK_THREAD_CPUTIME_ID  _CLOCK_THREAD_CPUTIME_ID
#define CLOCKS_PER_SEC           1000000
#define TIME_UTC                 1
__BEGIN_DECLS
char *asctime(const struct tm *);
clock_t clock(void);
int clock_getres(clockid_t, struct timespec *);
int clock_gettime(clockid_t, struct timespec *);
char *ctime(const time_t *);
double difftime(time_t, time_t);
struct tm *gmtime(const time_t *);
struct tm *gmtime_r(const time_t *__restrict, struct tm *__restrict);
struct tm *localtime(const time_t *);
struct tm *localtime_r(const time_t *__restrict, struct tm *__restrict);
time_t mktime(struct tm *);
int nanosleep(const struct timespec *, struct timespec *);
size_t strftime(char *__restrict, size_t, const char *__restrict, const struct tm *__restrict);
time_t time(time_t *);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
time_t timegm(struct tm *);
#endif
int timespec_get(struct timespec *, int);
__END_DECLS

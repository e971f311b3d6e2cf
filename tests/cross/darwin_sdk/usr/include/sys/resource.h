#pragma once
#include <stdint.h>
#include <sys/_timeval.h>
typedef uint64_t rlim_t;
#define RLIM_INFINITY   (((uint64_t)1 << 63) - 1)
#define RLIMIT_CPU      0
#define RLIMIT_FSIZE    1
#define RLIMIT_DATA     2
#define RLIMIT_STACK    3
#define RLIMIT_CORE     4
#define RLIMIT_AS       5
#define RLIMIT_NOFILE   8
#define RUSAGE_SELF     0
#define RUSAGE_CHILDREN -1
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};
struct rusage {
    struct timeval ru_utime, ru_stime;
    long ru_maxrss, ru_ixrss, ru_idrss, ru_isrss, ru_minflt, ru_majflt, ru_nswap, ru_inblock,
        ru_oublock, ru_msgsnd, ru_msgrcv, ru_nsignals, ru_nvcsw, ru_nivcsw;
};
__BEGIN_DECLS
int getrlimit(int, struct rlimit *);
int getrusage(int, struct rusage *);
int setrlimit(int, const struct rlimit *);
__END_DECLS

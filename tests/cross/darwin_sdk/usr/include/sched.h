#pragma once
#include <sys/cdefs.h>
#define SCHED_OTHER 1
struct sched_param {
    int sched_priority;
    char __opaque[4];
};
__BEGIN_DECLS
int sched_yield(void);
__END_DECLS

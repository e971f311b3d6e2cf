#pragma once
#include <_types.h>
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

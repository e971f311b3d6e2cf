#pragma once
#include <sys/_timespec.h>
#include <sys/_timeval.h>
typedef struct fd_set {
    __int32_t fds_bits[32];
} fd_set;
#define FD_SETSIZE       1024
#define FD_ZERO(set)     __builtin_memset(set, 0, sizeof(*(set)))
#define FD_SET(n, set)   ((set)->fds_bits[(n) / 32] |= (__int32_t)(1u << (n) % 32))
#define FD_ISSET(n, set) (((set)->fds_bits[(n) / 32] & (__int32_t)(1u << (n) % 32)) != 0)
#if defined(_DARWIN_C_SOURCE)
#define __DARWIN_1050(name) __DARWIN_EXTSN(name)
#elif defined(__x86_64__)
#define __DARWIN_1050(name) __asm("_" #name "$1050")
#else
#define __DARWIN_1050(name)
#endif
__BEGIN_DECLS
int select(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
           struct timeval *__restrict) __DARWIN_1050(select);
__END_DECLS

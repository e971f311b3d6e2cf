#pragma once
#include <stdint.h>
#include <sys/_timespec.h>
typedef struct fd_set {
    int32_t fds_bits[32];
} fd_set;
#define FD_SETSIZE       1024
#define FD_ZERO(set)     __builtin_memset(set, 0, sizeof(*(set)))
#define FD_SET(n, set)   ((set)->fds_bits[(n) / 32] |= (int32_t)(1u << (n) % 32))
#define FD_ISSET(n, set) (((set)->fds_bits[(n) / 32] & (int32_t)(1u << (n) % 32)) != 0)
__BEGIN_DECLS
int select(int, fd_set *__restrict, fd_set *__restrict, fd_set *__restrict,
           struct timeval *__restrict) __DARWIN_EXTSN(select);
__END_DECLS

#pragma once
#include <_types.h>
#define PROT_NONE   0x00
#define PROT_READ   0x01
#define PROT_WRITE  0x02
#define PROT_EXEC   0x04
#define MAP_SHARED  0x0001
#define MAP_PRIVATE 0x0002
#define MAP_FIXED   0x0010
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define MAP_NORESERVE 0x0040
#define MAP_JIT       0x0800
#define MAP_ANON      0x1000
#define MAP_ANONYMOUS MAP_ANON
#endif
#define MAP_FAILED ((void *)-1)
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define MADV_NORMAL   0
#define MADV_WILLNEED 3
#define MADV_DONTNEED 4
#define MADV_FREE     5
#endif
#define MS_SYNC 0x0010
__BEGIN_DECLS
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int madvise(void *, size_t, int);
int mincore(const void *, size_t, char *);
#endif
int mlock(const void *, size_t);
void *mmap(void *, size_t, int, int, int, off_t);
int mprotect(void *, size_t, int);
int msync(void *, size_t, int);
int munmap(void *, size_t);
__END_DECLS

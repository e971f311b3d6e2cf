#pragma once
#include <sys/cdefs.h>
#if defined(__x86_64__)
typedef int jmp_buf[37];
typedef int sigjmp_buf[38];
#else
typedef int jmp_buf[48];
typedef int sigjmp_buf[49];
#endif
__BEGIN_DECLS
int setjmp(jmp_buf) __attribute__((__returns_twice__));
int sigsetjmp(sigjmp_buf, int) __attribute__((__returns_twice__));
void longjmp(jmp_buf, int) __dead2;
void siglongjmp(sigjmp_buf, int) __dead2;
__END_DECLS

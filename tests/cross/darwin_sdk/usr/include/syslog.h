#pragma once
#include <_types.h>
#define LOG_ERR     3
#define LOG_WARNING 4
#define LOG_NOTICE  5
#define LOG_INFO    6
#define LOG_DEBUG   7
#define LOG_PID     0x01
#define LOG_USER    (1 << 3)
__BEGIN_DECLS
void closelog(void);
void openlog(const char *, int, int);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
void syslog(int, const char *, ...) __printflike(2, 3) __DARWIN_EXTSN(syslog);
#else
void syslog(int, const char *, ...) __printflike(2, 3);
#endif
__END_DECLS

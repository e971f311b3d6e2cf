#pragma once
#include <sys/signal.h>
#include <sys/resource.h>
#define WNOHANG             0x01
#define WUNTRACED           0x02
#define WEXITED             0x04
#define WNOWAIT             0x20
#define WIFEXITED(status)   (((status)&0177) == 0)
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WIFSIGNALED(status) (((status)&0177) != 0177 && ((status)&0177) != 0)
#define WTERMSIG(status)    ((status)&0177)
#define WIFSTOPPED(status)  (((status)&0177) == 0177 && ((status) >> 8) != 0x13)
#define WSTOPSIG(status)    ((status) >> 8)
typedef enum { P_ALL, P_PID, P_PGID } idtype_t;
__BEGIN_DECLS
pid_t wait(int *);
int waitid(idtype_t, id_t, siginfo_t *, int);
pid_t waitpid(pid_t, int *, int);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
pid_t wait4(pid_t, int *, int, struct rusage *);
#endif
__END_DECLS

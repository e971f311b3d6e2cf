#pragma once
#include <sys/signal.h>

__BEGIN_DECLS
int kill(pid_t, int);
int raise(int);
int sigaction(int, const struct sigaction *__restrict, struct sigaction *__restrict);
int sigaltstack(const stack_t *__restrict, stack_t *__restrict);
void (*signal(int, void (*)(int)))(int);
int sigprocmask(int, const sigset_t *__restrict, sigset_t *__restrict);
int sigsuspend(const sigset_t *);
int sigwait(const sigset_t *__restrict, int *__restrict);
int(sigaddset)(sigset_t *, int);
int(sigdelset)(sigset_t *, int);
int(sigemptyset)(sigset_t *);
int(sigfillset)(sigset_t *);
int(sigismember)(const sigset_t *, int);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
__END_DECLS
#define sigaddset(set, number)   (*(set) |= 1u << ((number)-1), 0)
#define sigdelset(set, number)   (*(set) &= ~(1u << ((number)-1)), 0)
#define sigemptyset(set)         (*(set) = 0, 0)
#define sigfillset(set)          (*(set) = ~(sigset_t)0, 0)
#define sigismember(set, number) ((*(set) & (1u << ((number)-1))) != 0)
